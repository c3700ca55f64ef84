package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"replay/engine/record"
	"replay/report/parting"
	"replay/report/quantity"
	"replay/report/result"
	"replay/trace"
)

// Shares are the points of the curve of a job's time, as parts of the executors that it had, where nobody wants others.
var Shares = []float64{0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5}

// A Keeper explains jobs of a replay: the sink that the replay is given, between its source of jobs and another sink. All are added up.
type Keeper struct {
	Collector
	Totals Totals
	Jobs   map[int64]*Job // nil without shares
	nodes  []trace.Node
	stages map[int64][]Stage
}

// Keep begins to explain the jobs that are wanted of a replay on some nodes. Shares are the points of each job's curve, nil where jobs are added
// up and not kept. Ideal is a replay without YARN.
func Keep(to record.Sink, nodes []trace.Node, ideal bool, wants func(job int64) bool, shares []float64) *Keeper {
	k := &Keeper{nodes: nodes, stages: map[int64][]Stage{}}
	k.Collector = Collector{Sink: to, Wants: wants, Ideal: ideal,
		Stages: func(job int64) []Stage {
			s := k.stages[job]
			delete(k.stages, job)
			return s
		},
		Tell: func(l *Life, j *Job) {
			k.Totals.Add(j)
			if shares != nil {
				j.View = ViewOf(l, j, shares)
				k.Jobs[j.ID] = j
			}
		}}
	if shares != nil {
		k.Jobs = map[int64]*Job{}
	}
	return k
}

// Watch returns the source of jobs that the replay must be given.
func (k *Keeper) Watch(jobs trace.JobSource) trace.JobSource {
	return Watch(jobs, func(j *trace.Job) {
		if k.Wants(j.ID) {
			k.stages[j.ID] = StageOf(j)
		}
	})
}

// End explains the jobs that are left when the replay has ended at a time. The error is that parts do not sum to the time of their job.
func (k *Keeper) End(at int64) error {
	k.Close(at)
	if t := &k.Totals; t.Wrong > 0 {
		return fmt.Errorf("parts of %s do not sum to their time, which is a fault of this program: %s", quantity.Counted(t.Wrong, "jobs"), t.FirstWrong)
	}
	return nil
}

// Names say what numbers of jobs and nodes stand for.
func (k *Keeper) Names(jobs *result.Jobs) *parting.Names {
	return parting.NamesOf(parting.Named{Jobs: jobs, Nodes: k.nodes})
}

// Stored are the jobs that were kept, in words, by number.
func (k *Keeper) Stored(jobs *result.Jobs) (list []result.Explained) {
	n := k.Names(jobs)
	for _, id := range slices.Sorted(maps.Keys(k.Jobs)) {
		j := k.Jobs[id]
		e := result.Explained{Job: id, View: (*result.View)(j.View)}
		for i := range j.Parts {
			p := &j.Parts[i]
			e.Parts = append(e.Parts, result.Part{From: p.From, To: p.To, Cause: p.Cause, Says: Says(p, n), EndedBy: ended(p, n)})
		}
		list = append(list, e)
	}
	return list
}

// Kept are the jobs of which a result has explanations that were read, and those of no time that are wanted, if wanted is not nil.
func Kept(d *result.Data, wanted func(job int64) bool) (list []*Job) {
	for of := range d.Jobs.All() {
		e := &result.Explained{Job: of.ID} // a job of no time has no parts
		i, ok := slices.BinarySearchFunc(d.Explained, of.ID, func(e result.Explained, id int64) int { return cmp.Compare(e.Job, id) })
		if ok {
			e = &d.Explained[i]
		} else if wanted == nil || !wanted(of.ID) {
			continue
		}
		j := &Job{Job: of.Job, View: (*View)(e.View)}
		if j.End = j.Finish; j.End == record.None {
			j.End = max(d.Manifest.Totals.EndMS, j.Submit)
		}
		for k := range e.Parts {
			p := &e.Parts[k]
			j.Parts = append(j.Parts, Part{From: p.From, To: p.To, Cause: p.Cause, Stage: record.None, Task: record.None, told: p})
		}
		list = append(list, j)
	}
	return list
}
