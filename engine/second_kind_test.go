package engine

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/policy/resource"
	"replay/trace"
)

// perTask is a second kind of application behind the seam: each task of a stage asks for a container of its own, on one of its preferred
// nodes if it can be, runs in it for its duration and ends with it. A task whose container goes before is asked for again. Stages
// follow their parents, and the application ends with the last of them.
type perTask struct{}

const kindPerTask = "test-per-task"

// register puts the kind into the table for the time of a test.
func registerPerTask(t *testing.T) {
	applications[kindPerTask] = func(*scenario.Scenario) master.Kind { return perTask{} }
	t.Cleanup(func() { delete(applications, kindPerTask) })
}

const (
	evPerTaskBeat master.EventKind = iota
	evPerTaskDone
)

func (perTask) Events() []master.Event {
	return []master.Event{
		evPerTaskBeat: {Name: "master's heartbeat", Class: master.Heartbeat},
		evPerTaskDone: {Name: "task done", Class: master.Inbox, Number: "container", Work: true},
	}
}

func (perTask) Plan(j *trace.Job) (*master.Plan, error) {
	if len(j.Stages) == 0 {
		return nil, fmt.Errorf("job %d has no stages", j.ID)
	}
	return &master.Plan{AMSize: resource.R(j.AMMemMiB, int64(j.AMVCores)), AMStartMS: 2000, MaxAttempts: 2, New: newPerTask}, nil
}

// perTaskMaster is one attempt.
type perTaskMaster struct {
	h      master.Host
	job    *trace.Job
	client *protocol.Client
	req    protocol.AllocateRequest
	resp   protocol.AllocateResponse
	wants  map[*protocol.ContainerRequest]taskOf // asked for
	runs   map[int64]*record.Task                // by container, from its start to its end
	left   []int                                 // tasks by stage
	tried  map[taskOf]int32
	ready  map[taskOf]int64
	over   bool
}

type taskOf struct{ stage, index int32 }

func newPerTask(h master.Host, j *trace.Job) master.Master {
	m := &perTaskMaster{h: h, job: j, client: protocol.NewClient(h.Cluster().Names, h.Cluster().RackOf), wants: map[*protocol.ContainerRequest]taskOf{},
		runs: map[int64]*record.Task{}, tried: map[taskOf]int32{}, ready: map[taskOf]int64{}}
	for i := range j.Stages {
		m.left = append(m.left, j.Stages[i].Tasks.Len())
	}
	return m
}

func (m *perTaskMaster) Register() error {
	if size := m.size(0); !size.FitsIn(m.h.MaxAllocation()) {
		return fmt.Errorf("a task is larger than any container")
	}
	m.begin()
	m.beat()
	return nil
}

func (m *perTaskMaster) size(stage int32) resource.Resource {
	return resource.R(m.job.Stages[stage].TaskMemMiB, int64(m.job.Stages[stage].TaskVCores))
}

// begin asks for the tasks of stages whose parents have ended.
func (m *perTaskMaster) begin() {
	for i := range m.job.Stages {
		st := &m.job.Stages[i]
		waits := slices.ContainsFunc(st.Parents, func(p int32) bool { return m.left[p] > 0 })
		for index := range int32(st.Tasks.Len()) {
			if _, asked := m.ready[taskOf{st.ID, index}]; !waits && !asked {
				m.ask(taskOf{st.ID, index})
			}
		}
	}
}

func (m *perTaskMaster) ask(t taskOf) {
	m.ready[t] = m.h.Now()
	req := &protocol.ContainerRequest{Priority: t.stage + 1, Size: m.size(t.stage), Relax: true}
	for _, n := range m.job.Stages[t.stage].Tasks.Prefs(int(t.index)) {
		req.Nodes = append(req.Nodes, m.h.Cluster().Host[n])
	}
	if err := m.client.Add(req); err != nil {
		m.h.Broken("%v", err)
	}
	m.wants[req] = t
}

// beat is a heartbeat, one second after the last.
func (m *perTaskMaster) beat() {
	m.client.Build(&m.req)
	if err := m.h.Allocate(&m.req, &m.resp); err != nil {
		m.Fail(err.Error())
		return
	}
	m.client.Received(&m.resp)
	for i := range m.resp.Allocated {
		m.take(&m.resp.Allocated[i])
	}
	for _, s := range m.resp.Completed {
		if r := m.runs[s.ID.Number()]; r != nil { // it went before its task was done
			m.write(s.ID.Number(), record.TaskLost)
			m.ask(taskOf{r.Stage, r.Index})
		}
	}
	if !m.over {
		m.h.At(m.h.Now()+1000, evPerTaskBeat, 0, 0)
	}
}

// take gives a container to the task that has waited the longest for its host, its rack or any.
func (m *perTaskMaster) take(c *protocol.Container) {
	for _, place := range []protocol.Name{c.Host, m.h.Cluster().RackOf(c.Host), protocol.Any} {
		req := m.client.FirstMatching(c.Priority, place, c.Size)
		if req == nil {
			continue
		}
		t := m.wants[req]
		delete(m.wants, req)
		m.client.Remove(req)
		prefs := m.job.Stages[t.stage].Tasks.Prefs(int(t.index))
		m.runs[c.ID.Number()] = &record.Task{Job: m.job.ID, Stage: t.stage, Index: t.index, Attempt: m.tried[t], Container: c.ID.Number(), Node: int32(c.Node), Ready: m.ready[t],
			Launch: record.None, Finish: record.None, Preferring: len(prefs) > 0, Preferred: slices.Contains(prefs, int32(c.Node)), DurationMS: m.job.Stages[t.stage].Tasks.DurationMS[t.index]}
		m.tried[t]++
		m.h.Start(c.ID.Number(), m.h.Now()+50)
		return
	}
	m.client.Release(c.ID) // granted more often than asked for
}

func (m *perTaskMaster) Handle(k master.EventKind, arg int64) {
	switch {
	case m.over:
	case k == evPerTaskBeat:
		m.h.Heartbeats(1, 1)
		m.beat()
	case k == evPerTaskDone && m.h.Running(arg) && m.runs[arg] != nil:
		r := m.runs[arg]
		m.write(arg, record.TaskSuccess)
		m.h.Job().TasksSucceeded++
		m.h.End(arg, m.h.Now())
		if m.left[r.Stage]--; m.left[r.Stage] == 0 {
			m.begin()
		}
		if !slices.ContainsFunc(m.left, func(n int) bool { return n > 0 }) {
			m.leave("")
		}
	}
}

func (m *perTaskMaster) Started(c int64) {
	r, now := m.runs[c], m.h.Now()
	if r == nil { // taken away while it started
		return
	}
	r.Launch = now
	m.h.Container(c).Registered = now
	m.h.Container(c).Tasks = 1
	j := m.h.Job()
	j.Attempts++
	if j.FirstTask == record.None {
		j.FirstTask, j.FirstRegistered = now, now
	}
	m.h.Busy(m.job.Stages[r.Stage].TaskVCores)
	m.h.GoesOn(now + r.DurationMS)
	m.h.At(now+r.DurationMS, evPerTaskDone, c, c)
}

// write writes the end of a container's task, if it had begun.
func (m *perTaskMaster) write(c int64, end string) {
	r := m.runs[c]
	delete(m.runs, c)
	if r == nil || r.Launch == record.None {
		return
	}
	cores := m.job.Stages[r.Stage].TaskVCores
	m.h.Busy(-cores)
	r.Finish, r.End = m.h.Now(), end
	if x := m.h.Container(c); x != nil {
		x.BusyMS = (r.Finish - r.Launch) * int64(cores)
	}
	if j := m.h.Job(); end == record.TaskSuccess {
		j.TaskMS += r.Finish - r.Launch
	} else {
		j.WastedTaskMS += r.Finish - r.Launch
	}
	m.h.Task(r)
}

// leave unregisters the application; its process ends.
func (m *perTaskMaster) leave(reason string) {
	m.over = true
	m.h.Unregister(reason)
	m.h.EndAM(m.h.Now())
}

func (m *perTaskMaster) Fail(reason string)     { m.leave(reason) }
func (m *perTaskMaster) StartFailed(int64)      {} // the ResourceManager says that it is gone
func (m *perTaskMaster) Exited(int64)           {} // as here
func (m *perTaskMaster) ExitStatus(int64) int32 { return protocol.ExitSuccess }
func (m *perTaskMaster) News()                  {}
func (m *perTaskMaster) NodesChanged(int)       {}
func (m *perTaskMaster) NodeDown(int32)         {}
func (m *perTaskMaster) Stopping() bool         { return m.over }
func (m *perTaskMaster) AMExited()              { m.Stop() }
func (m *perTaskMaster) Finish()                { m.end(record.TaskRunning) }

func (m *perTaskMaster) Stop() {
	m.over = true
	m.end(record.TaskKilled)
}

func (m *perTaskMaster) end(end string) {
	for c := range int64(1 << 20) {
		if len(m.runs) == 0 {
			return
		}
		m.write(c, end)
	}
}

func (m *perTaskMaster) Waits(why func(resource.Resource) string) string {
	return fmt.Sprintf("%d tasks wait for containers: %s", len(m.wants), why(m.size(0)))
}

// perTaskJob makes a job of this kind, with containers of 1 GiB and one core.
func perTaskJob(id, submit int64, stages ...trace.Stage) *trace.Job {
	j := sparkJob(id, submit, 0, stages...)
	j.Kind = kindPerTask
	for i := range j.Stages {
		j.Stages[i].TaskMemMiB, j.Stages[i].TaskVCores = 1024, 1
	}
	return j
}

// TestSecondKindOfApplication runs the kind beside Spark in one trace: to the end, under each scheduler, and the two engines agree. A
// node that is lost takes containers with it, and may be a master.
func TestSecondKindOfApplication(t *testing.T) {
	registerPerTask(t)
	jobs := func() []*trace.Job {
		return []*trace.Job{
			perTaskJob(0, 0, stage(0, 40, 20_000, nil, 0, 2), stage(1, 6, 4000, []int32{0})),
			sparkJob(1, 3000, 4, stage(0, 30, 3000, nil, 1), stage(1, 6, 1000, []int32{0})),
			perTaskJob(2, 8000, stage(0, 7, 2000, nil)),
		}
	}
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		t.Run(scheduler, func(t *testing.T) {
			run := func(engine string, events ...trace.NodeEvent) (*keep, *record.Manifest) {
				k, m := replay(t, input(cluster(4, 2), events, jobs()...), scenario.Options{Seed: 3, Scheduler: scheduler, Engine: engine,
					Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}})
				checkRecords(t, k, m)
				return k, m
			}
			for _, events := range [][]trace.NodeEvent{nil, {nodeEvent(12_000, 0, 0, trace.Fail), nodeEvent(60_000, 1, 0, trace.Recover)}} {
				k, m := run("", events...)
				for _, j := range k.jobs {
					if j.Outcome != record.JobSucceeded {
						t.Errorf("%d node events: job %d ended as %s: %s", len(events), j.ID, j.Outcome, j.Reason)
					}
				}
				lost := slices.ContainsFunc(k.tasks, func(r record.Task) bool { return r.Job != 1 && r.End != record.TaskSuccess })
				if lost != (len(events) > 0) {
					t.Errorf("%d node events: tasks of the kind were lost: %v", len(events), lost)
				}
				if _, dense := run("dense", events...); dense.DecisionHash != m.DecisionHash {
					t.Errorf("%d node events: decision hash %s, of the dense engine %s", len(events), m.DecisionHash, dense.DecisionHash)
				}
			}
		})
	}
}

// A container runs one task for its duration. It is asked for by the first heartbeat after its stage could begin, allocated by the node's
// heartbeat of that millisecond, handed over a second later and started 50 ms after that.
func TestPerTaskToTheMillisecond(t *testing.T) {
	registerPerTask(t)
	k, m := replay(t, input(cluster(1, 1), nil, perTaskJob(0, 0, stage(0, 1, 5000, nil, 0), stage(1, 1, 700, []int32{0}))), scenario.Options{Model: noLatency(), Scheduler: "fifo"})
	j, begin := k.jobs[0], m.NodePhasesMS[0]+2000
	if j.AMRegistered != begin || j.FirstAsked != begin {
		t.Errorf("registered at %d, asked at %d, want both at %d", j.AMRegistered, j.FirstAsked, begin)
	}
	var got []int64
	for _, r := range k.tasks {
		got = append(got, r.Launch-begin, r.Finish-begin)
	}
	if want := []int64{1050, 6050, 8050, 8750}; !slices.Equal(got, want) {
		t.Errorf("launch and end of the tasks after registration %v, want %v", got, want)
	}
	for _, c := range k.containers {
		if !c.AM && (c.End != record.EndCompleted || c.Tasks != 1 || c.Acquired != c.Allocated+1000 || c.Started != c.Acquired+50) {
			t.Errorf("container %+v, want one that has run one task to its end", c)
		}
	}
}
