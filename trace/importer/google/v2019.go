package google

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/valyala/fastjson"

	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// V2019 is the format of ClusterData2019.
var V2019 = workload.Format{
	Usage:         "Google ClusterData 2019: machine_events, collection_events, instance_events as JSON lines or CSV",
	NoPreferences: true,
	Params:        params,
	Detect:        detect2019,
	Read:          read2019,
}

// Exports of nested columns as CSV name them in several ways.
var resources = map[string][]string{
	"resource_request.cpus": {"resource_request_cpus", "cpus", "cpu"}, "resource_request.memory": {"resource_request_memory", "memory", "mem"},
	"capacity.cpus": {"capacity_cpus", "cpus", "cpu"}, "capacity.memory": {"capacity_memory", "memory", "mem"},
}

var (
	machineEvents2019 = rows.Table{
		Name: "machine_events", Header: true, JSON: true, Also: resources,
		Columns: []string{"time", "machine_id", "type", "switch_id", "capacity.cpus", "capacity.memory", "capacity"},
		Absent:  []string{"switch_id", "capacity.cpus", "capacity.memory", "capacity"},
	}
	collectionEvents = rows.Table{
		Name: "collection_events", Header: true, JSON: true,
		Columns: []string{"time", "type", "collection_id", "missing_type", "collection_type", "user", "collection_logical_name", "start_after_collection_ids"},
		Absent:  []string{"missing_type", "collection_type", "user", "collection_logical_name", "start_after_collection_ids"},
	}
	instanceEvents = rows.Table{
		Name: "instance_events", Header: true, JSON: true, Also: resources,
		Columns: []string{"time", "type", "collection_id", "missing_type", "collection_type", "priority", "instance_index", "machine_id", "resource_request.cpus", "resource_request.memory", "resource_request"},
		Absent:  []string{"missing_type", "collection_type", "priority", "machine_id", "resource_request.cpus", "resource_request.memory", "resource_request"},
	}
)

// kinds2019 are the names of events of collections and instances, by their numbers.
var kinds2019 = []string{"SUBMIT", "QUEUE", "ENABLE", "SCHEDULE", "EVICT", "FAIL", "FINISH", "KILL", "LOST", "UPDATE_PENDING", "UPDATE_RUNNING"}

func read2019(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	files, err := rows.Find(b, inputs, []*rows.Table{&machineEvents2019, &collectionEvents, &instanceEvents}, unused)
	if err != nil {
		return err
	}
	t, err := newReader(b, 768<<10, 96)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.jobs.Close()) }()
	t.startUS = traceStartUS
	if len(files[instanceEvents.Name]) == 0 {
		return errors.New("no file of instance_events among the inputs, want them: they have the tasks")
	}
	var p fastjson.Parser
	if err := machineEvents2019.Read(ctx, b, files[machineEvents2019.Name], func(r *delimited.Row) error {
		at, whole := t.time(r, 0)
		e := machineEvent{at: at, file: r.File, line: r.Line, id: r.Name(1), rack: r.Text(3), kind: machineKind(enum(r, 2, []string{"UNKNOWN", "ADD", "REMOVE", "UPDATE"}) - 1)}
		if e.cpu, e.mem = shares(r, 4, 5, 6, &p); e.rack != "" {
			e.rack = "/" + strings.ReplaceAll(e.rack, "/", "_")
		}
		if e.kind < 0 {
			r.Bad(2, "ADD, REMOVE or UPDATE")
		}
		if r.Err() == nil && whole {
			t.events = append(t.events, e)
		}
		return r.Err()
	}); err != nil {
		return err
	}
	if err := collectionEvents.Read(ctx, b, files[collectionEvents.Name], func(r *delimited.Row) error {
		at, whole := t.time(r, 0)
		e := jobEvent{at: at, kind: kind(enum(r, 1, kinds2019)), user: r.Text(5), name: r.Text(6), aside: isAllocation(r, 4)}
		e.after = strings.FieldsFunc(r.Text(7), func(c rune) bool { return c < '0' || c > '9' })
		t.missing2019(r, 3, "collection_events")
		if job := r.Name(2); r.Err() == nil && whole {
			return t.addJob(job, &e)
		}
		return r.Err()
	}); err != nil {
		return err
	}
	if err := instanceEvents.Read(ctx, b, files[instanceEvents.Name], func(r *delimited.Row) error {
		at, whole := t.time(r, 0)
		e := taskEvent{at: at, kind: kind(enum(r, 1, kinds2019)), priority: r.IntOr(5, 0, 0, math.MaxInt32), index: r.Int(6, 0, math.MaxInt64), machine: r.Text(7)}
		if e.machine == "0" || e.machine == "-1" { // none, and one of its own
			e.machine = ""
		}
		e.cpu, e.mem = shares(r, 8, 9, 10, &p)
		t.missing2019(r, 3, "instance_events")
		job := r.Name(2)
		if r.Err() != nil || !whole {
			return r.Err()
		}
		if isAllocation(r, 4) {
			b.Counts.Dropped["events_of_instances_of_allocation_sets"]++
			return nil
		}
		return t.addTask(job, &e)
	}); err != nil {
		return err
	}
	return t.finish(ctx)
}

// enum reads a number, or the name of one.
func enum(r *delimited.Row, i int, names []string) int64 {
	text := r.Text(i)
	for n, name := range names {
		if strings.EqualFold(text, name) {
			return int64(n)
		}
	}
	if n, err := strconv.ParseUint(text, 10, 32); err == nil && n < uint64(len(names)) {
		return int64(n)
	}
	r.Bad(i, "0 to "+strconv.Itoa(len(names)-1)+", or one of "+strings.Join(names, ", "))
	return 0
}

func isAllocation(r *delimited.Row, i int) bool {
	return !r.Empty(i) && enum(r, i, []string{"JOB", "ALLOC_SET"}) == 1
}

// missing2019 counts the rows that were made up where a record was missing.
func (t *reader) missing2019(r *delimited.Row, i int, table string) {
	if v := r.Text(i); v != "" && v != "0" && !strings.HasSuffix(v, "NONE") {
		t.missing(r, i, table)
	}
}

// shares reads CPU and memory from columns of their own, or from one that has both as JSON or as Python writes it. What is not there is -1.
func shares(r *delimited.Row, cpu, mem, both int, p *fastjson.Parser) (float64, float64) {
	if text := r.Bytes(both); len(text) > 2 && text[0] == '{' && r.Empty(cpu) && r.Empty(mem) {
		v, err := p.Parse(strings.NewReplacer("'", `"`, "None", "null").Replace(string(text)))
		if err != nil {
			r.Bad(both, "cpus and memory as JSON")
			return -1, -1
		}
		get := func(name string) float64 {
			x := v.Get(name)
			if x == nil || x.Type() == fastjson.TypeNull {
				return -1
			}
			f, err := x.Float64()
			if err != nil || f < 0 || f > 1000 {
				r.Bad(both, name+" as a number from 0 to 1000")
			}
			return f
		}
		return get("cpus"), get("memory")
	}
	return r.FloatOr(cpu, -1, 0, 1000), r.FloatOr(mem, -1, 0, 1000)
}

// detect2019 knows the tables by the names of their columns.
func detect2019(_ string, head []byte) string {
	line, _, _ := strings.Cut(string(head), "\n")
	words := strings.FieldsFunc(line, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) })
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(words, n) })
	}
	switch {
	case has("collection_id", "instance_index", "type", "time"):
		return "rows with collection_id and instance_index"
	case has("collection_id", "collection_type", "type", "time"):
		return "rows with collection_id and collection_type"
	case has("machine_id", "switch_id", "time"):
		return "rows with machine_id and switch_id"
	}
	return ""
}
