package importer

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"replay/trace"
)

// The recorded traces of the project hold what an import gives today; the options are those of scripts/make-traces.
func TestTracesAreCurrent(t *testing.T) {
	shared := sharedRecordings(t)
	contended := []string{"wordcount-cluster", "star-queries-static", "star-queries-adaptive", "python-jobs", "kmeans-cached", "skewed-join", "pagerank"}
	for _, name := range []string{"fair-weights", "drf-mixed-sizes", "locality-thresholds", "locality-wait-3s", "node-lost", "contended-logs"} {
		kept, err := trace.Load(filepath.Join("..", "..", "traces", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if shared == "" {
			continue
		}
		opt := DefaultOptions()
		opt.Out = filepath.Join(t.TempDir(), name)
		format, inputs := "spark-on-yarn", []string{filepath.Join(shared, "spark-on-yarn", name)}
		if name == "contended-logs" {
			format, inputs = "spark-eventlog", nil
			for _, log := range contended {
				inputs = append(inputs, filepath.Join(shared, "spark-eventlogs", log))
			}
			opt.Blocks, opt.Nodes, opt.Racks, opt.NodeMemMiB, opt.NodeVCores, opt.Copies, opt.Arrivals = "hdfs", 20, 4, 4096, 4, 8, "poisson:6s"
			for _, s := range []string{"star=sql", "wordcount|python=etl", ".=science"} {
				r, err := ParseQueueRule(s)
				if err != nil {
					t.Fatal(err)
				}
				opt.QueueMap = append(opt.QueueMap, r)
			}
		}
		if _, err := Import(context.Background(), format, inputs, opt); err != nil {
			t.Fatal(err)
		}
		now, err := trace.Load(opt.Out)
		if err != nil {
			t.Fatal(err)
		}
		for part, same := range map[string]bool{
			"jobs": reflect.DeepEqual(kept.JobList, now.JobList), "executors": reflect.DeepEqual(kept.ExecutorList, now.ExecutorList),
			"nodes": reflect.DeepEqual(kept.Nodes, now.Nodes), "files": reflect.DeepEqual(kept.Files, now.Files),
			"events": reflect.DeepEqual(kept.Events, now.Events), "attached files": reflect.DeepEqual(kept.Attached, now.Attached),
		} {
			if !same {
				t.Errorf("%s: the %s differ from those of an import: run scripts/make-traces", name, part)
			}
		}
	}
}
