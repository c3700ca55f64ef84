package eventlog

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
)

// lostOutput is the log of an application whose map output is lost with executor 1. Its reducers 0 and 1 are done, reducer 2 can not fetch, and 3 was never
// launched; what executor 1 had is made again, by a stage of another number, and then the rest.
func lostOutput(removed bool) string {
	s := newScript()
	task := func(id, stage, attempt, index, partition, executor int, kind, reason string) {
		at := 1000 + 100*id
		info := fmt.Sprintf(`"Task ID":%d,"Index":%d,"Attempt":0,"Partition ID":%d,"Launch Time":%d,"Executor ID":"%d","Host":"h%d","Locality":"ANY"`, id, index, partition, at, executor, executor)
		fmt.Fprintf(s, `{"Event":"SparkListenerTaskStart","Stage ID":%d,"Stage Attempt ID":%d,"Task Info":{%s}}`+"\n", stage, attempt, info)
		fmt.Fprintf(s, `{"Event":"SparkListenerTaskEnd","Stage ID":%d,"Stage Attempt ID":%d,"Task Type":"%s","Task End Reason":{%s},"Task Info":{%s,"Finish Time":%d},"Task Metrics":{"Executor Run Time":%d}}`+"\n",
			stage, attempt, kind, reason, info, at+50, 10+id)
	}
	stage := func(event string, id, attempt, tasks int, at int) {
		rdd, parents := 1+id%2, `[]`
		if id%2 == 1 {
			parents = fmt.Sprint("[", id-1, "]")
		}
		fmt.Fprintf(s, `{"Event":"SparkListenerStage%s","Stage Info":{"Stage ID":%d,"Stage Attempt ID":%d,"Stage Name":"s","Number of Tasks":%d,"RDD Info":[{"RDD ID":%d,"Name":"r","Parent IDs":[],"Number of Partitions":4}],"Parent IDs":%s,"Submission Time":%d,"Completion Time":%d}}`+"\n",
			event, id, attempt, tasks, rdd, parents, at, at)
	}
	job := func(id, first, at int) {
		fmt.Fprintf(s, `{"Event":"SparkListenerJobStart","Job ID":%d,"Submission Time":%d,"Stage Infos":[],"Stage IDs":[%d,%d]}`+"\n", id, at, first, first+1)
	}
	end := func(id, at int) {
		fmt.Fprintf(s, `{"Event":"SparkListenerJobEnd","Job ID":%d,"Completion Time":%d,"Job Result":{"Result":"JobSucceeded"}}`+"\n", id, at)
	}
	const done, failed = `"Reason":"Success"`, `"Reason":"FetchFailed","Block Manager Address":{"Executor ID":"1","Host":"h1","Port":7337},"Shuffle ID":0,"Map ID":0`
	job(0, 0, 1000)
	stage("Submitted", 0, 0, 4, 1000)
	for i := range 4 {
		task(i, 0, 0, i, i, 1+i%2, "ShuffleMapTask", done)
	}
	stage("Completed", 0, 0, 4, 1400)
	end(0, 1400)
	job(1, 2, 1400)
	stage("Submitted", 3, 0, 4, 1400)
	task(4, 3, 0, 0, 0, 2, "ResultTask", done)
	task(5, 3, 0, 1, 1, 2, "ResultTask", done)
	if removed {
		s.WriteString(`{"Event":"SparkListenerExecutorRemoved","Timestamp":1700,"Executor ID":"1","Removed Reason":"lost"}` + "\n")
		task(6, 3, 0, 2, 2, 2, "ResultTask", `"Reason":"UnknownReason"`)
	} else {
		task(6, 3, 0, 2, 2, 2, "ResultTask", failed)
	}
	stage("Submitted", 2, 1, 2, 1700)
	task(7, 2, 1, 0, 0, 2, "ShuffleMapTask", done)
	task(8, 2, 1, 1, 2, 2, "ShuffleMapTask", done)
	stage("Completed", 2, 1, 2, 1900)
	stage("Submitted", 3, 1, 2, 1900)
	task(9, 3, 1, 0, 2, 2, "ResultTask", done)
	task(10, 3, 1, 1, 3, 2, "ResultTask", done)
	stage("Completed", 3, 1, 2, 2100)
	end(1, 2100)
	s.WriteString(`{"Event":"SparkListenerApplicationEnd","Timestamp":3000}` + "\n")
	return s.String()
}

// Before Spark 3.3 tasks of later attempts of a stage do not name their partitions: they are those without an output, of which some were lost with an executor
// or were never computed.
func TestPartitionsOfLaterAttempts(t *testing.T) {
	for name, log := range map[string]string{"fetch failed": lostOutput(false), "executor removed": lostOutput(true)} {
		old := regexp.MustCompile(`"Partition ID":[0-9]+,`).ReplaceAllString(log, "")
		want, _ := attemptsOf(t, log, nil)
		got, m := attemptsOf(t, old, nil)
		if text := fmt.Sprint(got); text != fmt.Sprint(want) || strings.Count(text, "success") != 10 {
			t.Errorf("%s: attempts are %v\nwant %v", name, got, want)
		}
		if d := m.JobList[0].Stages[1].Tasks.DurationMS; fmt.Sprint(d) != "[14 15 19 20]" {
			t.Errorf("%s: durations are %v", name, d)
		}
		res, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", old), nil)
		if n := res.Counts.Dropped["task_events_of_unknown_partition"] + res.Counts.Dropped["tasks_never_launched"]; err != nil || n != 0 {
			t.Errorf("%s: %v, dropped %v", name, err, res.Counts.Dropped)
		}
	}
}

// A barrier stage computes all of its partitions again, also those that were done.
func TestPartitionsOfBarrierStages(t *testing.T) {
	lines := strings.SplitAfter(logText, "\n")
	failed := strings.NewReplacer(`{"Reason":"Success"}`, `{"Reason":"UnknownReason"}`)
	again := strings.NewReplacer(`"Stage Attempt ID":0`, `"Stage Attempt ID":1`, `"Task ID":0`, `"Task ID":7`, `"Task ID":1,`, `"Task ID":8,`)
	var log []string
	log = append(log, lines[:9]...)
	log = append(log, failed.Replace(lines[9]))
	for _, l := range lines[5:10] { // the stage and its two tasks
		log = append(log, again.Replace(l))
	}
	text := strings.Join(append(log, lines[10:]...), "")
	want, _ := attemptsOf(t, text, nil)
	got, _ := attemptsOf(t, regexp.MustCompile(`"Partition ID":[0-9]+,`).ReplaceAllString(text, ""), nil)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got[0]) != 4 {
		t.Errorf("attempts are %v\nwant %v", got, want)
	}
}

func TestRetryOfManyPartitions(t *testing.T) {
	r := retry{tasks: 1<<31 - 5, made: []int32{0, 6, 7, 10}}
	for index, want := range map[int32]int32{0: 1, 4: 5, 5: 8, 6: 9, 7: 11, 1<<31 - 6: 1<<31 - 2} {
		if got, ok := r.partition(index); !ok || got != want {
			t.Errorf("partition of index %d is %d, want %d", index, got, want)
		}
	}
	if _, ok := r.partition(1<<31 - 5); ok {
		t.Error("there is one task more than the attempt has")
	}
}

// What waited for a job whose end the log lost waits for its last stage, and an executor goes with the tasks that were lost with it.
func TestLostEndsOfJobsAndExecutors(t *testing.T) {
	read := func(text string, modelled string) string {
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if modelled != "" && res.Counts.Modelled[modelled] != 1 {
			t.Errorf("modelled %v, want one of %s", res.Counts.Modelled, modelled)
		}
		j := m.JobList[0]
		s := j.Stages[len(j.Stages)-1]
		return fmt.Sprint(j.RecordedOutcome, s.Parents, s.After, s.DelayMS, m.ExecutorList[0].RemovedMS)
	}
	log := newScript()
	first, second := testStage{id: 0, name: "a", rdd: 1, tasks: 2}, testStage{id: 1, name: "b", rdd: 2, tasks: 2}
	log.job(0, 100, "", first)
	log.run(first, 100, 900)
	log.end(0, 900)
	log.job(1, 1500, "", second)
	log.run(second, 1500, 2000)
	log.end(1, 2000)
	log.WriteString(`{"Event":"SparkListenerApplicationEnd","Timestamp":3000}` + "\n")
	want := read(log.String(), "")
	if got := read(regexp.MustCompile(`(?m)^.*SparkListenerJobEnd","Job ID":0.*\n`).ReplaceAllString(log.String(), ""), "ends_of_spark_jobs"); got != want || !strings.Contains(want, "[0] 600") {
		t.Errorf("without the end of the first job: %s, want %s", got, want)
	}
	lost := strings.Replace(lostOutput(true), `"Reason":"UnknownReason"`, `"Reason":"ExecutorLostFailure"`, 1)
	lost = strings.Replace(lost, `"Executor ID":"2","Host":"h2","Locality":"ANY","Finish Time":1650`, `"Executor ID":"1","Host":"h1","Locality":"ANY","Finish Time":1700`, 1)
	want = read(lost, "")
	if got := read(regexp.MustCompile(`(?m)^.*SparkListenerExecutorRemoved.*\n`).ReplaceAllString(lost, ""), "removals_of_lost_executors"); got != want || !strings.HasSuffix(want, " 1700") {
		t.Errorf("without the removal of the executor: %s, want %s", got, want)
	}
}
