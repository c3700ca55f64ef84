package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// What the configuration of a job sets and a replay does not follow is said once, with the number of jobs.
func TestWarningsOfConfiguration(t *testing.T) {
	recorded := []trace.KeyValue{
		{Key: "spark.app.secret", Value: "x"}, // an application's own
		{Key: "spark.driver.maxResultSize", Value: "4g"},
		{Key: "spark.locality.luck", Value: "1"},
		{Key: "spark.scheduler.allocation.file", Value: "pools.xml"},
		{Key: "spark.scheduler.mode", Value: "FAIR"},
	}
	a := sparkJob(0, 0, 1, stage(0, 1, 1000, nil))
	b := sparkJob(1, 1000, 1, stage(0, 1, 1000, nil))
	a.Conf, b.Conf = recorded, recorded
	warnings := func(o scenario.Options) []record.Warning {
		_, m := replay(t, input(cluster(1, 1), nil, a, b), o)
		return m.Warnings
	}
	want := []record.Warning{
		{Code: "conf:spark.driver.maxResultSize", Text: "job 0: spark.driver.maxResultSize=4g is not modelled: results are never too large", Count: 2, Jobs: 2},
		{Code: "conf:unknown-keys", Text: "job 0: keys that are not known here change nothing: spark.locality.luck", Count: 2, Jobs: 2},
		{Code: "conf:pools", Text: "job 0: spark.scheduler.allocation.file=pools.xml is not read, --conf names the file of a replay: pools have weight 1 and no minimum share", Count: 2, Jobs: 2},
	}
	if d := cmp.Diff(want, warnings(scenario.Options{})); d != "" {
		t.Errorf("warnings (-want +got)\n%s", d)
	}
	given := scenario.Options{Files: scenario.Files{scenario.SparkPools: {Name: "mine.xml", Text: []byte("<allocations/>")}}, Conf: map[string]string{"spark.scheduler.allocation.file": "mine.xml"}}
	if d := cmp.Diff(want[:2], warnings(given)); d != "" {
		t.Errorf("warnings with a file of pools (-want +got)\n%s", d)
	}
}
