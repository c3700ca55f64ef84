package spark

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/spark/conf"
)

// scriptBackend notes calls and answers them by their number.
type scriptBackend struct {
	log    []string
	refuse func(call int) bool // nil: never
	killed []int32
}

func (b *scriptBackend) ok() bool { return b.refuse == nil || !b.refuse(len(b.log)) }

func (b *scriptBackend) RequestTotal(now int64, r *TotalRequest) bool {
	ok := b.ok()
	line := fmt.Sprintf("%d total", now)
	for _, p := range r.Profiles {
		line += fmt.Sprintf(" %d:%d(%d %v)", p.Profile, p.Total, p.Hints.LocalTasks, p.Hints.Hosts)
	}
	b.log = append(b.log, fmt.Sprint(line, " ", ok))
	return ok
}

func (b *scriptBackend) Kill(now int64, executors []int32) []int32 {
	ok := b.ok()
	b.log = append(b.log, fmt.Sprintf("%d kill %v %t", now, executors, ok))
	if !ok {
		return nil
	}
	b.killed = append(b.killed, executors...)
	return executors
}

func (b *scriptBackend) Decommission(now int64, executors []int32) []int32 {
	ok := b.ok()
	b.log = append(b.log, fmt.Sprintf("%d decommission %v %t", now, executors, ok))
	if !ok {
		return nil
	}
	return executors
}

func dynamicConf(t tester, kv ...string) *conf.Conf {
	values := map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true", "spark.executor.cores": "2"}
	for i := 0; i < len(kv); i += 2 {
		values["spark.dynamicAllocation."+kv[i]] = kv[i+1]
	}
	return testConf(t, values)
}

func TestRampUp(t *testing.T) {
	b := &scriptBackend{}
	m := NewManager(dynamicConf(t, "maxExecutors", "100"), []int{2}, b)
	m.Start(0)
	m.Reset() // the application master registers: the first step needs no backlog
	m.StageSubmitted(10_000, 0, 0, 0, 50, StageHints{})
	for now := int64(10_050); now < 16_000; now += TickInterval {
		m.Tick(now)
	}
	m.StageCompleted(0, 0)
	m.Tick(16_050)
	want := []string{
		"0 total 0:0(0 []) true",
		"10050 total 0:1(0 []) true",
		"11050 total 0:3(0 []) true",
		"12050 total 0:7(0 []) true",
		"13050 total 0:15(0 []) true",
		"14050 total 0:25(0 []) true",
		"16050 total 0:0(0 []) true",
	}
	if d := cmp.Diff(want, b.log); d != "" {
		t.Errorf("calls (-want +got)\n%s", d)
	}
}

func TestBacklogWithoutRegistration(t *testing.T) {
	b := &scriptBackend{}
	m := NewManager(dynamicConf(t, "schedulerBacklogTimeout", "5s"), []int{2}, b)
	m.StageSubmitted(10_000, 0, 0, 0, 4, StageHints{})
	for now := int64(10_050); now < 16_000; now += TickInterval {
		m.Tick(now)
	}
	if want := []string{"15050 total 0:1(0 []) true"}; !slices.Equal(b.log, want) {
		t.Errorf("calls are %q, want %q", b.log, want)
	}
}

func TestHintsGoWithTheStage(t *testing.T) {
	b := &scriptBackend{}
	m := NewManager(dynamicConf(t), []int{2}, b)
	var c HintCounter
	for _, hosts := range [][]protocol.Name{{3, 1}, {}, {1, 1}} { // a host named twice counts twice
		c.Task(hosts)
	}
	first := c.Take()
	slices.Reverse(first.Hosts) // their order is the stage's own
	c.Task([]protocol.Name{1, 2})
	m.Reset()
	m.StageSubmitted(0, 0, 0, 0, 3, first)
	m.StageSubmitted(0, 1, 0, 0, 1, c.Take())
	m.Tick(0)
	m.StageCompleted(0, 0)
	m.Tick(1000)
	want := []string{"0 total 0:1(3 [{1 4} {2 1} {3 1}]) true"}
	if d := cmp.Diff(want, b.log); d != "" { // need is 1: nothing is sent, although the hints changed
		t.Errorf("calls (-want +got)\n%s", d)
	}
	if got := m.profiles[0].hints; got.LocalTasks != 1 || !slices.Equal(got.Hosts, []HostTasks{{1, 1}, {2, 1}}) {
		t.Errorf("hints of the second stage alone are %+v", got)
	}
}

func TestIdleExecutorsGoInTextOrder(t *testing.T) {
	b := &scriptBackend{}
	m := NewManager(dynamicConf(t, "minExecutors", "9"), []int{2}, b)
	for e := int32(1); e <= 11; e++ {
		m.ExecutorAdded(0, e, 0)
	}
	m.Tick(59_999)
	m.Tick(60_000)
	want := []string{"60000 kill [1 10] true", "60000 total 0:9(0 []) true"}
	if d := cmp.Diff(want, b.log); d != "" {
		t.Errorf("calls (-want +got)\n%s", d)
	}
	if next := m.NextInteresting(60_000); next != Never {
		t.Errorf("next interesting time is %d, but the minimum is reached", next)
	}
}

func TestExcludedHostsLeaveTheHints(t *testing.T) {
	hosts := []HostTasks{{1, 4}, {2, 3}, {5, 1}}
	r := TotalRequest{Profiles: []ProfileTotal{{Total: 2, Hints: StageHints{LocalTasks: 6, Hosts: hosts}}}}
	r.Exclude([]protocol.Name{2, 3})
	got := r.Profiles[0].Hints
	if got.LocalTasks != 6 || !slices.Equal(got.Hosts, []HostTasks{{1, 4}, {5, 1}}) {
		t.Errorf("hints are %+v, want hosts 1 and 5 and still 6 tasks", got)
	}
	if !slices.Equal(hosts, []HostTasks{{1, 4}, {2, 3}, {5, 1}}) {
		t.Errorf("the manager's own hints became %v", hosts)
	}
}

func TestShuffleDataKeepsAnExecutor(t *testing.T) {
	b := &scriptBackend{}
	conf := dynamicConf(t)
	conf.ShuffleService = false
	m := NewManager(conf, []int{2}, b)
	m.JobStart(0, []ShuffleStage{{0, 0}, {1, NoShuffle}})
	for e := int32(1); e <= 4; e++ {
		m.ExecutorAdded(0, e, 0)
	}
	m.TaskStart(0, 0, 0, 0, 1, false, true)
	m.TaskEnd(0, 0, 0, 0, 1, false, TaskSucceeded)
	m.ShuffleMoved(2, 0, true)
	m.ShuffleMoved(3, 0, false) // no longer one of ours
	m.Tick(60_000)
	m.JobEnd(0)
	m.Tick(70_000)
	m.ShuffleCleaned(0)
	m.Tick(80_000)
	want := []string{
		"60000 kill [3 4] true", "60000 total 0:0(0 []) true",
		"80000 kill [1 2] true", "80000 total 0:0(0 []) true",
	}
	if d := cmp.Diff(want, b.log); d != "" {
		t.Errorf("calls (-want +got)\n%s", d)
	}
}

func TestCompareAsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int32Min(0).Draw(t, "a"), rapid.Int32Min(0).Draw(t, "b")
		if got, want := compareAsText(a, b), strings.Compare(strconv.Itoa(int(a)), strconv.Itoa(int(b))); got != want {
			t.Fatalf("compareAsText(%d, %d) = %d, want %d", a, b, got, want)
		}
	})
}

// Leaving out the ticks before NextInteresting changes nothing: same calls at the same times, same
// state at each event.
func TestNextInterestingIsNeverTooLate(t *testing.T) {
	dense, sparse := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		conf := drawConf(t)
		perExec := []int{2, 3}[:rapid.IntRange(1, 2).Draw(t, "profiles")]
		bad := rapid.IntRange(2, 9).Draw(t, "refused")
		refuse := func(call int) bool { return call%bad == 1 }
		events := drawEvents(t, len(perExec))
		db, sb := &scriptBackend{refuse: refuse}, &scriptBackend{refuse: refuse}
		d, s := NewManager(conf, perExec, db), NewManager(conf, perExec, sb)
		phase := rapid.Int64Range(0, 99).Draw(t, "phase")
		tick := phase
		for _, e := range append(events, driverEvent{events[len(events)-1].at + 100_000, func(managed) {}}) {
			for ; tick < e.at; tick += TickInterval {
				d.Tick(tick)
				dense++
				if s.NextInteresting(tick) <= tick {
					s.Tick(tick)
					sparse++
				}
			}
			e.apply(d)
			e.apply(s)
			if d.addTime != s.addTime || d.initializing != s.initializing {
				t.Fatalf("at %d: add time %d and %d, initializing %t and %t", e.at, d.addTime, s.addTime, d.initializing, s.initializing)
			}
			for p := range perExec {
				if x, y := d.profiles[p], s.profiles[p]; x.target != y.target || x.toAdd != y.toAdd {
					t.Fatalf("at %d: profile %d has target %d, step %d; without the ticks %d, %d", e.at, p, x.target, x.toAdd, y.target, y.toAdd)
				}
			}
		}
		if !slices.Equal(db.log, sb.log) {
			t.Fatalf("calls (-every tick +interesting ones)\n%s", cmp.Diff(db.log, sb.log))
		}
	})
	t.Logf("%d ticks, %d of them executed", dense, sparse)
	if sparse*2 > dense {
		t.Errorf("%d of %d ticks were executed, want less than half", sparse, dense)
	}
}

// The earliest time named is kept between events: it may be asked for once and waited for.
func TestNextInterestingDoesNotMoveEarlier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := NewManager(dynamicConf(t, "executorIdleTimeout", "3"), []int{2}, &scriptBackend{})
		now := int64(0)
		for _, e := range drawEvents(t, 1) {
			next := m.NextInteresting(now)
			for at := now; at < min(next, e.at, now+5000); at += 500 {
				if got := m.NextInteresting(at); got < next {
					t.Fatalf("at %d the next interesting time is %d, at %d it was %d", at, got, now, next)
				}
			}
			now = e.at
			e.apply(m)
			m.Tick(now)
		}
	})
}

// As long as nothing has moved no time comes before the one named.
func TestMovedTellsOfEachChange(t *testing.T) {
	still, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		perExec := []int{2, 3}[:rapid.IntRange(1, 2).Draw(t, "profiles")]
		m := NewManager(drawConf(t), perExec, &scriptBackend{})
		named := int64(0)
		for _, e := range drawEvents(t, len(perExec)) {
			e.apply(m)
			all++
			moved, next := m.Moved(), m.NextInteresting(e.at)
			if !moved {
				still++
				if next < max(named, e.at) {
					t.Fatalf("at %d nothing has moved, and the next interesting time is %d, it was %d", e.at, next, named)
				}
			} else {
				named = next
			}
			if named <= e.at {
				m.Tick(e.at)
			}
		}
	})
	t.Logf("after %d of %d events nothing had moved", still, all)
	if still == 0 {
		t.Error("everything moves something, want that most starts and ends of tasks do not")
	}
}

// Of executors that begin to be idle the first one brings the next interesting time, and those after it do not.
func TestFirstIdleExecutorMoves(t *testing.T) {
	m := NewManager(dynamicConf(t, "executorIdleTimeout", "3"), []int{3}, &scriptBackend{})
	m.StageSubmitted(0, 0, 0, 0, 3, StageHints{})
	for e := range int32(3) {
		m.ExecutorAdded(0, e+1, 0)
		m.TaskStart(0, 0, 0, e, e+1, false, true)
	}
	if moved, next := m.Moved(), m.NextInteresting(100); !moved || next != Never {
		t.Fatalf("while all executors are busy: moved %t, next %d; want true, never", moved, next)
	}
	for i, want := range []bool{true, false} {
		at, e := 10_000+int64(i), int32(i+1)
		m.TaskEnd(at, 0, 0, e, e+1, false, TaskSucceeded)
		if moved, next := m.Moved(), m.NextInteresting(at); moved != want || next != 13_000 {
			t.Errorf("executor %d is idle: moved %t, next %d; want %t, 13000", e+1, moved, next, want)
		}
	}
}

func BenchmarkManager(b *testing.B) {
	m := NewManager(dynamicConf(b), []int{2}, &scriptBackend{})
	m.StageSubmitted(0, 0, 0, 0, 1<<20, StageHints{})
	for e := int32(1); e <= 100; e++ {
		m.ExecutorAdded(0, e, 0)
	}
	b.ReportAllocs()
	i := int32(0)
	for b.Loop() {
		now, exec := int64(i), i%100+1
		m.TaskStart(now, 0, 0, i&(1<<20-1), exec, false, true)
		m.TaskEnd(now, 0, 0, i&(1<<20-1), exec, false, TaskSucceeded)
		m.NextInteresting(now)
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}
