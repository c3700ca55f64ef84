package importer

import (
	"path/filepath"
	"regexp"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// What scripts/make-traces imports.
var madeTraces = map[string]struct {
	format string
	inputs []string
	change func(*workload.Options)
}{
	"fair-weights":        {"spark-on-yarn", []string{"fair-weights"}, nil},
	"drf-mixed-sizes":     {"spark-on-yarn", []string{"drf-mixed-sizes"}, nil},
	"locality-thresholds": {"spark-on-yarn", []string{"locality-thresholds"}, nil},
	"locality-wait-3s":    {"spark-on-yarn", []string{"locality-wait-3s"}, nil},
	"node-lost":           {"spark-on-yarn", []string{"node-lost"}, nil},
	"contended-logs": {"spark-eventlog", []string{"wordcount-cluster", "star-queries-static", "star-queries-adaptive", "python-jobs", "kmeans-cached", "skewed-join", "pagerank"}, func(o *workload.Options) {
		o.Blocks, o.Nodes, o.Racks, o.NodeMemMiB, o.NodeVCores, o.Copies, o.Arrivals = "hdfs", 20, 4, 4096, 4, 8, "poisson:6s"
		for _, q := range [][2]string{{"star", "sql"}, {"wordcount|python", "etl"}, {".", "science"}} {
			o.QueueMap = append(o.QueueMap, workload.QueueRule{Name: regexp.MustCompile(q[0]), Queue: q[1]})
		}
	}},
}

// The recorded traces of the project hold what an import gives today; the options are those of scripts/make-traces.
func TestTracesAreCurrent(t *testing.T) {
	for name, made := range madeTraces {
		t.Run(name, func(t *testing.T) {
			dir := importtest.Recordings(t, map[string]string{"spark-on-yarn": "spark-on-yarn", "spark-eventlog": "spark-eventlogs"}[made.format])
			opt := workload.DefaultOptions()
			opt.Name, opt.Out = name, filepath.Join(t.TempDir(), name)
			if made.change != nil {
				made.change(&opt)
			}
			var inputs []string
			for _, in := range made.inputs {
				inputs = append(inputs, filepath.Join(dir, in))
			}
			res, err := Import(t.Context(), made.format, inputs, opt)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := trace.Open(filepath.Join("..", "..", "traces", name))
			if err != nil {
				t.Fatal(err)
			}
			defer kept.Close()
			if res.Hash != kept.Hash() {
				t.Errorf("an import has the hash %s, traces/%s has %s: run scripts/make-traces", res.Hash, name, kept.Hash())
			}
		})
	}
}
