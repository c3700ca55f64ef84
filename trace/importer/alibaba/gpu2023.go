package alibaba

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// GPU2023 is the format of cluster-trace-gpu-v2023, "openb".
var GPU2023 = workload.Format{
	Usage:         "Alibaba cluster-trace-gpu-v2023 (openb): node and pod lists",
	NoPreferences: true,
	Detect:        detect2023,
	Read:          read2023,
}

var (
	nodeList = rows.Table{Name: "node_list", Columns: []string{"sn", "cpu_milli", "memory_mib", "gpu", "model"}, Header: true}
	podList  = rows.Table{Name: "pod_list", Columns: []string{"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase", "creation_time", "deletion_time", "scheduled_time"}, Header: true, Absent: []string{"gpu_spec", "qos", "pod_phase"}}
)

func read2023(ctx context.Context, inputs []string, b *workload.Builder) error {
	files, err := rows.Find(b, inputs, []*rows.Table{&nodeList, &podList}, nil)
	if err != nil {
		return err
	}
	if len(files[podList.Name]) == 0 {
		return errors.New("no pod_list among the inputs, want one")
	}
	if err := errNoNodes(b, len(files[nodeList.Name]) > 0, "a node_list"); err != nil {
		return err
	}
	files[podList.Name] = withTimes(b, files[podList.Name])
	b.NoEpoch = true
	seen := map[string]bool{}
	if err := nodeList.Read(ctx, b, files[nodeList.Name], func(r *delimited.Row) error { return addNode(b, r, seen) }); err != nil {
		return err
	}
	seen = nil // pods of one list that have the same name are told apart; of several lists, which are variants, the first that has a pod
	if len(files[podList.Name]) > 1 {
		seen = map[string]bool{}
	}
	return podList.Read(ctx, b, files[podList.Name], func(r *delimited.Row) error { return addPod(b, r, seen) })
}

// withTimes are the lists of pods among files that say when these came, where any does: the publishers have others beside them, for simulators that need no times.
func withTimes(b *workload.Builder, files []string) []string {
	var with, without []string
	for _, path := range files {
		if head, err := workload.Head(path); err == nil && podList.Named(head) == "" {
			without = append(without, filepath.Base(path))
		} else {
			with = append(with, path)
		}
	}
	if len(with) == 0 {
		return files
	}
	b.PassOver("not read, as it does not say when its pods came", without)
	return with
}

func addNode(b *workload.Builder, r *delimited.Row, seen map[string]bool) error {
	return rows.AddMachine(b, r, seen, int32(r.Int(1, 0, 1000*trace.MostVCores)/1000), r.Int(2, 0, trace.MostMemMiB),
		trace.NamedValue{Name: containers.GPUMilli, Value: 1000 * r.IntOr(3, 0, 0, 1<<20)}, r.Text(4))
}

// addPod makes a job with one task of a pod, unless it was seen. One that was never scheduled ran for no time that is known.
func addPod(b *workload.Builder, r *delimited.Row, seen map[string]bool) error {
	size := containers.Size{MilliVCores: r.Int(1, 0, 1000*trace.MostVCores), MemMiB: r.Int(2, 0, trace.MostMemMiB)}
	name, gpus, share := r.Name(0), r.IntOr(3, 0, 0, 1<<20), r.IntOr(4, -1, 0, 1000)
	created, deleted, scheduled := r.Int(8, 0, latest), r.IntOr(9, -1, 0, latest), r.IntOr(10, -1, 0, latest)
	if seen[name] {
		r.Bad(0, "a name that no row before has")
	}
	if scheduled >= 0 && scheduled < created {
		r.Bad(10, fmt.Sprintf("creation_time (%d) or more", created))
	}
	if scheduled >= 0 && deleted >= 0 && deleted < scheduled {
		r.Bad(9, fmt.Sprintf("scheduled_time (%d) or more", scheduled))
	}
	if r.Err() != nil {
		return r.Err()
	}
	if seen != nil {
		seen[name] = true
	}
	switch {
	case scheduled < 0:
		b.Counts.Dropped["pods_that_were_never_scheduled"]++
		return nil
	case deleted < 0:
		b.Counts.Dropped["pods_without_an_end"]++
		return nil
	}
	if r.Text(5) != "" {
		b.Counts.Dropped["constraints_on_the_model_of_gpus"]++
	}
	b.Begin()
	if gpus > 0 && share < 0 {
		share = 1000
		b.Counts.Defaulted["shares_of_gpus"] += gpus
	}
	if gpus > 0 {
		size.Extra = trace.NamedValue{Name: containers.GPUMilli, Value: gpus * share}
	}
	j := containers.New(b, trace.KindGeneric, name, 1000*created)
	defer j.Done()
	a := &j.App.Job
	a.RecordedStartMS, a.RecordedFinishMS = 1000*scheduled, 1000*deleted
	a.RecordedOutcome = map[string]string{"Succeeded": "success", "Failed": "failed", "Running": "censored"}[r.Text(7)]
	j.App.Queue = r.Text(6)
	ms, wait := 1000*(deleted-scheduled), 1000*(scheduled-created)
	if ms > trace.LongestMS || wait > trace.LongestMS {
		return r.Bad(9, "times of a pod within a year")
	}
	if err := j.Add("", size, trace.Unset, 1, containers.Task{DurationMS: ms, WaitMS: wait}); err != nil {
		return err
	}
	app, err := j.Finish(b)
	if err != nil {
		return err
	}
	_, err = b.Add(app)
	return err
}

// detect2023 knows the headers.
func detect2023(_ string, head []byte) string {
	has := delimited.First(head)
	if how := nodeList.Named(head); how != "" || slices.Contains(has, "num_gpu") && slices.Contains(has, "gpu_milli") {
		return cmp.Or(how, "a header with the columns of "+podList.Name)
	}
	return ""
}
