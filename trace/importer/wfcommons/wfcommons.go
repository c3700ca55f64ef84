// Package wfcommons imports workflow instances of WfCommons, a JSON document each, in the schemas up to 1.3 (jobs with everything about them), 1.4 (tasks),
// and 1.5 (a specification and an execution).
package wfcommons

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/workflow"
	"replay/trace/importer/workload"
)

// Format is WfFormat.
var Format = workload.Format{
	Usage:         "workflow instances of WfCommons (WfFormat JSON), one a file",
	NoPreferences: true,
	Params: []workload.Param{
		{Name: "wf-mem-unit", Default: "auto", Usage: "`UNIT` of the memory of tasks and machines: B, KB, MB, GB, or auto (KB up to schema 1.3, B later, but KB where no machine would have 1 GiB)"},
	},
	Detect: func(_ string, head []byte) string {
		text := string(head)
		if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && strings.Contains(text, `"workflow"`) && strings.Contains(text, `"schemaVersion"`) {
			return "JSON with schemaVersion and workflow"
		}
		return ""
	},
	Read: read,
}

// reader is the import; machines are those of all files.
type reader struct {
	b        *workload.Builder
	machines map[string]size
	names    map[string]int // of workflows
	firstMS  int64          // of the first file
	nodes    bool           // those of the source are used
	saidKB   bool
}

func read(ctx context.Context, inputs []string, b *workload.Builder) error {
	match := func(path string, given bool) bool { return given || strings.HasSuffix(path, ".json") }
	if l, err := workload.List(inputs, match); err == nil && len(l.Files) == 0 {
		match = nil // they have other names
	}
	files, err := b.Parts(inputs, match)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: no file, want instances of WfCommons", strings.Join(inputs, ", "))
	}
	r := &reader{b: b, machines: map[string]size{}, names: map[string]int{}, nodes: b.Options.Nodes == 0}
	for i, path := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.file(path, i == 0); err != nil {
			return err
		}
		b.Progress(i+1, len(files), "files")
	}
	return nil
}

// file reads one instance.
func (r *reader) file(path string, first bool) (err error) {
	in, err := r.b.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	d := document{file: in.Name, tasks: map[string]*task{}}
	if err := d.read(bufio.NewReader(in.Unnamed())); err != nil {
		if bad := new(badPart); errors.As(err, &bad) {
			return r.b.Drop("workflows_with_a_bad_value", "%v", err)
		}
		return r.b.Damaged(err)
	}
	if err := d.end(); err != nil {
		if err = r.b.Damaged(err); err != nil {
			return err
		}
	}
	r.b.Counts.Read["workflows"]++
	r.b.Counts.Read["tasks"] += int64(len(d.order))
	submit := int64(trace.Unset)
	for i, text := range []string{d.executedAt, d.createdAt} {
		at, ok := instant(text)
		if ok && submit == trace.Unset {
			submit = at
		} else if !ok && text != "" {
			r.b.Odd("times_that_are_not_readable", 1, "%s: %s is %q, want a time such as 2020-04-01T10:00:00Z", d.file, [...]string{"workflow.executedAt", "createdAt"}[i], text)
		}
	}
	if first {
		r.b.NoEpoch, r.firstMS = submit == trace.Unset, max(submit, 0)
	}
	at := submit
	if submit == trace.Unset || r.b.NoEpoch {
		at = r.firstMS
	}
	return r.workflow(&d, at, submit == trace.Unset || r.b.NoEpoch)
}

// instant reads a time of the day and the second, with an offset from UTC. Instances of 2020 to 2023 have the month, the day and the year of two digits.
func instant(text string) (ms int64, ok bool) {
	for _, layout := range []string{"20060102T150405Z0700", time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "01-02-06T15:04:05Z0700"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil && t.UnixMilli() >= 0 && t.UnixMilli() < workflow.MostTimeMS {
			return t.UnixMilli(), true
		}
	}
	return 0, false
}

// workflow makes the application of a document, which may say nothing of when it was submitted.
func (r *reader) workflow(d *document, submit int64, untold bool) error {
	unit, err := r.units(d)
	if err != nil {
		return err
	}
	if !d.byID() {
		d.byName()
	}
	if r.nodes {
		r.addMachines(d, unit)
	}
	var records [][]byte
	for _, t := range d.order {
		if d.specified != nil && !d.specified[t.ID] {
			r.b.Odd("specifications_of_tasks_that_are_missing", 1, "%s: task %s: is in workflow.execution.tasks, want it in workflow.specification.tasks too, which has its parents", d.file, t.id())
		}
		ms := t.Runtime
		if ms == nil {
			ms = t.RuntimeInSeconds
		}
		if ms == nil || !(*ms >= 0) || *ms*1000 > workflow.MostMS {
			if err := r.b.Drop("tasks_without_a_runtime", "%s: task %s: runtime is %s, want seconds", d.file, t.id(), shown(ms)); err != nil {
				return err
			}
			continue
		}
		records = append(records, t.record(submit, int64(math.Round(*ms*1000)), unit).Append(nil))
	}
	if len(records) == 0 {
		return r.b.Drop("workflows_without_a_task", "%s: no task with a runtime, want one", d.file)
	}
	id := strings.TrimSuffix(filepath.Base(workload.BaseName(d.file)), ".json")
	if r.names[id]++; r.names[id] > 1 {
		id = fmt.Sprintf("%s#%d", id, r.names[id])
	}
	return workflow.Add(r.b, id, records, func(a *workload.Application, _ []workflow.Record) {
		a.Job.Name = d.name
		if untold {
			r.b.Counts.Defaulted["submit_times"]++
		}
	})
}

func shown(v *float64) string {
	if v == nil {
		return "missing"
	}
	return fmt.Sprint(*v)
}

// units are those of the fields memory and memoryInBytes, MiB.
type units struct{ memory, inBytes float64 }

// units finds those of a document. WfCommons' readers of Pegasus' logs put its kilobytes into memoryInBytes as they are.
func (r *reader) units(d *document) (units, error) {
	if r.b.Param("wf-mem-unit") != "auto" {
		u, err := workflow.Unit(r.b, "wf-mem-unit")
		return units{u, u}, err
	}
	b, kb := workflow.Units["B"], workflow.Units["KB"]
	for _, old := range []string{"1.0", "1.1", "1.2", "1.3"} {
		if d.schema == old || strings.HasPrefix(d.schema, old+".") {
			return units{kb, b}, nil
		}
	}
	most := 0.0
	for _, m := range d.machines {
		most = max(most, m.Memory, m.MemoryInBytes)
	}
	if most == 0 || most*b >= 1024 {
		return units{b, b}, nil
	}
	r.b.Counts.Modelled["workflows_with_memory_in_kb"]++
	if !r.saidKB {
		r.saidKB = true
		r.b.Note("%s: the largest machine would have %.0f MiB, so its memory is taken to be in KB, as Pegasus' is; --wf-mem-unit says another unit", d.file, most*b)
	}
	return units{kb, kb}, nil
}

// size is what a document says of a machine; 0 is unknown.
type size struct {
	vcores int32
	memMiB int64
}

// addMachines makes nodes of the machines of a document that no other had.
func (r *reader) addMachines(d *document, unit units) {
	for _, m := range d.machines {
		if m.NodeName == "" {
			r.b.Counts.Dropped["machines_without_a_name"]++
			continue
		}
		n := trace.Node{Host: m.NodeName, Present: true}
		for _, cores := range []float64{m.CPU.Count, m.CPU.CoreCount} {
			if cores >= 1 && cores <= workflow.MostVCores {
				n.VCores = int32(cores)
			}
		}
		memory := m.Memory * unit.memory
		if m.MemoryInBytes > 0 {
			memory = m.MemoryInBytes * unit.inBytes
		}
		if memory >= 1 && memory <= workflow.MostMiB {
			n.MemMiB = int64(memory)
		}
		is := size{n.VCores, n.MemMiB}
		if before, ok := r.machines[m.NodeName]; ok {
			if before != is {
				r.b.Odd("machines_with_another_size_before", 1, "%s: machine %s has %d vcores and %d MiB, want %d and %d as in a document before", d.file, m.NodeName, is.vcores, is.memMiB, before.vcores, before.memMiB)
			}
			continue
		}
		r.machines[m.NodeName] = is
		if n.VCores == 0 {
			r.b.Counts.Defaulted["node_vcores"]++
		}
		if n.MemMiB == 0 {
			r.b.Counts.Defaulted["node_memory"]++
		}
		r.b.AddNode(n)
	}
}

// task is a task in any of the schemas: those up to 1.4 have all in one object, later ones have two with the same id.
type task struct {
	Name             string   `json:"name"`
	ID               string   `json:"id"`
	Category         string   `json:"category"`
	Program          string   `json:"program"`
	Runtime          *float64 `json:"runtime"`
	RuntimeInSeconds *float64 `json:"runtimeInSeconds"`
	Parents          []string `json:"parents"`
	Children         []string `json:"children"`
	Cores            *float64 `json:"cores"`
	CoreCount        *float64 `json:"coreCount"`
	Memory           *float64 `json:"memory"`
	MemoryInBytes    *float64 `json:"memoryInBytes"`
	Machine          string   `json:"machine"`
	Machines         []string `json:"machines"`
	Command          *program `json:"command"`
}

type program struct {
	Program string `json:"program"`
}

type machine struct {
	NodeName      string  `json:"nodeName"`
	Memory        float64 `json:"memory"`
	MemoryInBytes float64 `json:"memoryInBytes"`
	CPU           struct {
		Count     float64 `json:"count"`
		CoreCount float64 `json:"coreCount"`
	} `json:"cpu"`
}

// id is what others call the task: its name up to schema 1.4, its id later.
func (t *task) id() string {
	if t.Name != "" {
		return t.Name
	}
	return t.ID
}

// kind is what alike tasks have in common: the category, the program, or the name up to its digits.
func (t *task) kind() string {
	switch {
	case t.Category != "":
		return t.Category
	case t.Program != "":
		return t.Program
	case t.Command != nil && t.Command.Program != "":
		return t.Command.Program
	}
	return strings.TrimRight(t.Name, "0123456789_-.")
}

func (t *task) record(submit, ms int64, unit units) *workflow.Record {
	r := &workflow.Record{
		Task: workflow.Task{ID: t.id(), Type: t.kind(), SubmitMS: submit, Parents: t.Parents, Children: t.Children, Task: containers.Task{DurationMS: ms, WaitMS: trace.Unset}},
		User: trace.Unset, VCores: -1, MemMiB: -1,
	}
	if r.Task.Task.Host = t.Machine; t.Machine == "" && len(t.Machines) > 0 {
		r.Task.Task.Host = t.Machines[0]
	}
	for _, v := range []*float64{t.Cores, t.CoreCount} {
		if v != nil && *v > 0 {
			r.VCores = math.Ceil(*v)
		}
	}
	if t.Memory != nil {
		r.MemMiB = *t.Memory * unit.memory
	}
	if t.MemoryInBytes != nil {
		r.MemMiB = *t.MemoryInBytes * unit.inBytes
	}
	return r
}
