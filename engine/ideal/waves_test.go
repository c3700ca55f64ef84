package ideal

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// anyOrder is kept for a sink that takes task attempts and containers in any order.
type anyOrder struct{ *kept }

func (anyOrder) AnyOrder() (containers, tasks bool) { return true, true }

// waving takes them by the wave, too.
type waving struct {
	anyOrder
	most int // tasks of a wave
}

func (w *waving) Wave(r *record.Wave) {
	w.most = max(w.most, len(r.Nodes))
	r.Give(w.anyOrder)
}

// What is written of a replay is the same whether attempts are written when they end or, many at once, when they begin.
func TestWavesTellTheSame(t *testing.T) {
	most := 0
	for seed := range uint64(40) {
		r := trace.Stream(seed, "waves")
		var nodes [][2]int64
		for range 2 + r.IntN(6) {
			nodes = append(nodes, [2]int64{1 + r.Int64N(8), 1024 * (1 + r.Int64N(8))})
		}
		var events []trace.NodeEvent
		if r.IntN(2) == 0 {
			events = []trace.NodeEvent{trace.NewNodeEvent(r.Int64N(300), 0, trace.Fail), trace.NewNodeEvent(300+r.Int64N(300), 0, trace.Recover)}[:1+r.IntN(2)]
		}
		o := scenario.Options{SeriesMS: 50, Until: []int64{0, 0, 900}[r.IntN(3)]}
		jobs := func() (list []*trace.Job) {
			r, at := trace.Stream(seed, "jobs"), int64(0)
			for id := range int64(8) {
				var stages []trace.Stage
				for s := range int32(1 + r.IntN(3)) {
					ms := make([]int64, 1+r.IntN(12))
					for i := range ms {
						ms[i] = r.Int64N(200)
					}
					st := sized(stageOf(s, nil, ms...), 1, 512*(1+r.Int64N(2)))
					if s > 0 {
						st.Parents = []int32{s - 1}
					}
					if r.IntN(2) == 0 {
						prefs := make([][]int32, len(ms))
						for i := range prefs {
							prefs[i] = [][]int32{nil, {0}, {1, 0}}[r.IntN(3)]
						}
						st.Tasks.SetPrefs(prefs)
					}
					if r.IntN(4) == 0 {
						st.Tasks.MemMiB = make([]int64, len(ms))
						for i := range ms {
							st.Tasks.MemMiB[i] = 256 * (1 + r.Int64N(3))
						}
					}
					stages = append(stages, st)
				}
				at += r.Int64N(150)
				list = append(list, jobOf(id, at, stages...))
			}
			return list
		}
		tell := func(sink record.Sink, k *kept) *Result {
			res, err := Run(t.Context(), resolve(t, nodesOf(nodes...), events, (&trace.MemoryTrace{JobList: jobs()}).Jobs(), o), sink, watch())
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(k.tasks, func(a, b record.Task) int {
				return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Container, b.Container))
			})
			slices.SortFunc(k.containers, func(a, b record.Container) int {
				return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Number, b.Number))
			})
			return res
		}
		want, got := &kept{}, &waving{anyOrder: anyOrder{&kept{}}}
		if a, b := tell(want, want), tell(got, got.kept); !reflect.DeepEqual(a, b) || !reflect.DeepEqual(got.kept, want) {
			t.Fatalf("seed %d: with waves %+v\n%s, without %+v\n%s", seed, b.Totals, told(got.kept), a.Totals, told(want))
		}
		most = max(most, got.most)
	}
	if most < 5 {
		t.Errorf("no more than %d tasks in a wave, want some", most)
	}
}
