package spark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

// dagRig gives a DAG the events of a task scheduler by hand. Executors 0 and 1 are on host 0, 2 to 5 on hosts 1 to 4.
type dagRig struct {
	*DAG
	t   *testing.T
	s   *TaskScheduler
	now int64
}

func newDAGRig(t *testing.T, values map[string]string, stages ...trace.Stage) *dagRig {
	t.Helper()
	d := dagOf(t, values, stages...)
	return &dagRig{DAG: d, t: t, s: d.tasks}
}

// told takes what the DAG told, in words.
func (r *dagRig) told() string {
	var out []string
	for _, e := range r.Take() {
		text := ""
		switch e.Kind {
		case StageTimer:
			text = fmt.Sprintf("stage %d at %d", e.Stage, e.At)
		case ResubmitTimer:
			text = fmt.Sprintf("resubmit at %d", e.At)
		case JobStarted, JobEnded:
			text = fmt.Sprintf("job %d %s", e.Job, map[DAGEventKind]string{JobStarted: "starts", JobEnded: "ends"}[e.Kind])
		case StageSubmitted:
			text = fmt.Sprintf("%d.%d submitted", e.Stage, e.Attempt)
			if e.Set < 0 {
				text += " empty"
			} else if only := r.s.Set(e.Set).Spec.Partitions; only != nil {
				text += fmt.Sprint(" for ", only)
			}
		case StageCompleted:
			text = fmt.Sprintf("%d.%d %s", e.Stage, e.Attempt, map[bool]string{true: "failed", false: "done"}[e.Failed])
		case BlockCached:
			text = fmt.Sprintf("%d[%d] cached on %d", e.Stage, e.Index, e.Exec)
		case DAGDone:
			text = "all done"
		case DAGFailed:
			text = "given up: " + e.Reason
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// expect takes what the DAG told and compares.
func (r *dagRig) expect(what, want string) {
	r.t.Helper()
	if got := r.told(); got != want {
		r.t.Errorf("%s: told %q, want %q", what, got, want)
	}
}

// end is the end of a task of some attempt of a stage, the newest one is 0, the one before it -1.
func (r *dagRig) end(stage, attempt, partition, exec int32, reason EndReason, from ...FetchSource) {
	r.t.Helper()
	attempt += r.stages[stage].next - 1
	set := int32(slices.IndexFunc(r.sets, func(i setInfo) bool { return i.stage == stage && i.attempt == attempt }))
	spec := &r.s.Set(set).Spec
	index := int32(slices.IndexFunc(make([]int, spec.Tasks), func(int) bool { return false }))
	for i := range int32(spec.Tasks) {
		if spec.Partition(i) == partition {
			index = i
		}
	}
	e := TaskEvent{Kind: TaskEnded, Set: set, Index: index, Exec: exec, Reason: reason, Stage: stage, StageAttempt: attempt}
	if len(from) > 0 {
		e.From = from[0]
	}
	r.Handle(r.now, &e)
}

// succeed ends tasks 0, 1 and so on of the newest attempt of a stage on executors.
func (r *dagRig) succeed(stage int32, execs ...int32) {
	r.t.Helper()
	for p, exec := range execs {
		r.end(stage, 0, int32(p), exec, EndSuccess)
	}
}

func (r *dagRig) gone(exec int32, worker bool) {
	r.Handle(r.now, &TaskEvent{Kind: ExecutorGone, Exec: exec, Worker: worker})
}

// rigStage is a stage of n tasks of Spark job job.
func rigStage(id, job int32, n int, parents ...int32) trace.Stage {
	s := testStage(id, parents, 1000, none(n)...)
	s.SparkJob = job
	return s
}

func TestJobsThatSparkRefuses(t *testing.T) {
	gang := rigStage(0, 0, 2)
	gang.Kind = trace.StageGang
	profile := rigStage(1, 0, 1)
	profile.Profile = 1
	last := rigStage(1, 0, 1)
	dynamic := map[string]string{"spark.dynamicAllocation.enabled": "true"}
	for _, tt := range []struct {
		name   string
		values map[string]string
		stages []trace.Stage
		want   string
	}{
		{"a barrier stage, with dynamic allocation", dynamic, stages(gang), "job 7, stage 0: a barrier stage cannot run with dynamic allocation"},
		{"a barrier stage", nil, stages(gang), ""},
		{"dynamic allocation", dynamic, stages(rigStage(0, 0, 1)), ""},
		{"a profile too many", nil, stages(rigStage(0, 0, 1), profile), "job 7, stage 1: profile is 1, want one of the 1 profiles"},
		{"the last profile", nil, stages(rigStage(0, 0, 1), last), ""},
	} {
		c := testConf(t, tt.values)
		_, err := NewDAG(c, &trace.Job{ID: 7, Stages: tt.stages}, NewTaskScheduler(c, NewPools(FIFO, nil), nil, nil), []int32{1})
		if got := fmt.Sprint(err); got != tt.want && (tt.want != "" || err != nil) {
			t.Errorf("%s: error %q, want %q", tt.name, got, tt.want)
		}
	}
}

// DAGScheduler.submitStage, submitMissingTasks: stages in the order of their numbers, each when what it reads is there.
func TestSubmissionOrder(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 2), rigStage(2, 0, 1, 1, 0), rigStage(3, 0, 1, 2))
	r.Start(0)
	r.expect("start", "job 0 starts, 0.0 submitted, 1.0 submitted")
	r.succeed(1, 1)
	r.expect("one of two tasks", "")
	r.end(1, 0, 0, 2, EndSuccess) // the same partition again
	r.expect("the same task again", "")
	r.end(1, 0, 1, 1, EndSuccess)
	r.expect("both tasks", "1.0 done")
	r.succeed(0, 1)
	r.expect("the other parent", "0.0 done, 2.0 submitted")
	r.succeed(2, 1)
	r.expect("the third", "2.0 done, 3.0 submitted")
	if r.Done() {
		t.Error("done before the last stage")
	}
	r.succeed(3, 1)
	r.expect("the last", "3.0 done, job 0 ends, all done")
	if !r.Done() {
		t.Error("not done after the last stage")
	}
}

// The driver's time before a stage: as recorded, or the default, or none.
func TestDelayBeforeAStage(t *testing.T) {
	with := func(id int32, delay int64, after ...int32) trace.Stage {
		s := rigStage(id, id, 1)
		s.DelayMS, s.After = delay, after
		return s
	}
	for _, tt := range []struct {
		def, delay int64
		want       string
	}{
		{50, trace.Unset, "stage 0 at 1050"},
		{0, trace.Unset, "job 0 starts, 0.0 submitted"},
		{50, 0, "job 0 starts, 0.0 submitted"},
		{50, 1, "stage 0 at 1001"},
	} {
		r := newDAGRig(t, nil, with(0, tt.delay))
		r.DefaultDelayMS = tt.def
		r.Start(1000)
		r.expect(fmt.Sprint("delay ", tt.delay), tt.want)
	}
	// Stages that end together: those that wait for them come by number, one that waits for several with the last.
	r := newDAGRig(t, nil, with(0, 0), with(1, 0, 0, 4), with(2, 5, 0), with(3, 0, 0), with(4, 0))
	r.Start(0)
	r.expect("start", "job 0 starts, 0.0 submitted, job 4 starts, 4.0 submitted")
	r.now = 10
	r.succeed(0, 1)
	r.expect("the first", "0.0 done, job 0 ends, stage 2 at 15, job 3 starts, 3.0 submitted")
	r.succeed(4, 1)
	r.expect("the second", "4.0 done, job 4 ends, job 1 starts, 1.0 submitted")
	r.StageDue(15, 2)
	r.expect("the timer", "job 2 starts, 2.0 submitted")
}

func TestApplicationWithoutStages(t *testing.T) {
	r := newDAGRig(t, nil)
	r.Start(0)
	r.expect("start", "all done")
	if !r.Done() {
		t.Error("not done")
	}
}

// A stage of no tasks ends at once.
func TestEmptyStages(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 0), rigStage(1, 0, 1, 0), rigStage(2, 0, 0, 1))
	r.Start(0)
	r.expect("start", "job 0 starts, 0.0 submitted empty, 0.0 done, 1.0 submitted")
	r.succeed(1, 1)
	r.expect("the second", "1.0 done, 2.0 submitted empty, 2.0 done, job 0 ends, all done")
}

// The end of an attempt without tasks names no task set.
func TestEmptyStageHasNoTaskSet(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 0))
	r.Start(0)
	for _, e := range r.Take() {
		if e.Stage == 1 && (e.Kind == StageSubmitted || e.Kind == StageCompleted) && e.Set != -1 {
			t.Errorf("event %v names task set %d", e.Kind, e.Set)
		}
	}
}

// SparkListenerJobStart names the stages of a job and all that they read, those of earlier jobs included.
func TestStagesOfAJob(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 2, 1), rigStage(1, 2, 1, 0), rigStage(2, 5, 1, 0), rigStage(3, 5, 1, 2, 1), rigStage(4, 1, 1))
	r.Start(0)
	r.expect("start", "job 2 starts, 0.0 submitted, job 1 starts, 4.0 submitted")
	check := func(job int32, want []int32, writing ...int32) {
		t.Helper()
		got := r.JobStages(job)
		var w []int32
		for _, s := range got {
			if r.WritesShuffle(s) {
				w = append(w, s)
			}
		}
		if !slices.Equal(got, want) || !slices.Equal(w, writing) {
			t.Errorf("job %d has stages %v, of which %v write; want %v and %v", job, got, w, want, writing)
		}
	}
	check(2, []int32{0, 1}, 0, 1)
	check(1, []int32{4})
	r.succeed(0, 1)
	r.expect("the first stage", "0.0 done, 1.0 submitted, job 5 starts, 2.0 submitted")
	check(5, []int32{0, 1, 2, 3}, 0, 1, 2)
}

// DAGScheduler.activeJobForStage: the smallest active job that uses a stage gives its task sets priority and pool.
func TestJobOnWhoseBehalf(t *testing.T) {
	read, early, late := rigStage(0, 0, 1), rigStage(1, 2, 2, 0), rigStage(2, 3, 1, 0)
	early.Pool, late.Pool = "early", "late"
	early.After = []int32{0}
	r := newDAGRig(t, map[string]string{"spark.scheduler.pool": "usual"}, read, early, late)
	spec := func(stage int32) string {
		s := &r.s.Set(r.stages[stage].set).Spec
		return fmt.Sprint(s.Priority, " ", s.Pool)
	}
	r.Start(0)
	if got := spec(0); got != "0 default" {
		t.Errorf("the first stage runs for %q, want 0 default, whatever the key says", got)
	}
	r.succeed(0, 1)
	if spec(1) != "2 early" || spec(2) != "3 late" {
		t.Errorf("the others run for %q and %q, want 2 early and 3 late", spec(1), spec(2))
	}
	// Its job is over; the output is lost and needed by both of the others.
	fail := func(stage int32) {
		r.gone(1, false)
		r.end(stage, 0, 0, 2, EndFetchFailed, FetchSource{Stage: 0, Partition: 0, Exec: 1, Host: 0})
		r.Resubmit(r.now + ResubmitDelayMS)
	}
	fail(2)
	if got := spec(0); got != "2 early" {
		t.Errorf("again it runs for %q, want 2 early: the smallest job that is active and uses it", got)
	}
	r.succeed(1, 2, 2) // job 2 is over
	r.end(0, 0, 0, 3, EndSuccess)
	r.told()
	r.gone(3, false)
	r.end(2, 0, 0, 2, EndFetchFailed, FetchSource{Stage: 0, Partition: 0, Exec: 3, Host: 2})
	r.Resubmit(r.now + ResubmitDelayMS)
	if got := spec(0); got != "3 late" {
		t.Errorf("at last it runs for %q, want 3 late: the only job that is active", got)
	}
}

// The smallest job is found by its number, in whatever order stages name their jobs.
func TestJobsByNumber(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 3, 1, 0), rigStage(2, 2, 2, 0))
	r.Start(0)
	r.succeed(0, 1)
	r.gone(1, false)
	r.end(1, 0, 0, 2, EndFetchFailed, FetchSource{Stage: 0, Partition: 0, Exec: 1, Host: 0})
	r.Resubmit(200)
	if got := r.s.Set(r.stages[0].set).Spec.Priority; got != 2 {
		t.Errorf("the lost output is computed for job %d, want 2", got)
	}
}

// What a task set says of its tasks.
func TestTaskSetsOfStages(t *testing.T) {
	a, b := rigStage(0, 0, 1), rigStage(1, 0, 1, 0)
	b.Kind = trace.StageGang
	for _, dynamic := range []bool{false, true} {
		if dynamic {
			b.Kind = trace.StageShuffle
		}
		r := newDAGRig(t, map[string]string{"spark.dynamicAllocation.enabled": fmt.Sprint(dynamic)}, a, b)
		r.cpus = []int32{3}
		r.Start(0)
		r.succeed(0, 1)
		first, second := &r.s.Set(r.stages[0].set).Spec, &r.s.Set(r.stages[1].set).Spec
		if !first.ShuffleMap || second.ShuffleMap || first.Barrier || second.Barrier == dynamic || first.AnyExecutor == dynamic || first.TaskCPUs != 3 {
			t.Errorf("dynamic allocation %t: task sets %+v and %+v", dynamic, *first, *second)
		}
	}
}

// DAGScheduler.handleJobSubmitted: a job with a barrier stage is looked at every 15 s, 40 times.
func TestChecksForSlots(t *testing.T) {
	gang := func(id int32, n int) trace.Stage {
		s := rigStage(id, 0, n)
		s.Kind = trace.StageGang
		return s
	}
	for _, tt := range []struct {
		slots int
		want  string
	}{
		{3, "stage 0 at 15000, stage 1 at 15000"}, // one of them alone does not start the job
		{4, "job 0 starts, 0.0 submitted, 1.0 submitted"},
	} {
		r := newDAGRig(t, nil, gang(0, 2), gang(1, 4))
		r.Slots = slotsBy(func() int { return tt.slots })
		r.Start(0)
		r.expect(fmt.Sprint(tt.slots, " slots"), tt.want)
	}
	wide := newDAGRig(t, nil, gang(0, 2), rigStage(1, 0, 9))
	wide.Slots = slotsBy(func() int { return 3 })
	wide.Start(0)
	wide.expect("other stages need no slots", "job 0 starts, 0.0 submitted, 1.0 submitted")
	r := newDAGRig(t, map[string]string{"spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures": "3"}, gang(0, 2), gang(1, 4))
	r.Slots = slotsBy(func() int { return 3 })
	for now := int64(0); now < 45_000; now += 15_000 { // both stages come at once: one check
		r.StageDue(now, 0)
		r.StageDue(now, 1)
		r.expect(fmt.Sprint("check at ", now), fmt.Sprintf("stage 0 at %d, stage 1 at %[1]d", now+15_000))
	}
	r.StageDue(45_000, 0)
	r.expect("fourth check", "given up: stage 1: a barrier stage of 4 tasks finds 3 slots, after 4 checks")
	r.StageDue(45_000, 1)
	r.expect("after the end", "")

	late := gang(1, 4)
	late.DelayMS = 7000
	r = newDAGRig(t, map[string]string{"spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures": "1"}, gang(0, 2), late)
	slots := 3
	r.Slots = slotsBy(func() int { return slots })
	r.Start(0)
	r.StageDue(7000, 1)
	r.expect("a stage that comes later is no check of its own", "stage 0 at 15000, stage 1 at 7000, stage 1 at 15000")
	slots = 4
	r.StageDue(15_000, 1)
	r.StageDue(15_000, 0)
	r.StageDue(15_000, 1)
	r.expect("it comes behind the one with which the job came", "stage 1 at 15000, job 0 starts, 0.0 submitted, 1.0 submitted")
}

// A job makes barrier stages whose output it reads anew, when no other job has them.
func TestSlotsForStagesOfEndedJobs(t *testing.T) {
	for _, tt := range []struct {
		slots, others int // tasks of a stage of the first job that has not ended
		want          string
	}{
		{4, 0, "job 1 starts, 2.0 submitted"}, {3, 0, "stage 2 at 15000"}, {3, 1, "job 1 starts, 2.0 submitted"},
	} {
		first := rigStage(0, 0, 4)
		first.Kind = trace.StageGang
		r := newDAGRig(t, nil, first, rigStage(1, 0, tt.others), rigStage(2, 1, 1, 0))
		r.Start(0)
		r.told()
		r.Slots = slotsBy(func() int { return tt.slots })
		for p := range int32(4) {
			r.end(0, 0, p, 1, EndSuccess)
		}
		told := r.told()
		told = strings.TrimPrefix(strings.TrimPrefix(told, "0.0 done, "), "job 0 ends, ")
		if told != tt.want {
			t.Errorf("%d slots, %d tasks of the first job left: told %q, want %q", tt.slots, tt.others, told, tt.want)
		}
	}
}

// DAGScheduler.handleTaskCompletion: output of an executor that was lost after the task set was made does not count.
func TestOutputOfALostExecutor(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 3), rigStage(1, 0, 2, 0))
	r.Start(0)
	r.told()
	r.end(0, 0, 0, 1, EndSuccess)
	r.gone(1, false)
	r.end(0, 0, 1, 1, EndSuccess) // a late result
	r.end(0, 0, 2, 2, EndSuccess)
	r.expect("all tasks have ended", "0.0 done, 0.1 submitted for [0 1]")
	r.succeed(0, 1, 3) // executor 1 is known to be lost before this task set was made: it is back, or never was
	r.expect("both again", "0.1 done, 1.0 submitted")
	r.gone(2, false) // results count wherever they were computed
	r.succeed(1, 2, 2)
	r.expect("results", "1.0 done, job 0 ends, all done")
}

// A shuffle service keeps the output of a lost executor, unless the whole host is gone.
func TestOutputWithAShuffleService(t *testing.T) {
	for _, tt := range []struct {
		service, worker bool
		want            int // partitions left of four on executors 0, 1, 2, 2
	}{
		{false, false, 3}, {true, false, 4}, {false, true, 2}, {true, true, 2},
	} {
		r := newDAGRig(t, map[string]string{"spark.shuffle.service.enabled": fmt.Sprint(tt.service)}, rigStage(0, 0, 4), rigStage(1, 0, 1, 0))
		r.Start(0)
		r.succeed(0, 0, 1, 2, 2)
		epoch := r.epoch
		r.gone(1, tt.worker)
		if got := r.availableOf(0); got != tt.want {
			t.Errorf("service %t, whole host %t: %d partitions are left, want %d", tt.service, tt.worker, got, tt.want)
		}
		if r.gone(1, false); (tt.want < 4) != (r.epoch > epoch) {
			t.Errorf("service %t, whole host %t: the epoch goes from %d to %d", tt.service, tt.worker, epoch, r.epoch)
		}
	}
}

// Resubmitted: the partition is owed again, once.
func TestResubmittedTask(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 1, 0))
	r.Start(0)
	r.told()
	r.end(0, 0, 0, 1, EndSuccess)
	r.end(0, 0, 0, 1, EndResubmitted)
	r.end(0, 0, 0, 1, EndResubmitted)
	r.end(0, 0, 1, 2, EndSuccess)
	r.expect("one is owed", "")
	r.end(0, 0, 0, 2, EndSuccess)
	r.expect("none is owed", "0.0 done, 1.0 submitted")
}

// A success of an older attempt counts, and the newest attempt does not run that partition any more.
func TestSuccessOfAnOlderAttempt(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 4, 0))
	r.Start(0)
	r.succeed(0, 1)
	r.end(1, 0, 0, 2, EndSuccess)
	r.end(1, 0, 1, 2, EndFetchFailed, FetchSource{Stage: 0, Partition: 0, Exec: 1, Host: 0})
	r.Resubmit(200)
	r.succeed(0, 2)
	r.told()
	set := r.s.Set(r.stages[1].set)
	if !slices.Equal(set.Spec.Partitions, []int32{1, 2, 3}) {
		t.Fatalf("the second attempt has partitions %v, want 1, 2, 3", set.Spec.Partitions)
	}
	r.end(1, -1, 2, 3, EndSuccess)
	if set.TaskDone(0) || !set.TaskDone(1) || set.TaskDone(2) {
		t.Errorf("done are %t %t %t, want the task of partition 2 alone", set.TaskDone(0), set.TaskDone(1), set.TaskDone(2))
	}
	r.end(1, -1, 0, 3, EndSuccess) // one that the newest attempt does not have
	if set.Succeeded() != 1 {
		t.Errorf("%d tasks of the newest attempt are done, want 1", set.Succeeded())
	}
	r.end(1, 0, 1, 3, EndSuccess) // its own successes are the task set's business
	if set.Succeeded() != 1 {
		t.Errorf("%d tasks of the newest attempt are done, want 1", set.Succeeded())
	}
	r.expect("two are owed", "")
	r.end(1, -1, 3, 3, EndSuccess)
	r.expect("the last by the older attempt", "1.1 done, job 0 ends, all done")
	r.end(1, -1, 1, 3, EndSuccess)
	r.expect("after the end", "")
}

// The newest attempt may be a whole one, or gone from the scheduler.
func TestSuccessOfAnOlderAttemptOfAll(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 2, 0))
	r.Start(0)
	r.succeed(0, 1)
	r.end(1, 0, 1, 2, EndFetchFailed, FetchSource{Stage: 0, Partition: 0, Exec: 1, Host: 0})
	r.Resubmit(200)
	r.succeed(0, 2)
	set := r.s.Set(r.stages[1].set)
	r.end(1, -1, 1, 3, EndSuccess)
	if set.Spec.Partitions != nil || set.TaskDone(0) || !set.TaskDone(1) {
		t.Errorf("done are %t, %t of %v, want partition 1", set.TaskDone(0), set.TaskDone(1), set.Spec.Partitions)
	}
	r.told()
	r.s.Cancel(300, set.ID)
	r.s.Take()
	r.s.Take()
	if r.s.Set(set.ID) != nil {
		t.Fatal("the newest task set is still there")
	}
	r.end(1, -1, 0, 3, EndSuccess)
	r.expect("the last", "1.1 done, job 0 ends, all done")
}

// What is computed with the FAIR scheduler is in the pool of its job; one without a name is in the default pool.
func TestPoolOfAStage(t *testing.T) {
	if poolOf("a") != "a" || poolOf("") != "default" {
		t.Errorf("pools are %q and %q", poolOf("a"), poolOf(""))
	}
}
