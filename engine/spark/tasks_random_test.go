package spark

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replay/engine/spark/conf"
)

// twoSchedulers gives the same calls to a [TaskScheduler] and to the plain one, and compares them after each.
type twoSchedulers struct {
	*rapid.T
	c     *conf.Conf
	now   int64
	s     *TaskScheduler
	plain *plainScheduler

	execs    []int32 // that were offered and are not lost
	lost     map[int32]bool
	stages   map[int32]int32 // attempts of stages
	runs     []TaskRef       // launched, their ends not reported
	results  []TaskRef       // reported, their results not handled
	toKill   []TaskRef
	timers   []TaskEvent
	attempts int
}

const modelHosts, modelExecs = 4, 8 // executor e is on host e%modelHosts

func drawTaskConf(t *rapid.T) *conf.Conf {
	flip := func(name string) string { return fmt.Sprint(rapid.IntRange(0, 2).Draw(t, name) == 0) }
	values := map[string]string{
		"spark.locality.wait.process":                                  rapid.SampledFrom([]string{"0", "1s", "3s"}).Draw(t, "wait process"),
		"spark.locality.wait.node":                                     rapid.SampledFrom([]string{"0", "1s", "3s"}).Draw(t, "wait node"),
		"spark.locality.wait.rack":                                     rapid.SampledFrom([]string{"0", "2s", "3s"}).Draw(t, "wait rack"),
		"spark.locality.wait.legacyResetOnTaskLaunch":                  flip("legacy"),
		"spark.speculation":                                            flip("speculation"),
		"spark.speculation.quantile":                                   rapid.SampledFrom([]string{"0", "0.5", "0.75"}).Draw(t, "quantile"),
		"spark.speculation.minTaskRuntime":                             rapid.SampledFrom([]string{"0", "1s"}).Draw(t, "least"),
		"spark.speculation.efficiency.enabled":                         flip("efficiency"),
		"spark.excludeOnFailure.enabled":                               flip("exclusion"),
		"spark.excludeOnFailure.timeout":                               rapid.SampledFrom([]string{"3s", "1h"}).Draw(t, "timeout"),
		"spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor":       rapid.SampledFrom([]string{"1", "2"}).Draw(t, "per executor"),
		"spark.excludeOnFailure.stage.maxFailedTasksPerExecutor":       rapid.SampledFrom([]string{"1", "2"}).Draw(t, "tasks per executor"),
		"spark.excludeOnFailure.stage.maxFailedExecutorsPerNode":       rapid.SampledFrom([]string{"1", "2"}).Draw(t, "executors per node"),
		"spark.excludeOnFailure.application.maxFailedTasksPerExecutor": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "failures per executor"),
		"spark.excludeOnFailure.application.maxFailedExecutorsPerNode": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "excluded per node"),
		"spark.excludeOnFailure.killExcludedExecutors":                 flip("kill"),
		"spark.excludeOnFailure.application.fetchFailure.enabled":      flip("fetch failures"),
		"spark.shuffle.service.enabled":                                flip("service"),
		"spark.dynamicAllocation.enabled":                              flip("dynamic"),
		"spark.task.maxFailures":                                       rapid.SampledFrom([]string{"3", "6"}).Draw(t, "failures"),
	}
	if rapid.Bool().Draw(t, "threshold") {
		values["spark.speculation.task.duration.threshold"] = "2s"
	}
	if rapid.Bool().Draw(t, "dies") {
		values["spark.executor.decommission.killInterval"] = "3"
	}
	return testConf(t, values)
}

func (x *twoSchedulers) pick(n int, name string) int { return rapid.IntRange(0, n-1).Draw(x.T, name) }

// submit makes a task set of a new stage, or another attempt of one.
func (x *twoSchedulers) submit() {
	spec := TaskSetSpec{Stage: int32(x.pick(len(x.stages)+1, "stage")), Priority: int32(x.pick(3, "job")), Tasks: 1 + x.pick(6, "tasks"),
		TaskCPUs: int32(1 + x.pick(4, "cpus")/3), ShuffleMap: x.pick(2, "map") == 0, Barrier: x.pick(6, "barrier") == 0,
		Profile: int32(x.pick(6, "profile") / 5), AnyExecutor: x.pick(2, "any") == 0}
	spec.Attempt = x.stages[spec.Stage]
	x.stages[spec.Stage]++
	if x.pick(4, "preferences") > 0 {
		spec.PrefStart = []int32{0}
		execs := x.pick(2, "executors") == 0
		for range spec.Tasks {
			for range x.pick(3, "locations") {
				exec := []int32{OnHost, HDFSCache, int32(x.pick(modelExecs, "on"))}[x.pick(3, "kind")]
				host := int32(x.pick(modelHosts, "host"))
				if exec >= 0 {
					host = exec % modelHosts
				}
				spec.Hosts = append(spec.Hosts, host)
				if execs {
					spec.Execs = append(spec.Execs, exec)
				}
			}
			spec.PrefStart = append(spec.PrefStart, int32(len(spec.Hosts)))
		}
	}
	x.s.Submit(x.now, &spec)
	x.plain.submit(x.now, spec)
}

func (x *twoSchedulers) offer() {
	var offers []Offer
	all := x.pick(2, "all") == 0
	for e := range int32(modelExecs) {
		if x.lost[e] || !all && x.pick(3, "offered") > 0 || all && !slices.Contains(x.execs, e) {
			continue
		}
		if !slices.Contains(x.execs, e) {
			x.execs = append(x.execs, e)
		}
		offers = append(offers, Offer{Exec: e, Host: e % modelHosts, Cores: int32(x.pick(4, "cores")), Profile: e % 3 / 2})
	}
	var got []TaskRef
	if len(offers) == 1 && !all {
		got = slices.Clone(x.s.OfferAlone(x.now, offers[0]))
	} else {
		got = slices.Clone(x.s.ResourceOffers(x.now, offers, all))
	}
	if d := cmp.Diff(x.plain.resourceOffers(x.now, offers, all), got, equateEmpty); d != "" {
		x.Fatalf("launched (-want +got)\n%s", d)
	}
	for _, ref := range got {
		a, b := x.s.Set(ref.Set).Attempt(ref.Row), x.plain.sets[ref.Set].attempts[ref.Row]
		want := fmt.Sprint(b.id, b.launch, b.index, b.exec, b.host, b.number, b.level, b.speculative)
		if text := fmt.Sprint(a.ID, a.Launch, a.Index, a.Exec, a.Host, a.Number, a.Level, a.Speculative); text != want {
			x.Fatalf("attempt %v is %s, want %s", ref, text, want)
		}
	}
	x.attempts += len(got)
	x.runs = append(x.runs, got...)
}

// equateEmpty takes a slice without elements for one that is nil.
var equateEmpty = cmp.Transformer("length", func(refs []TaskRef) []TaskRef { return append([]TaskRef{}, refs...) })

func take(x *twoSchedulers, refs *[]TaskRef, name string) TaskRef {
	i := x.pick(len(*refs), name)
	ref := (*refs)[i]
	*refs = slices.Delete(*refs, i, i+1)
	return ref
}

// reported is the end of an attempt as its executor says it; the result comes later.
func (x *twoSchedulers) reported(ref TaskRef) bool {
	got, want := x.s.StatusUpdate(ref), x.plain.statusUpdate(ref)
	if got != want {
		x.Fatalf("status of %v is taken: %t, want %t", ref, got, want)
	}
	return got
}

func (x *twoSchedulers) result(ref TaskRef) {
	switch x.pick(8, "result") {
	case 0, 1, 2:
		if set := x.s.Set(ref.Set); set == nil || !set.SucceededAlone(x.now, ref.Row, set.Attempt(ref.Row)) {
			x.s.Succeeded(x.now, ref)
		} else if len(x.s.events) > 0 {
			x.Fatalf("attempt %d has succeeded alone, and there is more to tell: %v", set.Attempt(ref.Row).ID, x.s.events)
		} else {
			set.emit(TaskEnded, ref.Row, EndSuccess) // as Succeeded would have told
		}
		x.plain.sets[ref.Set].succeed(x.now, int(ref.Row))
	case 3:
		from := FetchSource{Stage: 0, Partition: 1, Exec: int32(x.pick(modelExecs+1, "from") - 1)}
		from.Host = max(from.Exec, -1)
		if from.Exec >= 0 {
			from.Host = from.Exec % modelHosts
		}
		x.s.FetchFailed(x.now, ref, from)
		x.plain.fetchFailed(x.now, ref, from)
	default:
		reason := []EndReason{EndException, EndException, EndException, EndResultLost, EndKilled, EndCommitDenied, EndUnknown, EndFatal}[x.pick(8, "reason")]
		x.s.Failed(x.now, ref, reason)
		x.plain.failed(x.now, ref, reason)
	}
}

func (x *twoSchedulers) lose() {
	exec := x.execs[x.pick(len(x.execs), "lost")]
	loss := []Loss{{Kind: LossPending}, {Kind: LossExited}, {Kind: LossExited, ByApp: true}, {Kind: LossProcess, ByApp: true}, {Kind: LossKilled, Worker: true},
		{Kind: LossDecommissioned}, {Kind: LossDecommissioned, Migrated: true}}[x.pick(7, "loss")]
	x.lost[exec] = true
	if loss.Kind != LossPending {
		x.execs = slices.DeleteFunc(x.execs, func(e int32) bool { return e == exec })
	}
	x.s.ExecutorLost(x.now, exec, loss)
	x.plain.executorLost(x.now, exec, loss)
}

// step is one call, of those that make sense now.
func (x *twoSchedulers) step() string {
	x.now += rapid.SampledFrom([]int64{0, 0, 1, 500, 1000, 2999, 3000, 3001, 10_000}).Draw(x.T, "pause")
	set := func() int32 { return int32(x.pick(len(x.plain.sets), "set")) }
	switch kind := x.pick(20, "call"); {
	case len(x.plain.sets) == 0 || kind == 0:
		x.submit()
		return "submit"
	case kind <= 6:
		x.offer()
		return "offer"
	case kind == 7 && len(x.runs) > 0:
		ref := x.runs[x.pick(len(x.runs), "run")]
		x.s.Running(ref)
		if a := x.plain.sets[ref.Set].attempts[ref.Row]; a.tracked {
			a.launching = false
		}
		return "running"
	case kind <= 11 && len(x.runs) > 0:
		ref := take(x, &x.runs, "run")
		if x.reported(ref) {
			x.result(ref)
		}
		return "end"
	case kind == 12 && len(x.runs) > 0:
		ref := take(x, &x.runs, "run")
		if x.reported(ref) {
			x.results = append(x.results, ref)
		}
		return "status"
	case kind == 13 && len(x.results) > 0:
		x.result(take(x, &x.results, "result of"))
		return "result"
	case kind == 14 && len(x.toKill) > 0:
		ref := take(x, &x.toKill, "killed")
		x.runs = slices.DeleteFunc(x.runs, func(r TaskRef) bool { return r == ref })
		if x.reported(ref) {
			x.s.Failed(x.now, ref, EndKilled)
			x.plain.failed(x.now, ref, EndKilled)
		}
		return "killed"
	case kind == 15:
		due := x.s.SpeculationDue()
		if due > x.now && due != math.MaxInt64 {
			x.now = rapid.SampledFrom([]int64{x.now, due - 1, due}).Draw(x.T, "look at")
		}
		x.s.Speculate(x.now)
		found := false
		for _, t := range slices.Clone(x.plain.inPool) {
			found = t.speculate(x.now) || found
		}
		if found != (due <= x.now) {
			x.Fatalf("a look at %d finds a task to copy: %t; it was due at %d", x.now, found, due)
		}
		if found {
			x.plain.emit(TaskEvent{Kind: ReviveOffers})
		}
		return "speculate"
	case kind == 16 && len(x.runs) > 0:
		ref := x.runs[x.pick(len(x.runs), "run")]
		records, ms := int64(x.pick(3, "records"))*500, int64(x.pick(3, "ms"))*700
		x.s.Metrics(ref, records, ms)
		x.plain.sets[ref.Set].reports[int(ref.Row)] = [2]int64{records, ms}
		return "metrics"
	case kind == 17 && len(x.execs) > 0:
		x.lose()
		return "lose"
	case kind == 18 && len(x.execs) > 0:
		exec, whole := x.execs[x.pick(len(x.execs), "decommissioned")], x.pick(2, "whole host") == 0
		x.s.Decommission(x.now, exec, whole)
		if _, mapped := x.plain.hostOf[exec]; mapped {
			x.plain.decommissioned[exec] = plainDecommission{x.now, whole}
		}
		for _, t := range x.plain.inPool {
			t.recomputeLevels()
		}
		x.plain.emit(TaskEvent{Kind: ReviveOffers})
		return "decommission"
	case kind == 19 && x.pick(3, "cancel") == 0:
		id := set()
		x.s.Cancel(x.now, id)
		x.plain.cancel(x.now, id)
		return "cancel"
	case kind == 19 && len(x.timers) > 0:
		e := x.timers[x.pick(len(x.timers), "timer")]
		x.now = max(x.now, e.At-int64(x.pick(2, "early")))
		x.s.AbortTimeout(x.now, e.Set)
		if at, runs := x.plain.timers[e.Set]; !runs || x.now < at {
			return "early abort"
		}
		if there := x.s.Set(e.Set) != nil; there {
			x.plain.sets[e.Set].abort(x.now)
		} else { // its stage may have another attempt
			spec := &x.plain.sets[e.Set].spec
			x.plain.emit(TaskEvent{Kind: TaskSetFailed, Set: e.Set, Stage: spec.Stage, StageAttempt: spec.Attempt})
		}
		return "abort"
	default:
		id := set()
		index := int32(x.pick(x.plain.sets[id].spec.Tasks, "index"))
		if x.s.Set(id) != nil {
			x.plain.sets[id].partitionDone(x.now, index)
		}
		x.s.PartitionDone(x.now, id, index)
		return "partition done"
	}
}

// compare takes the events of both and compares all that can be seen.
func (x *twoSchedulers) compare(what string) {
	got := slices.Clone(x.s.Take())
	if d := cmp.Diff(append([]TaskEvent{}, x.plain.events...), append([]TaskEvent{}, got...)); d != "" {
		x.Fatalf("%s at %d: events (-want +got)\n%s", what, x.now, d)
	}
	x.plain.events = nil
	for _, e := range got {
		switch e.Kind {
		case KillTask:
			x.toKill = append(x.toKill, TaskRef{e.Set, e.Row})
		case AbortTimer:
			x.timers = append(x.timers, e)
		}
	}
	pending := false
	for _, t := range x.plain.sets {
		set := x.s.Set(t.id)
		in := slices.Contains(x.plain.inPool, t)
		pending = pending || in && t.schedulable()
		if set == nil {
			if in {
				x.Fatalf("%s: set %d is gone", what, t.id)
			}
			continue
		}
		if set.inPool != in {
			x.Fatalf("%s: set %d is in its pool: %t, want %t", what, t.id, set.inPool, in)
		}
		if d := cmp.Diff(t.text(), textOf(set)); d != "" {
			x.Fatalf("%s at %d: set %d (-want +got)\n%s", what, x.now, t.id, d)
		}
	}
	if x.s.Pending() != pending {
		x.Fatalf("%s: pending is %t, want %t", what, x.s.Pending(), pending)
	}
	for host := range int32(modelHosts) {
		if _, want := x.plain.nodeUntil[host]; x.s.HostExcluded(host) != want {
			x.Fatalf("%s: host %d is excluded: %t, want %t", what, host, !want, want)
		}
	}
}

func (t *plainSet) text() []string {
	out := []string{
		fmt.Sprint("levels ", t.levels, " at ", t.level, " since ", t.lastReset, ", no rejects ", t.noRejects),
		fmt.Sprint("zombie ", t.zombie, ", running ", t.running(), ", succeeded ", t.succeeded(), ", to copy ", len(t.speculatable)),
	}
	for i, x := range t.tasks {
		out = append(out, fmt.Sprint("task ", i, " copies ", x.copies, " failures ", x.failures, " done ", x.done))
	}
	if t.zombie { // takes nothing from its lists any more
		return out
	}
	for copies, l := range []*plainLists{&t.regular, &t.again} {
		for _, m := range []*plainTable{&l.byExec, &l.byHost, &l.byRack} {
			for _, key := range slices.Sorted(maps.Keys(m.lists)) {
				out = append(out, fmt.Sprint(key, " ", waiting(m.lists[key], func(i int32) bool { return !t.tasks[i].done && t.tasks[i].copies == copies })))
			}
			out = append(out, "-")
		}
		out = append(out, fmt.Sprint(l.noPrefs), fmt.Sprint(l.all))
	}
	return out
}

// waiting returns the tasks of a list that can be taken, each where it is met first: the last one is taken first. What
// else is in a list is dropped when it is met, which nobody sees.
func waiting(list []int32, live func(int32) bool) (out []int32) {
	for _, i := range slices.Backward(list) {
		if live(i) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

func textOf(s *TaskSet) []string {
	out := []string{
		fmt.Sprint("levels ", s.Levels(), " at ", s.Level(), " since ", s.LastReset(), ", no rejects ", s.noRejects),
		fmt.Sprint("zombie ", s.Zombie, ", running ", s.Running, ", succeeded ", s.Succeeded(), ", to copy ", s.speculatable),
	}
	for i, x := range s.tasks {
		out = append(out, fmt.Sprint("task ", i, " copies ", x.copies, " failures ", x.failures, " done ", x.done))
	}
	if s.Zombie {
		return out
	}
	for copies, l := range []*pendingTasks{&s.pending, &s.again} {
		for _, k := range []*keyedLists{&l.byExec, &l.byHost, &l.byRack} {
			m := k.copy()
			for _, key := range slices.Sorted(maps.Keys(m)) {
				out = append(out, fmt.Sprint(key, " ", waiting(m[key], func(i int32) bool { return !s.tasks[i].done && int(s.tasks[i].copies) == copies })))
			}
			out = append(out, "-")
		}
		out = append(out, fmt.Sprint(l.noPrefs), fmt.Sprint(l.all))
	}
	return out
}

// The scheduler does as the plain one, whatever happens, and whatever happened to the scheduler whose memory it has.
func TestSchedulerAgainstPlainTables(t *testing.T) {
	launched := 0
	used := NewTaskScheduler(testConf(t, nil), NewPools(FIFO, nil), nil, nil)
	rapid.Check(t, func(t *rapid.T) {
		c := drawTaskConf(t)
		racks := make([]int32, rapid.IntRange(modelHosts-1, modelHosts).Draw(t, "hosts with racks"))
		for i := range racks {
			racks[i] = int32(rapid.IntRange(-1, 1).Draw(t, "rack"))
		}
		used.Renew(c, NewPools(FIFO, nil), racks, nil)
		x := &twoSchedulers{T: t, c: c, s: used, plain: newPlainScheduler(c, racks),
			lost: map[int32]bool{}, stages: map[int32]int32{}}
		if rapid.Bool().Draw(t, "more slots") {
			x.plain.slots = [2]int{x.pick(3, "slots") + 1, x.pick(3, "slots of the other profile") + 1}
			x.s.SlotsPerExecutor = slices.Clone(x.plain.slots[:])
		}
		for range rapid.IntRange(5, 120).Draw(t, "calls") {
			x.compare(x.step())
			x.s.SpeculationDue() // as a driver asks whenever something has happened
		}
		launched += x.attempts
	})
	t.Logf("%d attempts launched", launched)
}
