package spark

import (
	"container/heap"
	"fmt"
	"slices"
	"testing"

	"replay/engine/spark/conf"
	"replay/trace"
)

// testDriver plays the backend, the executors and the loop around a [TaskScheduler] and a [DAG] with
// all latencies 0, in the order that the comment of [DAG] gives.
type testDriver struct {
	tb    testing.TB
	conf  *conf.Conf
	job   *trace.Job
	tasks *TaskScheduler
	dag   *DAG
	now   int64
	queue testQueue
	seq   int
	execs []testExec

	log      []string // launches: "task -> exec LEVEL time"
	launches []testLaunch
	dagLog   []string
	finished map[[2]int32]int // successes by stage and partition
	failed   string
	done     bool
	wastedMS int64
	usefulMS int64
	endedAt  int64
	running  map[TaskRef]int64
}

type testExec struct {
	host, cores, free int32
	alive             bool
}

type testLaunch struct {
	stage, partition, exec int32
	level                  Locality
	at                     int64
}

type testEvent struct {
	at    int64
	class int
	seq   int
	do    func()
}

type testQueue []testEvent

func (q testQueue) Len() int { return len(q) }
func (q testQueue) Less(i, j int) bool {
	a, b := q[i], q[j]
	if a.at != b.at {
		return a.at < b.at
	}
	if a.class != b.class {
		return a.class < b.class
	}
	return a.seq < b.seq
}
func (q testQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *testQueue) Push(x any)   { *q = append(*q, x.(testEvent)) }
func (q *testQueue) Pop() any {
	old := *q
	e := old[len(old)-1]
	*q = old[:len(old)-1]
	return e
}

// Classes of events at the same time.
const (
	testNode = iota
	testStatus
	testRegister
	testResult
	testDAG
	testRevive
	testTimer
)

// tester is what *testing.T, *testing.B and *rapid.T share.
type tester interface {
	Helper()
	Fatal(args ...any)
}

func testConf(t tester, values map[string]string) *conf.Conf {
	t.Helper()
	c, _, err := conf.Parse(conf.Layer{Name: "test", Strict: true, Values: values})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testStage is a stage with tasks of one duration; prefs[i] are the preferred hosts of task i.
func testStage(id int32, parents []int32, ms int64, prefs ...[]int32) trace.Stage {
	s := trace.NewStage(id, trace.StageInput, parents...)
	s.SparkJob, s.DelayMS = 0, 0
	s.Tasks.PrefStart = []int32{0}
	for _, p := range prefs {
		s.Tasks.DurationMS = append(s.Tasks.DurationMS, ms)
		s.Tasks.Pref = append(s.Tasks.Pref, p...)
		s.Tasks.PrefStart = append(s.Tasks.PrefStart, int32(len(s.Tasks.Pref)))
	}
	if len(s.Tasks.Pref) == 0 {
		s.Tasks.PrefStart = nil
	}
	return s
}

// none are n tasks without preference.
func none(n int) [][]int32 { return make([][]int32, n) }

// usedDAG is that of a driver whose test is over, for the memory of the next one.
var usedDAG *DAG

func newTestDriver(tb testing.TB, conf *conf.Conf, stages []trace.Stage, rackOf []int32, order *HashOrder) *testDriver {
	tb.Helper()
	d := &testDriver{
		tb: tb, conf: conf, finished: map[[2]int32]int{}, running: map[TaskRef]int64{},
		job: &trace.Job{ID: 1, Stages: stages},
	}
	d.tasks = NewTaskScheduler(conf, NewPools(rootMode(conf), nil), rackOf, order)
	if d.dag = usedDAG; d.dag == nil {
		d.dag = new(DAG)
	}
	usedDAG = nil
	if err := d.dag.Renew(conf, d.job, d.tasks, []int32{1}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { usedDAG = d.dag })
	d.at(0, testTimer, d.tick)
	return d
}

func rootMode(c *conf.Conf) PoolMode {
	if c.FairMode {
		return FAIR
	}
	return FIFO
}

func (d *testDriver) at(t int64, class int, do func()) {
	d.seq++
	heap.Push(&d.queue, testEvent{t, class, d.seq, do})
}

// tick is the periodic revive; it goes on until the job is done.
func (d *testDriver) tick() {
	d.offerAll()
	if d.conf.Speculation.Enabled {
		d.tasks.Speculate(d.now)
		d.drain()
	}
	if !d.done && d.failed == "" {
		d.at(d.now+1000, testTimer, d.tick)
	}
}

// add makes an executor at time t, which is then offered alone; it returns its number.
func (d *testDriver) add(t int64, host, cores int32) int32 {
	id := int32(len(d.execs))
	d.execs = append(d.execs, testExec{host: host, cores: cores, free: cores})
	d.at(t, testRegister, func() {
		d.execs[id].alive = true
		d.offer([]int32{id}, false)
	})
	return id
}

// lose takes an executor away at time t, if it is there: in two phases when the loss is first pending,
// and with its shuffle output when there is no service or when files says so.
func (d *testDriver) lose(t int64, id int32, loss Loss, pendingMS int64, files bool) {
	d.at(t, testNode, func() {
		if !d.execs[id].alive {
			return
		}
		d.execs[id].alive = false
		if files || !d.conf.ShuffleService {
			d.dag.ServerLost(id)
		}
		if pendingMS > 0 {
			d.tasks.ExecutorLost(d.now, id, Loss{Kind: LossPending})
			d.at(d.now+pendingMS, testNode, func() {
				d.tasks.ExecutorLost(d.now, id, loss)
				d.drain()
			})
		} else {
			d.tasks.ExecutorLost(d.now, id, loss)
		}
		d.drain()
	})
}

func (d *testDriver) offerAll() {
	var ids []int32
	for id := range d.execs {
		if d.execs[id].alive {
			ids = append(ids, int32(id))
		}
	}
	d.offer(ids, true)
}

func (d *testDriver) offer(ids []int32, all bool) {
	var offers []Offer
	for _, id := range ids {
		if e := &d.execs[id]; e.alive {
			offers = append(offers, Offer{Exec: id, Host: e.host, Cores: e.free})
		}
	}
	for _, l := range d.tasks.ResourceOffers(d.now, offers, all) {
		d.launch(l)
	}
	d.drain()
}

func (d *testDriver) launch(l TaskRef) {
	set := d.tasks.Set(l.Set)
	a := *set.Attempt(l.Row)
	partition := set.Spec.Partition(a.Index)
	d.log = append(d.log, fmt.Sprintf("%d->e%d %v %d", partition, a.Exec+1, a.Level, d.now))
	d.launches = append(d.launches, testLaunch{set.Stage, partition, a.Exec, a.Level, d.now})
	e := &d.execs[a.Exec]
	if e.free--; e.free < 0 {
		d.tb.Fatalf("executor %d runs more tasks than it has cores", a.Exec)
	}
	d.running[l] = d.now
	d.tasks.Running(l)
	ms := d.job.Stages[set.Stage].Tasks.DurationMS[partition]
	from, fails := d.dag.FetchFailure(set.Stage, partition, func() bool { return false })
	if fails {
		ms = 0
	}
	d.at(d.now+ms, testStatus, func() {
		if !d.execs[a.Exec].alive || !d.tasks.StatusUpdate(l) {
			return
		}
		d.execs[a.Exec].free++
		d.offer([]int32{a.Exec}, false)
		d.at(d.now, testResult, func() {
			if fails {
				d.tasks.FetchFailed(d.now, l, from)
			} else {
				d.tasks.Succeeded(d.now, l)
			}
			d.drain()
		})
	})
}

// drain carries what the scheduler and the DAG told until they have nothing more to tell.
func (d *testDriver) drain() {
	for {
		events := slices.Clone(d.tasks.Take())
		for i := range events {
			e := &events[i]
			d.taskEvent(e)
			d.dag.Handle(d.now, e)
		}
		told := slices.Clone(d.dag.Take())
		for _, e := range told {
			d.dagEvent(e)
		}
		if len(events)+len(told) == 0 {
			return
		}
	}
}

func (d *testDriver) taskEvent(e *TaskEvent) {
	switch e.Kind {
	case ReviveOffers:
		d.at(d.now, testRevive, d.offerAll)
	case TaskEnded:
		ref := TaskRef{e.Set, e.Row}
		set := d.tasks.Set(e.Set)
		key := [2]int32{e.Stage, set.Spec.Partition(e.Index)}
		if e.Reason == EndResubmitted {
			d.finished[key]--
			d.dagLog = append(d.dagLog, fmt.Sprintf("%d resubmitted %d", d.now, key))
			return
		}
		ms := d.now - d.running[ref]
		if _, ok := d.running[ref]; !ok {
			d.tb.Fatalf("attempt %v ended twice", ref)
		}
		delete(d.running, ref)
		if e.Reason == EndSuccess {
			d.finished[key]++
			d.usefulMS += ms
		} else {
			d.wastedMS += ms
		}
	case KillTask:
		ref := TaskRef{e.Set, e.Row}
		exec := e.Exec
		d.at(d.now, testStatus, func() {
			if d.execs[exec].alive && d.tasks.StatusUpdate(ref) {
				d.execs[exec].free++
				d.tasks.Failed(d.now, ref, EndKilled)
				d.drain()
			}
		})
	}
}

func (d *testDriver) dagEvent(e DAGEvent) {
	switch e.Kind {
	case StageTimer:
		d.at(e.At, testDAG, func() { d.dag.StageDue(d.now, e.Stage); d.drain() })
	case ResubmitTimer:
		d.at(e.At, testDAG, func() { d.dag.Resubmit(d.now); d.drain() })
	case StageSubmitted:
		n := 0
		if e.Set >= 0 {
			n = d.tasks.Set(e.Set).Spec.Tasks
		}
		d.dagLog = append(d.dagLog, fmt.Sprintf("%d submitted %d.%d: %d tasks", d.now, e.Stage, e.Attempt, n))
	case StageCompleted:
		how := "completed"
		if e.Failed {
			how = "failed"
		}
		d.dagLog = append(d.dagLog, fmt.Sprintf("%d %s %d.%d", d.now, how, e.Stage, e.Attempt))
	case JobStarted, JobEnded:
		d.dagLog = append(d.dagLog, fmt.Sprintf("%d job %d %s", d.now, e.Job, map[bool]string{true: "started", false: "ended"}[e.Kind == JobStarted]))
	case DAGFailed:
		d.failed = e.Reason
	case DAGDone:
		d.done, d.endedAt = true, d.now
	}
}

// run plays until nothing is left to do, at most until the given time.
func (d *testDriver) run(until int64) {
	d.at(0, testDAG, func() { d.dag.Start(d.now); d.drain() })
	for len(d.queue) > 0 && d.failed == "" {
		e := heap.Pop(&d.queue).(testEvent)
		if e.at > until {
			d.tb.Fatalf("not done at %d ms:\n%v\n%v", until, d.dagLog, d.log)
		}
		d.now = e.at
		e.do()
	}
}
