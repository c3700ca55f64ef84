package trace

// CheckApplication applies the rules of the format to a job and its executors that are not part of a trace: their
// nodes are below nodes, the files of stages below files, and no executor comes before the submission. The ids of the
// job, its user and its queue are not looked at, and its times may have any origin: they are taken from its submission. The error names table, row within the application, column, value and
// what was wanted.
func CheckApplication(j *Job, executors []Executor, nodes, files int) error {
	r := rules{
		report: func(p Problem) error { return p },
		place:  func(table string, row int64) (string, int, int64) { return table, -1, row },
		nodes:  nodes, queues: 1, users: 1, files: files,
	}
	r.seen = make([]int32, nodes)
	r.lastExec = Executor{Job: -1}
	copied := *j
	copied.ID, copied.User, copied.Queue, copied.DependsOn = 0, 0, 0, nil
	since := func(at int64) int64 {
		if at == Unset {
			return Unset
		}
		return at - j.SubmitMS
	}
	copied.SubmitMS, copied.RecordedStartMS, copied.RecordedFinishMS = 0, since(j.RecordedStartMS), since(j.RecordedFinishMS)
	at := jobRows{stages: make([]int64, len(j.Stages)), tasks: make([]int64, len(j.Stages))}
	for i := range j.Stages {
		at.stages[i] = int64(i)
	}
	if err := r.job(&copied, &at); err != nil {
		return err
	}
	for i, e := range executors {
		e.Job = 0
		if e.AddedMS < j.SubmitMS {
			return r.bad(tableExecutors, int64(i), "added_ms", e.AddedMS, "submit_ms of its job (%d) or more", j.SubmitMS)
		}
		e.AddedMS, e.RemovedMS = since(e.AddedMS), since(e.RemovedMS)
		if err := r.executor(&e, int64(i), 1); err != nil {
			return err
		}
	}
	return nil
}
