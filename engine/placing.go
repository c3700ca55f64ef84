package engine

import (
	"fmt"

	"replay/engine/yarn"
	"replay/engine/yarn/conf"
)

// clusterTimestamp enters the ids of applications, and so YARN's hash orders.
const clusterTimestamp = 1_700_000_000_000

// placeApp asks the placement rules for the queue of an application.
func (s *sim) placeApp(user, queue string) (string, error) {
	switch s.sc.Scheduler {
	case "fifo":
		return "root.default", nil // the only queue there is
	case "capacity":
		if queue == conf.DefaultQueue {
			return "root.default", nil
		}
		return queue, nil
	}
	rules := s.sc.Allocations.Rules
	if rules == nil {
		return queue, nil
	}
	tree := map[string]conf.QueueInfo{}
	s.rm.Scheduler().Queues(func(q yarn.QueueState) {
		leaf, parent := s.sc.Allocations.Declared(q.Path)
		tree[q.Path] = conf.QueueInfo{Exists: true, Leaf: q.Leaf, Dynamic: !leaf && !parent && q.Path != "root"}
	})
	sub := &conf.Submission{User: user, Groups: []string{user}, Queue: queue}
	if sub.Queue == "" {
		sub.Queue = conf.DefaultQueue
	}
	p, err := rules.Place(sub, func(path string) conf.QueueInfo { return tree[path] })
	if err != nil {
		return "", err
	}
	if !p.Placed {
		return "", fmt.Errorf("%s", conf.RejectedByRules(sub))
	}
	return p.Submitted, nil
}
