package yarn

import (
	"cmp"
	"slices"

	"replay/engine/yarn"
	"replay/engine/yarn/capacity"
	"replay/engine/yarn/conf"
)

func newCapacityRun(r *schedulerRun) (yarn.Scheduler, error) {
	cfg, err := conf.NewCapacity(r.props, r.site)
	if err != nil {
		return nil, err
	}
	r.useDefaultSizes()
	s := capacity.New(r.site, cfg, r.Names, timestampOfRuns, r.observer())
	r.calls = map[string]func(*runEvent) (string, any, any, error){
		"nstate": r.nodeState(s.Cluster()),
		"state": func(e *runEvent) (string, any, any, error) {
			if rows := r.usages(s); !same(e.Q, rows) {
				return "q", e.Q, rows, nil
			}
			return "", nil, nil, nil
		},
	}
	return s, nil
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
