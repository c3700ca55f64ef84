package engine

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// Whether a master that was lost with its node is started again, by what YARN allows and Spark asks for: the
// loss is not the application's fault and counts towards no limit, except that a limit of one holds.
func TestAttemptsOfApplications(t *testing.T) {
	const most, global, asked = "yarn.resourcemanager.am.max-attempts", "yarn.resourcemanager.am.global.max-attempts", "spark.yarn.maxAppAttempts"
	tests := []struct {
		conf  map[string]string
		again bool
	}{
		{map[string]string{}, true},
		{map[string]string{most: "1"}, false},
		{map[string]string{asked: "1"}, false},
		{map[string]string{most: "1", asked: "3"}, false},
		{map[string]string{most: "1", global: "3"}, false}, // only those that ask may have more
		{map[string]string{most: "1", global: "3", asked: "3"}, true},
		{map[string]string{most: "3", global: "1"}, true}, // and those that don't ask are not held back
		{map[string]string{most: "3", global: "1", asked: "3"}, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.conf), func(t *testing.T) {
			tt.conf["yarn.nm.liveness-monitor.expiry-interval-ms"] = "2000"
			events := []trace.NodeEvent{nodeEvent(20_000, 0, 0, trace.Fail), nodeEvent(35_000, 1, 0, trace.Recover)}
			k, _ := replay(t, input(cluster(1, 1), events, sparkJob(0, 0, 1, stage(0, 1, 60_000, nil))), scenario.Options{Conf: tt.conf})
			masters := 0
			for _, c := range k.containers {
				if c.AM {
					masters++
				}
			}
			if want := map[bool]int{false: 1, true: 2}[tt.again]; masters != want {
				t.Errorf("%d masters were started, want %d", masters, want)
			}
		})
	}
}

// With the port in the names of nodes no request that names a host fits a node, on any scheduler that looks at them.
func TestPortInNodeNames(t *testing.T) {
	for i := range scenario.Schedulers {
		scheduler := scenario.Schedulers[i].Name
		if scenario.Schedulers[i].Central {
			continue // it looks at no names
		}
		t.Run(scheduler, func(t *testing.T) {
			local := func(port string) (n int) {
				job := sparkJob(0, 0, 4, stage(0, 40, 5000, nil, 0, 1, 2, 3))
				k, _ := replay(t, input(cluster(4, 2), nil, job), scenario.Options{Scheduler: scheduler, Conf: map[string]string{
					"yarn.scheduler.include-port-in-node-name": port}})
				for _, c := range k.containers {
					if c.Type == "NODE_LOCAL" {
						n++
					}
				}
				return n
			}
			if with, without := local("true"), local("false"); with != 0 || without == 0 {
				t.Errorf("%d containers are node-local with the port and %d without, want none and some", with, without)
			}
		})
	}
}

// A node that comes back too small is refused. Where it has not been found lost it stays what it was until it is, and what ran there is lost then.
func TestNodesThatComeBackTooSmall(t *testing.T) {
	conf := map[string]string{"yarn.scheduler.minimum-allocation-mb": "2048", "yarn.nm.liveness-monitor.expiry-interval-ms": "15000"}
	for _, engine := range scenario.Engines {
		back := nodeEvent(12_000, 1, 0, trace.Recover)
		back.MemMiB = 2047
		k, m := replay(t, input(cluster(2, 1), []trace.NodeEvent{nodeEvent(10_000, 0, 0, trace.Fail), back}, sparkJob(0, 0, 3, stage(0, 60, 4000, nil))), scenario.Options{Engine: engine, Conf: conf})
		var told []record.Node
		for _, n := range k.nodes {
			if n.Node == 0 {
				told = append(told, n)
			}
		}
		if len(told) != 2 || told[1].Registered || told[1].Time < 20_000 || told[1].MemMiB != 8192 || !slices.ContainsFunc(m.Warnings, func(w record.Warning) bool { return w.Code == "node-refused" && w.Count == 1 }) {
			t.Errorf("%s: node 0 was %+v, warnings %+v; want it refused, and gone once it was found lost", engine, told, m.Warnings)
		}
		lost := 0
		for _, c := range k.containers {
			if c.Node != 0 {
				continue
			}
			if lost++; c.Ended != told[len(told)-1].Time || c.Allocated > 10_000 {
				t.Errorf("%s: a container on node 0 from %d to %d ms, want it lost with the node", engine, c.Allocated, c.Ended)
			}
		}
		if lost == 0 {
			t.Errorf("%s: no container was on node 0, want some that are lost", engine)
		}
	}
}

// A node that has less than the smallest container is refused, whatever happens to it, and the user is told.
func TestNodesThatAreTooSmall(t *testing.T) {
	for i := range scenario.Schedulers {
		scheduler := scenario.Schedulers[i].Name
		if scenario.Schedulers[i].Central {
			continue // it is not YARN
		}
		t.Run(scheduler, func(t *testing.T) {
			nodes := cluster(3, 1)
			nodes[0].MemMiB, nodes[2].VCores, nodes[2].Present = 8191, 7, false
			events := []trace.NodeEvent{nodeEvent(5000, 0, 0, trace.Drain), nodeEvent(6000, 1, 0, trace.Undrain), nodeEvent(9000, 2, 0, trace.Capacity), nodeEvent(10_000, 3, 2, trace.Join),
				nodeEvent(11_000, 4, 0, trace.Fail), nodeEvent(15_000, 5, 0, trace.Recover), nodeEvent(20_000, 6, 2, trace.Leave)}
			k, m := replay(t, input(nodes, events, sparkJob(0, 0, 2, stage(0, 20, 5000, nil))), scenario.Options{Scheduler: scheduler, Conf: map[string]string{
				"yarn.scheduler.minimum-allocation-mb": "8192", "yarn.scheduler.minimum-allocation-vcores": "8",
				"yarn.scheduler.maximum-allocation-mb": "8192", "yarn.scheduler.maximum-allocation-vcores": "8"}})
			for _, c := range k.containers {
				if c.Node != 1 {
					t.Errorf("a container of job %d on node %d, want none but on node 1", c.Job, c.Node)
				}
			}
			for _, w := range m.Warnings {
				if w.Code == "node-refused" && w.Count == 4 {
					return
				}
			}
			t.Errorf("warnings %+v, want that a node was refused four times", m.Warnings)
		})
	}
}
