package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"replay/engine/model"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// TestOddConfigurations replays what can't go well, or looks as if it could not, on every scheduler: each ends soon, without
// a panic, and who does not finish says why.
func TestOddConfigurations(t *testing.T) {
	capacity := func(kv ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m["yarn.scheduler.capacity."+kv[i]] = kv[i+1]
		}
		return m
	}
	fair := func(text string) scenario.Options {
		return scenario.Options{Scheduler: "fair", Files: scenario.Files{"fair-scheduler.xml": {Text: []byte("<allocations>" + text + "</allocations>")}}}
	}
	spark := func(kv ...string) scenario.Options {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return scenario.Options{Conf: m}
	}
	yarn := func(key, value string) scenario.Options {
		return scenario.Options{Conf: map[string]string{key: value}}
	}
	withModel := func(name, value string) scenario.Options {
		m := model.DefaultModel()
		if err := m.Set(name, value); err != nil {
			t.Fatal(err)
		}
		return scenario.Options{Model: m}
	}
	failing := func(nodes []trace.Node) (events []trace.NodeEvent) {
		for i := range nodes {
			events = append(events, nodeEvent(20_000, int32(i), int32(i), trace.Fail))
		}
		return events
	}
	job := func() *trace.Job { return sparkJob(0, 0, 2, stage(0, 12, 3000, nil, 0), stage(1, 4, 1000, []int32{0})) }
	tests := []struct {
		name   string
		o      scenario.Options
		job    func(*trace.Job)
		events func([]trace.Node) []trace.NodeEvent
		want   string // of the error or of the job's reason; "" = it succeeds
	}{
		{"no application may run", fair(`<queue name="default"><maxRunningApps>0</maxRunningApps></queue>`), nil, nil, "as many as it may"},
		{"no user may run one", fair(`<userMaxAppsDefault>0</userMaxAppsDefault>`), nil, nil, "wait"},
		{"nothing for masters", fair(`<queue name="default"><maxAMShare>0.0</maxAMShare></queue>`), nil, nil, "maxAMShare"},
		{"weight 0", fair(`<queue name="default"><weight>0</weight></queue>`), nil, nil, ""},
		{"nothing for the queue", fair(`<queue name="default"><maxResources>0 mb, 0 vcores</maxResources></queue>`), nil, nil, "zero amount"},
		{"more minimum than maximum", fair(`<queue name="default"><minResources>9000 mb, 9 vcores</minResources><maxResources>512 mb, 1 vcores</maxResources></queue>`), nil, nil, ""},
		{"queue stopped", scenario.Options{Scheduler: "capacity", Conf: capacity("root.queues", "default", "root.default.capacity", "100", "root.default.state", "STOPPED")}, nil, nil, "STOPPED"},
		{"root stopped", scenario.Options{Scheduler: "capacity", Conf: capacity("root.queues", "default", "root.default.capacity", "100", "root.state", "STOPPED")}, nil, nil, "STOPPED"},
		{"queue without capacity", scenario.Options{Scheduler: "capacity", Conf: capacity("root.queues", "default,b", "root.default.capacity", "0", "root.default.maximum-capacity", "0", "root.b.capacity", "100")}, nil, nil, "root.default"},
		{"capacities do not add up", scenario.Options{Scheduler: "capacity", Conf: capacity("root.queues", "default,b", "root.default.capacity", "10", "root.b.capacity", "20")}, nil, nil, "root"},
		{"capacity above its maximum", scenario.Options{Scheduler: "capacity", Conf: capacity("root.queues", "default", "root.default.capacity", "100", "root.default.maximum-capacity", "10")}, nil, nil, "of at most 1638 MiB"},
		{"every node fails", yarn("yarn.nm.liveness-monitor.expiry-interval-ms", "10000"), nil, failing, "no node is in the cluster"},
		{"nodes without memory", scenario.Options{}, nil, func(nodes []trace.Node) []trace.NodeEvent {
			for i := range nodes {
				nodes[i].MemMiB = 0
			}
			return nil
		}, "no node is in the cluster, as YARN refuses those with less than its smallest container: "},
		{"executors that start after hours", withModel("executor-start-ms", "36000000"), nil, nil, ""},
		{"executors larger than nodes", scenario.Options{}, func(j *trace.Job) { j.ExecMemMiB = 9000 }, nil, "9000 MiB"},
		{"no updates", scenario.Options{Scheduler: "fair", Conf: map[string]string{"yarn.scheduler.fair.update-interval-ms": "0"}}, nil, nil, "update-interval-ms"},
		{"a resource that no node has", spark("yarn.resource-types", "yarn.io/gpu", "spark.executor.resource.gpu.amount", "1", "spark.task.resource.gpu.amount", "1"), nil, nil, "asks for 1 of yarn.io/gpu, the largest"},
		{"no heartbeats of nodes", yarn("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "0"), nil, nil, "heartbeat-interval-ms is 0"},
		{"nodes expire at once", yarn("yarn.nm.liveness-monitor.expiry-interval-ms", "0"), nil, nil, "expiry-interval-ms is 0"},
		{"containers expire before they are heard of", yarn("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "1"), nil, nil, "attempts"},
		{"no heartbeats of masters", spark("spark.yarn.scheduler.heartbeat.interval-ms", "0"), nil, nil, "want 1ms or more"},
		{"no revives", spark("spark.scheduler.revive.interval", "0"), nil, nil, "want 1ms or more"},
		{"speculation without pause", spark("spark.speculation.interval", "0"), nil, nil, "want 1ms or more"},
		{"at most no executors", spark("spark.dynamicAllocation.maxExecutors", "0"), nil, nil, "maxExecutors is 0"},
		{"more executors at least than at most", spark("spark.dynamicAllocation.minExecutors", "50"), nil, nil, "minExecutors is 50"},
		{"no executors", spark("spark.dynamicAllocation.enabled", "false", "spark.executor.instances", "0"), nil, nil, "spark.executor.instances is 0"},
		{"one failure and a node lost", scenario.Options{Conf: map[string]string{"spark.task.maxFailures": "1"}}, nil,
			func([]trace.Node) []trace.NodeEvent {
				return []trace.NodeEvent{nodeEvent(15_000, 0, 0, trace.Fail), nodeEvent(16_000, 1, 0, trace.Recover)}
			}, ""},
		{"job without stages", scenario.Options{}, func(j *trace.Job) { j.Stages = nil }, nil, ""},
		{"stage without tasks", scenario.Options{}, func(j *trace.Job) { j.Stages[0] = stage(0, 0, 0, nil) }, nil, ""},
		{"tasks of 1 ms", scenario.Options{Model: noLatency()}, func(j *trace.Job) { j.Stages[0] = stage(0, 5000, 1, nil) }, nil, ""},
		{"tasks of 0 ms", scenario.Options{Model: noLatency()}, func(j *trace.Job) { j.Stages[0] = stage(0, 5000, 0, nil) }, nil, ""},
		{"barrier with dynamic allocation", scenario.Options{}, func(j *trace.Job) { j.Stages[0].Kind = trace.StageGang }, nil, "barrier"},
		{"barrier larger than the executors", spark("spark.dynamicAllocation.enabled", "false", "spark.executor.instances", "1"),
			func(j *trace.Job) { j.Stages[0].Kind = trace.StageGang }, nil, "slots"},
	}
	for _, tt := range tests {
		schedulers := []string{"fair", "capacity", "fifo"}
		if tt.o.Scheduler != "" {
			schedulers = []string{tt.o.Scheduler}
		}
		for _, scheduler := range schedulers {
			t.Run(tt.name+"/"+scheduler, func(t *testing.T) {
				o := tt.o
				o.Scheduler, o.StallMS = scheduler, 600_000
				if o.Model == (model.Model{}) {
					o.Model = model.DefaultModel()
				}
				j, nodes := job(), cluster(2, 1)
				if tt.job != nil {
					tt.job(j)
				}
				var events []trace.NodeEvent
				if tt.events != nil {
					events = tt.events(nodes)
				}
				outcome, reason := oddReplay(t, input(nodes, events, j), o)
				if tt.want == "" && outcome != record.JobSucceeded || tt.want != "" && (outcome == record.JobSucceeded || !strings.Contains(reason, tt.want)) {
					t.Errorf("job ended as %q because %q, want %q in it", outcome, reason, tt.want)
				}
			})
		}
	}
}

// patience is a context that ends when the loop has looked at it so often, each time after 4,096 events.
type patience struct {
	context.Context
	looks int
}

var errEndless = errors.New("no end")

func (p *patience) Err() error {
	if p.looks--; p.looks < 0 {
		return errEndless
	}
	return p.Context.Err()
}

// oddReplay replays one job and returns how it ended, or the error before it began.
func oddReplay(t *testing.T, in scenario.Input, o scenario.Options) (outcome, reason string) {
	t.Helper()
	sc, err := scenario.New(in, o)
	if err != nil {
		return "", err.Error()
	}
	k := &keep{}
	m, err := Run(&patience{Context: t.Context(), looks: 500}, sc, k, nil)
	if errors.Is(err, errEndless) {
		t.Fatal("the replay has not ended after 2 million events")
	}
	if err != nil {
		return "", err.Error()
	}
	checkRecords(t, k, m)
	return k.jobs[0].Outcome, k.jobs[0].Reason
}

func TestEmptyTrace(t *testing.T) {
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		for n := range 2 {
			k, m := replay(t, input(cluster(n, 1), nil), scenario.Options{Scheduler: scheduler})
			if len(k.jobs) != 0 || m.Totals.Jobs != 0 {
				t.Errorf("%s: %d jobs from a trace without any", scheduler, len(k.jobs))
			}
		}
		k, _ := replay(t, input(nil, nil, sparkJob(0, 0, 1, stage(0, 1, 1000, nil))), scenario.Options{Scheduler: scheduler})
		if got := fmt.Sprint(k.jobs[0].Outcome, k.jobs[0].Reason); k.jobs[0].Outcome == record.JobSucceeded || k.jobs[0].Reason == "" {
			t.Errorf("%s: a job on no node ended as %s, want a reason", scheduler, got)
		}
	}
}
