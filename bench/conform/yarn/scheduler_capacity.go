package yarn

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/capacity"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

func newCapacityRun(r *schedulerRun) (yarn.Scheduler, error) {
	cfg, err := conf.NewCapacity(r.props, r.site)
	if err != nil {
		return nil, err
	}
	r.useDefaultSizes()
	s := capacity.New(r.site, cfg, r.Names, timestampOfRuns, r.observer())
	r.calls = map[string]func(*runEvent) (string, any, any, error){
		"nstate":  r.nodeState(s.Cluster()),
		"monitor": func(e *runEvent) (string, any, any, error) { return r.look(s, e) },
		"state": func(e *runEvent) (string, any, any, error) {
			if rows := r.usages(s); !same(e.Q, rows) {
				return "q", e.Q, rows, nil
			}
			return "", nil, nil, nil
		},
	}
	return s, nil
}

// look is one look of the monitor: what it has found of the queues, and what it has done.
func (r *schedulerRun) look(s *capacity.Scheduler, e *runEvent) (member string, want, got any, err error) {
	var x struct {
		Ev [][]any
		Q  [][]any
	}
	if err := decodeNumbers(e.raw, &x); err != nil {
		return "", nil, nil, err
	}
	var events, rows [][]any
	s.ObserveMonitor(func(what string, c protocol.Container) {
		events = append(events, []any{what, int64(c.ID.App), c.ID.N})
	})
	s.Look()
	s.Shares(func(path string, amounts [5]resource.Resource) {
		row := []any{path}
		for _, a := range amounts {
			row = append(row, r.all(a))
		}
		rows = append(rows, row)
	})
	slices.SortFunc(rows, func(a, b []any) int { return cmp.Compare(a[0].(string), b[0].(string)) })
	switch {
	case x.Q != nil && !same(x.Q, rows):
		return "q", x.Q, rows, nil
	case !same(x.Ev, events):
		return "ev", x.Ev, events, nil
	}
	return "", nil, nil, nil
}

// usages are the rows of state: queues by path.
func (r *schedulerRun) usages(s *capacity.Scheduler) (rows [][]any) {
	s.Usages(func(u capacity.Usage) {
		row := append([]any{u.Path}, r.all(u.Used)...)
		row = append(row, u.Capacity, u.Absolute, int64(u.Applications))
		if u.Leaf {
			row = append(row, int64(u.Active), int64(u.Pending))
		}
		rows = append(rows, row)
	})
	slices.SortFunc(rows, func(a, b []any) int { return cmp.Compare(a[0].(string), b[0].(string)) })
	return rows
}
