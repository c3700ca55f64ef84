package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestQueues(t *testing.T) {
	rule := func(s string) QueueRule {
		r, err := ParseQueueRule(s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	o := Options{QueueMap: []QueueRule{rule("^etl=etl.nightly"), rule("a=b=root.x")}}
	for _, tt := range []struct{ name, recorded, want string }{
		{"etl-1", "prod", "root.etl.nightly"},
		{"some a=b", "prod", "root.x"},
		{"other", "prod", "root.prod"},
		{"other", "root.prod.deep", "root.prod.deep"},
		{"other", "", "root.default"},
	} {
		if got := o.queueOf(tt.name, tt.recorded); got != tt.want {
			t.Errorf("queue of %s (%s) is %s, want %s", tt.name, tt.recorded, got, tt.want)
		}
	}
	queues, id := queueTable(map[string]bool{"root.a.b": true, "root.c": true})
	var got []string
	for _, q := range queues {
		got = append(got, fmt.Sprint(q.ID, q.Path, q.Parent))
	}
	if want := []string{"0root-1", "1root.a0", "2root.a.b1", "3root.c0"}; !slices.Equal(got, want) || id["root.c"] != 3 {
		t.Errorf("queues are %v, want %v", got, want)
	}
	for _, bad := range []string{"x", "x=", "(=q"} {
		if _, err := ParseQueueRule(bad); err == nil {
			t.Errorf("rule %q is taken", bad)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, tt := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Blocks = "some" }, `blocks is "some"`},
		{func(o *Options) { o.Arrivals = "poisson" }, `arrivals is "poisson"`},
		{func(o *Options) { o.Arrivals = "poisson:-3s" }, `arrivals is "poisson:-3s"`},
		{func(o *Options) { o.Arrivals = "fixed:277777h" }, `arrivals is "fixed:277777h", want recorded, poisson:30s or fixed:10s, with a time of 0 to 11574d`},
		{func(o *Options) { o.Copies = 0 }, "copies is 0"},
		{func(o *Options) { o.Racks = 0 }, "racks is 0"},
		{func(o *Options) { o.Replication = 0 }, "replication is 0"},
		{func(o *Options) { o.Lenient, o.Strict = true, true }, "exclude each other"},
	} {
		opt := DefaultOptions()
		tt.change(&opt)
		if err := opt.check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error is %v, want %q", err, tt.want)
		}
	}
}
