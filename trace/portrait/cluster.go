package portrait

import "replay/trace"

// Held is the load if executors count for as long as they are held: those that were recorded, and of jobs without them the tasks.
type Held struct {
	Work  trace.Work    `json:"work"` // of recorded executors, from the time they were added to the time they were removed
	Load  trace.Offered `json:"offered_load"`
	Tasks float64       `json:"vcore_share_of_tasks"` // of the time of executors: what their jobs' tasks take of it; idle is the rest
	Jobs  int64         `json:"jobs"`                 // with recorded executors
	Open  int64         `json:"executors_without_an_end"`
}

// churn counts the nodes that take work, and their vcores, at the start of each slot.
func (p *Portrait) churn(t *trace.Trace) {
	present := make([]bool, len(t.Nodes))
	vcores := make([]int64, len(t.Nodes))
	nodes, sum := int64(0), int64(0)
	set := func(n int32, up bool) {
		if up != present[n] {
			present[n] = up
			if up {
				nodes, sum = nodes+1, sum+vcores[n]
			} else {
				nodes, sum = nodes-1, sum-vcores[n]
			}
		}
	}
	for i, n := range t.Nodes {
		vcores[i] = int64(n.VCores)
		set(int32(i), n.Present)
	}
	next := 0
	for i := range p.Timeline {
		slot := &p.Timeline[i]
		for ; next < len(t.Events) && t.Events[next].TimeMS <= slot.StartMS; next++ {
			switch e := &t.Events[next]; e.Kind {
			case trace.Join, trace.Recover, trace.Undrain:
				set(e.Node, true)
			case trace.Leave, trace.Fail, trace.Drain:
				set(e.Node, false)
			case trace.Capacity:
				if e.VCores == trace.Unset {
					continue
				}
				if present[e.Node] {
					sum += int64(e.VCores) - vcores[e.Node]
				}
				vcores[e.Node] = int64(e.VCores)
			}
		}
		slot.Nodes, slot.VCores = nodes, sum
	}
}

// hold adds what recorded executors held. One without an end is held until its job finished, or the last submission; unheld is the work of jobs without executors.
func (p *Portrait) hold(executors []trace.Executor, finish map[int64]int64, unheld trace.Work) {
	if len(executors) == 0 {
		return
	}
	h := &Held{Jobs: int64(len(finish))}
	width := p.SpanMS/timelineSlots + 1
	for i := range executors {
		e := &executors[i]
		end := e.RemovedMS
		if end == trace.Unset {
			if end = finish[e.Job]; end == trace.Unset {
				h.Open++
				end = p.SpanMS
			}
		}
		hold := func(ms int64) trace.Work {
			return trace.Work{VCoreMS: float64(ms) * float64(e.VCores), MemMiBMS: float64(ms) * float64(e.MemMiB)}
		}
		h.Work.Add(hold(max(0, end-e.AddedMS)))
		for k := e.AddedMS / width; k < int64(len(p.Timeline)) && k*width < end; k++ {
			p.Timeline[k].Held.Add(hold(min(end, (k+1)*width) - max(e.AddedMS, k*width)))
		}
	}
	all := h.Work
	all.Add(unheld)
	h.Load = trace.OfferedLoad(all, p.Cluster, p.SpanMS)
	h.Tasks = over(p.Work.VCoreMS-unheld.VCoreMS, h.Work.VCoreMS)
	p.Held = h
}
