package engine

import (
	"fmt"
	"runtime/debug"
	"testing"

	"replay/engine/protocol"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// TestBooks replays random clusters with short intervals everywhere and compares at every event what the scheduler says of its
// queues and nodes with what the containers add up to. Both engines decide alike. More of them:
//
//	go test ./engine -run TestBooks -args -first 100 -seeds 100000
func TestBooks(t *testing.T) {
	at := uint64(0)
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("seed %d: %v\n%s", at, p, debug.Stack())
		}
	}()
	ends := map[string]int{}
	for _, seed := range more(*seeds) {
		if t.Failed() {
			break
		}
		at = seed
		random := scenariotest.Random(seed)
		o := random.Options
		var hash string
		for _, o.Engine = range []string{"", scenario.Dense} {
			k, got, err := audited(t, random.Input(), o)
			if err != nil {
				t.Fatalf("seed %d, %s, engine %q: %v", seed, o.Scheduler, o.Engine, err)
			}
			if hash != "" && hash != got {
				t.Errorf("seed %d, %s: decision hash is %s, that of the dense engine %s", seed, o.Scheduler, hash, got)
			}
			hash = got
			for i := range k.containers {
				ends[k.containers[i].End]++
			}
		}
	}
	for _, end := range []string{"expired", "node-lost", "preempted", "app-end", "unused", "released"} {
		if ends[end] == 0 {
			t.Errorf("no container ended as %s, want every end: %v", end, ends)
		}
	}
}

// audited replays with both books compared at every event.
func audited(t *testing.T, in scenario.Input, o scenario.Options) (*keep, string, error) {
	t.Helper()
	sc, err := scenario.New(in, o)
	if err != nil {
		t.Fatal(err)
	}
	k := &keep{}
	s, err := newSim(sc, k, nil, true)
	if err != nil {
		return k, "", err
	}
	s.after = func() {
		if s.err == nil {
			s.err = s.audit()
		}
	}
	m, err := s.run(t.Context())
	if err != nil {
		return k, "", err
	}
	checkRecords(t, k, m)
	return k, m.DecisionHash, nil
}

// audit compares the scheduler's books with the containers that have not ended.
func (s *sim) audit() (err error) {
	queues, nodes := map[string]resource.Resource{}, map[protocol.NodeID]resource.Resource{}
	for _, a := range s.apps {
		if a == nil {
			continue
		}
		for _, c := range a.containers {
			if c != nil && !c.ended {
				queues[a.rec.Queue] = queues[a.rec.Queue].Add(c.size)
				id := protocol.NodeID(c.rec.Node)
				nodes[id] = nodes[id].Add(c.size)
				if !s.rm.Registered(id) {
					return fmt.Errorf("at %d ms, after %s: container %d of job %d runs on node %d, which is not registered", s.now, s.doing.name, c.rec.Number, a.rec.ID, id)
				}
			}
		}
	}
	s.rm.Scheduler().Queues(func(q *yarn.QueueState) {
		used := q.Used
		if s.sc.Scheduler == "capacity" {
			used = used.Sub(q.Reserved)
		}
		if q.Leaf && used != queues[q.Path] && err == nil {
			err = fmt.Errorf("at %d ms, after %s: queue %s uses %v, its containers add up to %v", s.now, s.doing.name, q.Path, used, queues[q.Path])
		}
	})
	for n := range s.rm.Scheduler().(interface{ Cluster() *yarn.Cluster }).Cluster().All {
		// A node keeps a container that it has reported until it reports its end: then both know of it, and the containers do not.
		held := s.rm.Held(n.ID)
		if err == nil && (n.Used != held || !nodes[n.ID].FitsIn(held) || n.Used.Add(n.Free) != n.Total) {
			err = fmt.Errorf("at %d ms, after %s: node %d uses %v and has %v free of %v; the ResourceManager counts %v, its containers add up to %v",
				s.now, s.doing.name, n.ID, n.Used, n.Free, n.Total, held, nodes[n.ID])
		}
	}
	return err
}
