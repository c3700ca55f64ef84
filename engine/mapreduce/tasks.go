package mapreduce

import (
	"cmp"
	"fmt"
	"slices"

	"replay/engine/mapreduce/allocator"
	"replay/engine/master"
	"replay/engine/pertask"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// A task is a map or a reduce.
type task struct {
	attempts   int32 // so far, in this attempt of the application
	failures   int
	over       bool  // it has succeeded, failed or is no longer wanted
	succeeded  bool  // of those
	counted    bool  // it has succeeded at some time
	measured   bool  // likewise in this attempt of the application
	order      int32 // in which tasks succeeded
	node       int32 // where its output is
	ms         int64 // of the attempt that succeeded
	speculated bool
}

// attemptState is where an attempt stands.
//
// Source: TaskAttemptImpl.
type attemptState uint8

const (
	unassigned attemptState = iota // it asks for a container
	assigned                       // it has one, whose process is being started
	running
	finishing // it is done or has failed; its container's end is not reported
	stopping  // its container is being stopped
	ended
)

// An attempt is a task attempt.
type attempt struct {
	id allocator.Attempt
	pertask.Attempt
	serial     int64
	state      attemptState
	failed     bool  // with finishing: it has not succeeded
	fails      bool  // it will fail by itself, as recorded
	silent     bool  // with stopping: it has said nothing for too long
	reschedule bool  // with stopping: the next one is asked for as if this one had failed
	begin      int64 // of its work, after the start of its process
	work       int64 // ms of work, of a reduce with its shuffle
	fetch      int64 // of a reduce: of its work, what fetches its input
	until      int64 // end of its work; never while it is not known
	shuffle    int64 // when the shuffle of a reduce ends; never while it is not known
	watched    watched
	place      int // in the list of those that are not over, plus 1; 0 for none
}

// list are attempts in the order of their serial numbers.
type list struct {
	places []*attempt // nil for one that has been removed
	n      int
}

func (l *list) add(a *attempt) {
	l.places = append(l.places, a)
	l.n++
	a.place = len(l.places)
}

// remove takes an attempt out that is in the list or in none.
func (l *list) remove(a *attempt) {
	if a.place == 0 {
		return
	}
	l.places[a.place-1], a.place = nil, 0
	if l.n--; l.n < len(l.places)/2 {
		l.places = slices.DeleteFunc(l.places, func(a *attempt) bool { return a == nil })
		for i, a := range l.places {
			a.place = i + 1
		}
	}
}

// all yields the attempts. None may be removed meanwhile.
func (l *list) all(yield func(*attempt) bool) {
	for _, a := range l.places {
		if a != nil && !yield(a) {
			return
		}
	}
}

// living returns the attempts of a task that are not over, in the order of their serial numbers.
func (j *job) living(reduce bool, index int32) (list []*attempt) {
	first := j.past.firstNumber()
	for n := range j.tasks[typeOf(reduce)][index].attempts {
		if a := j.byID[allocator.Attempt{Reduce: reduce, Task: index, Number: first + n}]; a != nil && a.place > 0 {
			list = append(list, a)
		}
	}
	return list
}

func (j *job) taskOf(a *attempt) *task { return &j.tasks[typeOf(a.id.Reduce)][a.id.Task] }

// attempt begins an attempt of a task by asking for a container: with the hosts of its input, unless an attempt of it has failed.
func (j *job) attempt(reduce bool, index int32, speculative, reschedule bool) {
	i := typeOf(reduce)
	t := &j.tasks[i][index]
	id := allocator.Attempt{Reduce: reduce, Task: index, Number: j.past.firstNumber() + t.attempts}
	cores := int32(j.set.task(reduce).Size[resource.VCores])
	a := &attempt{
		id: id, Attempt: pertask.New(j.set.stage(reduce), index, id.Number, cores, j.h.Now()), serial: int64(len(j.attempts)), until: never, shuffle: never,
	}
	a.Speculative = speculative
	t.attempts++
	j.attempts = append(j.attempts, a)
	j.byID[a.id] = a
	j.live[i].add(a)
	j.waiting[i]++
	failed := t.failures > 0 || reschedule
	var hosts, racks []protocol.Name
	if !failed {
		for _, n := range a.Prefs() {
			hosts = append(hosts, j.h.Cluster().Host[n])
			if rack := j.h.Cluster().Rack[n]; !slices.Contains(racks, rack) {
				racks = append(racks, rack)
			}
		}
	}
	a.Hosts = len(hosts) > 0
	j.Wish(a.Prefs(), 1)
	for _, e := range j.alloc.Request(j.h.Now(), a.id, j.set.task(reduce).Size, hosts, racks, failed) {
		if e.Kind == allocator.TooLarge {
			more, most := e.Size.Over(j.h.MaxAllocation(), nil) // of further types it asks for nothing
			j.Fail(fmt.Sprintf("its %ss ask for %s, the largest container has %s", [...]string{"map", "reduce"}[i], more, most))
			return
		}
	}
}

// assigned starts the process of an attempt that was given a container. One that nobody waits for any more is left to the ResourceManager, as in Hadoop.
func (j *job) assigned(a *attempt, e *allocator.Event) {
	n := e.Container.ID.Number()
	if a == nil || a.state != unassigned {
		j.h.Container(n).Match = record.Unmatched
		return
	}
	j.waiting[typeOf(a.id.Reduce)]--
	a.state = assigned
	j.Assign(&a.Attempt, n, false)
	j.byContainer[n] = a
	j.h.Start(n, j.h.Now()+j.k.Model.NMStartMS)
}

// launched is the start of an attempt's process. One that was to be stopped meanwhile is stopped now.
func (j *job) launched(a *attempt) {
	if a.state == stopping {
		j.stop(a)
		return
	}
	if a.state != assigned {
		return
	}
	a.state = running
	j.Launch(&a.Attempt)
	j.load(a)
	a.begin = j.h.Now() + a.OverheadMS
	if a.id.Reduce && !a.fails {
		j.fetches(a)
		return
	}
	a.until = a.begin + a.work
	j.report(a)
}

// report schedules the end of an attempt's work.
func (j *job) report(a *attempt) {
	if int(a.id.Number)%1000 < master.Repeats {
		j.h.GoesOn(a.until)
	}
	j.h.At(a.until, evDone, a.serial, a.serial)
}

// load says how long an attempt takes, from the trace and the model: the start of its process, its work, and what reading from elsewhere costs. A speculative
// copy takes no longer than half of the tasks of its type, as the trace knows the first attempt only. One that fails does so half-way.
func (j *job) load(a *attempt) {
	st := j.set.stage(a.id.Reduce)
	i := int(a.id.Task)
	m := j.k.Model
	a.OverheadMS = m.TaskStartMS
	if d := st.Tasks.SchedDelayMS; d != nil && d[i] != trace.Unset {
		a.OverheadMS = max(d[i]-m.NMStartMS, 0)
	}
	ms := st.Tasks.DurationMS[i]
	if a.Speculative {
		ms = min(ms, j.medians[typeOf(a.id.Reduce)])
	}
	a.PenaltyMS = a.Reading(m, ms)
	a.work = ms + a.PenaltyMS
	a.fetch = a.work / 3
	if d := st.Tasks.DeserializeMS; d != nil && d[i] != trace.Unset {
		a.fetch = min(d[i], a.work)
	}
	if a.fails = a.Fails(j.taskOf(a).failures) && !a.Speculative; a.fails {
		a.work /= 2
	}
}

// median is the middle one of durations.
func median(ms []int64) int64 {
	if len(ms) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(ms))
	return sorted[len(sorted)/2]
}

// fetches says when the shuffle of a reduce ends: it has fetched what was there, and what the last maps left.
func (j *job) fetches(a *attempt) {
	if j.completed[0] < len(j.tasks[0]) || !j.mapsDone() {
		a.shuffle = never
		return
	}
	a.shuffle = max(a.begin, j.lastMap) + a.fetch
	j.h.GoesOn(a.shuffle)
	j.h.At(a.shuffle, evShuffled, a.serial, a.serial)
}

// mapsDone reports whether all maps are complete.
func (j *job) mapsDone() bool { return j.completed[0] == len(j.tasks[0]) }

// shuffled begins the rest of a reduce.
func (j *job) shuffled(a *attempt) {
	if a.state != running || a.shuffle != j.h.Now() || !j.h.Running(a.Container) {
		return // a map runs again, or it is gone
	}
	a.until = j.h.Now() + a.work - a.fetch
	j.report(a)
}

// done is the report of an attempt that its work is done, or that it has failed.
func (j *job) done(a *attempt) {
	if a.state != running || a.until != j.h.Now() || !j.h.Running(a.Container) {
		return
	}
	j.h.End(a.Container, j.h.Now()+j.k.Model.TaskExitMS)
	a.state = finishing
	if a.fails {
		j.attemptFailed(a)
		return
	}
	j.succeed(a)
}

// succeed ends a task with this attempt.
func (j *job) succeed(a *attempt) {
	t, i, now := j.taskOf(a), typeOf(a.id.Reduce), j.h.Now()
	j.close(a, record.TaskSuccess)
	t.over, t.succeeded, t.node = true, true, a.Node
	t.ms = now - a.Launch
	j.inOrder(t)
	j.completed[i]++
	if !t.counted {
		t.counted = true
		j.Job.TasksSucceeded++
	}
	if !t.measured {
		t.measured = true
		j.spent[i].add(t.ms)
	}
	j.past.keep(j, a.id.Reduce, a.id.Task, t)
	if t.attempts > 1 {
		for _, other := range j.living(a.id.Reduce, a.id.Task) {
			if other != a {
				j.kill(other, false)
			}
		}
	}
	if !a.id.Reduce {
		j.lastMap = now
		j.fetchAll()
	}
}

// fetchAll lets the shuffles end of reduces that waited for the last map.
func (j *job) fetchAll() {
	if !j.mapsDone() {
		return
	}
	for r := range j.live[1].all {
		if r.state == running && r.until == never && r.shuffle == never {
			j.fetches(r)
		}
	}
}

// close writes an attempt: it is over, though its container may not be.
func (j *job) close(a *attempt, end string) {
	j.live[typeOf(a.id.Reduce)].remove(a)
	j.Wish(a.Prefs(), -1)
	j.End(&a.Attempt, end)
}

// attemptFailed is the failure of an attempt. Another one is begun if the task may have one.
func (j *job) attemptFailed(a *attempt) {
	a.failed = true
	j.close(a, record.TaskFailed)
	j.taskFailed(a)
}

// taskFailed counts the failure of an attempt with its task, unless that is over, and then with its host.
//
// Source: TaskImpl.AttemptFailedTransition, RetroactiveFailureTransition.
func (j *job) taskFailed(a *attempt) {
	t, i := j.taskOf(a), typeOf(a.id.Reduce)
	if t.over {
		return
	}
	j.alloc.Failed(a.id, j.h.Cluster().Host[a.Node])
	if t.failures++; t.failures >= j.set.task(a.id.Reduce).MaxAttempts {
		t.over = true
		j.completed[i]++
		j.failed[i]++
		for _, other := range j.living(a.id.Reduce, a.id.Task) {
			j.kill(other, false)
		}
		if !a.id.Reduce && j.mapsDone() {
			j.lastMap = j.h.Now()
			j.fetchAll()
		}
		return
	}
	speculates := j.set.task(a.id.Reduce).Speculative
	for _, other := range j.living(a.id.Reduce, a.id.Task) {
		if !speculates || other.state != unassigned {
			return
		}
	}
	j.attempt(a.id.Reduce, a.id.Task, false, false)
}

// launchFailed is an attempt whose process could not be started: its container is given back.
func (j *job) launchFailed(a *attempt) {
	if a.state != assigned {
		return
	}
	j.forget(a)
	j.alloc.Deallocate(a.id)
	j.attemptFailed(a)
}

// fallSilent notes the end of an attempt's process that the master is not told of: it has failed when it has said nothing for too long. Reports of
// progress count, and the questions of a reduce for outputs of maps.
//
// Source: TaskHeartbeatHandler.PingChecker, TaskAttemptListenerImpl.
func (j *job) fallSilent(a *attempt) {
	last, reports := a.Launch, j.reports(a)
	if reports > 0 {
		last = a.begin + (reports+1)*j.set.ReportMS
	}
	if a.id.Reduce && a.until == never && j.h.Now() > a.begin {
		last, reports = j.h.Now(), 1
	}
	ms := j.set.TaskTimeoutMS
	if stuck := j.set.StuckMS; reports == 0 && stuck > 0 && (ms <= 0 || stuck < ms) {
		ms = stuck
	}
	if ms <= 0 {
		return
	}
	at := max(last+ms, j.h.Now()) - j.registered
	at = j.registered + (at/j.set.CheckMS+1)*j.set.CheckMS
	j.h.At(at, evTimeout, a.serial, a.serial)
}

// timedOut is an attempt that has said nothing for too long: it has failed when its container has been stopped.
func (j *job) timedOut(a *attempt) {
	if a.state == running {
		a.state, a.silent = stopping, true
		j.stop(a)
	}
}

func (j *job) forget(a *attempt) {
	a.state = ended
	delete(j.byContainer, a.Container)
	delete(j.byID, a.id)
}

// containerGone is the report of the end of an attempt's container, by the framework or otherwise.
func (j *job) containerGone(a *attempt, byFramework bool) {
	if a == nil {
		return
	}
	before := a.state
	if before == stopping {
		return // its stop goes on
	}
	t := j.taskOf(a)
	j.forget(a)
	switch before {
	case finishing: // a map that is done and whose container the framework took runs again
		if byFramework && !a.failed && !a.id.Reduce && len(j.tasks[1]) > 0 && t.succeeded {
			j.rerun(a.id.Task, false)
		}
	case assigned, running:
		if !byFramework {
			j.attemptFailed(a)
			return
		}
		j.close(a, record.TaskLost)
		j.again(a)
	}
}

// again begins the next attempt of a task after one was killed.
func (j *job) again(a *attempt) {
	if t := j.taskOf(a); !t.over {
		j.attempt(a.id.Reduce, a.id.Task, false, a.reschedule)
	}
}

// kill stops an attempt. The next one of its task is asked for as if it had failed if reschedule is set.
func (j *job) kill(a *attempt, reschedule bool) {
	if a == nil {
		return
	}
	switch a.state {
	case unassigned:
		j.waiting[typeOf(a.id.Reduce)]--
		j.forget(a)
		j.close(a, record.TaskKilled)
		j.alloc.Deallocate(a.id)
		j.again(a)
		j.expectScan()
	case assigned:
		a.state, a.reschedule = stopping, reschedule // when its process has started
	case running:
		a.state, a.reschedule = stopping, reschedule
		j.stop(a)
	case finishing:
		if t := j.taskOf(a); !a.failed && !a.id.Reduce && len(j.tasks[1]) > 0 && t.succeeded && reschedule {
			j.rerun(a.id.Task, true)
		}
	}
}

// unreachableMS is how long a master tries to reach a NodeManager.
//
// Source: yarn.client.nodemanager-connect.max-wait-ms.
const unreachableMS = 180_000

// stop asks the node to stop the process of an attempt.
func (j *job) stop(a *attempt) {
	now := j.h.Now()
	at := now + j.k.Model.KillMS
	j.h.End(a.Container, at)
	if j.h.Down(a.Node) {
		at = now + unreachableMS
	}
	j.h.GoesOn(at)
	j.h.At(at, evStopped, a.serial, a.serial)
}

// stopped is the end of a stop.
func (j *job) stopped(a *attempt) {
	if a.state != stopping {
		return
	}
	a.state = finishing // its container's end may still have to be reported
	if a.silent {
		j.attemptFailed(a)
		return
	}
	a.failed = true
	j.close(a, record.TaskKilled)
	j.again(a)
}

// inOrder notes that a task has succeeded after those that had before.
func (j *job) inOrder(t *task) {
	j.order++
	t.order = j.order
}

// nodesChanged has maps run again whose output lay on a node that is no longer usable, if reduces may still want it: node by node as the answer has
// them, those of a node in the order in which they succeeded.
//
// Source: JobImpl.actOnUnusableNode.
func (j *job) nodesChanged() {
	if len(j.tasks[1]) == 0 || j.completed[1] == len(j.tasks[1]) {
		return
	}
	place := map[int32]int{}
	for i, u := range j.resp.UpdatedNodes {
		if u.State.Unusable() {
			place[int32(u.Node)] = i
		}
	}
	var again []int32
	for t := range j.tasks[0] {
		if x := &j.tasks[0][t]; x.succeeded {
			if _, bad := place[x.node]; bad {
				again = append(again, int32(t))
			}
		}
	}
	slices.SortFunc(again, func(x, y int32) int {
		a, b := &j.tasks[0][x], &j.tasks[0][y]
		return cmp.Or(cmp.Compare(place[a.node], place[b.node]), cmp.Compare(a.order, b.order))
	})
	for _, t := range again {
		j.rerun(t, true)
	}
}

// wanted returns how many maps have left their output on a node, if there are reduces that have not fetched everything.
func (j *job) wanted(node int32) int {
	fetched := j.completed[1]
	for r := range j.live[1].all {
		if r.state == running && r.until != never {
			fetched++
		}
	}
	n := 0
	if fetched < len(j.tasks[1]) {
		for t := range j.tasks[0] {
			if x := &j.tasks[0][t]; x.succeeded && x.node == node {
				n++
			}
		}
	}
	return n
}

// rerun takes back the success of a map. Reduces that have not fetched everything wait for it.
func (j *job) rerun(index int32, reschedule bool) {
	t := &j.tasks[0][index]
	t.over, t.succeeded = false, false
	j.completed[0]--
	j.Job.TaskMS -= t.ms
	j.Job.WastedTaskMS += t.ms
	j.past.drop(index)
	for r := range j.live[1].all {
		if r.state == running && r.until == never {
			r.shuffle = never
		}
	}
	j.attempt(false, index, false, reschedule)
}

// end writes the attempts that run, when the master ends.
func (j *job) end(how string) {
	for i := range j.live {
		for _, a := range slices.Collect(j.live[i].all) {
			a.state = ended
			j.close(a, how)
		}
	}
	if j.uber != nil {
		j.endUber(how)
	}
}
