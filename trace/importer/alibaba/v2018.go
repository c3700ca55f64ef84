package alibaba

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// V2018 is the format of cluster-trace-v2018.
var V2018 = workload.Format{
	Usage:         "Alibaba cluster-trace-v2018: batch_task, batch_instance, machine_meta",
	NoPreferences: true,
	Params:        rows.Machine,
	Detect:        detect2018,
	Read:          read2018,
}

var (
	batchTask     = rows.Table{Name: "batch_task", Columns: []string{"task_name", "instance_num", "job_name", "task_type", "status", "start_time", "end_time", "plan_cpu", "plan_mem"}, Least: 7, Number: 5}
	batchInstance = rows.Table{Name: "batch_instance", Columns: []string{"instance_name", "task_name", "job_name", "task_type", "status", "start_time", "end_time", "machine_id", "seq_no", "total_seq_no", "cpu_avg", "cpu_max", "mem_avg", "mem_max"}, Least: 8, Number: 5}
	machineMeta   = rows.Table{Name: "machine_meta", Columns: []string{"machine_id", "time_stamp", "failure_domain_1", "failure_domain_2", "cpu_num", "mem_size", "status"}, Least: 7, Number: 1}
)

// mostInstances is the largest number that a row may say.
const mostInstances = 1 << 31

func read2018(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	files, err := rows.Find(b, inputs, []*rows.Table{&batchTask, &batchInstance, &machineMeta}, []string{"machine_usage", "container_meta", "container_usage"})
	if err != nil {
		return err
	}
	memMiB, vcores, err := rows.MachineSize(b, 512<<10, 96)
	if err != nil {
		return err
	}
	if len(files[batchTask.Name]) == 0 {
		return errors.New("no file of batch_task among the inputs, want one: it has the jobs")
	}
	b.NodesIn("machine_meta or batch_instance")
	b.NoEpoch = true
	jobs := newJobRows()
	defer func() { err = errors.Join(err, jobs.Close()) }()
	if err := batchTask.Read(ctx, b, files[batchTask.Name], func(r *delimited.Row) error {
		t := task{
			name: r.Name(0), n: r.IntOr(1, unknown, 0, mostInstances), status: statusOf(r.Text(4)), start: begun(r, 5, 0), end: r.IntOr(6, 0, earliest, latest),
			milli: planned(r.FloatOr(7, 0, 0, 100*trace.MostVCores) * 10), memMiB: plannedMiB(r.FloatOr(8, 0, 0, 100)/100, memMiB),
		}
		return jobs.add(r, 2, &t)
	}); err != nil {
		return err
	}
	hosts := machines{}
	if err := batchInstance.Read(ctx, b, files[batchInstance.Name], func(r *delimited.Row) error {
		i := instance{
			name: r.Text(0), task: r.Name(1), status: statusOf(r.Text(4)), start: begun(r, 5, 0), end: r.IntOr(6, 0, earliest, latest),
			machine: r.Text(7), seq: r.IntOr(8, 1, 0, latest),
		}
		if err := jobs.add(r, 2, &i); err != nil {
			return err
		}
		hosts.add(i.machine)
		return nil
	}); err != nil {
		return err
	}
	if len(files[machineMeta.Name]) > 0 {
		if err := readMachines(ctx, b, files[machineMeta.Name], memMiB); err != nil {
			return err
		}
	} else {
		hosts.nodes(b, memMiB, vcores)
	}
	jobs.sayOtherUnit(b, 8)
	return jobs.applications(ctx, b, trace.KindGeneric, byNames)
}

// byNames reads which tasks come after which in their names.
func byNames(c *containers.Job, tasks []*task) {
	numbered := map[string]string{}
	for _, t := range tasks {
		if n, _, ok := parseName(t.name); ok && numbered[n] == "" {
			numbered[n] = t.name
		}
	}
	for _, t := range tasks {
		_, parents, _ := parseName(t.name)
		for _, n := range parents {
			c.After(t.name, cmp.Or(numbered[n], "task "+n)) // one that is not there is counted
		}
	}
}

// parseName reads the name of a task in a DAG: letters, its number, and the numbers of its parents with _ before each, up to the first part that is no number. Other names are
// those of tasks without a DAG.
func parseName(name string) (number string, parents []string, ok bool) {
	letters := strings.TrimLeftFunc(name, func(c rune) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' })
	if len(letters) == len(name) {
		return "", nil, false
	}
	parts := strings.Split(letters, "_")
	for i, p := range parts {
		n := strings.TrimLeft(p, "0")
		if p == "" || strings.Trim(p, "0123456789") != "" {
			if i == 0 {
				return "", nil, false
			}
			break
		}
		if i == 0 {
			number = n
		} else if !slices.Contains(parents, n) || len(parents) > 1000 {
			parents = append(parents, n)
		}
	}
	return number, parents, true
}

// state is a snapshot of a machine.
type state struct {
	at     int64 // s
	using  bool
	status string
}

// machine is a machine while its snapshots are read.
type machine struct {
	node   trace.Node
	states []state
}

// readMachines makes nodes and their events of the snapshots of machines. One that is first seen after 0 joins then. One whose status is another than USING is gone until the next time
// that it is.
func readMachines(ctx context.Context, b *workload.Builder, files []string, memMiB int64) error {
	all := map[string]*machine{}
	var order []*machine
	if err := machineMeta.Read(ctx, b, files, func(r *delimited.Row) error {
		host, at, status := r.Name(0), r.Int(1, 0, latest), r.Text(6)
		node := trace.Node{
			Host: host, Rack: rackOf(r),
			VCores: int32(r.Int(4, 0, trace.MostVCores)), MemMiB: containers.MiB(r.Float(5, 0, 100)/100, memMiB),
		}
		if r.Err() != nil {
			return r.Err()
		}
		m := all[host]
		if m == nil {
			m = &machine{node: node}
			all[host] = m
			order = append(order, m)
		}
		if n := len(m.states); n > 0 && m.states[n-1].status == status && m.states[n-1].at <= at {
			return nil // the same again
		}
		m.states = append(m.states, state{at, status == "USING", status})
		return nil
	}); err != nil {
		return err
	}
	for _, m := range order {
		slices.SortStableFunc(m.states, func(x, y state) int { return cmp.Compare(x.at, y.at) })
		m.add(b)
	}
	return nil
}

// rackOf is a rack by the failure domains of a machine, of which the larger one is a text in the published schema.
func rackOf(r *delimited.Row) string {
	var zone strings.Builder
	for rest := cmp.Or(r.Text(3), "0"); rest != ""; {
		c, n := utf8.DecodeRuneInString(rest)
		if c == '/' || unicode.IsSpace(c) || unicode.IsControl(c) {
			zone.WriteByte('_')
		} else {
			zone.WriteString(rest[:n]) // as it stands, also where it is no UTF-8
		}
		rest = rest[n:]
	}
	return fmt.Sprintf("/zone%s/rack%d", &zone, r.IntOr(2, 0, 0, latest))
}

// add gives the builder the node and its events.
func (m *machine) add(b *workload.Builder) {
	first := slices.IndexFunc(m.states, func(s state) bool { return s.using })
	if first < 0 { // a node that is never there
		b.Counts.Read["machines_that_were_never_in_use"]++
		b.AddNode(m.node)
		return
	}
	m.node.Present = m.states[first].at == 0
	b.AddNode(m.node)
	if !m.node.Present {
		b.AddEvent(m.node.Host, trace.NewNodeEvent(1000*m.states[first].at, trace.Unset, trace.Join))
	}
	up := true
	for i, s := range m.states[first+1:] {
		if s.using == up {
			continue
		}
		e := trace.NewNodeEvent(1000*s.at, trace.Unset, trace.Recover)
		if up {
			e.Kind, e.Reason = trace.Fail, "status "+s.status
			if !slices.ContainsFunc(m.states[first+1+i:], func(s state) bool { return s.using }) {
				e.Kind = trace.Leave
			}
		}
		up = s.using
		b.AddEvent(m.node.Host, e)
	}
}

// detect2018 knows the tables by their names and numbers of fields.
func detect2018(name string, head []byte) string {
	return cmp.Or(batchTask.Named(head), batchInstance.Named(head), machineMeta.Named(head), batchTask.Seen(name, head), batchInstance.Seen(name, head), machineMeta.Seen(name, head))
}
