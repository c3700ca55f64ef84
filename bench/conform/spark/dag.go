package spark

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"replay/bench/conform/golden"
	"replay/engine/spark"
	sparkconf "replay/engine/spark/conf"
	"replay/engine/spark/scala"
	"replay/trace"
)

// stages is Spark's DAGScheduler over its task scheduler: jobs, stages that run again, registered output.
var stages = golden.Kind{
	Name: "dag",
	Of:   golden.AnswersOf("DAGScheduler, TaskSchedulerImpl"),
	Match: func(_ string, first golden.Shape) bool {
		return first.Has("conf", "stages", "hosts", "events")
	},
	Run: golden.Cases(runDAG),
}

type dagCase struct {
	ID     string                     `json:"id"`
	Conf   map[string]json.RawMessage `json:"conf"`
	Stages []struct {
		Job       int32      `json:"job"`
		Parents   []int32    `json:"parents"`
		Tasks     int        `json:"tasks"`
		Barrier   bool       `json:"barrier"`
		Preferred [][]string `json:"preferred"`
		Written   []int64    `json:"written"`
		CacheOf   *int32     `json:"cache_of"`
	} `json:"stages"`
	Hosts  []string   `json:"hosts"`
	Events []dagEvent `json:"events"`
}

type dagEvent struct {
	Op         string       `json:"op"`
	Time       int64        `json:"t"`
	Job        int32        `json:"job"`
	Pool       *string      `json:"pool"`
	AllFree    bool         `json:"all_free"`
	Offers     []offerEntry `json:"offers"`
	ID         int64        `json:"tid"`
	Kind       string       `json:"kind"`
	From       *unreadable  `json:"from"`
	Exec       string       `json:"exec"`
	WorkerHost *string      `json:"worker_host"`
	Slots      *int         `json:"slots"` // of all executors; nil: barrier stages are not checked for them

	dagOutcome
}

// unreadable is [stage, partition, executor, host] of the output that a task could not read; -1 and null where none was known.
type unreadable struct {
	stage, partition int32
	exec, host       *string
}

func (u *unreadable) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&u.stage, &u.partition, &u.exec, &u.host})
}

// dagOutcome is what an event brought about. What Spark does in the order of a hash table is sorted.
type dagOutcome struct {
	Launched  [][]any `json:"launched,omitempty"`  // task, stage, attempt, partition, number of the attempt, executor, speculative
	Started   []int32 `json:"started,omitempty"`   // jobs
	Ended     [][]any `json:"ended,omitempty"`     // job, failed
	Submitted [][]any `json:"submitted,omitempty"` // stage, attempt, tasks
	Sets      [][]any `json:"sets,omitempty"`      // stage, attempt, job, tasks with partition and preferred hosts, sorted
	Completed [][]any `json:"completed,omitempty"` // stage, attempt, failed
	Kills     []int64 `json:"kills,omitempty"`     // tasks
	Checks    []int64 `json:"checks,omitempty"`    // ms until a job comes again whose barrier stages find too few slots
	Timers    []int64 `json:"timer,omitempty"`     // ms until stages are submitted again
	Outputs   [][]any `json:"outputs"`             // by stage and map task, the executor that holds it
}

// dagRun is one case under way.
type dagRun struct {
	*dagCase
	sched  *spark.TaskScheduler
	dag    *spark.DAG
	hosts  names
	refs   map[int64]spark.TaskRef
	due    []int32        // stages of jobs that have not been submitted, whose turn has come
	came   map[int32]bool // jobs
	killed map[int64]bool
	slots  int
	again  []int32        // stages of the job that waits for slots
	late   map[int32]bool // jobs that have begun, but whose stages all wait for those of others
	failed bool
	now    int64
	out    dagOutcome
}

func runDAG(c *dagCase, out *golden.Results) {
	r, err := newDAGRun(c)
	if err != nil {
		out.AddUnsupported(c.ID, err.Error())
		return
	}
	for i := range c.Events {
		e := &c.Events[i]
		r.out, r.now = dagOutcome{}, e.Time
		if err := r.apply(e); err != nil {
			out.AddUnsupported(c.ID, fmt.Sprintf("event %d: %v", i, err))
			return
		}
		r.outputs(len(e.Outputs))
		if fails := slices.ContainsFunc(e.Ended, func(j []any) bool { return j[1] == true }); fails || r.failed {
			// An application ends here with the first job that fails.
			if fails != r.failed {
				out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: e.dagOutcome, Got: r.out, State: e.Op})
				return
			}
			break
		}
		if r.begin(e); len(r.late) > 0 && e.Op == "submit_job" && len(e.Submitted) > len(r.out.Submitted) {
			out.AddUnsupported(c.ID, fmt.Sprintf("event %d: job %d, whose stages all wait for those of others, has output that was lost computed again as it begins", i, e.Job))
			return
		}
		if want, got := golden.Text(e.sorted()), golden.Text(r.out.sorted()); want != got {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: e.dagOutcome, Got: r.out, State: e})
			return
		}
	}
	out.AddEqual()
}

// begin sets aside the start of a job all of whose stages wait for those of others: a trace does not tell when it comes, and a replay takes it as begun when the
// first of its stages can be.
func (r *dagRun) begin(e *dagEvent) {
	r.out.Started = slices.DeleteFunc(r.out.Started, func(job int32) bool { return r.late[job] })
	e.Started = slices.DeleteFunc(e.Started, func(job int32) bool {
		if slices.Contains(r.out.Started, job) {
			return false
		}
		for i := range r.Stages {
			if r.Stages[i].Job == job && len(r.Stages[i].Parents) == 0 {
				return false
			}
		}
		r.late[job] = true
		return true
	})
}

func (o *dagOutcome) sorted() *dagOutcome {
	s := *o
	for _, rows := range []*[][]any{&s.Submitted, &s.Sets, &s.Completed} {
		*rows = slices.Clone(*rows)
		slices.SortStableFunc(*rows, func(a, b []any) int { return cmp.Compare(golden.Text(a[:2]), golden.Text(b[:2])) })
	}
	s.Kills = slices.Sorted(slices.Values(s.Kills))
	return &s
}

func newDAGRun(c *dagCase) (*dagRun, error) {
	conf, _, err := sparkconf.Parse(sparkconf.Layer{Name: "conf", Strict: true, Values: golden.Properties(c.Conf)})
	if err != nil {
		return nil, err
	}
	r := &dagRun{dagCase: c, refs: map[int64]spark.TaskRef{}, came: map[int32]bool{}, late: map[int32]bool{}, killed: map[int64]bool{}}
	racks := make([]int32, len(c.Hosts))
	for i, h := range c.Hosts {
		r.hosts.of(h)
		racks[i] = spark.NoRack
	}
	pools := map[int32]string{}
	for _, e := range c.Events {
		if e.Op == "submit_job" && e.Pool != nil {
			pools[e.Job] = *e.Pool
		}
	}
	job := &trace.Job{}
	for i, s := range c.Stages {
		kind := trace.StageInput
		if s.Barrier {
			kind = trace.StageGang
		}
		t := trace.NewStage(int32(i), kind, s.Parents...)
		t.SparkJob, t.Pool = s.Job, pools[s.Job]
		t.DelayMS = 1 // its turn is told, and waits for its job
		t.Tasks.DurationMS = make([]int64, s.Tasks)
		t.Tasks.ShuffleWriteBytes = s.Written
		if s.CacheOf != nil {
			t.CacheOf = *s.CacheOf
		}
		if s.Preferred != nil {
			prefs := make([][]int32, s.Tasks)
			for p, hosts := range s.Preferred {
				for _, h := range hosts {
					prefs[p] = append(prefs[p], r.hosts.of(h))
				}
			}
			t.Tasks.SetPrefs(prefs)
		}
		job.Stages = append(job.Stages, t)
	}
	mode := spark.FIFO
	if conf.FairMode {
		mode = spark.FAIR
	}
	order := &spark.HashOrder{Exec: func(e int32) int32 { return scala.HashCode(strconv.Itoa(int(e))) }, Host: r.hosts.hash, Rack: func(r int32) int32 { return r }}
	r.sched = spark.NewTaskScheduler(conf, spark.NewPools(mode, nil), racks, order)
	if r.dag, err = spark.NewDAG(conf, job, r.sched, []int32{1}); err != nil {
		return nil, err
	}
	r.dag.Start(0)
	r.settle()
	return r, nil
}

// apply makes the calls of an event; the error says that it is none that is known.
func (r *dagRun) apply(e *dagEvent) error {
	switch e.Op {
	case "submit_again":
		again := r.again
		r.again, r.slots = nil, *e.Slots
		for _, s := range again {
			r.dag.StageDue(e.Time, s)
		}
	case "submit_job":
		if e.Slots != nil {
			r.slots, r.dag.Slots = *e.Slots, r
		}
		r.came[e.Job] = true
		due := r.due
		r.due = nil
		for _, s := range due {
			r.stageDue(s)
		}
	case "offer":
		offers := make([]spark.Offer, len(e.Offers))
		for i, o := range e.Offers {
			offers[i] = spark.Offer{Exec: number(o.exec), Host: r.hosts.of(o.host), Cores: o.cores}
		}
		for _, l := range r.sched.ResourceOffers(e.Time, offers, e.AllFree) {
			set := r.sched.Set(l.Set)
			a := set.Attempt(l.Row)
			r.refs[a.ID] = l
			r.out.Launched = append(r.out.Launched, []any{a.ID, set.Stage, set.Schedulable.Attempt, set.Spec.Partition(a.Index), a.Number, strconv.Itoa(int(a.Exec)), a.Speculative})
		}
	case "success":
		if ref := r.refs[e.ID]; r.sched.StatusUpdate(ref) {
			r.sched.Succeeded(e.Time, ref)
		}
	case "failure":
		if err := r.fail(e); err != nil {
			return err
		}
	case "executor_lost":
		loss, ok := losses[e.Kind]
		if !ok {
			return fmt.Errorf("loss of kind %s", e.Kind)
		}
		r.sched.ExecutorLost(e.Time, number(e.Exec), loss)
	case "executor_decommission":
		r.sched.Decommission(e.Time, number(e.Exec), e.WorkerHost != nil)
	case "resubmit":
		r.dag.Resubmit(e.Time)
	case "check_speculatable":
		r.sched.Speculate(e.Time)
	case "advance":
	default:
		return fmt.Errorf("operation %s", e.Op)
	}
	r.settle()
	return nil
}

// Slots is that of the last job that came.
func (r *dagRun) Slots(int32) int { return r.slots }

// number is an executor's.
func number(exec string) int32 {
	n, err := strconv.Atoi(exec)
	if err != nil {
		panic(err) // Spark on YARN numbers them
	}
	return int32(n)
}

func (r *dagRun) fail(e *dagEvent) error {
	ref := r.refs[e.ID]
	if !r.sched.StatusUpdate(ref) {
		return nil
	}
	if e.From == nil {
		reason, ok := endings[e.Kind]
		if !ok {
			return fmt.Errorf("failure of kind %s", e.Kind)
		}
		r.sched.Failed(e.Time, ref, reason)
	} else {
		from := spark.FetchSource{Stage: e.From.stage, Partition: e.From.partition, Exec: -1, Host: -1}
		if e.From.exec != nil {
			from.Exec, from.Host = number(*e.From.exec), r.hosts.of(*e.From.host)
		}
		r.sched.FetchFailed(e.Time, ref, from)
	}
	return nil
}

// settle hands on what the schedulers tell until they tell nothing more.
func (r *dagRun) settle() {
	for !r.sched.Silent() || !r.dag.Silent() {
		for _, e := range r.sched.Take() {
			if e.Kind == spark.KillTask && !r.killed[e.Task] {
				r.killed[e.Task] = true
				r.out.Kills = append(r.out.Kills, e.Task)
			}
			r.dag.Handle(r.now, &e)
		}
		for _, e := range slices.Clone(r.dag.Take()) {
			r.tell(&e)
		}
	}
}

func (r *dagRun) tell(e *spark.DAGEvent) {
	switch e.Kind {
	case spark.StageTimer:
		if e.At > r.now+1 { // more than the stage's own delay
			if r.again = append(r.again, e.Stage); len(r.out.Checks) == 0 {
				r.out.Checks = []int64{e.At - r.now}
			}
			break
		}
		r.stageDue(e.Stage)
	case spark.ResubmitTimer:
		r.out.Timers = append(r.out.Timers, e.At-r.now)
	case spark.JobStarted:
		r.out.Started = append(r.out.Started, e.Job)
	case spark.JobEnded:
		r.out.Ended = append(r.out.Ended, []any{e.Job, false})
	case spark.DAGFailed:
		r.failed = true
	case spark.StageCompleted:
		r.out.Completed = append(r.out.Completed, []any{e.Stage, e.Attempt, e.Failed})
	case spark.StageSubmitted:
		tasks := 0
		if e.Set >= 0 {
			set := r.sched.Set(e.Set)
			tasks = set.Spec.Tasks
			r.out.Sets = append(r.out.Sets, []any{e.Stage, e.Attempt, set.Spec.Priority, r.tasks(&set.Spec)})
		}
		r.out.Submitted = append(r.out.Submitted, []any{e.Stage, e.Attempt, tasks})
	}
}

// stageDue submits a stage whose turn has come, once its job has been submitted.
func (r *dagRun) stageDue(stage int32) {
	if r.came[r.Stages[stage].Job] {
		r.dag.StageDue(r.now, stage)
	} else {
		r.due = append(r.due, stage)
	}
}

// tasks are the partitions of a task set with their preferred hosts.
func (r *dagRun) tasks(s *spark.TaskSetSpec) (tasks [][]any) {
	for i := range int32(s.Tasks) {
		hosts := []string{}
		if s.PrefStart != nil {
			for _, h := range s.Hosts[s.PrefStart[i]:s.PrefStart[i+1]] {
				hosts = append(hosts, r.hosts.text[h])
			}
		}
		slices.Sort(hosts)
		tasks = append(tasks, []any{s.Partition(i), hosts})
	}
	return tasks
}

// outputs notes where the output of the first stages is; those that compute a result have none.
func (r *dagRun) outputs(stages int) {
	r.out.Outputs = make([][]any, stages)
	for s := range stages {
		if r.Stages[s].Written == nil {
			continue
		}
		at := make([]any, r.Stages[s].Tasks)
		for p, exec := range r.dag.Outputs(int32(s)) {
			if exec >= 0 {
				at[p] = strconv.Itoa(int(exec))
			}
		}
		r.out.Outputs[s] = at
	}
}
