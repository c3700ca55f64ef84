package portrait

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"

	"replay/counted"
	"replay/trace"
)

// Held is the load if executors count for as long as they are held: those that were recorded, and of jobs without them the tasks.
type Held struct {
	Work  trace.Work    `json:"work"` // of recorded executors, from the time they were added to the time they were removed
	Load  trace.Offered `json:"offered_load"`
	Tasks float64       `json:"vcore_share_of_tasks"`     // of the time of executors: what their jobs' tasks take of it; idle is the rest
	Jobs  int64         `json:"jobs"`                     // with recorded executors
	Open  int64         `json:"executors_without_an_end"` // of jobs without an end; Work has them up to the last time that was recorded of their job
	Lost  int64         `json:"executors_not_counted"`    // of Open, those of whose job nothing later was recorded than themselves: Work has none of them
}

// Ends says after a separator how executors count of which no end is known; it is "" if there are none.
func (h *Held) Ends(after string) string {
	text := ""
	if n := h.Open - h.Lost; n > 0 {
		text += fmt.Sprintf("%s%s without an end: held as far as the recording goes", after, counted.Of(n, "executors"))
	}
	if h.Lost > 0 {
		text += fmt.Sprintf("%s%s without an end: not counted, nothing later is recorded", after, counted.Of(h.Lost, "executors"))
	}
	return text
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

// hold adds what recorded executors held. One without an end is held until its job finished, or as far as the recording of the job goes.
func (p *Portrait) hold(t *trace.Trace, executors []trace.Executor, s *summary) error {
	if len(executors) == 0 {
		return nil
	}
	var seen map[int64]int64
	h := &Held{Jobs: int64(len(s.finish))}
	width := p.SpanMS/timelineSlots + 1
	for i := range executors {
		e := &executors[i]
		end := e.RemovedMS
		if end == trace.Unset {
			if end = s.finish[e.Job]; end == trace.Unset {
				if seen == nil {
					var err error
					if seen, err = lastSeen(t); err != nil {
						return err
					}
				}
				h.Open++
				if end = seen[e.Job]; end <= e.AddedMS {
					h.Lost++
					continue
				}
			}
		}
		hold := func(ms int64) trace.Work {
			w := trace.Work{VCoreMS: float64(ms) * float64(e.VCores), MemMiBMS: float64(ms) * float64(e.MemMiB)}
			for _, x := range s.has[ofExecutors{e.Job, e.Profile}] {
				w.Add(trace.Work{Further: map[string]float64{x.Name: float64(ms) * float64(x.Value)}})
			}
			return w
		}
		h.Work.Add(hold(max(0, end-e.AddedMS)))
		for k := e.AddedMS / width; k < int64(len(p.Timeline)) && k*width < end; k++ {
			p.Timeline[k].Held.Add(hold(min(end, (k+1)*width) - max(e.AddedMS, k*width)))
		}
	}
	all := s.unheld
	all.Further = maps.Clone(all.Further)
	all.Add(h.Work)
	h.Load = trace.OfferedLoad(all, p.Cluster, p.SpanMS)
	h.Tasks = over(p.Work.VCoreMS-s.unheld.VCoreMS, h.Work.VCoreMS)
	p.Held = h
	return nil
}

// lastSeen returns the last time that was recorded of the stages and Spark jobs of each job of the trace.
func lastSeen(t *trace.Trace) (map[int64]int64, error) {
	last := map[int64]int64{}
	text, err := t.Attachment(trace.RecordedFile)
	if errors.Is(err, os.ErrNotExist) {
		return last, nil
	}
	type times struct {
		Submit int64 `json:"submit_ms"`
		Finish int64 `json:"finish_ms"`
	}
	var recorded struct {
		Applications []struct {
			Job       int64   `json:"job"`
			SparkJobs []times `json:"spark_jobs"`
			Stages    []times `json:"stages"`
		} `json:"applications"`
	}
	if err == nil {
		err = json.Unmarshal(text, &recorded)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", trace.RecordedFile, err)
	}
	for _, a := range recorded.Applications {
		for _, list := range [][]times{a.SparkJobs, a.Stages} {
			for _, x := range list {
				last[a.Job] = max(last[a.Job], x.Submit, x.Finish)
			}
		}
	}
	return last, nil
}
