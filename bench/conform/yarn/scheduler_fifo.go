package yarn

import (
	"replay/engine/yarn"
	"replay/engine/yarn/fifo"
)

func newFIFORun(r *schedulerRun) (yarn.Scheduler, error) {
	r.useDefaultSizes()
	s, err := fifo.New(r.site, r.Names, timestampOfRuns, r.observer())
	if err != nil {
		return nil, err
	}
	r.calls = map[string]func(*runEvent) (string, any, any, error){
		"nstate": r.nodeState(s.Cluster()),
		"state": func(e *runEvent) (string, any, any, error) {
			var used []any
			s.Queues(func(q *yarn.QueueState) {
				if q.Leaf {
					used = r.all(q.Used)
				}
			})
			if !same(e.Q, used) {
				return "q", e.Q, used, nil
			}
			return "", nil, nil, nil
		},
	}
	return s, nil
}
