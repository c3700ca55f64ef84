package trace

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Work is what tasks hold for how long.
type Work struct {
	VCoreMS  float64 `json:"vcore_ms"`
	MemMiBMS float64 `json:"mem_mib_ms"`
	// Further is that of further resources by their names, such as yarn.io/gpu: amount times ms.
	Further map[string]float64 `json:"further_ms,omitempty"`
	// Dependent is how many jobs depend on others, of the work of all jobs of a trace: see [Trace.Work].
	Dependent int64 `json:"jobs_after_others,omitempty"`
}

// WorkOf returns the work of a job's tasks: duration times what the task takes. That is the container of a task,
// or for a Spark job its part of an executor: task_cpus/exec_vcores of it, or more where GPUs and the like let it run fewer tasks
// at a time than that. Application masters, idle executors, retries and the factors of cold executors are not in it.
func WorkOf(j *Job) (w Work) {
	for i := range j.Stages {
		s := &j.Stages[i]
		vcores, mem := float64(s.TaskVCores), float64(s.TaskMemMiB)
		if s.TaskMilliVCores != Unset {
			vcores = float64(s.TaskMilliVCores) / 1000
		}
		further, parts := s.Extra, 1.0
		spark := j.Kind == KindSpark && j.ExecVCores > 0
		if spark {
			execMem, execVCores, has, tasks := j.executor(s)
			further, vcores = has, float64(max(j.TaskCPUs, 1))
			if tasks > 0 {
				vcores = max(vcores, float64(execVCores)/float64(tasks))
			}
			parts = float64(execVCores) / vcores
			mem = float64(float64(execMem)*vcores) / float64(execVCores)
		}
		t := &s.Tasks
		total := int64(0)
		for _, d := range t.DurationMS {
			total += d
		}
		for _, x := range further {
			w.further(x.Name, float64(float64(total)*float64(x.Value))/parts)
		}
		if spark || t.VCores == nil && t.MemMiB == nil {
			w.VCoreMS += float64(float64(total) * vcores)
			w.MemMiBMS += float64(float64(total) * mem)
			continue
		}
		for k, d := range t.DurationMS {
			v := vcores
			if t.VCores != nil && t.VCores[k] != Unset {
				v = float64(t.VCores[k])
			}
			w.VCoreMS += float64(float64(d) * v)
			w.MemMiBMS += float64(float64(d) * float64(s.TaskMem(k)))
		}
	}
	return w
}

func (w *Work) further(name string, ms float64) {
	if w.Further == nil {
		w.Further = map[string]float64{}
	}
	w.Further[name] += ms
}

// Size is the capacity of nodes.
type Size struct {
	Nodes   int64            `json:"nodes"`
	Racks   int64            `json:"racks"`
	VCores  int64            `json:"vcores"`
	MemMiB  int64            `json:"mem_mib"`
	Further map[string]int64 `json:"further,omitempty"` // resources by their names
}

// SizeAtStart is the capacity of the nodes that are in the cluster at time 0.
func SizeAtStart(nodes []Node) (s Size) {
	racks := make(map[int32]bool)
	for _, n := range nodes {
		if n.Present {
			s.Nodes++
			s.VCores += int64(n.VCores)
			s.MemMiB += n.MemMiB
			racks[n.RackID] = true
			for _, x := range n.Extra {
				if s.Further == nil {
					s.Further = map[string]int64{}
				}
				s.Further[x.Name] += x.Value
			}
		}
	}
	s.Racks = int64(len(racks))
	return s
}

// NeverThere counts the nodes that are in the cluster at no time: hosts on which tasks ran or that they prefer.
func NeverThere(nodes []Node, events []NodeEvent) (n int64) {
	joins := make(map[int32]bool)
	for _, e := range events {
		joins[e.Node] = joins[e.Node] || e.Kind == Join
	}
	for i := range nodes {
		if !nodes[i].Present && !joins[nodes[i].ID] {
			n++
		}
	}
	return n
}

// Offered is the offered load: the work of all jobs over what the cluster of time 0 can do until the last submission.
// 1 is as much as it can do. A part is nil if that is nothing.
type Offered struct {
	VCores *float64 `json:"vcores"`
	Memory *float64 `json:"memory"`
	// Further are those of further resources that both tasks and nodes have, by their names.
	Further map[string]float64 `json:"further,omitempty"`
}

// Faster is the load where jobs come that many times as fast.
func (l Offered) Faster(factor float64) (f Offered) {
	times := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		y := *x * factor
		return &y
	}
	f.VCores, f.Memory = times(l.VCores), times(l.Memory)
	for name, x := range l.Further {
		f.further(name, x*factor)
	}
	return f
}

func (l *Offered) further(name string, load float64) {
	if l.Further == nil {
		l.Further = map[string]float64{}
	}
	l.Further[name] = load
}

// Most is the largest of the parts, 0 where none is known.
func (l Offered) Most() (most float64) {
	for _, x := range []*float64{l.VCores, l.Memory} {
		if x != nil {
			most = max(most, *x)
		}
	}
	for _, x := range l.Further {
		most = max(most, x)
	}
	return most
}

// Parts are the parts of the load in words: "42.0 % of the vcores", "41.9 % of the memory".
func (l Offered) Parts() []string {
	parts := []string{Percent(l.VCores) + " of the vcores", Percent(l.Memory) + " of the memory"}
	for _, name := range slices.Sorted(maps.Keys(l.Further)) {
		x := l.Further[name]
		parts = append(parts, Percent(&x)+" of the "+name)
	}
	return parts
}

// Over is the load in words, of jobs that are submitted over a span in ms: of what is all submitted at once there is none.
func (l Offered) Over(spanMS int64) string {
	if spanMS == 0 {
		return "none, as all is submitted at once: it is the work over the time until the last submission"
	}
	return strings.Join(l.Parts(), ", ")
}

// String is the load in words.
func (l Offered) String() string {
	parts := l.Parts()
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// OfferedLoad returns the load of work on a cluster over a span in ms.
func OfferedLoad(w Work, s Size, spanMS int64) (l Offered) {
	if spanMS > 0 && s.VCores > 0 {
		v := w.VCoreMS / (float64(spanMS) * float64(s.VCores))
		l.VCores = &v
	}
	if spanMS > 0 && s.MemMiB > 0 {
		m := w.MemMiBMS / (float64(spanMS) * float64(s.MemMiB))
		l.Memory = &m
	}
	for name, ms := range w.Further {
		if n := s.Further[name]; spanMS > 0 && n > 0 && ms > 0 {
			l.further(name, ms/(float64(spanMS)*float64(n)))
		}
	}
	return l
}

// From an offered load of crowded on jobs wait for most of a replay; where that is longMS more than the submissions take, a person should know.
const (
	crowded   = 1.5
	longMS    = 6 * 3600_000
	roomyLoad = 0.5 // of a cluster with enough room
)

// Crowded reports whether a cluster of nodes is far too small for the load of a span in ms: how many ms the work takes at least, and how many such nodes have enough
// room.
func (l Offered) Crowded(nodes, spanMS int64) (takesMS float64, roomy int64, ok bool) {
	if l.VCores == nil || l.Memory == nil {
		return 0, 0, false
	}
	most := l.Most()
	if most < crowded || (most-1)*float64(spanMS) < longMS {
		return 0, 0, false
	}
	return most * float64(spanMS), int64(math.Ceil(float64(nodes) * most / roomyLoad)), true
}

// ofWork are the columns that the work of a trace follows from, and those that say what belongs together.
var ofWork = map[string][]string{
	tableJobs:   {"job_id", "submit_ms", "num_stages", "num_tasks", "first_task_row", "kind", "exec_mem_mib", "exec_vcores", "task_cpus", "conf.key", "conf.value", "depends_on"},
	tableStages: {"job_id", "stage_id", "num_tasks", "task_mem_mib", "task_vcores", "task_milli_vcores", "extra.name", "extra.value", "exec_mem_mib", "exec_vcores", "exec_extra.name", "exec_extra.value", "exec_tasks"},
	tableTasks:  {"job_id", "stage_id", "duration_ms", "mem_mib", "vcores"},
}

// Work returns the work of all jobs, of which it counts those that depend on others. The manifest says it, and whoever reads all jobs refuses a wrong one; where it
// does not, what jobs need of the trace's tables is read for it, and of the rules of the format those are checked that say how rows belong together.
func (t *Trace) Work() (w Work, err error) {
	if said := t.Manifest.Work; said != nil {
		w = *said
		w.Further = maps.Clone(said.Further)
		return w, nil
	}
	jobs := &jobReader{a: newAssembler(t, ofWork, func(p Problem) error { return p }), t: t}
	for j, err := range All(jobs) {
		if err != nil {
			return w, err
		}
		w.addJob(j)
		jobs.Recycle(j)
	}
	return w, nil
}

// addJob adds the next job of a trace.
func (w *Work) addJob(j *Job) {
	w.Add(WorkOf(j))
	if len(j.DependsOn) > 0 {
		w.Dependent++
	}
}

// String is the work as a manifest has it.
func (w *Work) String() string {
	text, _ := json.Marshal(w) // sums are finite
	return string(text)
}

// is reports whether it is the same work, to the last bit.
func (w *Work) is(o *Work) bool {
	return w.VCoreMS == o.VCoreMS && w.MemMiBMS == o.MemMiBMS && w.Dependent == o.Dependent && maps.Equal(w.Further, o.Further)
}

// Add adds more work.
func (w *Work) Add(more Work) {
	w.VCoreMS += float64(more.VCoreMS)
	w.MemMiBMS += float64(more.MemMiBMS)
	for name, ms := range more.Further {
		w.further(name, float64(ms))
	}
}

// Percent is a load for people, small ones with the digits that they have; nil is unknown.
func Percent(v *float64) string {
	switch {
	case v == nil:
		return "an unknown share"
	case *v > 0 && *v < 0.0005:
		return strconv.FormatFloat(*v*100, 'f', int(math.Ceil(-math.Log10(*v*100))), 64) + " %"
	}
	return fmt.Sprintf("%.1f %%", *v*100)
}
