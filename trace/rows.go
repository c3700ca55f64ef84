package trace

import "math"

// orNull is nil for Unset. It points into v, which must stay until the row is written.
func orNull[T int32 | int64 | float32](v *T) *T {
	if *v == Unset {
		return nil
	}
	return v
}

func orNaN(v *float64) *float64 {
	if math.IsNaN(*v) {
		return nil
	}
	return v
}

func valuesToRows(values []NamedValue) []valueRow {
	rows := make([]valueRow, 0, len(values))
	for _, v := range values {
		rows = append(rows, valueRow(v))
	}
	if len(rows) == 0 {
		return nil
	}
	return rows
}

func nodeToRow(n *Node) nodeRow {
	return nodeRow{
		ID: n.ID, Host: n.Host, RackID: n.RackID, Rack: n.Rack, MemMiB: n.MemMiB, VCores: n.VCores,
		Labels: n.Labels, Extra: valuesToRows(n.Extra), Present: n.Present,
	}
}

func eventToRow(e *NodeEvent) eventRow {
	return eventRow{
		TimeMS: e.TimeMS, Seq: e.Seq, Node: e.Node, Kind: string(e.Kind), MemMiB: orNull(&e.MemMiB), VCores: orNull(&e.VCores),
		DrainTimeout: orNull(&e.DrainTimeoutMS), Reason: e.Reason, Group: orNull(&e.Group),
	}
}

func queueToRow(q *Queue) queueRow {
	return queueRow{
		ID: q.ID, Path: q.Path, Parent: orNull(&q.Parent), Weight: orNaN(&q.Weight),
		MinMemMiB: orNull(&q.MinMemMiB), MaxMemMiB: orNull(&q.MaxMemMiB), MinVCores: orNull(&q.MinVCores), MaxVCores: orNull(&q.MaxVCores),
		MaxApps: orNull(&q.MaxApps), AMShare: orNaN(&q.AMShare), Policy: q.Policy,
	}
}

func userToRow(u *User) userRow { return userRow{ID: u.ID, Name: u.Name, Weight: orNaN(&u.Weight)} }

func fileToRow(f *File) fileRow { return fileRow(*f) }

func jobToRow(j *Job, firstTask int64) jobRow {
	var conf []confRow
	for _, kv := range j.Conf {
		conf = append(conf, confRow(kv))
	}
	return jobRow{
		ID: j.ID, SubmitMS: j.SubmitMS, User: j.User, Queue: j.Queue, Priority: j.Priority, Kind: j.Kind, AMMemMiB: j.AMMemMiB, AMVCores: j.AMVCores,
		ExecMemMiB: copied(j.ExecMemMiB), ExecVCores: copied(j.ExecVCores), TaskCPUs: copied(j.TaskCPUs),
		MinExecs: copied(j.MinExecs), MaxExecs: copied(j.MaxExecs), InitialExecs: copied(j.InitialExecs),
		NumStages: int32(len(j.Stages)), NumTasks: j.NumTasks(), FirstTaskRow: firstTask, DependsOn: append([]int64(nil), j.DependsOn...), ThinkMS: copied(j.ThinkMS), TailMS: copied(j.TailMS),
		Name: j.Name, ExternalID: j.ExternalID, RecordedStart: copied(j.RecordedStartMS), RecordedFinish: copied(j.RecordedFinishMS),
		RecordedOutcome: j.RecordedOutcome, Conf: conf,
	}
}

// copied is orNull of a value that the caller may change before the row is written.
func copied[T int32 | int64 | float32](v T) *T { return orNull(&v) }

func stageToRow(job int64, s *Stage) stageRow {
	return stageRow{
		Job: job, ID: s.ID, Parents: append([]int32(nil), s.Parents...), NumTasks: int32(s.Tasks.Len()), MemMiB: s.TaskMemMiB, VCores: s.TaskVCores,
		MilliVCores: copied(s.TaskMilliVCores), Extra: valuesToRows(s.Extra), Kind: s.Kind, Priority: copied(s.Priority),
		StartFraction: copied(s.StartFraction), FileID: copied(s.FileID), ShuffleRead: copied(s.ShuffleReadBytes),
		After: append([]int32(nil), s.After...), DelayMS: copied(s.DelayMS), SparkJob: copied(s.SparkJob), Pool: s.Pool,
		FreshFactor: copied(s.FreshFactor), FirstFactor: copied(s.FirstFactor), CacheOf: copied(s.CacheOf),
		Profile: zeroNull(s.Profile), ExecMemMiB: zeroNull(s.ExecMemMiB), ExecVCores: zeroNull(s.ExecVCores),
		ExecExtra: valuesToRows(s.ExecExtra), ExecTasks: zeroNull(s.ExecTasks), Name: s.Name, ExternalID: s.ExternalID,
	}
}

// orZero is 0 for Unset: what has a default in a row that says nothing.
func orZero[T int32 | int64](v T) T {
	if v == Unset {
		return 0
	}
	return v
}

// zeroNull returns a pointer to a copy of v, or nil for 0.
func zeroNull[T int32 | int64](v T) *T {
	if v == 0 {
		return nil
	}
	return &v
}

func executorToRow(e *Executor) executorRow {
	return executorRow{
		Job: e.Job, ID: e.ID, Node: e.Node, VCores: e.VCores, MemMiB: e.MemMiB, Profile: zeroNull(e.Profile), AddedMS: e.AddedMS, Removed: copied(e.RemovedMS), Reason: e.Reason,
	}
}
