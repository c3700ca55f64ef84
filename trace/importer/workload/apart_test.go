package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Recordings of clusters that have no host in common are said to be of several: their nodes together are no cluster that anybody had.
func TestRecordingsOfSeveralClusters(t *testing.T) {
	type app struct{ id, hosts string }
	for _, tt := range []struct {
		name    string
		apps    []app
		options func(*Options)
		want    string
	}{
		{"one start of a ResourceManager", []app{{"application_17_0001", "a b"}, {"application_17_0002", "c"}}, nil, ""},
		{"two starts, the same hosts", []app{{"application_17_0001", "a b"}, {"application_18_0001", "b c"}}, nil, ""},
		{"two starts, which the hosts of a third join", []app{{"application_17_0001", "a b"}, {"application_18_0001", "c d"}, {"application_19_0001", "b c"}}, nil, ""},
		{"two starts, nothing in common", []app{{"application_17_0001", "a b"}, {"application_18_0001", "c d e"}, {"application_17_0002", "f"}, {"application_17_0003", "g"}}, nil,
			"of 2 clusters, as none names a host of another: the trace has the 7 hosts of all as one cluster at all times, on which jobs wait less than they did; replay import --nodes 4, "},
		{"jobs of MapReduce", []app{{"job_17_0001", "a"}, {"job_17_0002", "c"}, {"application_18_0001", "d"}}, nil, "of 2 clusters, "},
		{"ids of no ResourceManager", []app{{"spark-a1", "p1 p2"}, {"spark-b2", "p3"}, {"spark-c3", "p4"}}, nil, "of 3 clusters, "},
		{"ids of no ResourceManager, the same hosts", []app{{"app-1", "p1 p2"}, {"app-2", "p2"}}, nil, ""},
		{"no hosts", []app{{"application_17_0001", ""}, {"application_18_0001", ""}}, nil, ""},
		{"a cluster by flags", []app{{"application_17_0001", "a"}, {"application_18_0001", "c"}}, func(o *Options) { o.Nodes = 2 }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // in any order
				var warnings []string
				_, m := made(t, format(func(b *Builder) error {
					for i, x := range tt.apps {
						a := sample(x.id, int64(i))
						a.Hosts = strings.Fields(x.hosts)
						in := NewInput("in", fmt.Sprint("in/", i))
						in.Application = x.id
						if err := b.AddRecording(in, a, NewCounts()); err != nil {
							return err
						}
					}
					return nil
				}), func(o *Options) {
					o.Nodes, o.Warn = 0, func(text string) { warnings = append(warnings, text) }
					if tt.options != nil {
						tt.options(o)
					}
				})
				said := strings.Join(slices.DeleteFunc(warnings, func(w string) bool { return !strings.HasPrefix(w, "the recordings seem") }), "\n")
				if (tt.want == "") != (said == "") || !strings.Contains(said, tt.want) {
					t.Errorf("warnings %q, want %q", warnings, tt.want)
				}
				if m.Source.Apart() != said {
					t.Errorf("the trace says %q, want %q", m.Source.Apart(), said)
				}
				slices.Reverse(tt.apps)
			}
		})
	}
}
