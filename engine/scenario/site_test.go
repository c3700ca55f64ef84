package scenario

import (
	"errors"
	"strings"
	"testing"
)

func TestSitesThatAreRefused(t *testing.T) {
	const heartbeat, expiry = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "yarn.nm.liveness-monitor.expiry-interval-ms"
	of := func(kv ...string) Options {
		return Options{Files: Files{YarnSite: {Name: "mine.xml", Text: site(kv...)}}}
	}
	by := func(kv ...string) Options {
		o := Options{Conf: map[string]string{}}
		for i := 0; i < len(kv); i += 2 {
			o.Conf[kv[i]] = kv[i+1]
		}
		return o
	}
	for _, tt := range []struct {
		o      Options
		want   string
		option bool // a mistake in the options
	}{
		{Options{Files: Files{YarnSite: {Name: "mine.xml", Text: []byte("<configuration>")}}}, "mine.xml: ", false},
		{of(expiry, "soon"), expiry + ` is "soon"`, false},
		{by("yarn.nm.liveness-monitor.expiry-intervals", "1"), "unknown key yarn.nm.liveness-monitor.expiry-intervals", true},
		{by(heartbeat, "0"), heartbeat + " is 0, want 1 or more", true},
		{of("yarn.resourcemanager.am.max-attempts", "0"), "Invalid rm am max attempts configuration", false},
		{by("yarn.scheduler.minimum-allocation-mb", "9000"), "yarn.scheduler.minimum-allocation-mb=9000", false},
		{Options{Scheduler: "fifo", Conf: by("yarn.scheduler.minimum-allocation-mb", "9000").Conf}, "yarn.scheduler.minimum-allocation-mb=9000", false},
		{Options{Scheduler: "capacity", Conf: by("yarn.scheduler.minimum-allocation-mb", "9000").Conf}, "yarn.scheduler.minimum-allocation-mb=9000", false},
	} {
		_, err := New(Input{}, tt.o)
		var option *OptionError
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &option) != tt.option {
			t.Errorf("%v: error %v, want %q", tt.o.Conf, err, tt.want)
		}
	}
	if sc := resolve(t, Input{}, by(heartbeat, "1", expiry, "1")); sc.Site.HeartbeatInterval != 1 {
		t.Errorf("the heartbeat interval is %d ms, want 1", sc.Site.HeartbeatInterval)
	}
}
