package engine

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/scenario"
	"replay/engine/yarn"
	"replay/policy/resource"
	"replay/trace"
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
		in, o := randomShort(random.Stream(seed, "books"), seed)
		var hash string
		for _, o.Engine = range []string{"", scenario.Dense} {
			k, got, err := audited(t, in(), o)
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
	s, err := newSim(sc, k, nil)
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
					return fmt.Errorf("at %d ms, after %s: container %d of job %d runs on node %d, which is not registered", s.now, s.doing.name, c.rec.Number, a.job.ID, id)
				}
			}
		}
	}
	s.rm.Scheduler().Queues(func(q yarn.QueueState) {
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

// randomShort makes a trace, each time anew, and options with short intervals under one of the schedulers.
func randomShort(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	between := func(least, most int64) int64 { return least + r.Int64N(most-least+1) }
	text := func(least, most int64) string { return fmt.Sprint(between(least, most)) }
	in, o := randomFair(r, seed)
	first := in()
	events := randomEvents(r, first.Nodes)
	o.Until = 200_000
	o.Model = model.DefaultModel()
	for _, at := range []*int64{&o.Model.NMStartMS, &o.Model.KillMS, &o.Model.AMStartMS, &o.Model.ExecutorStartMS, &o.Model.StopMS, &o.Model.DisconnectMS} {
		if r.IntN(2) == 0 {
			*at = between(0, 4000)
		}
	}
	for key, value := range map[string]string{
		"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": text(500, 15_000),
		"yarn.nm.liveness-monitor.expiry-interval-ms":                     text(1500, 12_000),
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms":         text(50, 1500),
		"yarn.resourcemanager.am.max-attempts":                            text(1, 4),
		"yarn.scheduler.fair.update-interval-ms":                          text(50, 1500),
		"spark.yarn.scheduler.heartbeat.interval-ms":                      text(100, 3000),
	} {
		o.Conf[key] = value
	}
	switch r.IntN(3) {
	case 1:
		o.Scheduler, o.Files = "capacity", scenario.Files{"capacity-scheduler.xml": {Text: []byte(randomCapacities(r))}}
	case 2:
		o.Scheduler, o.Files = "fifo", nil
	}
	if o.Scheduler != "" {
		o.Sharing = ""
		for key := range o.Conf {
			if strings.HasPrefix(key, "yarn.scheduler.fair.") || strings.HasPrefix(key, "yarn.scheduler.reservation") {
				delete(o.Conf, key)
			}
		}
	}
	return func() scenario.Input {
		in := in()
		in.Events = slices.Clone(events)
		return in
	}, o
}

// randomEvents lets all nodes but the last come and go, often before anybody has noticed.
func randomEvents(r *rand.Rand, nodes []trace.Node) (events []trace.NodeEvent) {
	next := map[trace.EventKind][]trace.EventKind{ // what can happen to a node, by what happened last
		"":            {trace.Fail, trace.Drain, trace.Capacity, trace.Leave},
		trace.Fail:    {trace.Recover, trace.Recover, trace.Leave},
		trace.Drain:   {trace.Undrain, trace.Undrain, trace.Fail, trace.Leave},
		trace.Leave:   {},
		trace.Recover: {trace.Fail, trace.Drain}, trace.Undrain: {trace.Fail, trace.Drain}, trace.Capacity: {trace.Fail, trace.Drain, trace.Capacity},
	}
	last := make([]trace.EventKind, len(nodes))
	for when := int64(0); len(nodes) > 1 && len(events) < 60 && r.IntN(50) > 0; {
		when += 1 + r.Int64N(8000)
		node := r.Int32N(int32(len(nodes) - 1))
		can := next[last[node]]
		if len(can) == 0 {
			continue
		}
		e := nodeEvent(when, int32(len(events)), node, can[r.IntN(len(can))])
		last[node] = e.Kind
		switch e.Kind {
		case trace.Drain:
			if r.IntN(2) == 0 {
				e.DrainTimeoutMS = r.Int64N(10_000)
			}
		case trace.Capacity:
			e.MemMiB, e.VCores = int64(2+r.IntN(14))<<10, 2+r.Int32N(10)
		}
		events = append(events, e)
	}
	return events
}

// randomCapacities makes a file of the CapacityScheduler for the queues of randomFair.
func randomCapacities(r *rand.Rand) string {
	var b strings.Builder
	set := func(key string, value any) {
		fmt.Fprintf(&b, "<property><name>yarn.scheduler.capacity.%s</name><value>%v</value></property>", key, value)
	}
	b.WriteString("<configuration>")
	set("root.queues", "a,b,c")
	set("root.c.queues", "x,y")
	split := func(parent string, names ...string) {
		left := 100
		for i, name := range names {
			part := left
			if i < len(names)-1 {
				part = 1 + r.IntN(left-len(names)+i)
			}
			left -= part
			set(parent+"."+name+".capacity", part)
			if r.IntN(2) == 0 {
				set(parent+"."+name+".maximum-capacity", max(part, 60))
			}
			set(parent+"."+name+".user-limit-factor", 1+r.IntN(4))
		}
	}
	split("root", "a", "b", "c")
	split("root.c", "x", "y")
	set("maximum-am-resource-percent", "0."+fmt.Sprint(2+r.IntN(8)))
	set("node-locality-delay", r.IntN(60))
	set("per-node-heartbeat.multiple-assignments-enabled", r.IntN(2) == 0)
	if r.IntN(2) == 0 {
		set("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")
	}
	b.WriteString("</configuration>")
	return b.String()
}
