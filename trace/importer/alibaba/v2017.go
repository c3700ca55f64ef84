package alibaba

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// V2017 is the format of cluster-trace-v2017.
var V2017 = workload.Format{
	Usage:         "Alibaba cluster-trace-v2017: batch_task, batch_instance, server_event",
	NoPreferences: true,
	Params: append(slices.Clone(rows.Machine),
		workload.Param{Name: "tasks-in", Default: "parallel", Usage: "how the tasks of a job, of which the trace does not say it, follow each other: parallel, or chain (by their ids)"}),
	Detect: detect2017,
	Read:   read2017,
}

var (
	batchTask2017     = rows.Table{Name: "batch_task", Columns: []string{"create_timestamp", "modify_timestamp", "job_id", "task_id", "instance_num", "status", "plan_cpu", "plan_mem"}, Least: 6}
	batchInstance2017 = rows.Table{Name: "batch_instance", Columns: []string{"start_timestamp", "end_timestamp", "job_id", "task_id", "machine_id", "status", "seq_no", "total_seq_no", "real_cpu_max", "real_cpu_avg", "real_mem_max", "real_mem_avg"}, Least: 6}
	serverEvent       = rows.Table{Name: "server_event", Columns: []string{"timestamp", "machine_id", "event_type", "event_detail", "capacity_cpu", "capacity_memory", "capacity_disk"}, Least: 3}
)

func read2017(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	files, err := rows.Find(b, inputs, []*rows.Table{&batchTask2017, &batchInstance2017, &serverEvent}, []string{"container_event", "container_usage", "server_usage"})
	if err != nil {
		return err
	}
	memMiB, vcores, err := rows.MachineSize(b, 256<<10, 64)
	if err != nil {
		return err
	}
	order, err := b.ParamOneOf("tasks-in", "parallel", "chain")
	if err != nil {
		return err
	}
	if len(files[batchTask2017.Name]) == 0 {
		return errors.New("no file of batch_task among the inputs, want one: it has the jobs")
	}
	b.NodesIn("server_event or batch_instance")
	b.NoEpoch = true
	jobs := newJobRows()
	defer func() { err = errors.Join(err, jobs.Close()) }()
	if err := batchTask2017.Read(ctx, b, files[batchTask2017.Name], func(r *delimited.Row) error {
		t := task{
			name: r.Name(3), n: r.IntOr(4, unknown, 0, mostInstances), status: statusOf(r.Text(5)), start: r.Int(0, earliest, latest), end: r.IntOr(1, 0, earliest, latest),
			milli: planned(r.FloatOr(6, 0, 0, 100*trace.MostVCores) * 10), memMiB: plannedMiB(r.FloatOr(7, 0, 0, 100), memMiB),
		}
		return jobs.add(r, 2, &t)
	}); err != nil {
		return err
	}
	hosts := machines{}
	if err := batchInstance2017.Read(ctx, b, files[batchInstance2017.Name], func(r *delimited.Row) error {
		i := instance{
			start: begun(r, 0, earliest), end: r.IntOr(1, 0, earliest, latest), task: r.Name(3), machine: r.Text(4), status: statusOf(r.Text(5)), seq: r.IntOr(6, 1, 0, latest),
		}
		if i.status == failed { // another attempt has a row of its own
			i.status = unfinished
		}
		if err := jobs.add(r, 2, &i); err != nil {
			return err
		}
		hosts.add(i.machine)
		return nil
	}); err != nil {
		return err
	}
	if len(files[serverEvent.Name]) > 0 {
		if err := readServers(ctx, b, files[serverEvent.Name], memMiB, vcores); err != nil {
			return err
		}
	} else {
		hosts.nodes(b, memMiB, vcores)
	}
	after := func(*containers.Job, []*task) {}
	if order == "chain" {
		after = chain
	}
	jobs.sayOtherUnit(b, 1)
	return jobs.applications(ctx, b, trace.KindGeneric, after)
}

// chain lets each task come after the one with the next smaller id.
func chain(c *containers.Job, tasks []*task) {
	sorted := slices.SortedFunc(slices.Values(tasks), func(x, y *task) int {
		return cmp.Or(cmp.Compare(len(x.name), len(y.name)), cmp.Compare(x.name, y.name))
	})
	for i := 1; i < len(sorted); i++ {
		c.After(sorted[i].name, sorted[i-1].name)
	}
}

// readServers makes nodes and their events. A machine that is added at 0 or before is there from the start; after an error nothing new runs on it, until it is added again.
func readServers(ctx context.Context, b *workload.Builder, files []string, memMiB int64, vcores int32) error {
	type server struct {
		at       int64
		draining bool
	}
	servers := map[string]*server{}
	return serverEvent.Read(ctx, b, files, func(r *delimited.Row) error {
		at, host, kind := r.Int(0, earliest, latest), r.Name(1), r.Text(2)
		cpu, mem := int32(r.IntOr(4, int64(vcores), 0, trace.MostVCores)), containers.MiB(r.FloatOr(5, 1, 0, 100), memMiB)
		if kind != "add" && kind != "softerror" && kind != "harderror" {
			r.Bad(2, "add, softerror or harderror")
		}
		if r.Err() != nil {
			return r.Err()
		}
		if kind == "add" && servers[host] == nil && (r.Empty(4) || r.Empty(5)) {
			b.Counts.Defaulted["node_sizes"]++
		}
		s := servers[host]
		event := func(kind trace.EventKind, reason string) {
			e := trace.NewNodeEvent(1000*at, trace.Unset, kind)
			e.Reason = reason
			b.AddEvent(host, e)
		}
		at = max(at, 0)
		switch {
		case s != nil && at < s.at:
			return b.Drop("events_of_machines_out_of_order", "%s: line %d: timestamp is %d, want %d or more, as in the row of machine %s before", r.File, r.Line, at, s.at, host)
		case s == nil && kind != "add":
			return b.Drop("events_of_machines_that_are_not_there", "%s: line %d: %s of machine %s, want that it was added before", r.File, r.Line, kind, host)
		case s == nil:
			servers[host] = &server{at: at}
			b.AddNode(trace.Node{Host: host, MemMiB: mem, VCores: cpu, Present: at == 0})
			if at > 0 {
				event(trace.Join, "")
			}
			return nil
		case kind == "add" && s.draining:
			s.draining = false
			event(trace.Undrain, "")
		case kind != "add" && !s.draining:
			s.draining = true
			event(trace.Drain, kind)
		}
		s.at = at
		return nil
	})
}

// detect2017 knows the tables by their names and numbers of fields.
func detect2017(name string, head []byte) string {
	if strings.Contains(name, serverEvent.Name) {
		return serverEvent.Name
	}
	return cmp.Or(batchTask2017.Named(head), batchInstance2017.Named(head), batchTask2017.Seen(name, head), batchInstance2017.Seen(name, head))
}
