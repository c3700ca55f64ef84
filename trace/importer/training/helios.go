package training

import (
	"context"
	"fmt"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// Helios is the format of SenseTime's Helios traces.
//
// Source: Hu et al., Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters, SC 2021, and the README of the data.
var Helios = workload.Format{
	Usage:         "SenseTime Helios: cluster_log, jobs of Slurm with their GPUs",
	NoHosts:       true,
	NoPreferences: true,
	Detect: func(_ string, head []byte) string {
		return heliosLog.Named(head)
	},
	Read: readHelios,
}

var heliosLog = rows.Table{Name: "cluster_log", Header: true,
	Columns: []string{"job_id", "user", "vc", "gpu_num", "cpu_num", "node_num", "state", "submit_time", "start_time", "end_time", "duration", "queue"}, Absent: []string{"duration", "queue"}}

// The columns of heliosLog.
const (
	heliosJob = iota
	heliosUser
	heliosVC
	heliosGPUs
	heliosCPUs
	heliosNodes
	heliosState
	heliosSubmit
	heliosStart
	heliosEnd
)

// mostGPUs is more than a cluster has.
const mostGPUs = 1 << 20

func readHelios(ctx context.Context, inputs []string, b *workload.Builder) error {
	files, err := rows.Find(b, inputs, []*rows.Table{&heliosLog}, []string{"cluster_gpu_number"})
	if err != nil {
		return err
	}
	if len(files[heliosLog.Name]) == 0 {
		return fmt.Errorf("no file of %s among the inputs, want one: it has the jobs", heliosLog.Name)
	}
	if len(files[heliosLog.Name]) > 1 {
		b.Warn("%d logs are laid over one another as one cluster's: import them one by one if they are of clusters of their own", len(files[heliosLog.Name]))
	}
	sayClock(b)
	return heliosLog.Read(ctx, b, files[heliosLog.Name], func(r *delimited.Row) error { return heliosJobOf(b, r) })
}

// time reads a column that is a time, ms since 1970; trace.Unset = none.
func timeOf(r *delimited.Row, column int) int64 {
	ms, _, ok := instant(r.Text(column))
	if !ok {
		r.Bad(column, "a time such as 2020-06-09 18:41:01")
	}
	return ms
}

// heliosJobOf adds the job of a row: a task for each of its nodes, which have its GPUs and CPUs between them.
func heliosJobOf(b *workload.Builder, r *delimited.Row) error {
	id, user, vc := r.Name(heliosJob), r.Text(heliosUser), r.Text(heliosVC)
	gpus, cpus := r.IntOr(heliosGPUs, 0, 0, mostGPUs), r.IntOr(heliosCPUs, 0, 0, trace.MostVCores)
	nodes := r.IntOr(heliosNodes, 1, 0, mostGPUs)
	submit, start, end := timeOf(r, heliosSubmit), timeOf(r, heliosStart), timeOf(r, heliosEnd)
	switch {
	case r.Err() != nil:
	case submit == trace.Unset:
		r.Bad(heliosSubmit, "a time such as 2020-06-09 18:41:01")
	case start != trace.Unset && start < submit:
		r.Bad(heliosStart, "submit_time or later")
	case start != trace.Unset && end != trace.Unset && end < start:
		r.Bad(heliosEnd, "start_time or later")
	case end-start > trace.LongestMS || start-submit > trace.LongestMS:
		r.Bad(heliosEnd, "times of a job within a year")
	}
	if r.Err() != nil {
		return r.Err()
	}
	b.Begin()
	switch {
	case start == trace.Unset:
		b.Counts.Dropped["jobs_that_never_started"]++
		return nil
	case end == trace.Unset:
		b.Counts.Dropped["jobs_without_an_end"]++
		return nil
	}
	nodes = max(nodes, 1)
	if cpus < nodes {
		b.Counts.Defaulted["task_vcores"] += nodes
		cpus = nodes
	}
	j := containers.New(b, trace.KindGang, id, submit)
	defer j.Done()
	a := &j.App.Job
	a.RecordedStartMS, a.RecordedFinishMS = start, end
	a.RecordedOutcome = map[string]string{"COMPLETED": "success", "CANCELLED": "killed", "FAILED": "failed", "TIMEOUT": "failed", "NODE_FAIL": "failed"}[r.Text(heliosState)]
	j.App.User, j.App.Queue = user, vc
	b.Counts.Defaulted["task_memory"] += nodes
	for i := range nodes { // the first have what is left over
		size := task((gpus+nodes-1-i)/nodes, 1000*((cpus+nodes-1-i)/nodes))
		if err := j.Add("", size, trace.Unset, 1, containers.Task{DurationMS: end - start, WaitMS: start - submit}); err != nil {
			return r.Bad(heliosNodes, err.Error())
		}
	}
	app, err := j.Finish(b)
	if err != nil {
		return err
	}
	_, err = b.Add(app)
	return err
}
