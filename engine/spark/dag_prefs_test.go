package spark

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/trace"
)

// locations writes the preferred locations of each task: hosts as h1, executors on them as h1/e2.
func locations(spec *TaskSetSpec) []string {
	if spec.PrefStart == nil {
		return nil
	}
	out := []string{}
	for i := range int32(spec.Tasks) {
		var at []string
		from, to := spec.prefs(i)
		for k := from; k < to; k++ {
			text := fmt.Sprint("h", spec.Hosts[k])
			if spec.Execs != nil && spec.Execs[k] != OnHost {
				text += fmt.Sprint("/e", spec.Execs[k])
			}
			at = append(at, text)
		}
		out = append(out, strings.Join(at, " "))
	}
	return out
}

// dagOf makes a DAG with executors 0 to 5; 0 and 1 are on host 0, the others each on one of its own.
func dagOf(t *testing.T, values map[string]string, stages ...trace.Stage) *DAG {
	t.Helper()
	c := testConf(t, values)
	s := NewTaskScheduler(c, NewPools(FIFO, nil), nil, nil)
	var o []Offer
	for exec, host := range []int32{0, 0, 1, 2, 3, 4} {
		o = append(o, Offer{Exec: int32(exec), Host: host})
	}
	s.ResourceOffers(0, o, true)
	d, err := NewDAG(c, &trace.Job{Stages: stages}, s, []int32{1})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// DAGScheduler.getPreferredLocsInternal: a cached block wins, then what the trace says; nothing is merged.
func TestPreferredLocations(t *testing.T) {
	reads := func(cacheOf int32, prefs ...[]int32) trace.Stage {
		s := testStage(1, nil, 1000, prefs...)
		s.CacheOf = cacheOf
		return s
	}
	wants := [][]int32{{3}, {3, 4}, nil}
	tests := []struct {
		name   string
		stage  trace.Stage
		cached []int32 // executors with the blocks of stage 0
		only   []int32 // partitions to compute, nil = all
		want   []string
	}{
		{"nothing", reads(trace.Unset, none(3)...), nil, nil, nil},
		{"of the trace", reads(trace.Unset, wants...), nil, nil, []string{"h3", "h3 h4", ""}},
		{"of the trace, some partitions", reads(trace.Unset, wants...), nil, []int32{1, 2}, []string{"h3 h4", ""}},
		{"cached blocks", reads(0, none(3)...), []int32{5, 0, 2}, nil, []string{"h4/e5", "h0/e0", "h1/e2"}},
		{"cached blocks of some partitions", reads(0, none(3)...), []int32{5, 0, 2}, []int32{2}, []string{"h1/e2"}},
		{"cached blocks before the trace", reads(0, wants...), []int32{5, 0, 2}, nil, []string{"h4/e5", "h0/e0", "h1/e2"}},
		{"lost blocks leave it to the trace", reads(0, wants...), []int32{5, -1, -1}, nil, []string{"h4/e5", "h3 h4", ""}},
		{"one block on the first executor", reads(0, none(3)...), []int32{-1, 0, -1}, nil, []string{"", "h0/e0", ""}},
		{"all blocks lost", reads(0, wants...), []int32{-1, -1, -1}, nil, []string{"h3", "h3 h4", ""}},
		{"all blocks lost, no other preference", reads(0, none(3)...), []int32{-1, -1, -1}, nil, nil},
		{"fewer blocks than partitions", reads(0, wants...), []int32{5, 2}, nil, []string{"h4/e5", "h1/e2", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := 3
			if tt.cached != nil {
				n = len(tt.cached)
			}
			d := dagOf(t, nil, testStage(0, nil, 1000, none(n)...), tt.stage)
			d.stages[0].cached = tt.cached
			spec := TaskSetSpec{Tasks: 3, Partitions: tt.only}
			if tt.only != nil {
				spec.Tasks = len(tt.only)
			}
			d.prefer(1, &spec)
			if diff := cmp.Diff(tt.want, locations(&spec)); diff != "" {
				t.Errorf("locations (-want +got)\n%s", diff)
			}
		})
	}
}

// MapOutputTrackerMaster.getPreferredLocationsForShuffle, getLocationsWithLargestOutputs: executors with at least
// a fifth of the output of a parent that has fewer than 1,000 tasks, for fewer than 1,000 reducers.
func TestReducePreferences(t *testing.T) {
	const mb = 1 << 20
	on := func(execs ...int32) []int32 { return execs }
	equal := func(n int) []int64 {
		sizes := make([]int64, n)
		for i := range sizes {
			sizes[i] = mb
		}
		return sizes
	}
	spread := func(n int) []int32 {
		out := make([]int32, n)
		for i := range out {
			out[i] = int32(i % 2)
		}
		return out
	}
	off := map[string]string{"spark.shuffle.reduceLocality.enabled": "false"}
	tests := []struct {
		name     string
		values   map[string]string
		reducers int
		out      []int32 // executors with the output of stage 0
		written  []int64
		out2     []int32 // of stage 1, the second parent
		written2 []int64
		want     []int32
	}{
		{"all of it", nil, 2, on(3), equal(1), nil, nil, []int32{2}},
		{"on the first executor", nil, 2, on(0), equal(1), nil, nil, []int32{0}},
		{"switched off", off, 2, on(3), equal(1), nil, nil, nil},
		{"a fifth each", nil, 2, on(0, 2, 3, 4, 5), equal(5), nil, nil, []int32{0, 1, 2, 3, 4}},
		{"a sixth each", nil, 2, on(0, 1, 2, 3, 4, 5), equal(6), nil, nil, nil},
		{"two sevenths on the host, but not on one executor", nil, 2, on(0, 1, 2, 3, 4, 5, 5), equal(7), nil, nil, []int32{4}},
		{"two executors of one host", nil, 2, on(0, 1), equal(2), nil, nil, []int32{0}},
		{"lost output does not count", nil, 2, on(-1, -1, 3), equal(3), nil, nil, []int32{2}},
		{"by bytes, not by tasks", nil, 2, on(2, 2, 2, 3), []int64{mb, mb, mb, 100 * mb}, nil, nil, []int32{2}},
		{"empty blocks", nil, 2, on(2, 3), []int64{0, mb}, nil, nil, []int32{2}},
		{"too little for a byte each", nil, 10, on(2, 3), []int64{9, 10}, nil, nil, []int32{2}},
		{"nothing written", nil, 2, on(2, 3), []int64{0, 0}, nil, nil, nil},
		{"999 reducers", nil, 999, on(3), equal(1), nil, nil, []int32{2}},
		{"1000 reducers", nil, 1000, on(3), equal(1), nil, nil, nil},
		{"999 maps", nil, 2, spread(999), equal(999), nil, nil, []int32{0}},
		{"1000 maps", nil, 2, spread(1000), equal(1000), nil, nil, nil},
		{"1000 maps, and a second parent", nil, 2, spread(1000), equal(1000), on(3), equal(1), []int32{2}},
		{"sizes not known, and a second parent", nil, 2, on(2), nil, on(3), equal(1), []int32{2}},
		{"the first parent with an answer", nil, 2, on(2), equal(1), on(3), equal(1), []int32{1}},
		{"no executor with a fifth, and a second parent", nil, 2, on(0, 1, 2, 3, 4, 5), equal(6), on(3), equal(1), []int32{2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first, second := testStage(0, nil, 1, none(len(tt.out))...), testStage(1, nil, 1, none(len(tt.out2))...)
			first.Tasks.ShuffleWriteBytes, second.Tasks.ShuffleWriteBytes = tt.written, tt.written2
			d := dagOf(t, tt.values, first, second, testStage(2, []int32{0, 1}, 1, none(tt.reducers)...))
			d.stages[0].out, d.stages[1].out = tt.out, tt.out2
			if diff := cmp.Diff(tt.want, d.reduceHosts(2)); diff != "" {
				t.Errorf("hosts (-want +got)\n%s", diff)
			}
			spec := TaskSetSpec{Tasks: tt.reducers}
			d.prefer(2, &spec)
			var want []string
			if len(tt.want) > 0 {
				var hosts []string
				for _, h := range tt.want {
					hosts = append(hosts, fmt.Sprint("h", h))
				}
				for range tt.reducers {
					want = append(want, strings.Join(hosts, " "))
				}
			}
			if diff := cmp.Diff(want, locations(&spec)); diff != "" {
				t.Errorf("locations (-want +got)\n%s", diff)
			}
		})
	}
}

// A stage that reads a cached input and a shuffle prefers the block, and elsewhere the hosts of the output.
func TestCachedInputBesideAShuffle(t *testing.T) {
	cached, parent := testStage(0, nil, 1, none(2)...), testStage(1, nil, 1, none(1)...)
	parent.Tasks.ShuffleWriteBytes = []int64{1 << 20}
	both := testStage(2, []int32{1}, 1, none(2)...)
	both.CacheOf = 0
	d := dagOf(t, nil, cached, parent, both)
	d.stages[0].cached, d.stages[1].out = []int32{-1, 5}, []int32{3}
	spec := TaskSetSpec{Tasks: 2}
	d.prefer(2, &spec)
	if diff := cmp.Diff([]string{"h2", "h4/e5"}, locations(&spec)); diff != "" {
		t.Errorf("locations (-want +got)\n%s", diff)
	}
}

// MapStatus.compressSize keeps 8 bits: nothing is larger than 1.1 to the power of 255.
func TestBlockSizeIsBounded(t *testing.T) {
	for _, bytes := range []int64{36 << 30, 1 << 50, math.MaxInt64} {
		if got := blockSize(bytes); got != 35_903_328_718 {
			t.Errorf("blockSize(%d) = %d, want 35903328718", bytes, got)
		}
	}
	if got := blockSize(32_000_000_000); got != 32_639_389_743 {
		t.Errorf("blockSize(32e9) = %d, want 1.1 to the power of 254", got)
	}
}
