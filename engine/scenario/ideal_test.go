package scenario

import (
	"errors"
	"strings"
	"testing"

	"replay/engine/spark/driver"
)

// What the ideal scheduler does not look at is said, and named; what sizes tasks is looked at.
func TestIdealSaysWhatHasNoEffect(t *testing.T) {
	o := Options{Scheduler: "ideal", Placement: "none", Engine: "dense", Conf: map[string]string{
		"spark.locality.wait": "0s", "spark.task.cpus": "2", "mapreduce.map.memory.mb": "512", "mapreduce.map.maxattempts": "2", "yarn.nm.liveness-monitor.expiry-interval-ms": "1000", "tez.am.container.reuse.enabled": "true"},
		Parameters: map[string]string{"nm-start-ms": "3"}, Files: Files{YarnSite: {Name: "y.xml", Text: []byte("<configuration/>")}}}
	sc := resolve(t, Input{}, o)
	var texts []string
	for _, w := range sc.Warnings {
		texts = append(texts, w.Text)
	}
	want := "no effect under the ideal scheduler, which has no YARN and of Spark and MapReduce the sizes of tasks alone: --placement none, --engine dense, --model, y.xml, --conf yarn.nm.liveness-monitor.expiry-interval-ms, --conf tez.am.container.reuse.enabled, --conf spark.locality.wait, --conf mapreduce.map.maxattempts"
	if len(texts) == 0 || texts[len(texts)-1] != want {
		t.Errorf("%q, want %q", texts, want)
	}
	if sc := resolve(t, Input{}, Options{Scheduler: "ideal"}); len(sc.Warnings) > 0 {
		t.Errorf("%+v without anything given", sc.Warnings)
	}
	if m := sc.Manifest(); !strings.Contains(strings.Join(m.Modelled, "; "), "strictly first come, first served") {
		t.Errorf("%q", m.Modelled)
	}
}

// A recording's executors, files and policies of other schedulers have no place in it.
func TestIdealRefuses(t *testing.T) {
	for want, o := range map[string]Options{
		"recorded executors": {Recorded: driver.Recorded{Executors: []driver.RecordedExecutor{}}},
		"sharing is":         {Sharing: "drf"},
		"is for the FairScheduler, the scheduler is ideal by --scheduler": {Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte("<allocations/>")}}},
	} {
		o.Scheduler = "ideal"
		_, err := New(Input{}, o)
		var option *OptionError
		if !errors.As(err, &option) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
