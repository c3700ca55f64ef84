package result

import "replay/engine/record"

// Rows of the Parquet files. A time that did not happen is null.

type jobRow struct {
	ID         int64  `parquet:"job,delta"`
	Name       string `parquet:"name,dict"`
	ExternalID string `parquet:"external_id"`
	Kind       string `parquet:"kind,dict"`
	User       string `parquet:"user,dict"`
	Queue      string `parquet:"queue,dict"`
	Outcome    string `parquet:"outcome,dict"`
	Reason     string `parquet:"reason,dict"`
	Recorded   string `parquet:"recorded_outcome,dict"`

	Submit          int64  `parquet:"submit_ms,delta"`
	AMScheduled     *int64 `parquet:"am_scheduled_ms"`
	AMAllocated     *int64 `parquet:"am_allocated_ms"`
	AMRegistered    *int64 `parquet:"am_registered_ms"`
	FirstAsked      *int64 `parquet:"first_asked_ms"`
	FirstAllocated  *int64 `parquet:"first_allocated_ms"`
	FirstRegistered *int64 `parquet:"first_registered_ms"`
	FirstTask       *int64 `parquet:"first_task_ms"`
	Finish          *int64 `parquet:"finish_ms"`

	WaitFirstTask *int64   `parquet:"wait_job_first_task_ms"`
	WaitPart0     *int64   `parquet:"wait_job_part_queue_ms"`
	WaitPart1     *int64   `parquet:"wait_job_part_am_allocation_ms"`
	WaitPart2     *int64   `parquet:"wait_job_part_am_start_ms"`
	WaitPart3     *int64   `parquet:"wait_job_part_ask_ms"`
	WaitPart4     *int64   `parquet:"wait_job_part_allocation_ms"`
	WaitPart5     *int64   `parquet:"wait_job_part_executor_start_ms"`
	WaitPart6     *int64   `parquet:"wait_job_part_first_launch_ms"`
	Slowdown      *float64 `parquet:"slowdown"`

	Stages          int64 `parquet:"stages"`
	Tasks           int64 `parquet:"tasks"`
	TasksSucceeded  int64 `parquet:"tasks_succeeded"`
	TasksFailed     int64 `parquet:"tasks_failed"`
	Attempts        int64 `parquet:"task_attempts"`
	StageAttempts   int64 `parquet:"stage_attempts"`
	ProcessLocal    int64 `parquet:"tasks_process_local"`
	NodeLocal       int64 `parquet:"tasks_node_local"`
	NoPref          int64 `parquet:"tasks_no_pref"`
	RackLocal       int64 `parquet:"tasks_rack_local"`
	Any             int64 `parquet:"tasks_any"`
	TasksPreferring int64 `parquet:"tasks_preferring"`
	TasksPreferred  int64 `parquet:"tasks_preferred"`

	Containers              int64  `parquet:"containers"`
	ContainersPreferring    int64  `parquet:"containers_preferring"`
	ContainersPreferred     int64  `parquet:"containers_preferred"`
	ContainersRackPreferred int64  `parquet:"containers_rack_preferred"`
	ContainersHinting       int64  `parquet:"containers_hinting"`
	ContainersHinted        int64  `parquet:"containers_hinted"`
	AskMS                   int64  `parquet:"containers_wait_allocation_ms"`
	Asks                    int64  `parquet:"containers_waited"`
	TaskWaitMS              int64  `parquet:"tasks_wait_launch_ms"`
	TaskWaits               int64  `parquet:"tasks_waited"`
	MemMiBMS                int64  `parquet:"memory_mib_ms"`
	VCoreMS                 int64  `parquet:"vcore_ms"`
	TaskMS                  int64  `parquet:"task_useful_ms"`
	WastedTaskMS            int64  `parquet:"task_wasted_ms"`
	RunningTaskMS           int64  `parquet:"task_running_ms"`
	CriticalPathMS          int64  `parquet:"critical_path_ms"`
	RecordedMS              *int64 `parquet:"recorded_ms"`
}

// opt returns nil for a time that did not happen.
func opt(t *int64) *int64 {
	if *t == record.None {
		return nil
	}
	return t
}

// newJobRow refers to j, which must stay as it is until the row is written.
func newJobRow(j *Job) jobRow {
	r := jobRow{
		ID: j.ID, Name: j.Name, ExternalID: j.ExternalID, Kind: j.Kind, User: j.User, Queue: j.Queue, Outcome: j.Outcome, Reason: j.Reason, Recorded: j.Recorded,
		Submit: j.Submit, AMScheduled: opt(&j.AMScheduled), AMAllocated: opt(&j.AMAllocated), AMRegistered: opt(&j.AMRegistered),
		FirstAsked: opt(&j.FirstAsked), FirstAllocated: opt(&j.FirstAllocated), FirstRegistered: opt(&j.FirstRegistered),
		FirstTask: opt(&j.FirstTask), Finish: opt(&j.Finish),
		Stages: j.Stages, Tasks: j.Tasks, TasksSucceeded: j.TasksSucceeded, TasksFailed: j.TasksFailed,
		Attempts: j.Attempts, StageAttempts: j.StageAttempts,
		ProcessLocal: j.TaskLevels[0], NodeLocal: j.TaskLevels[1], NoPref: j.TaskLevels[2], RackLocal: j.TaskLevels[3], Any: j.TaskLevels[4],
		TasksPreferring: j.TasksPreferring, TasksPreferred: j.TasksPreferred,
		Containers: j.Containers, ContainersPreferring: j.ContainersPreferring, ContainersPreferred: j.ContainersPreferred,
		ContainersRackPreferred: j.ContainersRackPreferred, ContainersHinting: j.ContainersHinting, ContainersHinted: j.ContainersHinted,
		AskMS: j.AskMS, Asks: j.Asks, TaskWaitMS: j.TaskWaitMS, TaskWaits: j.TaskWaits,
		MemMiBMS: j.MemMiBMS, VCoreMS: j.VCoreMS, TaskMS: j.TaskMS, WastedTaskMS: j.WastedTaskMS, RunningTaskMS: j.RunningTaskMS,
		CriticalPathMS: j.CriticalPathMS, RecordedMS: opt(&j.RecordedMS),
	}
	if Happened(j.FirstTask) {
		wait := j.FirstTask - j.Submit
		r.WaitFirstTask = &wait
		parts := j.Parts()
		for i, p := range []**int64{&r.WaitPart0, &r.WaitPart1, &r.WaitPart2, &r.WaitPart3, &r.WaitPart4, &r.WaitPart5, &r.WaitPart6} {
			*p = &parts[i]
		}
	}
	if s, ok := Slowdown.Of(j); ok {
		r.Slowdown = &s
	}
	return r
}

type containerRow struct {
	Job        int64  `parquet:"job"`
	AMAttempt  int64  `parquet:"am_attempt,dict"`
	Number     int64  `parquet:"container"`
	AM         bool   `parquet:"am"`
	Node       int32  `parquet:"node"`
	Queue      string `parquet:"queue,dict"`
	MemMiB     int64  `parquet:"memory_mib,dict"`
	VCores     int64  `parquet:"vcores,dict"`
	Priority   int32  `parquet:"priority,dict"`
	Type       string `parquet:"type,dict"`
	Match      string `parquet:"match,dict"`
	Miss       string `parquet:"miss,dict"`
	Hinting    bool   `parquet:"hinting"`
	Hinted     bool   `parquet:"hinted"`
	Reserved   bool   `parquet:"reserved"`
	Asked      *int64 `parquet:"asked_ms"`
	Allocated  *int64 `parquet:"allocated_ms"`
	Acquired   *int64 `parquet:"acquired_ms"`
	Started    *int64 `parquet:"started_ms"`
	Registered *int64 `parquet:"registered_ms"`
	Ended      *int64 `parquet:"ended_ms"`
	Exited     *int64 `parquet:"exited_ms"`
	End        string `parquet:"end,dict"`
	Exit       int32  `parquet:"exit,dict"`
	Cores      int64  `parquet:"cores,dict"`
	Tasks      int64  `parquet:"tasks"`
	BusyMS     int64  `parquet:"busy_core_ms"`
}

func newContainerRow(c *record.Container) containerRow {
	return containerRow{
		c.Job, c.AMAttempt, c.Number, c.AM, c.Node, c.Queue, c.MemMiB, c.VCores, c.Priority, c.Type, c.Match.String(), missText(c.Miss, c.Match == record.OnRack || c.Match == record.Elsewhere),
		c.Hinting, c.Hinted, c.Reserved, opt(&c.Asked), opt(&c.Allocated), opt(&c.Acquired), opt(&c.Started), opt(&c.Registered), opt(&c.Ended), opt(&c.Exited),
		c.End, c.Exit, c.Cores, c.Tasks, c.BusyMS,
	}
}

// missText is empty when nothing was missed.
func missText(m record.Miss, missed bool) string {
	if !missed {
		return ""
	}
	return m.String()
}

type taskRow struct {
	Job          int64  `parquet:"job"`
	AMAttempt    int64  `parquet:"am_attempt,dict"`
	Stage        int32  `parquet:"stage"`
	StageAttempt int32  `parquet:"stage_attempt,dict"`
	Index        int32  `parquet:"task"`
	Attempt      int32  `parquet:"attempt,dict"`
	Container    int64  `parquet:"container"`
	Node         int32  `parquet:"node"`
	Ready        int64  `parquet:"ready_ms,delta"`
	Launch       int64  `parquet:"launch_ms,delta"`
	Freed        *int64 `parquet:"freed_ms"`
	Finish       *int64 `parquet:"finish_ms"`
	Cores        int32  `parquet:"cores,dict"`
	Level        string `parquet:"locality,dict"`
	Preferring   bool   `parquet:"preferring"`
	Preferred    bool   `parquet:"preferred"`
	Miss         string `parquet:"miss,dict"`
	Speculative  bool   `parquet:"speculative"`
	End          string `parquet:"end,dict"`
	DurationMS   int64  `parquet:"duration_ms"`
	PenaltyMS    int64  `parquet:"modelled_penalty_ms"`
	OverheadMS   int64  `parquet:"modelled_overhead_ms"`
}

func newTaskRow(t *record.Task) taskRow {
	return taskRow{
		t.Job, t.AMAttempt, t.Stage, t.StageAttempt, t.Index, t.Attempt, t.Container, t.Node, t.Ready, t.Launch, opt(&t.Freed), opt(&t.Finish), t.Cores,
		t.Level.String(), t.Preferring, t.Preferred, missText(t.Miss, t.Preferring && !t.Preferred), t.Speculative, t.End, t.DurationMS, t.PenaltyMS, t.OverheadMS,
	}
}

type sampleRow struct {
	Time           int64  `parquet:"time_ms,delta"`
	Queue          string `parquet:"queue,dict"`
	UsedMem        int64  `parquet:"used_memory_mib"`
	UsedVCores     int64  `parquet:"used_vcores"`
	ReservedMem    int64  `parquet:"reserved_memory_mib"`
	PendingMem     int64  `parquet:"pending_memory_mib"`
	PendingVCores  int64  `parquet:"pending_vcores"`
	DemandMem      int64  `parquet:"demand_memory_mib"`
	DemandVCores   int64  `parquet:"demand_vcores"`
	FairMem        *int64 `parquet:"fair_memory_mib"`
	FairVCores     *int64 `parquet:"fair_vcores"`
	SteadyMem      *int64 `parquet:"steady_memory_mib"`
	SteadyVCores   *int64 `parquet:"steady_vcores"`
	CapacityMem    int64  `parquet:"capacity_memory_mib"`
	CapacityVCores int64  `parquet:"capacity_vcores"`
	BusyCores      int64  `parquet:"busy_cores"`
	Running        int64  `parquet:"apps_running"`
	Pending        int64  `parquet:"apps_pending"`
	Containers     int64  `parquet:"containers"`
	Nodes          int64  `parquet:"nodes"`
}

func newSampleRow(s *record.Sample) sampleRow {
	return sampleRow{
		s.Time, s.Queue, s.UsedMem, s.UsedVCores, s.ReservedMem, s.PendingMem, s.PendingVCores, s.DemandMem, s.DemandVCores,
		opt(&s.FairMem), opt(&s.FairVCores), opt(&s.SteadyMem), opt(&s.SteadyVCores), s.CapacityMem, s.CapacityVCores,
		s.BusyCores, s.Running, s.Pending, s.Containers, s.Nodes,
	}
}

type nodeRow struct {
	Time       int64  `parquet:"time_ms,delta"`
	Node       int32  `parquet:"node"`
	Host       string `parquet:"host,dict"`
	Rack       string `parquet:"rack,dict"`
	MemMiB     int64  `parquet:"memory_mib,dict"`
	VCores     int64  `parquet:"vcores,dict"`
	Registered bool   `parquet:"registered"`
	Draining   bool   `parquet:"draining"`
}

func newNodeRow(n *record.Node) nodeRow { return nodeRow(*n) }

type decisionRow struct {
	Seq       int64  `parquet:"seq,delta"`
	Time      int64  `parquet:"time_ms,delta"`
	Kind      string `parquet:"kind,dict"`
	Job       int64  `parquet:"job"`
	AMAttempt int64  `parquet:"am_attempt,dict"`
	Container int64  `parquet:"container"`
	Node      int32  `parquet:"node"`
	Type      string `parquet:"type,dict"`
	Priority  int32  `parquet:"priority"`
	MemMiB    int64  `parquet:"memory_mib"`
	VCores    int64  `parquet:"vcores"`
}

func newDecisionRow(d *record.Decision) decisionRow { return decisionRow(*d) }
