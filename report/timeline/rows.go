package timeline

import "fmt"

// What is read of the tables.

type sampleRow struct {
	Time       int64  `parquet:"time_ms"`
	Queue      string `parquet:"queue"`
	UsedMem    int64  `parquet:"used_memory_mib"`
	UsedVCores int64  `parquet:"used_vcores"`
	BusyCores  int64  `parquet:"busy_cores"`
	Running    int64  `parquet:"apps_running"`
	Pending    int64  `parquet:"apps_pending"`
}

// sample writes the counts of the cluster.
func (w *writer) sample(r *sampleRow) error {
	w.end = max(w.end, r.Time)
	if r.Queue != "" {
		return nil
	}
	w.count("allocated memory, MiB", r.Time, r.UsedMem)
	w.count("allocated vcores", r.Time, r.UsedVCores)
	w.count("cores running tasks", r.Time, r.BusyCores)
	w.count("applications running", r.Time, r.Running)
	w.count("applications pending", r.Time, r.Pending)
	return nil
}

func (w *writer) count(what string, at, n int64) {
	w.put(event{Name: what, Phase: "C", TS: 1000 * at, PID: cluster, Args: args(what, n)})
}

type nodeRow struct {
	Time       int64 `parquet:"time_ms"`
	Node       int32 `parquet:"node"`
	MemMiB     int64 `parquet:"memory_mib"`
	VCores     int64 `parquet:"vcores"`
	Registered bool  `parquet:"registered"`
	Draining   bool  `parquet:"draining"`
}

// node writes that a node's state changes.
func (w *writer) node(r *nodeRow) {
	state := "registered"
	switch {
	case !r.Registered:
		state = "not registered"
	case r.Draining:
		state = "draining"
	}
	w.put(event{Name: state, Cat: "node", Phase: "i", Scope: "p", TS: 1000 * r.Time, PID: firstNode + int(r.Node), Args: args("memory MiB", r.MemMiB, "vcores", r.VCores)})
}

type jobRow struct {
	ID        int64  `parquet:"job"`
	Name      string `parquet:"name"`
	External  string `parquet:"external_id"`
	Kind      string `parquet:"kind"`
	User      string `parquet:"user"`
	Queue     string `parquet:"queue"`
	Outcome   string `parquet:"outcome"`
	Reason    string `parquet:"reason"`
	Submit    int64  `parquet:"submit_ms"`
	FirstTask *int64 `parquet:"first_task_ms"`
	Finish    *int64 `parquet:"finish_ms"`
}

// job writes an application and, within it, its wait for the first task.
func (w *writer) job(r *jobRow) error {
	w.counts.Applications++
	end := max(or(r.Finish, w.end), r.Submit)
	lane := w.apps.take(r.Submit, end)
	name := fmt.Sprintf("job %d", r.ID)
	if r.Name != "" {
		name += " " + r.Name
	}
	w.span(applications, lane, name, "application", r.Submit, end, args("queue", r.Queue, "user", r.User, "kind", r.Kind, "outcome", r.Outcome, "reason", r.Reason, "id", r.External))
	if first := min(or(r.FirstTask, end), end); first > r.Submit {
		w.span(applications, lane, "wait for the first task", "wait", r.Submit, first, nil)
	}
	return nil
}

type containerRow struct {
	Job       int64  `parquet:"job"`
	AMAttempt int64  `parquet:"am_attempt"`
	Number    int64  `parquet:"container"`
	AM        bool   `parquet:"am"`
	Node      int32  `parquet:"node"`
	Queue     string `parquet:"queue"`
	MemMiB    int64  `parquet:"memory_mib"`
	VCores    int64  `parquet:"vcores"`
	Type      string `parquet:"type"`
	Match     string `parquet:"match"`
	Asked     *int64 `parquet:"asked_ms"`
	Allocated *int64 `parquet:"allocated_ms"`
	Ended     *int64 `parquet:"ended_ms"`
	Exited    *int64 `parquet:"exited_ms"`
	End       string `parquet:"end"`
}

// container writes a container from its allocation until its process has gone.
func (w *writer) container(r *containerRow) {
	if r.Allocated == nil {
		return
	}
	w.counts.Containers++
	begin := *r.Allocated
	end := max(or(r.Exited, or(r.Ended, w.end)), begin)
	name := fmt.Sprintf("job %d container %d", r.Job, r.Number)
	if r.AM {
		name = fmt.Sprintf("job %d master", r.Job)
	}
	w.span(firstNode+int(r.Node), w.containers[r.Node].take(begin, end), name, "container", begin, end, args(
		"queue", r.Queue, "memory MiB", r.MemMiB, "vcores", r.VCores, "locality", r.Type, "match", r.Match, "end", r.End, "attempt", r.AMAttempt, "waited ms", begin-or(r.Asked, begin)))
}

type taskRow struct {
	Job          int64  `parquet:"job"`
	Stage        int32  `parquet:"stage"`
	StageAttempt int32  `parquet:"stage_attempt"`
	Index        int32  `parquet:"task"`
	Attempt      int32  `parquet:"attempt"`
	Container    int64  `parquet:"container"`
	Node         int32  `parquet:"node"`
	Ready        int64  `parquet:"ready_ms"`
	Launch       int64  `parquet:"launch_ms"`
	Freed        *int64 `parquet:"freed_ms"`
	Finish       *int64 `parquet:"finish_ms"`
	Level        string `parquet:"locality"`
	Speculative  bool   `parquet:"speculative"`
	End          string `parquet:"end"`
}

// task writes a task attempt while it holds its cores.
func (w *writer) task(r *taskRow) {
	w.counts.Tasks++
	end := max(or(r.Freed, or(r.Finish, w.end)), r.Launch)
	w.span(firstNode+int(r.Node), firstTask+w.tasks[r.Node].take(r.Launch, end), fmt.Sprintf("job %d stage %d task %d", r.Job, r.Stage, r.Index), r.End, r.Launch, end, args(
		"attempt", r.Attempt, "stage attempt", r.StageAttempt, "container", r.Container, "locality", r.Level, "speculative", r.Speculative, "end", r.End, "waited ms", r.Launch-r.Ready))
}
