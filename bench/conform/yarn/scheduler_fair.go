package yarn

import (
	"encoding/json"
	"errors"

	"replay/bench/conform/golden"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/fair"
	"replay/policy/resource"
)

// fairRun is a run of the FairScheduler.
type fairRun struct {
	*schedulerRun
	f       *fair.Scheduler
	starved []*fair.Preemption // of the present pass
}

// fairEvent are the members of events that only these runs have.
type fairEvent struct {
	XML     string
	Msg     [][]any
	Queues  json.RawMessage
	Starved []struct {
		A          int64
		Starvation []any
		RR         [][]any `json:"rr"`
	}
	Nodes []any
	Cont  [][][]any
	Marks [][][]any
}

func newFairRun(r *schedulerRun) (yarn.Scheduler, error) {
	// The recorded classes keep the smallest and the largest allocation beside the resource types, which were set up
	// from their names alone.
	std, err := conf.NewSite(map[string]string{"yarn.resource-types": r.props["yarn.resource-types"]})
	if err != nil {
		return nil, err
	}
	if !r.head.Sizes {
		r.site.MinAllocation, r.site.MaxAllocation = std.MinAllocation, std.MaxAllocation
	}
	alloc, err := conf.ParseAllocations([]byte(r.head.FairScheduler), r.site)
	if err != nil {
		return nil, err
	}
	f, err := fair.NewAt(r.site, alloc, r.Names, timestampOfRuns, r.head.Start, r.observer())
	if err != nil {
		return nil, err
	}
	run := &fairRun{schedulerRun: r, f: f}
	f.ObservePreemption(func(p *fair.Preemption) { run.starved = append(run.starved, p) })
	r.calls = map[string]func(*runEvent) (string, any, any, error){
		"update":  run.update,
		"preempt": run.preempt,
		"kill":    func(*runEvent) (member string, want, got any, err error) { f.KillDue(); return },
		"cs":      func(*runEvent) (member string, want, got any, err error) { f.ContinuousPass(); return },
		"reload":  run.reload,
		"cleanup": run.cleanup,
		"nstate":  r.nodeState(f.Cluster()),
	}
	if want, got := r.head.Queues, run.settings(); !same(decodeAny(want), got) {
		r.opened = &golden.Difference{Event: -1, Expected: want, Got: got}
	}
	return f, nil
}

// decodeAny decodes with numbers as they are written; what is malformed is nil.
func decodeAny(raw json.RawMessage) (v any) {
	if decodeNumbers(raw, &v) != nil {
		return nil
	}
	return v
}

func (r *fairRun) update(e *runEvent) (member string, want, got any, err error) {
	r.f.Update()
	var queues, apps []any
	r.f.Queues(func(q *yarn.QueueState) {
		row := []any{q.Path}
		for _, v := range []resource.Resource{q.Fair, q.Steady, q.Demand, q.Used} {
			row = append(row, r.view(v)...)
		}
		row = append(row, int64(q.Runnable))
		if q.Leaf {
			row = append(append(row, int64(q.NonRunnable)), r.view(q.AMUsed)...)
		}
		queues = append(queues, row)
	})
	if !same(e.Q, queues) {
		return "q", e.Q, queues, nil
	}
	if e.Apps == nil {
		return "", nil, nil, nil
	}
	for a := range r.f.Apps {
		row := []any{int64(a.ID)}
		for _, v := range []resource.Resource{a.Fair, a.Demand, a.Used} {
			row = append(row, r.view(v)...)
		}
		runnable := int64(0)
		if a.Runnable {
			runnable = 1
		}
		apps = append(apps, append(row, runnable))
	}
	if !same(e.Apps, apps) {
		return "apps", e.Apps, apps, nil
	}
	return "", nil, nil, nil
}

// view is a resource as YARN's records give it: vcores are an int.
func (r *fairRun) view(v resource.Resource) []any { return r.all(v.Clone()) }

func (r *fairRun) preempt(e *runEvent) (member string, want, got any, err error) {
	var x fairEvent
	if err := decodeNumbers(e.raw, &x); err != nil {
		return "", nil, nil, err
	}
	var nodes []any
	var containers [][][]any
	for n := range r.f.Cluster().All {
		nodes = append(nodes, r.Hosts[n.ID])
		containers = append(containers, ids(n.PreemptionOrder()))
	}
	if len(x.Starved) > 0 {
		if !same(x.Nodes, nodes) {
			return "nodes", x.Nodes, nodes, nil
		}
		for i, c := range x.Cont {
			if !same(c, containers[i]) {
				return "cont", x.Cont, containers, nil
			}
		}
	}
	r.starved = r.starved[:0]
	r.f.Preempt()
	type starved struct {
		A          int64
		Starvation []any
		RR         [][]any
	}
	var all []starved
	var marks [][][]any
	equal := len(r.starved) == len(x.Starved)
	for i, p := range r.starved {
		s := starved{A: int64(p.App), Starvation: r.view(p.Starvation)}
		for _, a := range p.Asks {
			s.RR = append(s.RR, append([]any{int64(a.Priority), r.Names.Text(a.Name), int64(a.Count)}, r.all(a.Size)...))
		}
		var mark [][]any
		for _, c := range p.Marked {
			mark = append(mark, []any{int64(c.ID.App), c.ID.N, r.Hosts[c.Node]})
		}
		all, marks = append(all, s), append(marks, mark)
		equal = equal && x.Starved[i].A == s.A && same(x.Starved[i].Starvation, s.Starvation) && same(x.Starved[i].RR, s.RR)
	}
	if !equal {
		return "starved", x.Starved, all, nil
	}
	for i := range marks {
		if !same(x.Marks[i], marks[i]) {
			return "marks", x.Marks, marks, nil
		}
	}
	return "", nil, nil, nil
}

func ids(containers []*yarn.Container) (rows [][]any) {
	for _, c := range containers {
		rows = append(rows, []any{int64(c.ID.App), c.ID.N})
	}
	return rows
}

func (r *fairRun) reload(e *runEvent) (member string, want, got any, err error) {
	var x fairEvent
	if err := decodeNumbers(e.raw, &x); err != nil {
		return "", nil, nil, err
	}
	var msg [][]any
	alloc, err := conf.ParseAllocations([]byte(x.XML), r.site)
	if err == nil {
		err = r.f.Reload(alloc)
	}
	var refused *conf.Error
	var thrown *yarn.Exception
	switch {
	case errors.As(err, &refused):
		for ; refused != nil; refused = refused.Cause {
			row := []any{refused.Class, refused.Text}
			if refused.NoMsg {
				row[1] = nil
			}
			msg = append(msg, row)
		}
	case errors.As(err, &thrown):
		msg = [][]any{{thrown.Class, nil}}
	case err != nil:
		return "", nil, nil, err
	}
	if !same(x.Msg, msg) {
		return "msg", x.Msg, msg, nil
	}
	if want, got := decodeAny(x.Queues), r.settings(); !same(want, got) {
		return "queues", want, got, nil
	}
	return "", nil, nil, nil
}

func (r *fairRun) cleanup(e *runEvent) (member string, want, got any, err error) {
	var x fairEvent
	if err := decodeNumbers(e.raw, &x); err != nil {
		return "", nil, nil, err
	}
	r.f.Cleanup()
	var names []any
	r.f.Queues(func(q *yarn.QueueState) { names = append(names, q.Path) })
	if want := decodeAny(x.Queues); !same(want, names) {
		return "queues", want, names, nil
	}
	return "", nil, nil, nil
}

// settings are the queues with what is in force for them, as in the header of a run.
func (r *fairRun) settings() (rows []any) {
	r.f.Settings(func(q fair.QueueInForce) {
		row := map[string]any{
			"name": q.Path, "leaf": q.Leaf, "policy": q.Policy, "weight": q.Weight, "min": r.view(q.Min),
			"max_running_apps": int64(q.MaxRunning), "max_am_share": q.MaxAMShare, "preemptable": q.Preemptable,
			"fs_threshold": q.Threshold, "fs_timeout": q.FairTimeout, "min_timeout": q.MinTimeout,
			"max_container": r.view(q.MaxContainer),
		}
		if share, ok := q.Max.Percent(); ok {
			var list []any
			for _, v := range share[:r.Types] {
				list = append(list, v)
			}
			row["max_pct"] = list
		} else {
			most, _ := q.Max.Absolute()
			row["max"] = r.view(most)
		}
		rows = append(rows, row)
	})
	return rows
}
