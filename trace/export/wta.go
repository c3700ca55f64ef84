package export

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"replay/trace"
	"replay/trace/tablefile"
)

// The tables of the Workflow Trace Archive, in its schema 1.0. What is not known is -1, or empty.
type wtaTask struct {
	ID             int64   `parquet:"id,delta"`
	Type           string  `parquet:"type,dict"`
	Submit         int64   `parquet:"ts_submit,delta"`
	Site           int32   `parquet:"submission_site,dict"`
	Runtime        int64   `parquet:"runtime,delta"`
	ResourceType   string  `parquet:"resource_type,dict"`
	Amount         float64 `parquet:"resource_amount_requested,dict"`
	Parents        []int64 `parquet:"parents,list" parquet-element:",delta"`
	Children       []int64 `parquet:"children,list" parquet-element:",delta"`
	User           int32   `parquet:"user_id,dict"`
	Group          int32   `parquet:"group_id,dict"`
	NFRs           string  `parquet:"nfrs,dict"`
	Workflow       int64   `parquet:"workflow_id,delta"`
	Wait           int64   `parquet:"wait_time,delta"`
	Params         string  `parquet:"params,dict"`
	Memory         float64 `parquet:"memory_requested,dict"`
	NetworkTime    int64   `parquet:"network_io_time,delta"`
	DiskTime       int64   `parquet:"disk_io_time,delta"`
	DiskSpace      float64 `parquet:"disk_space_requested,dict"`
	Energy         int64   `parquet:"energy_consumption,delta"`
	ResourceUsedID int64   `parquet:"resource_used,dict"`
}

type wtaWorkflow struct {
	ID                int64   `parquet:"id,delta"`
	Submit            int64   `parquet:"ts_submit,delta"`
	Tasks             int32   `parquet:"task_count,delta"`
	CriticalPath      int64   `parquet:"critical_path_length,delta"`
	CriticalPathTasks int32   `parquet:"critical_path_task_count,delta"`
	Concurrent        int32   `parquet:"approx_max_concurrent_tasks,delta"`
	NFRs              string  `parquet:"nfrs,dict"`
	Scheduler         string  `parquet:"scheduler,dict"`
	Resources         float64 `parquet:"total_resources,dict"`
	Memory            float64 `parquet:"total_memory_usage,dict"`
	Network           int64   `parquet:"total_network_usage,dict"`
	Disk              int64   `parquet:"total_disk_space_usage,dict"`
	Energy            int64   `parquet:"total_energy_consumption,dict"`
	Application       string  `parquet:"application_name,dict"`
}

type wtaResource struct {
	ID        int64   `parquet:"id,delta"`
	Type      string  `parquet:"type,dict"`
	Resources float64 `parquet:"num_resources,dict"`
	Processor string  `parquet:"proc_model,dict"`
	MemoryGB  float64 `parquet:"memory,dict"`
	DiskGB    float64 `parquet:"disk_space,dict"`
	Network   float64 `parquet:"network,dict"`
	OS        string  `parquet:"os,dict"`
	Details   string  `parquet:"details,dict"`
}

const (
	wtaGroupRows = 1 << 17
	// wtaGroupEdges bounds the edges of a row group, which is in memory.
	wtaGroupEdges = 1 << 20
	// wtaMostEdges bounds the edges from one stage to another, which are as many as their tasks multiplied.
	wtaMostEdges = 10_000_000
)

// wtaTable writes a table.
type wtaTable[T any] struct{ *parquet.GenericWriter[T] }

func newWTATable[T any](w io.Writer) wtaTable[T] {
	return wtaTable[T]{parquet.NewGenericWriter[T](w, parquet.Compression(tablefile.NewZstd(zstd.SpeedFastest)), parquet.MaxRowsPerRowGroup(wtaGroupRows))}
}

func (t wtaTable[T]) add(row T) error {
	_, err := t.Write([]T{row})
	return err
}

// wta writes the tables of workflows and tasks.
type wta struct {
	meta      *trace.Meta
	number    []int64 // of workflows, as numbers returns them
	tasks     wtaTable[wtaTask]
	workflows wtaTable[wtaWorkflow]
	edges     int // in the row group
	next      int64
	totals    wtaTotals
	lost      Lost
}

// wtaTotals are what the file about the whole says.
type wtaTotals struct {
	Workflows       int64   `json:"total_workflows"`
	Tasks           int64   `json:"total_tasks"`
	Users           int     `json:"num_users"`
	Groups          int     `json:"num_groups"`
	Sites           int     `json:"num_sites"`
	Resources       float64 `json:"num_resources"`
	ResourceSeconds float64 `json:"total_resource_seconds"`
	Description     string  `json:"workload_description"`
}

// writeWTA writes a workflow for each job, whose tasks follow on all tasks of the stages that theirs follows on.
func writeWTA(ctx context.Context, t *trace.Trace, files []*bufio.Writer, lost Lost) error {
	number, err := numbers(ctx, t)
	if err != nil {
		return err
	}
	w := &wta{meta: &t.Meta, number: number, tasks: newWTATable[wtaTask](files[0]), workflows: newWTATable[wtaWorkflow](files[1]), lost: lost}
	w.totals = wtaTotals{Users: len(t.Meta.Users), Groups: 1, Sites: 1, Description: "written by replay trace export of " + oneLine(t.Meta.Name)}
	if err := w.resources(t, files[2]); err != nil {
		return err
	}
	for j, err := range trace.All(t.Jobs()) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = w.job(j)
		}
		if err != nil {
			return err
		}
	}
	if err := w.tasks.Close(); err != nil {
		return err
	}
	if err := w.workflows.Close(); err != nil {
		return err
	}
	return json.NewEncoder(files[3]).Encode(w.totals)
}

func (w *wta) resources(t *trace.Trace, file *bufio.Writer) error {
	out := newWTATable[wtaResource](file)
	for _, n := range t.Nodes {
		if !n.Present {
			w.lost.count("nodes that are not there at the start", 1)
			continue
		}
		w.lost.count("labels of nodes", int64(len(n.Labels)))
		w.lost.count("further resources of nodes", int64(len(n.Extra)))
		w.totals.Resources += float64(n.VCores)
		if err := out.add(wtaResource{
			ID: numberIn(n.Host, "resource", int64(n.ID)), Type: "cluster node", Resources: float64(n.VCores), MemoryGB: float64(n.MemMiB) / 1024, DiskGB: -1, Network: -1, Details: "{}",
		}); err != nil {
			return err
		}
	}
	w.lost.count("racks", int64(len(t.Nodes)))
	w.lost.count("events of nodes", int64(len(t.Events)))
	return out.Close()
}

func (w *wta) job(j *trace.Job) error {
	id, submit := j.ID+1, j.SubmitMS+max(0, w.meta.OriginUnixMS)
	if w.number != nil {
		id = w.number[j.ID]
	}
	w.totals.Workflows++
	w.lost.count("dependencies between jobs", int64(len(j.DependsOn)))
	w.lost.count("queues of jobs", 1)
	first := make([]int64, len(j.Stages)+1) // ids of the first tasks of stages
	first[0] = w.next
	for i := range j.Stages {
		first[i+1] = first[i] + int64(j.Stages[i].Tasks.Len())
	}
	w.next = first[len(j.Stages)]
	before, after := wtaEdges(j, w.lost)
	row := wtaTask{Submit: submit, ResourceType: "core", User: int32(userOf(w.meta, j)), Workflow: id, NFRs: "{}", Params: "{}",
		Site: 0, Group: 0, NetworkTime: -1, DiskTime: -1, DiskSpace: -1, Energy: -1, ResourceUsedID: -1}
	for i := range j.Stages {
		row.Parents, row.Children = wtaIDs(row.Parents, before[i], first), wtaIDs(row.Children, after[i], first)
		if err := w.stage(&j.Stages[i], first[i], row); err != nil {
			return err
		}
	}
	return w.workflows.add(wtaShape(j, before, wtaWorkflow{
		ID: id, Submit: submit, Tasks: int32(j.NumTasks()), NFRs: "{}", Resources: -1, Memory: -1, Network: -1, Disk: -1, Energy: -1, Application: j.Name,
	}))
}

// stage writes the tasks of a stage, which are as row but for what is their own.
func (w *wta) stage(s *trace.Stage, first int64, row wtaTask) error {
	if row.Type = s.Name; row.Type == "" {
		row.Type = fmt.Sprintf("stage%d", s.ID)
	}
	w.lost.count("further resources of stages", int64(len(s.Extra)))
	w.lost.count("delays of stages", min(1, max(0, s.DelayMS)))
	t := &s.Tasks
	for i, ms := range t.DurationMS {
		row.ID, row.Runtime, row.Wait = first+int64(i), ms, -1
		row.Amount, row.Memory = float64(s.TaskVCores), float64(s.TaskMem(i))
		if s.TaskMilliVCores > 0 {
			row.Amount = float64(s.TaskMilliVCores) / 1000
		}
		if t.VCores != nil && t.VCores[i] != trace.Unset {
			row.Amount = float64(t.VCores[i])
		}
		if t.RecordedWaitMS != nil && t.RecordedWaitMS[i] >= 0 {
			row.Wait = t.RecordedWaitMS[i]
		}
		w.lost.count("preferred hosts of tasks", int64(len(t.Prefs(i))))
		w.totals.Tasks++
		w.totals.ResourceSeconds += row.Amount * float64(ms) / 1000
		if err := w.tasks.add(row); err != nil {
			return err
		}
		if w.edges += len(row.Parents) + len(row.Children); w.edges >= wtaGroupEdges {
			w.edges = 0
			if err := w.tasks.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// wtaEdges are the stages before and after each stage.
func wtaEdges(j *trace.Job, lost Lost) (before, after [][]int32) {
	before, after = make([][]int32, len(j.Stages)), make([][]int32, len(j.Stages))
	for i := range j.Stages {
		for _, parents := range [][]int32{j.Stages[i].Parents, j.Stages[i].After} {
			for _, p := range parents {
				if edges := int64(j.Stages[i].Tasks.Len()) * int64(j.Stages[p].Tasks.Len()); edges > wtaMostEdges {
					lost.count(fmt.Sprintf("edges between tasks of stages that have more than %d", wtaMostEdges), edges)
					continue
				}
				before[i], after[p] = append(before[i], p), append(after[p], int32(i))
			}
		}
	}
	return before, after
}

// wtaIDs are the tasks of stages.
func wtaIDs(to []int64, stages []int32, first []int64) []int64 {
	to = to[:0]
	for _, s := range stages {
		for id := first[s]; id < first[s+1]; id++ {
			to = append(to, id)
		}
	}
	return to
}

// wtaShape fills in the longest way through the stages, by their longest tasks, and the most tasks at one distance from the start.
func wtaShape(j *trace.Job, before [][]int32, row wtaWorkflow) wtaWorkflow {
	level, ends, on := make([]int, len(j.Stages)), make([]int64, len(j.Stages)), make([]int32, len(j.Stages))
	wide := map[int]int32{}
	for i := range j.Stages {
		for _, p := range before[i] {
			level[i] = max(level[i], level[p]+1)
			if ends[p] >= ends[i] && on[p] > 0 {
				ends[i], on[i] = ends[p], on[p]
			}
		}
		longest := int64(0)
		for _, ms := range j.Stages[i].Tasks.DurationMS {
			longest = max(longest, ms)
		}
		ends[i], on[i] = ends[i]+longest, on[i]+1
		wide[level[i]] += int32(j.Stages[i].Tasks.Len())
		row.Concurrent = max(row.Concurrent, wide[level[i]])
		if ends[i] >= row.CriticalPath {
			row.CriticalPath, row.CriticalPathTasks = ends[i], on[i]
		}
	}
	return row
}
