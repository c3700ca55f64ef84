package importer

import (
	"path/filepath"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// Records that do not agree with others are counted; --strict stops at the first, by its names and values.
func TestOddRecords(t *testing.T) {
	const swf = "1 0 10 100 4 -1 -1 4 200 -1 1 1 1 1 0 -1 -1 -1\n"
	for name, tt := range map[string]struct {
		format  string
		files   map[string]string
		dropped string
		want    string
	}{
		"a parent that is not there": {"alibaba-2018", map[string]string{"batch_task.csv": "M2_1,1,j,1,Terminated,1,2,50,1\n"}, "parents_that_are_not_in_the_job", "job j: M2_1 comes after"},
		"a task twice":               {"alibaba-2018", map[string]string{"batch_task.csv": "M1,1,j,1,Terminated,1,2,50,1\nM1,1,j,1,Terminated,1,2,50,1\n"}, "tasks_that_are_there_twice", "job j: task M1 is there twice, want it once"},
		"instances without a task": {"alibaba-2018", map[string]string{
			"batch_task.csv": "M1,1,j,1,Terminated,1,2,50,1\n", "batch_instance.csv": "i,M7,j,1,Terminated,1,2,m,1,1,1,1,1,1\ni,M6,j,1,Terminated,1,2,m,1,1,1,1,1,1\n",
		}, "instances_without_their_task", "job j: has instances of task M6, want a row of that task"},
		"a start while it runs": {"google-2011", map[string]string{
			"machine_events.csv": "0,1,0,p,1,1\n", "task_events.csv": "600000000,,5,0,1,0\n600000001,,5,0,1,1\n600000002,,5,0,1,1\n600000003,,5,0,1,4\n",
		}, "events_that_do_not_fit_the_one_before", "job 5, task 0: is scheduled at 600000002 µs, want the end of its run before: it runs since 600000001 µs"},
		"a task of a workflow twice": {"gwf", map[string]string{"a.gwf": "WorkflowID,JobID,SubmitTime,RunTime,NProcs,ReqNProcs,Dependencies\n0,1,0,5,1,1,\n0,1,0,5,1,1,\n"}, "tasks_with_the_id_of_another", "task 1: is there twice in its workflow"},
		"a dependency on no task":    {"gwf", map[string]string{"a.gwf": "WorkflowID,JobID,SubmitTime,RunTime,NProcs,ReqNProcs,Dependencies\n0,1,0,5,1,1,9\n"}, "parents_that_are_not_in_the_job", "task 1: comes after 9, want a task of its workflow"},
		"a dependency on no job":     {"swf", map[string]string{"log.swf": strings.Replace(swf, "0 -1 -1 -1\n", "0 -1 77 5\n", 1)}, "dependencies_on_no_earlier_application", "application 1: waits for 77, want one that is submitted before it"},
		"a location of no host": {"rumen", map[string]string{"jobs.json": `{"jobID":"x","submitTime":1700000000000,"mapTasks":[{"taskID":"t1","preferredLocations":[{"layers":["r","h"]},{"rack":"h"}]}]}`},
			"preferred_locations_without_a_host", `task t1: preferredLocations has {"rack":"h"}, want layers that end with a host`},
		"a time of a workflow": {"wfcommons", map[string]string{"a.json": `{"schemaVersion":"1.4","workflow":{"executedAt":"yesterday","tasks":[{"name":"a","runtimeInSeconds":1}]}}`},
			"times_that_are_not_readable", `a.json: workflow.executedAt is "yesterday", want a time such as 2020-04-01T10:00:00Z`},
		"a task that is not specified": {"wfcommons", map[string]string{"a.json": `{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"id":"a"}]},"execution":{"tasks":[{"id":"a","runtimeInSeconds":1},{"id":"b","runtimeInSeconds":1}]}}}`},
			"specifications_of_tasks_that_are_missing", "a.json: task b: is in workflow.execution.tasks, want it in workflow.specification.tasks too, which has its parents"},
		"a host on two racks": {"sls", map[string]string{"jobs.json": `{"job.start.ms":0,"job.queue.name":"q","job.tasks":[{"container.host":"/r1/a","duration.ms":5},{"container.host":"/r2/a","duration.ms":5}]}`},
			"racks_of_a_host_on_another_rack_before", `container.host is "/r2/a", want the rack "/r1", where the host was before`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				importtest.Write(t, filepath.Join(dir, file), text)
			}
			f := Importers[tt.format]
			res, _, err := importtest.Import(t, f, dir, nil)
			if err != nil || res.Counts.Dropped[tt.dropped] == 0 {
				t.Fatalf("%v, %+v; want %s", err, res, tt.dropped)
			}
			importtest.Refused(t, f, []string{dir}, func(o *workload.Options) { o.Strict = true }, tt.want)
		})
	}
}

// Logs and scripts in a folder of what programs of Hadoop write are passed over and counted; what is named as JSON, or given itself, is not.
func TestFoldersOfObjects(t *testing.T) {
	for name, text := range map[string]string{
		"sls":   `{"job.start.ms":0,"job.queue.name":"q","job.tasks":[{"duration.ms":5}]}`,
		"rumen": string(importtest.Read(t, filepath.Join("testdata", "rumen", "jobs.json"))),
	} {
		dir := t.TempDir()
		importtest.Write(t, filepath.Join(dir, "trace-output"), "\n "+text)
		importtest.Write(t, filepath.Join(dir, "run.log"), "done\n")
		importtest.Write(t, filepath.Join(dir, "run.sh"), "#!/bin/sh\n")
		res, _, err := importtest.Import(t, Importers[name], dir, nil)
		if err != nil || res.Trace.Jobs == 0 || res.Counts.Dropped["files_that_are_not_read"] != 2 {
			t.Errorf("%s: %+v, %v, want two files that are not read", name, res, err)
		}
		importtest.Refused(t, Importers[name], []string{filepath.Join(dir, "run.log")}, nil, `run.log: line 1: want an object, found 'd'`)
		importtest.Write(t, filepath.Join(dir, "cut.json"), text[len(text)/2:])
		importtest.Refused(t, Importers[name], []string{dir}, nil, "cut.json: line 1: want an object")
	}
}
