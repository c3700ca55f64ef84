package rumen

import (
	"fmt"
	"strings"

	"replay/trace"
	"replay/trace/importer/mapreduce"
	"replay/trace/importer/objects"
	"replay/trace/importer/workload"
)

// job adds a job.
func (r *reading) job(j *job, place string) error {
	r.Counts.Read["jobs"]++
	drop := func(format string, args ...any) error {
		return r.Drop("jobs_that_say_something_else", "%s: job %s: %w", place, j.text["jobID"], fmt.Errorf(format, args...))
	}
	times := map[string]int64{}
	for _, name := range []string{"submitTime", "launchTime", "finishTime"} {
		text := j.text[name]
		if text == "" {
			text = "-1"
		}
		n, err := objects.WholeOf(text)
		if err != nil || n < -1 || n > 2*trace.LatestMS {
			return drop("%s is %q, want ms since 1970, or -1", name, j.text[name])
		}
		times[name] = n
	}
	submit := times["submitTime"]
	if submit < 0 {
		return drop("submitTime is %q, want ms since 1970", j.text["submitTime"])
	}
	r.Begin()
	property := func(key string) string { return j.properties[key] }
	a := &workload.Application{Job: *trace.NewJob(trace.KindMapReduce), User: j.text["user"], Queue: j.text["queue"]}
	job := &a.Job
	job.ExternalID, job.Name, job.SubmitMS = j.text["jobID"], j.text["jobName"], submit
	job.Priority = mapreduce.Priority(j.text["priority"], r.Counts)
	job.RecordedOutcome = mapreduce.Outcome(j.text["outcome"])
	if text := j.text["outcome"]; text != "" && job.RecordedOutcome == "censored" {
		r.Counts.Defaulted["outcomes_other_than_success_failed_or_killed"]++
	}
	if n := times["launchTime"]; n >= submit {
		job.RecordedStartMS = n
	} else if n >= 0 {
		r.Counts.Dropped["launches_before_the_submission"]++
	}
	if n := times["finishTime"]; n >= max(job.RecordedStartMS, submit) {
		job.RecordedFinishMS = n
	} else if n >= 0 {
		r.Counts.Dropped["ends_before_the_launch"]++
	}
	master := mapreduce.Master(property)
	job.AMMemMiB, job.AMVCores = master.MemMiB, master.VCores
	if job.AMMemMiB == 0 {
		job.AMMemMiB = mapreduce.MasterMiB
		r.Counts.Defaulted["memory_of_application_masters"]++
	}
	if job.AMVCores == 0 {
		job.AMVCores = 1
		r.Counts.Defaulted["vcores_of_application_masters"]++
	}
	mapreduce.Conf(job, property)
	if j.depends {
		r.Counts.Dropped["dependencies_between_jobs"]++
	}
	lastMap := int64(0)
	for _, t := range j.tasks[mapreduce.Map] {
		if t.Done != nil {
			lastMap = max(lastMap, t.Done.Finish)
		}
	}
	for kind, list := range j.tasks {
		if len(list) == 0 {
			continue
		}
		tasks, read := make([]mapreduce.Task, len(list)), false
		for i, t := range list {
			tasks[i] = t.Task
			read = read || kind == mapreduce.Map && t.InputBytes > 0
		}
		st, _ := mapreduce.Stage(r.Counts, a, kind, r.size(j, kind, int64(len(list))), tasks, lastMap)
		if read {
			a.ReadFile(&st, "input", false)
		}
		job.Stages = append(job.Stages, st)
	}
	if len(job.Stages) == 1 {
		job.Stages[0].Kind, job.Stages[0].Parents = trace.StageInput, nil
	}
	_, err := r.Add(a)
	return err
}

// size is that of the containers of a kind of task by the job's configuration, whose memory.mb has a member of its own, too.
func (r *reading) size(j *job, kind int, tasks int64) mapreduce.Size {
	name, word := [...]string{"jobMapMB", "jobReduceMB"}[kind], [...]string{"map", "reduce"}[kind]
	s := mapreduce.OfTask(func(key string) string {
		if text := strings.TrimSuffix(j.text[name], ".0"); key == "mapreduce."+word+".memory.mb" && mapreduce.Number(text, 0) > 0 {
			return text
		}
		return j.properties[key]
	}, word)
	if s.MemMiB == 0 {
		s.MemMiB = 1024
		r.Counts.Defaulted["memory_of_tasks"] += tasks
	}
	if s.VCores == 0 {
		s.VCores = 1
		r.Counts.Defaulted["vcores_of_tasks"] += tasks
	}
	return s
}
