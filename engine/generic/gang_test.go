package generic

import (
	"testing"

	"replay/engine/master/mastertest"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/trace"
)

// gangOf registers the master of a gang of tasks with these durations, which holds containers for 10 s and asks again after 4 to 8 s.
func gangOf(t *testing.T, ms ...int64) *mastertest.Host {
	k := kindOf()
	k.Model.GangHoldMS, k.Model.GangBackoffMS = 10_000, 4000
	j := jobOf(stageOf(0, nil, ms...))
	j.Kind = trace.KindGang
	h := mastertest.New(t, k, j, 0, 0, 0, 0)
	h.Register()
	return h
}

// Nothing of a gang starts before it has a container for each task; then all start in the same millisecond.
func TestGangStartsTogether(t *testing.T) {
	h := gangOf(t, 1000, 3000, 2000)
	for i := range int32(3) {
		h.Run(int64(i)*2000 + 500)
		if h.Grant(i, 2, gib); len(logged(h, "start")) > 0 {
			t.Errorf("with %d containers: %v", i, h.Log)
		}
	}
	h.Run(20_000)
	same(t, "attempts", told(h), []string{"0.0#0 5050-6050 success", "0.2#0 5050-7050 success", "0.1#0 5050-8050 success"})
	if *h.Outcome != "" || h.Job().TasksSucceeded != 3 {
		t.Errorf("%+v", h.Job())
	}
}

// A gang that has not all of its containers in time gives back those that it has, and asks for all again after a time that it draws.
func TestGangGivesBack(t *testing.T) {
	h := gangOf(t, 1000, 1000, 1000)
	h.Run(500)
	h.Grant(0, 2, gib)
	h.Grant(1, 2, gib)
	h.Run(30_000)
	asks := logged(h, "ask", "start")
	if len(asks) != 4 {
		t.Fatalf("%v", h.Log)
	}
	same(t, "asks", asks[:3], []string{"0 ask 2:*=3", "2000 ask 2:*=1", "12000 ask 2:*=0 release 2 release 3"})
	if at := h.Beats[len(h.Beats)-1]; asks[3] != "19000 ask 2:*=3" || at != 19_000 {
		t.Errorf("asks again as %q, heartbeats %v", asks[3], h.Beats)
	}
	for i := range int32(3) {
		h.Grant(i, 2, gib)
	}
	h.Run(60_000)
	same(t, "attempts", told(h), []string{"0.0#0 31050-32050 success", "0.1#0 31050-32050 success", "0.2#0 31050-32050 success"})
}

// The time to give back counts from the first container that a gang holds: one that went starts it anew, and its task asks alone.
func TestGangLosesWhatItHolds(t *testing.T) {
	h := gangOf(t, 1000, 1000)
	h.Run(500)
	c := h.Grant(0, 2, gib)
	h.Run(8500)
	h.Complete(c.ID.N, protocol.ExitAborted) // it expired
	h.Run(9500)
	h.Grant(1, 2, gib)
	h.Run(19_500)
	h.Grant(2, 2, gib)
	h.Run(40_000)
	same(t, "calls", logged(h, "ask", "start"), []string{"0 ask 2:*=2", "2000 ask 2:*=1", "10000 ask 2:*=2", "11000 ask 2:*=1", "20000 start 4 at 20050", "20000 start 3 at 20050", "21000 ask 2:*=0"})
}

// A gang loses its work as one: with a member that is lost the others are killed, and what has succeeded is done again.
func TestGangBreaks(t *testing.T) {
	h := gangOf(t, 1000, 9000, 9000)
	var lost *protocol.Container
	h.Run(500)
	for i := range int32(3) {
		lost = h.Grant(i, 2, gib)
	}
	h.Run(5500)
	h.Complete(lost.ID.N, protocol.ExitPreempted)
	h.Run(7500)
	for i := range int32(3) {
		h.Grant(i, 2, gib)
	}
	h.Run(40_000)
	same(t, "attempts", told(h), []string{"0.0#0 1050-2050 success", "0.2#0 1050-6000 lost", "0.1#0 1050-6000 killed",
		"0.0#1 8050-9050 success", "0.1#1 8050-17050 success", "0.2#1 8050-17050 success"})
	if j := h.Job(); j.TasksSucceeded != 3 || j.TaskMS != 19_000 || j.WastedTaskMS != 1000+2*4950 || *h.Outcome != "" {
		t.Errorf("%+v", j)
	}
	if ends := h.Tasks[1].End; ends != record.TaskLost {
		t.Errorf("the member that was lost ended as %q", ends)
	}
}

// A member that fails takes the others with it, as often as it is recorded to have failed.
func TestGangFails(t *testing.T) {
	k := kindOf()
	st := stageOf(0, nil, 1000, 1000)
	st.Kind = trace.StageGang // in a generic job
	st.Tasks.Retries = []int32{0, 1}
	h := mastertest.New(t, k, jobOf(st), 0)
	h.Register()
	k.Model.GangHoldMS = 10_000
	for i, priority := range []int32{2, 1} {
		h.Run(int64(i)*3000 + 500)
		h.Grant(0, priority, gib)
		h.Grant(0, priority, gib)
	}
	h.Run(20_000)
	same(t, "attempts", told(h), []string{"0.1#0 1050-1550 failed", "0.0#0 1050-1550 killed", "0.0#1 4050-5050 success", "0.1#1 4050-5050 success"})
}
