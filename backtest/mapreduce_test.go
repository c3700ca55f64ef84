package backtest

import (
	"testing"

	"replay/engine/scenario"
	"replay/trace/importer/workload"
)

// A recorded cluster of MapReduce jobs is predicted with recorded latencies. Its fixture has two of the four applications, so that the cluster is emptier than it was:
// what is held is that all end, and that times are of the right size.
func TestMapReduceCluster(t *testing.T) {
	recs, _, err := Sources(t.Context(), []string{"../trace/importer/testdata/mapreduce-on-yarn/two-jobs"}, SourceOptions{Import: workload.DefaultOptions(), Tmp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Engine: scenario.DefaultOptions(), Seeds: 1}
	b, err := Run(t.Context(), recs, o, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Applications) != 2 {
		t.Fatalf("%d applications, want 2", len(b.Applications))
	}
	for _, a := range b.Applications {
		if a.Failed() || a.PredictedMS > a.RecordedMS || a.PredictedMS*3 < a.RecordedMS {
			t.Errorf("%s: predicted %d ms, recorded %d ms: %s", a.Name, a.PredictedMS, a.RecordedMS, a.Reason)
		}
	}
}
