package training

import (
	"context"
	"fmt"
	"math"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// Helios is the format of SenseTime's Helios traces.
//
// Source: Hu et al., Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters, SC 2021, and the README of the data.
var Helios = logFormat("SenseTime Helios: cluster_log, jobs of Slurm with their GPUs", &heliosLog, "cluster_gpu_number")

// Acme is the format of the traces of Shanghai AI Laboratory's clusters Seren and Kalos.
//
// Source: Hu et al., Characterization of Large Language Model Development in the Datacenter, NSDI 2024, and the README of the data.
var Acme = logFormat("Shanghai AI Laboratory's Acme: job_trace of the clusters Seren and Kalos, jobs with their GPUs", &acmeLog, "utilization", "cluster_summary")

// Both have the time in a queue as the column queue, and how long a job took as duration: they follow from the others, and that of Kalos has the time in the queue in it.
var (
	heliosLog = rows.Table{Name: "cluster_log", Header: true, Columns: columns("vc"), Absent: []string{"mem_per_pod_GB"}}
	acmeLog   = rows.Table{Name: "job_trace", Header: true, Columns: append(columns("type"), "gpu_time"), Absent: []string{"mem_per_pod_GB"}}
)

// columns are those of a log whose queues are in the column called so.
func columns(queue string) []string {
	return []string{"job_id", "user", queue, "gpu_num", "cpu_num", "node_num", "state", "submit_time", "start_time", "end_time", "mem_per_pod_GB"}
}

// The columns of a log.
const (
	logJob = iota
	logUser
	logQueue
	logGPUs
	logCPUs
	logNodes
	logState
	logSubmit
	logStart
	logEnd
	logMemory
)

// mostGPUs is more than a cluster has.
const mostGPUs = 1 << 20

// logFormat is a format whose jobs are the rows of logs, with other tables beside them that an import does not need.
func logFormat(usage string, log *rows.Table, unused ...string) workload.Format {
	return workload.Format{
		Usage:         usage,
		NoHosts:       true,
		NoPreferences: true,
		Detect:        func(_ string, head []byte) string { return log.Named(head) },
		Read: func(ctx context.Context, inputs []string, b *workload.Builder) error {
			files, err := rows.Find(b, inputs, []*rows.Table{log}, unused)
			if err != nil {
				return err
			}
			logs := files[log.Name]
			if len(logs) == 0 {
				return fmt.Errorf("no file of %s among the inputs, want one: it has the jobs", log.Name)
			}
			if len(logs) > 1 {
				b.Warn("%d logs are laid over one another as one cluster's: import them one by one if they are of clusters of their own", len(logs))
			}
			saying := clock{b: b}
			return log.Read(ctx, b, logs, func(r *delimited.Row) error { return logged(b, &saying, r) })
		},
	}
}

// timeOf reads a column that is a time, ms since 1970; trace.Unset = none.
func timeOf(c *clock, r *delimited.Row, column int) int64 {
	ms, ok := c.instant(r.Text(column))
	if !ok {
		r.Bad(column, wantTime)
	}
	return ms
}

const wantTime = "a time such as 2020-06-09 18:41:01"

// logged adds the job of a row: a task for each of its nodes, which have its GPUs and CPUs between them.
func logged(b *workload.Builder, c *clock, r *delimited.Row) error {
	id, user, queue := r.Name(logJob), r.Text(logUser), r.Text(logQueue)
	gpus, cpus := r.IntOr(logGPUs, 0, 0, mostGPUs), r.IntOr(logCPUs, 0, 0, trace.MostVCores)
	nodes := max(r.IntOr(logNodes, 1, 0, mostGPUs), 1)
	mem := r.FloatOr(logMemory, 0, 0, trace.MostMemMiB/1024)
	submit, start, end := timeOf(c, r, logSubmit), timeOf(c, r, logStart), timeOf(c, r, logEnd)
	switch {
	case r.Err() != nil:
	case submit == trace.Unset:
		r.Bad(logSubmit, wantTime)
	case start == trace.Unset:
	case start < submit:
		r.Bad(logStart, "submit_time or later")
	case end != trace.Unset && end < start:
		r.Bad(logEnd, "start_time or later")
	case end-start > trace.LongestMS || start-submit > trace.LongestMS:
		r.Bad(logEnd, "times of a job within a year")
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
	if cpus < nodes {
		b.Counts.Defaulted["task_vcores"] += nodes
		cpus = nodes
	}
	memMiB := int64(math.Ceil(mem * 1024))
	if memMiB == 0 {
		b.Counts.Defaulted["task_memory"] += nodes
	}
	j := containers.New(b, trace.KindGang, id, submit)
	defer j.Done()
	a := &j.App.Job
	a.RecordedStartMS, a.RecordedFinishMS = start, end
	a.RecordedOutcome = map[string]string{"COMPLETED": "success", "CANCELLED": "killed", "FAILED": "failed", "TIMEOUT": "failed", "NODE_FAIL": "failed"}[r.Text(logState)]
	j.App.User, j.App.Queue = user, queue
	for i := range nodes { // the first have what is left over
		size := task((gpus+nodes-1-i)/nodes, 1000*((cpus+nodes-1-i)/nodes), memMiB)
		if err := j.Add("", size, trace.Unset, 1, containers.Task{DurationMS: end - start, WaitMS: start - submit}); err != nil {
			return r.Bad(logNodes, err.Error())
		}
	}
	app, err := j.Finish(b)
	if err != nil {
		return err
	}
	_, err = b.Add(app)
	return err
}
