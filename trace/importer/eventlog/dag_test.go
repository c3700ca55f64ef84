package eventlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// script writes an event log: stages with their RDDs, jobs, and tasks of 100 ms that end when their stage does.
type script struct {
	strings.Builder
	task int
}

func newScript() *script {
	s := &script{}
	s.WriteString(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}
{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"yarn","spark.executor.instances":"0"}}
{"Event":"SparkListenerApplicationStart","App Name":"dag","App ID":"app-1","Timestamp":0,"User":"u"}
{"Event":"SparkListenerExecutorAdded","Timestamp":0,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":4,"Resource Profile Id":0}}
`)
	return s
}

type testStage struct {
	id, attempt int
	name        string
	rdd         int // its own
	stored      bool
	sources     []int // further RDDs of the stage, stored if negative
	parents     []int
	tasks       int
}

func ints(list []int) string {
	return strings.ReplaceAll(fmt.Sprint(list), " ", ",")
}

func (st testStage) info() string {
	rdd := func(id int, stored bool) string {
		return fmt.Sprintf(`{"RDD ID":%d,"Name":"r","Parent IDs":[],"Storage Level":{"Use Memory":%t},"Number of Partitions":%d}`, id, stored, max(st.tasks, 1))
	}
	all := rdd(st.rdd, st.stored)
	for _, r := range st.sources {
		all += "," + rdd(max(r, -r), r < 0)
	}
	return fmt.Sprintf(`"Stage ID":%d,"Stage Attempt ID":%d,"Stage Name":%q,"Number of Tasks":%d,"RDD Info":[%s],"Parent IDs":%s`, st.id, st.attempt, st.name, max(st.tasks, 1), all, ints(st.parents))
}

func (s *script) job(id int, at int64, properties string, stages ...testStage) {
	var infos []string
	var ids []int
	for _, st := range stages {
		infos = append(infos, "{"+st.info()+"}")
		ids = append(ids, st.id)
	}
	fmt.Fprintf(s, `{"Event":"SparkListenerJobStart","Job ID":%d,"Submission Time":%d,"Stage Infos":[%s],"Stage IDs":%s,"Properties":{%s}}`+"\n", id, at, strings.Join(infos, ","), ints(ids), properties)
}

func (s *script) end(job int, at int64) {
	fmt.Fprintf(s, `{"Event":"SparkListenerJobEnd","Job ID":%d,"Completion Time":%d,"Job Result":{"Result":"JobSucceeded"}}`+"\n", job, at)
}

// run submits a stage, runs its tasks and completes it.
func (s *script) run(st testStage, from, to int64) {
	fmt.Fprintf(s, `{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":%d,%s}}`+"\n", from, st.info())
	for i := range max(st.tasks, 1) {
		s.attempt(st, i, to-100, to, "Success", "PROCESS_LOCAL")
	}
	fmt.Fprintf(s, `{"Event":"SparkListenerStageCompleted","Stage Info":{"Completion Time":%d,%s}}`+"\n", to, st.info())
}

func (s *script) attempt(st testStage, index int, launch, finish int64, reason, locality string) {
	info := fmt.Sprintf(`"Task ID":%d,"Index":%d,"Partition ID":%d,"Launch Time":%d,"Executor ID":"1","Host":"h1","Locality":%q`, s.task, index, index, launch, locality)
	fmt.Fprintf(s, `{"Event":"SparkListenerTaskStart","Stage ID":%d,"Stage Attempt ID":%d,"Task Info":{%s}}`+"\n", st.id, st.attempt, info)
	fmt.Fprintf(s, `{"Event":"SparkListenerTaskEnd","Stage ID":%d,"Stage Attempt ID":%d,"Task Type":"ResultTask","Task End Reason":{"Reason":%q},"Task Info":{%s,"Finish Time":%d,"Failed":%t},"Task Metrics":{"Executor Run Time":%d,"Executor Deserialize Time":0,"Result Serialization Time":0}}`+"\n",
		st.id, st.attempt, reason, info, finish, reason != "Success", finish-launch)
	s.task++
}

// stagesOf imports the log and returns its stages.
func stagesOf(t *testing.T, s *script) ([]trace.Stage, *workload.Result) {
	t.Helper()
	s.WriteString(`{"Event":"SparkListenerApplicationEnd","Timestamp":100000}` + "\n")
	res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", s.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m.JobList[0].Stages, res
}

func checkStages(t *testing.T, got []trace.Stage, want ...string) {
	t.Helper()
	var lines []string
	for _, s := range got {
		line := fmt.Sprintf("%s parents %v after %v delay %d job %d", s.ExternalID, s.Parents, s.After, s.DelayMS, s.SparkJob)
		if s.CacheOf != trace.Unset {
			line += fmt.Sprintf(" cache of %d", s.CacheOf)
		}
		lines = append(lines, line)
	}
	if !slices.Equal(lines, want) {
		t.Errorf("stages are\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestSkippedStages(t *testing.T) {
	s := newScript()
	m0 := testStage{id: 0, name: "map", rdd: 1}
	r1 := testStage{id: 1, name: "reduce", rdd: 2, parents: []int{0}}
	s.job(0, 1000, "", m0, r1)
	s.run(m0, 1000, 2000)
	s.run(r1, 2005, 3000)
	s.end(0, 3001)
	// Stage 2 has the RDD of stage 0 and is skipped; stage 4's RDD never ran, and so its parent 3 counts, which is stage 1's.
	skipped2 := testStage{id: 2, name: "map", rdd: 1}
	skipped3 := testStage{id: 3, name: "reduce", rdd: 2, parents: []int{2}}
	unknown4 := testStage{id: 4, name: "lost", rdd: 77, parents: []int{3}}
	r5 := testStage{id: 5, name: "collect", rdd: 5, parents: []int{2, 4}}
	s.job(1, 4000, "", skipped2, skipped3, unknown4, r5)
	s.run(r5, 4010, 5000)
	s.end(1, 5001)
	got, _ := stagesOf(t, s)
	checkStages(t, got,
		"0 parents [] after [] delay 1000 job 0",
		"1 parents [0] after [] delay 5 job 0",
		"5 parents [0 1] after [] delay 1010 job 1")
}

func TestOneRDDWithTwoShuffles(t *testing.T) {
	s := newScript()
	a := testStage{id: 0, name: "by key", rdd: 1}
	b := testStage{id: 1, name: "by value", rdd: 1}
	s.job(0, 0, "", a, b)
	s.run(a, 0, 1000)
	s.run(b, 0, 1500)
	s.end(0, 1500)
	skipped := testStage{id: 2, name: "by value", rdd: 1}
	c := testStage{id: 3, name: "collect", rdd: 3, parents: []int{2}}
	s.job(1, 1600, "", skipped, c)
	s.run(c, 1600, 2000)
	s.end(1, 2000)
	got, _ := stagesOf(t, s)
	checkStages(t, got, "0 parents [] after [] delay 0 job 0", "1 parents [] after [] delay 0 job 0", "3 parents [1] after [] delay 100 job 1")
}

func TestJobOrder(t *testing.T) {
	s := newScript()
	st := func(id int) testStage { return testStage{id: id, name: "s", rdd: id} }
	sql := func(n int) string { return fmt.Sprintf(`"spark.sql.execution.id":"%d"`, n) }
	s.job(0, 1000, sql(1), st(0))
	s.job(1, 1001, sql(1), st(1)) // a sibling exchange: waits for nothing
	s.run(st(0), 1000, 2000)
	s.end(0, 2000)
	s.job(2, 2500, sql(2), st(2)) // another query: after the last job that ended
	s.run(st(1), 1001, 2600)
	s.end(1, 2600)
	s.run(st(2), 2500, 2700)
	s.end(2, 2700)
	s.job(3, 2800, sql(1), st(3)) // of the first query: job 1 was its last, though job 2 ended later
	s.run(st(3), 2800, 2900)
	s.end(3, 2900)
	s.job(4, 3000, `"spark.jobGroup.id":"g"`, st(4))
	s.run(st(4), 3000, 3100)
	s.end(4, 3100)
	s.job(5, 3150, "", st(5))
	s.run(st(5), 3150, 3200)
	s.end(5, 3200)
	s.job(6, 3300, `"spark.jobGroup.id":"g"`, st(6)) // of the group of job 4
	s.run(st(6), 3300, 3400)
	s.end(6, 3400)
	got, _ := stagesOf(t, s)
	checkStages(t, got,
		"0 parents [] after [] delay 1000 job 0",
		"1 parents [] after [] delay 1001 job 1",
		"2 parents [] after [0] delay 500 job 2",
		"3 parents [] after [1] delay 200 job 3",
		"4 parents [] after [3] delay 100 job 4",
		"5 parents [] after [4] delay 50 job 5",
		"6 parents [] after [4] delay 200 job 6")
}

// A stage of which no task ran leaves its time before what waited for it, and before the end, and its place to what it had waited for.
func TestStagesWithoutATask(t *testing.T) {
	s := newScript()
	none := func(st testStage, from, to int64) {
		fmt.Fprintf(s, `{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":%d,%s}}`+"\n", from, st.info())
		fmt.Fprintf(s, `{"Event":"SparkListenerStageCompleted","Stage Info":{"Completion Time":%d,%s}}`+"\n", to, st.info())
	}
	first, empty, reader, last := testStage{id: 0, rdd: 0}, testStage{id: 1, rdd: 1}, testStage{id: 2, rdd: 2, parents: []int{1}}, testStage{id: 3, rdd: 3}
	s.job(0, 1000, "", first)
	s.run(first, 1000, 2000)
	s.end(0, 2000)
	s.job(1, 2100, "", empty, reader)
	none(empty, 2100, 2900)
	s.run(reader, 3000, 3500)
	s.end(1, 3500)
	s.job(2, 3600, "", last)
	none(last, 3600, 99_000)
	s.end(2, 99_000)
	s.WriteString(`{"Event":"SparkListenerApplicationEnd","Timestamp":100000}` + "\n")
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", s.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	checkStages(t, m.JobList[0].Stages, "0 parents [] after [] delay 1000 job 0", "2 parents [] after [0] delay 1000 job 1")
	if tail := m.JobList[0].TailMS; tail != 96_500 {
		t.Errorf("after the last stage come %d ms, want 96500", tail)
	}
}

func TestCachedInput(t *testing.T) {
	s := newScript()
	maker := testStage{id: 0, name: "count", rdd: 5, stored: true, tasks: 3}
	s.job(0, 0, "", maker)
	s.run(maker, 0, 1000)
	s.end(0, 1000)
	user := testStage{id: 1, name: "count", rdd: 6, sources: []int{-5, 4}, tasks: 3}
	s.job(1, 1100, "", user)
	s.run(user, 1100, 2000)
	s.end(1, 2000)
	s.WriteString(`{"Event":"SparkListenerUnpersistRDD","RDD ID":5}` + "\n")
	later := testStage{id: 2, name: "count", rdd: 7, sources: []int{-5}, tasks: 3}
	s.job(2, 2100, "", later) // the blocks are gone: it makes them again
	s.run(later, 2100, 3000)
	s.end(2, 3000)
	got, res := stagesOf(t, s)
	checkStages(t, got,
		"0 parents [] after [] delay 0 job 0",
		"1 parents [] after [0] delay 100 job 1 cache of 0",
		"2 parents [] after [1] delay 100 job 2")
	if n := res.Counts.Modelled["stages_with_cached_input"]; n != 1 {
		t.Errorf("%d stages with cached input counted", n)
	}
}

// A stage that is skipped at first and runs later, because its output was lost, is no work of the plan.
func TestLostOutput(t *testing.T) {
	s := newScript()
	m := testStage{id: 0, name: "map", rdd: 1, tasks: 4}
	s.job(0, 0, "", m)
	s.run(m, 0, 1000)
	s.end(0, 1000)
	again := testStage{id: 1, attempt: 1, name: "map", rdd: 1, tasks: 2}
	r := testStage{id: 2, name: "reduce", rdd: 2, parents: []int{1}, tasks: 2}
	s.job(1, 1100, "", testStage{id: 1, name: "map", rdd: 1, tasks: 4}, r)
	fmt.Fprintf(s, `{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":1100,%s}}`+"\n", r.info())
	s.attempt(r, 0, 1110, 1200, "FetchFailed", "NODE_LOCAL")
	s.run(again, 1300, 1500)
	r.attempt = 1
	s.run(r, 1510, 2000)
	s.end(1, 2000)
	got, res := stagesOf(t, s)
	checkStages(t, got, "0 parents [] after [] delay 0 job 0", "2 parents [0] after [] delay 100 job 1")
	if c := res.Counts; c.Dropped["tasks_run_again_for_lost_output"] != 2 || c.Read["stage_attempts"] != 4 || c.Read["stages"] != 3 {
		t.Errorf("read %v, dropped %v", c.Read, c.Dropped)
	}
	if got[1].Tasks.Len() != 2 || got[1].Tasks.Retries != nil {
		t.Errorf("tasks of the reduce stage are %+v: a fetch failure is no retry of the task", got[1].Tasks)
	}
}

func TestTaskAttempts(t *testing.T) {
	s := newScript()
	st := testStage{id: 0, name: "s", rdd: 1, tasks: 6}
	s.job(0, 0, "", st)
	fmt.Fprintf(s, `{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":0,%s}}`+"\n", st.info())
	s.attempt(st, 0, 0, 50, "ExceptionFailure", "PROCESS_LOCAL")
	s.attempt(st, 0, 60, 90, "ExceptionFailure", "PROCESS_LOCAL")
	s.attempt(st, 0, 100, 400, "Success", "PROCESS_LOCAL")
	s.attempt(st, 0, 200, 900, "Success", "PROCESS_LOCAL") // a copy that also ended: the first success counts
	s.attempt(st, 1, 0, 70, "TaskKilled", "PROCESS_LOCAL")
	s.attempt(st, 1, 0, 80, "Success", "PROCESS_LOCAL")
	s.attempt(st, 2, 0, 30, "ExecutorLostFailure", "PROCESS_LOCAL")
	s.attempt(st, 2, 0, 20, "ExecutorLostFailure", "PROCESS_LOCAL") // no success: the longest attempt
	s.attempt(st, 3, 0, 200, "Success", "PROCESS_LOCAL")
	s.attempt(st, 3, 100, 205, "TaskCommitDenied", "PROCESS_LOCAL") // a copy that came too late has not failed by itself
	s.attempt(st, 5, 0, 100, "Success", "PROCESS_LOCAL")            // task 4 was lost from the log
	fmt.Fprintf(s, `{"Event":"SparkListenerStageCompleted","Stage Info":{"Completion Time":1000,%s}}`+"\n", st.info())
	s.end(0, 1000)
	got, res := stagesOf(t, s)
	tasks := &got[0].Tasks
	if d := fmt.Sprint(tasks.DurationMS, tasks.Retries); d != "[300 80 30 200 100 100] [2 0 0 0 0 0]" {
		t.Errorf("durations and retries are %s", d)
	}
	if m := res.Counts.Modelled; m["durations_of_tasks_without_success"] != 1 || m["durations_of_lost_tasks"] != 1 {
		t.Errorf("modelled %v", m)
	}
}
