package spark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/spark/conf"
)

// exclusion is a configuration with exclusion on; keys are below spark.excludeOnFailure.
func exclusion(t *testing.T, kv ...string) *conf.Conf {
	t.Helper()
	values := map[string]string{"spark.excludeOnFailure.enabled": "true", "spark.task.maxFailures": "20"}
	for i := 0; i < len(kv); i += 2 {
		key := "spark.excludeOnFailure." + kv[i]
		if strings.HasPrefix(kv[i], "spark.") {
			key = kv[i]
		}
		values[key] = kv[i+1]
	}
	return testConf(t, values)
}

// TaskSetExcludelist.updateExcludedForFailedTask: the four limits inside a task set. Executors 0, 1 and 4 are on
// host 0, 2 and 3 on host 1.
func TestExclusionInATaskSet(t *testing.T) {
	type failure struct{ task, exec int32 }
	hostOf := []int32{0, 0, 1, 1, 0}
	tests := []struct {
		name     string
		conf     []string
		failures []failure
		want     string // by executor: tasks of 0 to 2 that may not run there
	}{
		{"nothing failed", nil, nil, "- - - - -"},
		{"once on an executor", nil, []failure{{1, 0}}, "1 - - - -"},
		{"on two executors of a node: the node", nil, []failure{{1, 0}, {1, 1}}, "1 1 - - 1"},
		{"on two executors of two nodes: each executor", nil, []failure{{1, 0}, {1, 2}}, "1 - 1 - -"},
		{"one more is allowed on an executor", []string{"task.maxTaskAttemptsPerExecutor", "2", "task.maxTaskAttemptsPerNode", "3"}, []failure{{1, 0}}, "- - - - -"},
		{"and used up", []string{"task.maxTaskAttemptsPerExecutor", "2", "task.maxTaskAttemptsPerNode", "3"}, []failure{{1, 0}, {1, 0}}, "1 - - - -"},
		{"twice on one executor counts twice for the node", []string{"task.maxTaskAttemptsPerExecutor", "3"}, []failure{{1, 0}, {1, 0}}, "1 1 - - 1"},
		{"other tasks do not count for the node", []string{"stage.maxFailedTasksPerExecutor", "9"}, []failure{{1, 0}, {2, 1}}, "1 2 - - -"},
		{"three on a node", []string{"task.maxTaskAttemptsPerNode", "3"}, []failure{{1, 0}, {1, 1}}, "1 1 - - -"},
		{"the node a second time", nil, []failure{{1, 0}, {1, 1}, {1, 4}}, "1 1 - - 1"},
		{"two tasks on an executor: the executor for the set", nil, []failure{{0, 0}, {1, 0}}, "all - - - -"},
		{"one task twice is one task", []string{"task.maxTaskAttemptsPerExecutor", "5", "task.maxTaskAttemptsPerNode", "9"}, []failure{{0, 0}, {0, 0}}, "- - - - -"},
		{"three tasks on an executor", []string{"stage.maxFailedTasksPerExecutor", "3"}, []failure{{0, 0}, {1, 0}}, "01 - - - -"},
		{"two executors of a node: the node for the set", nil, []failure{{0, 0}, {1, 0}, {0, 1}, {2, 1}}, "all all - - all"},
		{"one executor twice is one executor", nil, []failure{{0, 0}, {1, 0}, {2, 0}}, "all - - - -"},
		{"two executors of two nodes", nil, []failure{{0, 0}, {1, 0}, {0, 2}, {1, 2}}, "all - all - -"},
		{"an executor of a node that is only in part excluded", nil, []failure{{0, 0}, {1, 0}, {2, 1}}, "all 2 - - -"},
		{"one executor is enough for the node", []string{"stage.maxFailedExecutorsPerNode", "1"}, []failure{{0, 2}, {1, 2}}, "- - all all -"},
		{"a third is allowed on the node", []string{"stage.maxFailedExecutorsPerNode", "3"}, []failure{{0, 0}, {1, 0}, {0, 1}, {2, 1}}, "all all - - 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := exclusion(t, tt.conf...)
			x := new(taskSetExclusion)
			for i, f := range tt.failures {
				x.failed(c, int64(i), f.task, f.exec, hostOf[f.exec])
			}
			var got []string
			for exec, host := range hostOf {
				out := ""
				for task := range int32(3) {
					if x.fromTask(c, task, int32(exec), host) {
						out += fmt.Sprint(task)
					}
				}
				switch {
				case x.fromSet(int32(exec), host):
					out = "all"
				case out == "":
					out = "-"
				}
				got = append(got, out)
			}
			if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
				t.Errorf("not allowed (-want +got)\n%s", d)
			}
		})
	}
}

// excluding plays task sets on executors of one core. Executors 0, 1 and 4 are on host 0, 2 and 3 on host 1.
type excluding struct {
	t    *testing.T
	s    *TaskScheduler
	set  *TaskSet
	told []string
}

func newExcluding(t *testing.T, kv ...string) *excluding {
	t.Helper()
	return &excluding{t: t, s: NewTaskScheduler(exclusion(t, kv...), NewPools(FIFO, nil), nil, nil)}
}

func (x *excluding) submit(now int64, tasks int) *TaskSet {
	x.set = x.s.Submit(now, &TaskSetSpec{Stage: int32(len(x.s.sets)), Tasks: tasks, TaskCPUs: 1})
	return x.set
}

func excludingHost(exec int32) int32 { return []int32{0, 0, 1, 1, 0}[exec] }

// offer offers one executor and returns what it got, or false.
func (x *excluding) offer(now int64, exec int32) (TaskRef, bool) {
	l := x.s.ResourceOffers(now, []Offer{{Exec: exec, Host: excludingHost(exec), Cores: 1}}, false)
	x.events()
	if len(l) == 0 {
		return TaskRef{}, false
	}
	return l[0], true
}

// run lets an executor run a task of the set to its end.
func (x *excluding) run(now int64, exec int32, reason EndReason) {
	x.t.Helper()
	l, ok := x.offer(now, exec)
	if !ok {
		x.t.Fatalf("executor %d gets no task at %d", exec, now)
	}
	finish(x.s, now, l, reason)
	x.events()
}

// rest lets an executor finish what is left of the set.
func (x *excluding) rest(now int64, exec int32) {
	x.t.Helper()
	for x.set.Succeeded() < x.set.Spec.Tasks {
		x.run(now, exec, EndSuccess)
	}
}

func (x *excluding) events() {
	for _, e := range x.s.Take() {
		if e.Kind == KillExecutor {
			x.told = append(x.told, fmt.Sprint("kill ", e.Exec))
		}
	}
}

// allowed returns the executors that get a task of a new set at that time.
func (x *excluding) allowed(now int64) string {
	x.t.Helper()
	x.submit(now, 1)
	var got []string
	for exec := range int32(5) {
		if l, ok := x.offer(now, exec); ok {
			got = append(got, fmt.Sprint(exec))
			finish(x.s, now, l, EndKilled)
			x.events()
		}
	}
	x.rest(now, int32(3))
	return strings.Join(got, " ")
}

const hour = int64(3600 * 1000)

// HealthTracker.updateExcludedForSuccessfulTaskSet and applyExcludeOnFailureTimeout: an executor.
func TestExclusionOfAnExecutor(t *testing.T) {
	x := newExcluding(t)
	x.submit(0, 3)
	x.run(0, 0, EndException)
	x.run(1, 0, EndException)
	if got := x.s.ExcludedHosts(); got != nil || x.s.health.execExcluded(0) {
		t.Errorf("executor 0 or hosts %v are excluded while the set goes on", got)
	}
	x.rest(10, 2)
	if got := x.allowed(11); got != "1 2 3 4" {
		t.Errorf("executors %s are allowed, want all but 0", got)
	}
	if got := x.allowed(10 + hour); got != "1 2 3 4" {
		t.Errorf("in the millisecond of the timeout executors %s are allowed, want all but 0", got)
	}
	if got := x.allowed(11 + hour); got != "0 1 2 3 4" {
		t.Errorf("after the timeout executors %s are allowed, want all", got)
	}
	if len(x.told) != 0 {
		t.Errorf("told %q, want nothing: killExcludedExecutors is not set", x.told)
	}
	// The failures that led to it are forgotten: another one is not enough.
	x.submit(12+hour, 2)
	x.run(12+hour, 0, EndException)
	x.rest(12+hour, 2)
	if got := x.allowed(13 + hour); got != "0 1 2 3 4" {
		t.Errorf("after one new failure executors %s are allowed, want all", got)
	}
}

// A set that is given up, or that ends with a fetch failure, teaches nothing about executors.
func TestExclusionNeedsASetThatSucceeds(t *testing.T) {
	x := newExcluding(t)
	x.submit(0, 3)
	x.run(0, 0, EndException)
	x.run(1, 0, EndException)
	x.s.Cancel(2, x.set.ID)
	x.events()
	if got := x.allowed(3); got != "0 1 2 3 4" {
		t.Errorf("executors %s are allowed, want all", got)
	}
}

// Failures add up over task sets, each until its own time is over.
func TestExclusionAddsUpOverSets(t *testing.T) {
	for _, tt := range []struct {
		name string
		kv   []string
		at   int64 // of the second set
		want string
	}{
		{"the first failure counts in the millisecond of its end", nil, 5 + hour, "1 2 3 4"},
		{"and not after it", nil, 6 + hour, "0 1 2 3 4"},
		{"three are needed", []string{"application.maxFailedTasksPerExecutor", "3"}, 100, "0 1 2 3 4"},
		{"a shorter time", []string{"timeout", "10s"}, 10_006, "0 1 2 3 4"},
		{"a shorter time, in its last millisecond", []string{"timeout", "10s"}, 10_005, "1 2 3 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := newExcluding(t, tt.kv...)
			x.submit(0, 2)
			x.run(5, 0, EndException)
			x.rest(7, 2)
			x.submit(tt.at, 2)
			x.run(tt.at, 0, EndException)
			x.rest(tt.at, 2)
			if got := x.allowed(tt.at + 1); got != tt.want {
				t.Errorf("executors %s are allowed, want %s", got, tt.want)
			}
		})
	}
	x := newExcluding(t, "application.maxFailedTasksPerExecutor", "1")
	x.submit(0, 2)
	x.run(5, 0, EndException)
	x.rest(7, 2)
	if got := x.allowed(8); got != "1 2 3 4" {
		t.Errorf("with a limit of one executors %s are allowed, want all but 0", got)
	}
	// A task that failed several times counts once, with the time of its last failure.
	x = newExcluding(t, "application.maxFailedTasksPerExecutor", "1", "timeout", "10s", "task.maxTaskAttemptsPerExecutor", "2", "task.maxTaskAttemptsPerNode", "3")
	x.submit(0, 1)
	x.run(0, 0, EndException)
	x.run(5000, 0, EndException)
	x.rest(12_000, 2)
	if got := x.allowed(12_001); got != "1 2 3 4" {
		t.Errorf("executors %s are allowed, want all but 0", got)
	}
}

// HealthTracker: as many excluded executors exclude their node; those whose time is over do not count.
func TestExclusionOfANode(t *testing.T) {
	exclude := func(x *excluding, now int64, exec int32) {
		x.t.Helper()
		x.submit(now, 3)
		x.run(now, exec, EndException)
		x.run(now, exec, EndException)
		x.rest(now, 3)
	}
	x := newExcluding(t)
	exclude(x, 0, 0)
	if got := x.s.ExcludedHosts(); got != nil || x.s.HostExcluded(0) {
		t.Errorf("hosts %v are excluded after one executor, want none", got)
	}
	exclude(x, 100, 1)
	if got := x.s.ExcludedHosts(); !slices.Equal(got, []int32{0}) || !x.s.HostExcluded(0) || x.s.HostExcluded(1) {
		t.Errorf("hosts %v are excluded after two executors, want host 0", got)
	}
	if got := x.allowed(101); got != "2 3" {
		t.Errorf("executors %s are allowed, want those of host 1", got)
	}
	if got := x.allowed(1 + hour); got != "2 3" || !x.s.HostExcluded(0) { // executor 0 alone is not any more
		t.Errorf("when executor 0 is free again executors %s are allowed, want those of host 1", got)
	}
	if got := x.allowed(100 + hour); got != "2 3" {
		t.Errorf("in the millisecond of the timeout executors %s are allowed, want those of host 1", got)
	}
	if got := x.allowed(101 + hour); got != "0 1 2 3 4" || x.s.HostExcluded(0) || x.s.ExcludedHosts() != nil {
		t.Errorf("after the timeout executors %s are allowed, hosts %v excluded", got, x.s.ExcludedHosts())
	}
	if len(x.told) != 0 {
		t.Errorf("told %q, want nothing: killExcludedExecutors is not set", x.told)
	}

	x = newExcluding(t)
	exclude(x, 0, 0)
	x.allowed(1 + hour)
	exclude(x, 2+hour, 1)
	if x.s.HostExcluded(0) {
		t.Error("the host is excluded for an executor whose time is over")
	}
	exclude(x, 3+hour, 4)
	if !x.s.HostExcluded(0) {
		t.Error("the host is not excluded for two executors")
	}

	x = newExcluding(t, "application.maxFailedExecutorsPerNode", "3")
	exclude(x, 0, 0)
	exclude(x, 1, 1)
	if x.s.HostExcluded(0) {
		t.Error("two executors exclude the host, want three")
	}
	exclude(x, 2, 4)
	if !x.s.HostExcluded(0) {
		t.Error("three executors do not exclude the host")
	}
}

// Each exclusion has its own time, whichever comes first.
func TestExclusionsEndOneByOne(t *testing.T) {
	for _, order := range [][2]int32{{0, 2}, {2, 0}} {
		x := newExcluding(t)
		first, second := order[0], order[1]
		for i, exec := range order {
			x.submit(int64(i)*100, 3)
			x.run(int64(i)*100, exec, EndException)
			x.run(int64(i)*100, exec, EndException)
			x.rest(int64(i)*100, 3)
		}
		without := func(excluded ...int32) string {
			var left []string
			for exec := range int32(5) {
				if !slices.Contains(excluded, exec) {
					left = append(left, fmt.Sprint(exec))
				}
			}
			return strings.Join(left, " ")
		}
		// Also when nobody has looked before.
		y := *x.s.health
		y.execs, y.nodes = slices.Clone(y.execs), slices.Clone(y.nodes)
		y.expire(100 + hour)
		if y.execExcluded(first) || !y.execExcluded(second) {
			t.Errorf("%d before %d: at %d the first is excluded %v, the second %v, want the second", first, second, 100+hour, y.execExcluded(first), y.execExcluded(second))
		}
		for _, at := range []struct {
			ms   int64
			want string
		}{
			{101, without(first, second)}, {hour, without(first, second)}, {1 + hour, without(second)}, {100 + hour, without(second)}, {101 + hour, without()},
		} {
			if got := x.allowed(at.ms); got != at.want {
				t.Errorf("%d before %d, at %d: executors %s are allowed, want %s", first, second, at.ms, got, at.want)
			}
		}
	}
	// Nodes, by fetch failures with a shuffle service.
	x := newExcluding(t, "application.fetchFailure.enabled", "true", "spark.shuffle.service.enabled", "true")
	for i, host := range []int32{0, 1} {
		now := int64(i) * 100
		x.submit(now, 1)
		l, ok := x.offer(now, 3)
		if !ok || !x.s.StatusUpdate(l) {
			t.Fatal("executor 3 gets no task")
		}
		x.s.FetchFailed(now, l, FetchSource{Exec: 4 + host, Host: host})
	}
	y := *x.s.health
	y.nodes = slices.Clone(y.nodes)
	y.expire(100 + hour)
	if y.nodeExcluded(0) || !y.nodeExcluded(1) {
		t.Errorf("at %d host 0 is excluded %v, host 1 %v, want the second", 100+hour, y.nodeExcluded(0), y.nodeExcluded(1))
	}
	for _, at := range []struct {
		ms   int64
		want []int32
	}{
		{101, []int32{0, 1}}, {hour, []int32{0, 1}}, {1 + hour, []int32{1}}, {100 + hour, []int32{1}}, {101 + hour, nil},
	} {
		x.s.ResourceOffers(at.ms, nil, false)
		if got := x.s.ExcludedHosts(); !slices.Equal(got, at.want) {
			t.Errorf("at %d hosts %v are excluded, want %v", at.ms, got, at.want)
		}
	}
}

// Executors run the tasks of their own profile; those of another one only where all executors are alike.
//
// Source: ResourceProfileManager.canBeScheduled.
func TestProfilesThatRun(t *testing.T) {
	for _, tt := range []struct {
		any  bool
		own  int32
		want bool
	}{{false, 1, true}, {false, 0, false}, {true, 0, true}, {true, 1, true}} {
		s := TaskSetSpec{Profile: 1, AnyExecutor: tt.any}
		if got := s.runsOn(tt.own); got != tt.want {
			t.Errorf("any executor %v: one of profile %d runs tasks of profile 1: %v, want %v", tt.any, tt.own, got, tt.want)
		}
	}
}

// What failed on an executor that is excluded already, in a set that was under way, prolongs nothing.
func TestExclusionIsNotProlonged(t *testing.T) {
	x := newExcluding(t, "killExcludedExecutors", "true", "application.maxFailedExecutorsPerNode", "1")
	early, late := x.submit(0, 3), x.submit(0, 3)
	run := func(set *TaskSet, exec int32) TaskRef { // the sets take turns: the other one is held back
		t.Helper()
		other := map[*TaskSet]*TaskSet{early: late, late: early}[set]
		backlog := other.Backlog
		other.Backlog = 0
		l, ok := x.offer(0, exec)
		if !ok {
			t.Fatalf("executor %d gets no task", exec)
		}
		other.Backlog = backlog
		return l
	}
	var fails []TaskRef
	for range 2 {
		fails = append(fails, run(late, 0))
	}
	for range 2 {
		finish(x.s, 0, run(early, 0), EndException)
	}
	for range 3 {
		finish(x.s, 10, run(early, 3), EndSuccess)
	}
	x.events()
	if d := cmp.Diff([]string{"kill 0", "kill 0"}, x.told); d != "" { // for itself, and with its node
		t.Errorf("with the first set (-want +got)\n%s", d)
	}
	for _, l := range fails {
		finish(x.s, 100, l, EndException)
	}
	for range 3 {
		finish(x.s, 100, run(late, 3), EndSuccess)
	}
	x.events()
	if d := cmp.Diff([]string{"kill 0", "kill 0"}, x.told); d != "" {
		t.Errorf("with the second set (-want +got)\n%s", d)
	}
	if got := x.allowed(11 + hour); got != "0 1 2 3 4" {
		t.Errorf("after the time of the first set executors %s are allowed, want all", got)
	}
}

// HealthTracker.killExecutor, killExecutorsOnNode: with killExcludedExecutors.
func TestExcludedExecutorsAreKilled(t *testing.T) {
	for _, tt := range []struct {
		name string
		what func(s *TaskScheduler) // becomes of executor 4
		want []string               // of its node, behind executors 0 and 1 by themselves
	}{
		{"is alive", func(*TaskScheduler) {}, []string{"kill 0", "kill 1", "kill 4"}},
		{"is lost", func(s *TaskScheduler) { s.ExecutorLost(0, 4, Loss{Kind: LossKilled}) }, []string{"kill 0", "kill 1"}},
		{"has no connection", func(s *TaskScheduler) { s.ExecutorLost(0, 4, Loss{Kind: LossPending}) }, []string{"kill 0", "kill 1"}},
		{"is being decommissioned", func(s *TaskScheduler) { s.Decommission(0, 4, false) }, []string{"kill 0", "kill 1"}},
	} {
		x := newExcluding(t, "killExcludedExecutors", "true")
		for exec := range int32(5) { // all are known
			x.allowedOnly(exec)
		}
		tt.what(x.s)
		x.events()
		x.told = nil
		x.submit(0, 5)
		for range 2 { // host 0 first fails on its second executor
			x.run(0, 1, EndException)
		}
		for range 2 {
			x.run(0, 0, EndException)
		}
		x.rest(0, 3)
		if d := cmp.Diff(append([]string{"kill 0", "kill 1"}, tt.want...), x.told); d != "" {
			t.Errorf("executor 4 %s (-want +got)\n%s", tt.name, d)
		}
	}
}

// allowedOnly makes an executor known by a task that it runs.
func (x *excluding) allowedOnly(exec int32) {
	x.t.Helper()
	x.submit(0, 1)
	x.rest(0, exec)
}

// HealthTracker.updateExcludedForFetchFailure.
func TestFetchFailureExcludes(t *testing.T) {
	const on, service = "application.fetchFailure.enabled", "spark.shuffle.service.enabled"
	tests := []struct {
		name string
		kv   []string
		from FetchSource
		want string
	}{
		{"not by default", nil, FetchSource{Exec: 0, Host: 0}, "0 1 2 3 4"},
		{"the executor that served it", []string{on, "true"}, FetchSource{Exec: 0, Host: 0}, "1 2 3 4"},
		{"the node of the shuffle service", []string{on, "true", service, "true"}, FetchSource{Exec: 0, Host: 0}, "2 3"},
		{"nobody is named", []string{on, "true"}, FetchSource{Exec: -1, Host: -1}, "0 1 2 3 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newExcluding(t, tt.kv...)
			fail := func(now int64) {
				x.submit(now, 1)
				l, ok := x.offer(now, 3)
				if !ok || !x.s.StatusUpdate(l) {
					t.Fatal("executor 3 gets no task")
				}
				x.s.FetchFailed(now, l, tt.from)
				x.events()
			}
			fail(0)
			if got := x.allowed(1); got != tt.want {
				t.Errorf("executors %s are allowed, want %s", got, tt.want)
			}
			fail(100) // what is excluded stays so until the time of the first failure
			if got := x.allowed(hour); got != tt.want {
				t.Errorf("in the millisecond of the timeout executors %s are allowed, want %s", got, tt.want)
			}
			if got := x.allowed(1 + hour); got != "0 1 2 3 4" {
				t.Errorf("after the timeout executors %s are allowed, want all", got)
			}
		})
	}
	x := newExcluding(t, on, "true", "killExcludedExecutors", "true")
	x.allowedOnly(0)
	x.submit(0, 1)
	l, _ := x.offer(0, 3)
	x.s.StatusUpdate(l)
	x.s.FetchFailed(0, l, FetchSource{Exec: 0, Host: 0})
	x.events()
	if d := cmp.Diff([]string{"kill 0"}, x.told); d != "" {
		t.Errorf("killed (-want +got)\n%s", d)
	}
}

// HealthTracker.handleRemovedExecutor: failures of an executor that is gone do not count, an exclusion stays.
func TestExclusionOfALostExecutor(t *testing.T) {
	x := newExcluding(t, "killExcludedExecutors", "true")
	x.submit(0, 2)
	x.run(0, 0, EndException)
	x.rest(0, 3)
	x.submit(1, 2)
	x.run(1, 0, EndException)
	x.s.ExecutorLost(2, 0, Loss{Kind: LossExited})
	x.rest(3, 3)
	if len(x.told) != 0 {
		t.Errorf("told %q, want nothing: one failure was forgotten", x.told)
	}
	x.submit(4, 3)
	x.run(4, 1, EndException)
	x.run(4, 1, EndException)
	x.rest(4, 3)
	x.s.ExecutorLost(5, 1, Loss{Kind: LossKilled})
	x.submit(6, 3)
	x.run(6, 4, EndException)
	x.run(6, 4, EndException)
	x.rest(6, 3)
	if !x.s.HostExcluded(0) {
		t.Error("an excluded executor that is gone does not count for its node")
	}
}

// Without exclusion nothing is excluded, whatever failed.
func TestNoExclusion(t *testing.T) {
	s, _ := scheduler(t, nil, 2)
	for i := range int64(3) {
		finish(s, i, s.ResourceOffers(i, offers(1), true)[0], EndException)
	}
	if s.HostExcluded(0) || s.ExcludedHosts() != nil {
		t.Errorf("hosts %v are excluded", s.ExcludedHosts())
	}
}
