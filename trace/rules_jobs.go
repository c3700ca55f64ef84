package trace

import (
	"fmt"
	"math"
)

// jobRows says in which rows of its tables a job stands.
type jobRows struct {
	job    int64
	stages []int64 // row of each stage
	tasks  []int64 // row of the first task of each stage
}

// job checks a job, given in order.
func (r *rules) job(j *Job, at *jobRows) error {
	row := at.job
	err := firstOf(
		r.id(tableJobs, row, "user_id", j.User, r.users),
		r.id(tableJobs, row, "queue_id", j.Queue, r.queues),
		r.oneOf(tableJobs, row, "kind", j.Kind, Kinds...),
		r.oneOf(tableJobs, row, "recorded_outcome", j.RecordedOutcome, "", "success", "failed", "killed", "censored"),
		r.fields(tableJobs, row, jobFields, j.SubmitMS, j.AMMemMiB, int64(j.AMVCores), j.ExecMemMiB, int64(j.ExecVCores), int64(j.TaskCPUs),
			int64(j.MinExecs), int64(j.MaxExecs), int64(j.InitialExecs), j.ThinkMS, j.TailMS, j.RecordedStartMS, j.RecordedFinishMS),
		r.text(tableJobs, row, "name", j.Name),
		r.text(tableJobs, row, "external_id", j.ExternalID),
		r.jobTimes(j, row),
		r.jobShape(j, row),
	)
	if err != nil {
		return err
	}
	for i, d := range j.DependsOn {
		if d < 0 || d >= j.ID {
			if err := r.bad(tableJobs, row, fmt.Sprintf("depends_on[%d]", i), d, "a job before %d", j.ID); err != nil {
				return err
			}
		}
	}
	for i := range j.Conf {
		if j.Conf[i].Key == "" || i > 0 && j.Conf[i].Key <= j.Conf[i-1].Key {
			if err := r.bad(tableJobs, row, "conf.key", j.Conf[i].Key, "keys in order, each once"); err != nil {
				return err
			}
		}
		if err := firstOf(r.text(tableJobs, row, "conf.key", j.Conf[i].Key), r.text(tableJobs, row, "conf.value", j.Conf[i].Value)); err != nil {
			return err
		}
	}
	for i := range j.Stages {
		if err := firstOf(r.stage(j, i, at.stages[i]), r.stageTasks(&j.Stages[i], at.tasks[i])); err != nil {
			return err
		}
	}
	return nil
}

func (r *rules) jobTimes(j *Job, row int64) error {
	if j.SubmitMS < r.lastSubmit {
		if err := r.bad(tableJobs, row, "submit_ms", j.SubmitMS, "%d of the job before, or more", r.lastSubmit); err != nil {
			return err
		}
	}
	r.lastSubmit = max(r.lastSubmit, j.SubmitMS)
	if j.RecordedStartMS > Unset && j.RecordedStartMS < j.SubmitMS {
		if err := r.bad(tableJobs, row, "recorded_start_ms", j.RecordedStartMS, "submit_ms (%d) or more", j.SubmitMS); err != nil {
			return err
		}
	}
	if j.RecordedFinishMS > Unset && j.RecordedFinishMS < max(j.RecordedStartMS, j.SubmitMS) {
		return r.bad(tableJobs, row, "recorded_finish_ms", j.RecordedFinishMS, "recorded_start_ms (%d) or more", max(j.RecordedStartMS, j.SubmitMS))
	}
	return nil
}

func (r *rules) jobShape(j *Job, row int64) error {
	if (j.ExecMemMiB == Unset) != (j.ExecVCores == Unset) {
		if err := r.bad(tableJobs, row, "exec_mem_mib", fmt.Sprintf("%d with exec_vcores %d", j.ExecMemMiB, j.ExecVCores), "both or neither"); err != nil {
			return err
		}
	}
	if j.Kind == KindSpark && (j.ExecMemMiB == Unset || j.ExecVCores == 0) {
		if err := r.bad(tableJobs, row, "exec_vcores", fmt.Sprintf("%d with exec_mem_mib %d", j.ExecVCores, j.ExecMemMiB), "the executor shape of a spark job"); err != nil {
			return err
		}
	}
	if j.TaskCPUs == 0 || j.TaskCPUs != Unset && j.ExecVCores != Unset && j.TaskCPUs > j.ExecVCores {
		if err := r.bad(tableJobs, row, "task_cpus", j.TaskCPUs, "1 to exec_vcores (%d)", j.ExecVCores); err != nil {
			return err
		}
	}
	if j.MaxExecs != Unset && (j.MinExecs > j.MaxExecs || j.InitialExecs > j.MaxExecs) {
		if err := r.bad(tableJobs, row, "max_execs", j.MaxExecs, "min_execs (%d) and initial_execs (%d) or more", j.MinExecs, j.InitialExecs); err != nil {
			return err
		}
	}
	if len(j.Stages) == 0 {
		return r.bad(tableJobs, row, "num_stages", 0, "1 or more")
	}
	if j.Kind == KindMapReduce && len(j.Stages) > 2 {
		return r.bad(tableJobs, row, "num_stages", len(j.Stages), "1 or 2, maps and reduces, as the job is of kind mapreduce")
	}
	return nil
}

func (r *rules) stage(j *Job, i int, row int64) error {
	s := &j.Stages[i]
	err := firstOf(
		r.oneOf(tableStages, row, "kind", s.Kind, StageInput, StageShuffle, StageResult, StageGang),
		r.fields(tableStages, row, stageFields, s.TaskMemMiB, int64(s.TaskVCores), int64(s.TaskMilliVCores), int64(s.Priority), s.ShuffleReadBytes, s.DelayMS,
			int64(s.SparkJob), int64(s.Profile), s.ExecMemMiB, int64(s.ExecVCores), int64(s.ExecTasks)),
		r.extra(tableStages, row, "extra", s.Extra),
		r.extra(tableStages, row, "exec_extra", s.ExecExtra),
		r.text(tableStages, row, "pool", s.Pool),
		r.before(row, "parents", s.Parents, i),
		r.before(row, "after", s.After, i),
		r.factor(row, "fresh_factor", s.FreshFactor, MostFactor),
		r.factor(row, "first_factor", s.FirstFactor, MostFactor),
		r.factor(row, "start_fraction", s.StartFraction, 1),
	)
	if err != nil {
		return err
	}
	if s.ID != int32(i) {
		if err := r.bad(tableStages, row, "stage_id", s.ID, "%d, as ids count the stages of job %d from 0", i, j.ID); err != nil {
			return err
		}
	}
	if j.Kind == KindMapReduce && len(s.Parents) != i {
		if err := r.bad(tableStages, row, "parents", s.Parents, "none for the maps and stage 0 for the reduces, as job %d is of kind mapreduce", j.ID); err != nil {
			return err
		}
	}
	if s.FileID != Unset {
		if err := r.id(tableStages, row, "file_id", s.FileID, r.files); err != nil {
			return err
		}
	}
	if s.CacheOf != Unset && (s.CacheOf < 0 || int(s.CacheOf) >= i) {
		return r.bad(tableStages, row, "cache_of", s.CacheOf, "a stage before %d, or null", i)
	}
	return nil
}

// before checks that a list of stages holds each once, all before stage i.
func (r *rules) before(row int64, column string, list []int32, i int) error {
	for k, p := range list {
		if p < 0 || int(p) >= i {
			return r.bad(tableStages, row, fmt.Sprintf("%s[%d]", column, k), p, "a stage before %d", i)
		}
		for _, q := range list[:k] {
			if p == q {
				return r.bad(tableStages, row, fmt.Sprintf("%s[%d]", column, k), p, "each stage once")
			}
		}
	}
	return nil
}

func (r *rules) factor(row int64, column string, v float32, most float32) error {
	if v == Unset || v >= 0 && v <= most {
		return nil
	}
	return r.bad(tableStages, row, column, v, "0 to %g, or null", most)
}

// stageTasks checks the columns of a stage's tasks; row is that of the first.
func (r *rules) stageTasks(s *Stage, row int64) error {
	t := &s.Tasks
	n := t.Len()
	for _, c := range []struct {
		column string
		n      int
		isNil  bool
	}{
		{"input_bytes", len(t.InputBytes), t.InputBytes == nil}, {"pref_nodes", len(t.PrefStart) - 1, t.PrefStart == nil},
		{"mem_mib", len(t.MemMiB), t.MemMiB == nil}, {"vcores", len(t.VCores), t.VCores == nil}, {"retries", len(t.Retries), t.Retries == nil},
		{"recorded_wait_ms", len(t.RecordedWaitMS), t.RecordedWaitMS == nil}, {"recorded_node", len(t.RecordedNode), t.RecordedNode == nil},
		{"recorded_locality", len(t.RecordedLocality), t.RecordedLocality == nil}, {"deserialize_ms", len(t.DeserializeMS), t.DeserializeMS == nil},
		{"sched_delay_ms", len(t.SchedDelayMS), t.SchedDelayMS == nil}, {"shuffle_read_bytes", len(t.ShuffleReadBytes), t.ShuffleReadBytes == nil},
		{"shuffle_write_bytes", len(t.ShuffleWriteBytes), t.ShuffleWriteBytes == nil},
	} {
		if c.n != n && !c.isNil {
			return fmt.Errorf("stage %d: column %s has %d entries, want %d, one for each task", s.ID, c.column, c.n, n)
		}
	}
	f := taskFields
	return firstOf(
		numbers(r, row, &f[0], t.DurationMS),
		numbers(r, row, &f[1], t.InputBytes),
		numbers(r, row, &f[2], t.MemMiB),
		numbers(r, row, &f[3], t.VCores),
		numbers(r, row, &f[4], t.Retries),
		numbers(r, row, &f[5], t.RecordedWaitMS),
		numbers(r, row, &f[6], t.DeserializeMS),
		numbers(r, row, &f[7], t.SchedDelayMS),
		numbers(r, row, &f[8], t.ShuffleReadBytes),
		numbers(r, row, &f[9], t.ShuffleWriteBytes),
		r.deserialized(row, t),
		r.recordedNodes(row, t.RecordedNode),
		r.prefs(row, t),
	)
}

// deserialized checks that deserialization is no more than the time that it is part of.
func (r *rules) deserialized(row int64, t *Tasks) error {
	for i, ms := range t.DeserializeMS {
		if ms > t.DurationMS[i] {
			if err := r.bad(tableTasks, row+int64(i), "deserialize_ms", ms, "duration_ms (%d) or less, of which it is a part", t.DurationMS[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rules) recordedNodes(row int64, nodes []int32) error {
	for i, n := range nodes {
		if n != Unset {
			if err := r.id(tableTasks, row+int64(i), "recorded_node", n, r.nodes); err != nil {
				return err
			}
		}
	}
	return nil
}

// prefs checks that preferred nodes exist and that no task names one twice.
func (r *rules) prefs(row int64, t *Tasks) error {
	if t.PrefStart == nil {
		return nil
	}
	begin := t.PrefStart[0]
	for i, end := range t.PrefStart[1:] {
		if begin > end {
			return fmt.Errorf("PrefStart[%d] is %d, more than the next (%d)", i, begin, end)
		}
		list := t.Pref[begin:end]
		begin = end
		if len(list) == 3 { // as most files are kept
			a, b, c := uint(list[0]), uint(list[1]), uint(list[2])
			if max(a, b, c) < uint(len(r.seen)) && a != b && a != c && b != c {
				continue
			}
		} else if fewNodes(list, len(r.seen)) {
			continue
		}
		if r.tasks == math.MaxInt32 {
			clear(r.seen)
			r.tasks = 0
		}
		r.tasks++
		for k, n := range list {
			if n < 0 || int(n) >= len(r.seen) {
				if err := r.bad(tableTasks, row+int64(i), fmt.Sprintf("pref_nodes[%d]", k), n, "a row of nodes, which has %d", r.nodes); err != nil {
					return err
				}
				continue
			}
			if r.seen[n] == r.tasks {
				if err := r.bad(tableTasks, row+int64(i), fmt.Sprintf("pref_nodes[%d]", k), n, "each node once"); err != nil {
					return err
				}
			}
			r.seen[n] = r.tasks
		}
	}
	return nil
}

// fewNodes reports whether a list is of a few nodes, each another one. It compares them, as a table of all nodes is far away.
func fewNodes(list []int32, nodes int) bool {
	if len(list) > 4 {
		return false
	}
	for k, n := range list {
		if uint(n) >= uint(nodes) {
			return false
		}
		for _, before := range list[:k] {
			if before == n {
				return false
			}
		}
	}
	return true
}

// executor checks a recorded executor; jobs is the number of jobs.
func (r *rules) executor(e *Executor, row, jobs int64) error {
	err := firstOf(
		r.id(tableExecutors, row, "node_id", e.Node, r.nodes),
		r.fields(tableExecutors, row, executorFields, int64(e.ID), int64(e.VCores), e.MemMiB, int64(e.Profile), e.AddedMS, e.RemovedMS),
	)
	if err != nil {
		return err
	}
	if e.Job < 0 || e.Job >= jobs {
		if err := r.bad(tableExecutors, row, "job_id", e.Job, "a row of jobs, which has %d", jobs); err != nil {
			return err
		}
	}
	if e.RemovedMS != Unset && e.RemovedMS < e.AddedMS {
		if err := r.bad(tableExecutors, row, "removed_ms", e.RemovedMS, "added_ms (%d) or more", e.AddedMS); err != nil {
			return err
		}
	}
	last := r.lastExec
	r.lastExec = *e
	if e.Job < last.Job || e.Job == last.Job && e.ID <= last.ID {
		return r.bad(tableExecutors, row, "job_id, executor_id", []int64{e.Job, int64(e.ID)}, "more than %v of the row before", []int64{last.Job, int64(last.ID)})
	}
	return nil
}
