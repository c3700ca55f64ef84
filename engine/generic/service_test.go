package generic

import (
	"testing"

	"replay/engine/master/mastertest"
	"replay/engine/protocol"
	"replay/trace"
)

// A container of a service that is lost or fails is replaced, however often, and the one in its place runs for what was left.
func TestService(t *testing.T) {
	st := stageOf(0, nil, 30_000, 30_000)
	st.Tasks.Retries = []int32{5, 0}
	j := jobOf(st)
	j.Kind = trace.KindService
	h := mastertest.New(t, kindOf(), j, 0, 0)
	h.Register()
	h.Run(500)
	h.Grant(0, 2, gib)
	lost := h.Grant(1, 2, gib)
	h.Run(11_500)
	h.Complete(lost.ID.N, protocol.ExitPreempted)
	h.Run(12_500)
	h.Grant(1, 2, gib)
	for h.Outcome == nil && h.Now() < 100_000 {
		h.Run(h.Now() + 2000)
		if len(h.Tasks) > 0 && h.Tasks[len(h.Tasks)-1].End == "failed" && h.Tasks[len(h.Tasks)-1].Finish > h.Now()-2000 {
			h.Run(h.Now() + 1500)
			h.Grant(0, 1, gib)
		}
	}
	sums, ends := [2]int64{}, map[string]int{}
	for _, r := range h.Tasks {
		sums[r.Index] += r.Finish - r.Launch
		ends[r.End]++
	}
	same(t, "ms that each ran for", sums, []int64{30_000, 30_500}) // the master heard of the loss half a second after it
	same(t, "ends", ends, map[string]int{"lost": 1, "failed": 5, "success": 2})
	if h.Outcome == nil || *h.Outcome != "" {
		t.Errorf("%v", h.Log)
	}
}
