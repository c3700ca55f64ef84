package alibaba

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// GPU2020 is the format of cluster-trace-gpu-v2020.
var GPU2020 = workload.Format{
	Usage:         "Alibaba cluster-trace-gpu-v2020 (PAI): pai_job_table, pai_task_table, pai_instance_table, pai_machine_spec",
	NoPreferences: true,
	Detect:        detect2020,
	Read:          read2020,
}

var (
	paiJob      = rows.Table{Name: "pai_job_table", Columns: []string{"job_name", "inst_id", "user", "status", "start_time", "end_time"}, Least: 4, Number: 4}
	paiTask     = rows.Table{Name: "pai_task_table", Columns: []string{"job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem", "plan_gpu", "gpu_type"}, Least: 8, Number: 2}
	paiInstance = rows.Table{Name: "pai_instance_table", Columns: []string{"job_name", "task_name", "inst_name", "worker_name", "inst_id", "status", "start_time", "end_time", "machine"}, Least: 8, Number: 6}
	paiMachine  = rows.Table{Name: "pai_machine_spec", Columns: []string{"machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"}, Least: 4, Number: 2}
)

const gib = 1024 // MiB

func read2020(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	files, err := rows.Find(b, inputs, []*rows.Table{&paiJob, &paiTask, &paiInstance, &paiMachine}, []string{"pai_sensor_table", "pai_group_tag_table", "pai_machine_metric"})
	if err != nil {
		return err
	}
	for name, list := range files { // the names of columns, in files of their own
		files[name] = list[:0]
		for _, f := range list {
			if !strings.HasSuffix(workload.BaseName(f), ".header") {
				files[name] = append(files[name], f)
			}
		}
	}
	if len(files[paiTask.Name]) == 0 {
		return errors.New("no file of pai_task_table among the inputs, want one: it has what jobs ask for")
	}
	if err := errNoNodes(b, len(files[paiMachine.Name])+len(files[paiInstance.Name]) > 0, "pai_machine_spec or pai_instance_table"); err != nil {
		return err
	}
	b.NoEpoch = true
	jobs := newJobRows()
	defer func() { err = errors.Join(err, jobs.Close()) }()
	if err := paiJob.Read(ctx, b, files[paiJob.Name], func(r *delimited.Row) error {
		return jobs.add(r, 0, &owner{r.Text(2), statusOf(r.Text(3)), begun(r, 4, 0)})
	}); err != nil {
		return err
	}
	if err := paiTask.Read(ctx, b, files[paiTask.Name], func(r *delimited.Row) error {
		t := task{
			name: r.Name(1), n: r.IntOr(2, unknown, 0, mostInstances), status: statusOf(r.Text(3)), start: begun(r, 4, 0), end: r.IntOr(5, 0, earliest, latest),
			milli: planned(r.FloatOr(6, 0, 0, 100*trace.MostVCores) * 10), memMiB: plannedMiB(r.FloatOr(7, 0, 0, trace.MostMemMiB/gib), gib), gpuMilli: planned(r.FloatOr(8, 0, 0, 1<<30) * 10),
		}
		return jobs.add(r, 0, &t)
	}); err != nil {
		return err
	}
	hosts := machines{}
	if err := paiInstance.Read(ctx, b, files[paiInstance.Name], func(r *delimited.Row) error {
		i := instance{
			task: r.Name(1), name: r.Text(2), status: statusOf(r.Text(5)), start: begun(r, 6, 0), end: r.IntOr(7, 0, earliest, latest), machine: r.Text(8),
		}
		hosts.add(i.machine)
		return jobs.add(r, 0, &i)
	}); err != nil {
		return err
	}
	if len(files[paiMachine.Name]) == 0 {
		hosts.nodes(b, 0, 0)
	}
	seen := machines{}
	if err := paiMachine.Read(ctx, b, files[paiMachine.Name], func(r *delimited.Row) error {
		return rows.AddMachine(b, r, seen, int32(r.Int(2, 0, trace.MostVCores)), gib*r.Int(3, 0, trace.MostMemMiB/gib),
			trace.NamedValue{Name: containers.GPUMilli, Value: 1000 * r.IntOr(4, 0, 0, 1<<20)}, r.Text(1))
	}); err != nil {
		return err
	}
	together := func(*containers.Job, []*task) {}
	return jobs.applications(ctx, b, trace.KindGang, together)
}

// detect2020 knows the tables by their names.
func detect2020(name string, head []byte) string {
	for _, t := range []rows.Table{paiJob, paiTask, paiInstance, paiMachine} {
		if strings.Contains(name, t.Name) && bytes.Count(head, []byte(",")) > 0 && !strings.HasSuffix(name, ".header") {
			return "the name of a table, " + t.Name
		}
	}
	return ""
}
