package explain

import (
	"cmp"
	"fmt"
	"slices"

	"replay/engine/record"
)

// work is the successful tasks of an attempt, by stage.
type work struct {
	ends   map[int32][]*record.Task    // by their finish
	median map[int32]int64             // service time
	first  map[[2]int32]*record.Task   // attempt of a task of which there is a record, by stage and index
	others map[[2]int32][]*record.Task // all attempts of a task, where there is more than one
}

func (e *explainer) workOf(attempt int64) *work {
	w := &work{ends: map[int32][]*record.Task{}, median: map[int32]int64{}, first: make(map[[2]int32]*record.Task, len(e.Tasks)), others: map[[2]int32][]*record.Task{}}
	for i := range e.Tasks {
		t := &e.Tasks[i]
		if e.begun(t.AMAttempt) != attempt || t.Finish == record.None {
			continue
		}
		key := [2]int32{t.Stage, t.Index}
		if first := w.first[key]; first == nil {
			w.first[key] = t
		} else {
			if w.others[key] == nil {
				w.others[key] = []*record.Task{first}
			}
			w.others[key] = append(w.others[key], t)
		}
		if t.End == record.TaskSuccess {
			w.ends[t.Stage] = append(w.ends[t.Stage], t)
		}
	}
	var took []int64
	for stage, list := range w.ends {
		took = took[:0]
		for _, t := range list {
			took = append(took, service(t))
		}
		slices.Sort(took)
		w.median[stage] = took[(len(took)-1)/2]
		slices.SortStableFunc(list, func(a, b *record.Task) int {
			return cmp.Or(cmp.Compare(a.Finish, b.Finish), cmp.Compare(a.Launch, b.Launch), cmp.Compare(a.Index, b.Index))
		})
	}
	return w
}

// lost are the attempts of a task after which it became ready again: they failed, or what they had written went with their executor. None becomes
// ready after its own launch.
func (w *work) lost(t *record.Task) (list []*record.Task) {
	for _, f := range w.others[[2]int32{t.Stage, t.Index}] {
		if f.Launch < t.Ready {
			list = append(list, f)
		}
	}
	return list
}

// service is how long a task ran without what is modelled around it.
func service(t *record.Task) int64 { return max(t.Finish-t.Launch-t.OverheadMS-t.PenaltyMS, 0) }

// last returns the task of some stages that ended last before a time, nil when there is none. For a stage of which nothing ran those
// before it stand.
func (e *explainer) last(w *work, stages []int32, before int64) (last *record.Task) {
	seen := map[int32]bool{}
	for len(stages) > 0 {
		s := stages[0]
		stages = stages[1:]
		if seen[s] {
			continue
		}
		seen[s] = true
		list := w.ends[s]
		if len(list) == 0 {
			stages = append(slices.Clone(stages), e.before[s]...)
			continue
		}
		i, _ := slices.BinarySearchFunc(list, before, func(t *record.Task, at int64) int { return cmp.Compare(t.Finish, at) })
		if i > 0 && (last == nil || list[i-1].Finish > last.Finish) {
			last = list[i-1]
		}
	}
	return last
}

// step is a task of the path, which is followed from when it was ready or from the end of the task that it waited for.
type step struct {
	t    *record.Task
	from int64 // its stage could begin: what comes before is the driver's
	run  int64 // it worked from then on
	gap  *record.Task
}

// path goes on from the first task of an attempt to its end.
func (e *explainer) path(attempt, end int64) {
	w, begin := e.workOf(attempt), e.at
	var all []int32
	for s := range w.ends {
		all = append(all, s)
	}
	slices.Sort(all)
	var steps []step
	for t := e.last(w, all, end+1); t != nil && t.Finish > begin; {
		s := step{t: t, from: t.Ready, run: t.Launch}
		for _, f := range w.lost(t) {
			s.from = min(s.from, f.Ready)
		}
		p := e.last(w, e.before[t.Stage], t.Finish)
		if p != nil && p.Finish > s.run {
			s.run = p.Finish
		}
		s.gap = p
		steps = append(steps, s)
		t = p
	}
	slices.Reverse(steps)
	for _, s := range steps {
		if s.gap != nil {
			e.add(min(s.gap.Finish, s.t.Finish), stagePart(Work, s.gap))
		}
		e.run(w, &s)
	}
	if len(steps) == 0 && e.j.Kind == "service" {
		e.add(end, part(Service))
	}
	if len(steps) == 0 && e.at < end {
		p := part(LostWork).by("the application ends")
		p.Attempts = 1
		if e.j.Outcome == record.JobUnfinished {
			p = part(Work).by("the replay ends")
		}
		e.add(end, p)
	}
}

// run goes on from when the stage of a task could begin to its end.
func (e *explainer) run(w *work, s *step) {
	t := s.t
	ready := fmt.Sprintf("stage %d is submitted", t.Stage)
	e.add(min(s.from, t.Launch), stagePart(Driver, t).by(ready))
	if lost := w.lost(t); len(lost) > 0 {
		first := slices.MinFunc(lost, func(a, b *record.Task) int { return cmp.Compare(a.Launch, b.Launch) })
		if e.at < first.Launch && first.Launch < t.Ready {
			e.launch(first)
		}
		p := stagePart(LostWork, t).by(fmt.Sprintf("task %d of stage %d is ready again", t.Index, t.Stage))
		p.Attempts = len(lost)
		e.add(min(t.Ready, t.Launch), p)
	}
	if e.at < t.Launch {
		e.launch(t)
	}
	done := fmt.Sprintf("task %d of stage %d ends", t.Index, t.Stage)
	over := max(service(t)-w.median[t.Stage], 0)
	e.add(min(e.at+t.OverheadMS, t.Finish), stagePart(Overhead, t))
	p := stagePart(Straggler, t).by(done)
	p.Took, p.Median = service(t), w.median[t.Stage]
	work := stagePart(Work, t)
	if t.PenaltyMS+over == 0 {
		work.By = done
	}
	e.add(t.Finish-min(t.PenaltyMS+over, t.Finish-e.at), work)
	remote := stagePart(RemoteRead, t)
	if over == 0 {
		remote.By = done
	}
	e.add(t.Finish-min(over, t.Finish-e.at), remote)
	e.add(t.Finish, p)
}
