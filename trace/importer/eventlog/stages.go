package eventlog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

// appBuilder makes the stages of one application.
type appBuilder struct {
	log      *appLog
	conf     *sparkConf
	counts   *workload.Counts
	dag      *dag
	own      shape             // executor container of the default profile
	makers   map[int32]int32   // stored RDD -> position of the stage that first computed it
	newPos   []int32           // position in the DAG -> stage id of the trace, or Unset
	behind   map[int32][]int32 // position of a stage without a task -> those of stages with tasks that it waited for
	recorded []recorded.Stage
	lastEnd  int64
}

func (b *appBuilder) shape(profile int32) shape {
	if p := b.profile(profile); p != nil {
		return b.conf.executorShape(p)
	}
	return b.own
}

// profile returns a resource profile, nil for that of the application itself.
func (b *appBuilder) profile(id int32) *resourceProfile {
	if p, ok := b.log.profiles[id]; ok && id != 0 {
		return &p
	}
	return nil
}

// ofNoJob counts the stages of which no job's start is there.
const ofNoJob = "stages_of_no_job"

// stages fills the stages of out. ready is when user code could go on.
func (b *appBuilder) stages(out *Application, ready int64) error {
	b.lastEnd = absent
	for pos, id := range b.dag.order {
		st := b.log.stages[id]
		st.settle() // those that it waited for come before it
		tasks, ids := b.tasks(st)
		parents, after, readyAt := b.edges(id, ready)
		if tasks.Len() == 0 {
			b.counts.Dropped["stages_without_a_task"]++
			b.newPos = append(b.newPos, trace.Unset)
			b.behind[int32(pos)] = append(parents, after...)
			continue
		}
		b.lastEnd = max(b.lastEnd, st.completed)
		s := trace.NewStage(int32(len(out.Job.Stages)), kindOf(st, parents), b.ids(parents)...)
		s.After, s.Name, s.ExternalID, s.Tasks = b.ids(after), st.info.name, strconv.Itoa(int(id)), tasks
		if j := b.dag.job[id]; j != nil {
			s.SparkJob, s.Pool = j.id, j.pool
		} else {
			b.counts.Dropped[ofNoJob]++
		}
		if at := st.first(); at != absent && readyAt != absent {
			if at < readyAt {
				b.counts.Defaulted["delays_below_zero"]++
			}
			if s.DelayMS = max(0, at-readyAt); s.DelayMS > trace.LongestMS {
				return fmt.Errorf("stage %d was submitted at %d ms, and what it waited for was there at %d ms, want at most a year between them", id, at, readyAt)
			}
		} else {
			b.counts.Defaulted["delays_that_the_log_does_not_tell"]++
		}
		if err := b.demand(&s, st.info.profile); err != nil {
			return err
		}
		if tasks.ShuffleReadBytes != nil {
			s.ShuffleReadBytes = 0
			for _, n := range tasks.ShuffleReadBytes {
				s.ShuffleReadBytes += max(n, 0)
			}
		}
		s.CacheOf = b.cacheOf(int32(pos), st, &tasks, out)
		b.inputFile(&s, st, out)
		b.newPos = append(b.newPos, s.ID)
		out.Job.Stages = append(out.Job.Stages, s)
		out.Tasks = append(out.Tasks, ids)
		rec := recorded.Stage{SparkStage: id, Attempts: st.attempts(), SubmitMS: unset(st.first()), FinishMS: unset(st.completed), Tasks: b.attempts(st, ids)}
		if st.lostEnd {
			rec.FinishMS = trace.Unset
		}
		b.recorded = append(b.recorded, rec)
	}
	return nil
}

// edges are those of the DAG (see [dag.edges]) among the stages that have a task. A stage comes after those that one without a task, which it
// waited for, had waited for; the time of that one is part of its delay.
func (b *appBuilder) edges(id int32, ready int64) (parents, after []int32, readyAt int64) {
	parents, after, readyAt = b.dag.edges(id, ready)
	var behind []int32
	gone := func(p int32) bool {
		if b.newPos[p] != trace.Unset {
			return false
		}
		b.counts.Dropped["edges_to_stages_without_a_task"]++
		behind = append(behind, b.behind[p]...)
		return true
	}
	edges := len(parents) + len(after)
	parents, after = slices.DeleteFunc(parents, gone), slices.DeleteFunc(after, gone)
	if len(parents)+len(after) == edges {
		return parents, after, readyAt
	}
	for _, p := range behind {
		if !slices.Contains(parents, p) && !slices.Contains(after, p) {
			after = append(after, p)
		}
	}
	slices.Sort(after)
	if len(parents)+len(after) == 0 {
		return nil, nil, ready
	}
	readyAt = math.MinInt64
	for _, p := range slices.Concat(parents, after) {
		end := b.log.stages[b.dag.order[p]].completed
		if end == absent {
			return parents, after, absent
		}
		readyAt = max(readyAt, end)
	}
	return parents, after, readyAt
}

// ids are the ids in the trace of stages by their positions.
func (b *appBuilder) ids(pos []int32) []int32 {
	var ids []int32
	for _, p := range pos {
		ids = append(ids, b.newPos[p])
	}
	return ids
}

func kindOf(st *stageLog, parents []int32) string {
	if slices.ContainsFunc(st.info.rdds, func(r rddInfo) bool { return r.barrier }) {
		return trace.StageGang
	}
	switch {
	case len(parents) == 0:
		return trace.StageInput
	case st.result:
		return trace.StageResult
	}
	return trace.StageShuffle
}

// demand sets what a task of the stage needs, by its resource profile.
func (b *appBuilder) demand(s *trace.Stage, profile int32) error {
	cpus, exec := float64(b.conf.count("spark.task.cpus", 1)), b.own
	if p, ok := b.log.profiles[profile]; ok {
		if profile != 0 {
			exec = b.shape(profile)
			s.Profile, s.ExecMemMiB, s.ExecVCores, s.ExecExtra = profile, exec.memMiB, exec.vcores, b.conf.furtherResources(&p)
			if p.taskCPUs > 0 {
				cpus = p.taskCPUs
			}
		}
	} else if profile != 0 {
		return fmt.Errorf("stage %d runs with resource profile %d, which no SparkListenerResourceProfileAdded has announced", s.ID, profile)
	}
	if s.TaskVCores = int32(cpus); float64(s.TaskVCores) != cpus {
		s.TaskMilliVCores = int32(1000 * cpus)
		s.TaskVCores++
	}
	slots := max(1, int64(float64(exec.vcores)/max(cpus, 0.001)))
	if p := b.profile(profile); p != nil {
		if n := b.conf.slots(p); n < slots {
			s.ExecTasks = int32(max(n, 1))
		}
	}
	s.TaskMemMiB = exec.memMiB / slots
	return nil
}

// tasks returns a stage's tasks by partition.
func (b *appBuilder) tasks(st *stageLog) (trace.Tasks, []TaskID) {
	slices.SortFunc(st.parts, func(x, y part) int { return cmp.Compare(x.partition, y.partition) })
	parts := b.complete(st)
	n := len(parts)
	ids := make([]TaskID, n)
	t := trace.Tasks{
		DurationMS: make([]int64, 0, n), InputBytes: make([]int64, 0, n), Retries: make([]int32, 0, n), RecordedWaitMS: make([]int64, 0, n), RecordedNode: make([]int32, 0, n),
		RecordedLocality: make([]string, 0, n), DeserializeMS: make([]int64, 0, n), SchedDelayMS: make([]int64, 0, n), ShuffleReadBytes: make([]int64, 0, n), ShuffleWriteBytes: make([]int64, 0, n),
	}
	for i := range parts {
		p := &parts[i]
		ids[i] = TaskID{p.attempt, p.index, p.partition}
		t.DurationMS = append(t.DurationMS, p.busyMS)
		t.InputBytes = append(t.InputBytes, max(p.inputBytes, 0))
		t.Retries = append(t.Retries, p.retries)
		t.RecordedWaitMS = append(t.RecordedWaitMS, p.waitMS(st))
		t.RecordedNode = append(t.RecordedNode, p.host)
		t.RecordedLocality = append(t.RecordedLocality, p.locality)
		t.DeserializeMS = append(t.DeserializeMS, unset(p.deserializeMS))
		t.SchedDelayMS = append(t.SchedDelayMS, unset(p.schedDelayMS))
		t.ShuffleReadBytes = append(t.ShuffleReadBytes, unset(p.shuffleRead))
		t.ShuffleWriteBytes = append(t.ShuffleWriteBytes, unset(p.shuffleWrite))
		if p.done && p.metrics {
			if p.inputBytes == absent {
				b.counts.Defaulted["input_bytes_0"]++
			}
		}
	}
	dropEmpty(&t.InputBytes, 0)
	dropEmpty(&t.ShuffleReadBytes, 0)
	dropEmpty(&t.ShuffleWriteBytes, 0)
	dropEmpty(&t.DeserializeMS, trace.Unset)
	dropEmpty(&t.SchedDelayMS, trace.Unset)
	if !slices.ContainsFunc(t.Retries, func(n int32) bool { return n > 0 }) {
		t.Retries = nil
	}
	return t, ids
}

// dropEmpty makes a column nil when no entry is above nothing.
func dropEmpty(c *[]int64, nothing int64) {
	if !slices.ContainsFunc(*c, func(n int64) bool { return n > nothing }) {
		*c = nil
	}
}

// complete returns the work of every partition of the stage's first attempt. One without a success
// has the longest that an attempt ran; one that the log lost has the median of the others, if the
// stage was done and the log has half of it; one that never began is left out.
func (b *appBuilder) complete(st *stageLog) []part {
	parts, median := st.parts, medianWork(st.parts)
	want := int(st.info.tasks)
	ready := st.firstReady != absent
	kept := make([]part, 0, len(parts))
	for _, p := range parts {
		switch {
		case p.done && !p.metrics:
			b.counts.Defaulted["durations_without_task_metrics"]++
		case p.done:
		case p.busyMS == absent && ready && median != absent:
			p.busyMS = median
			b.counts.Modelled["durations_of_lost_task_ends"]++
		case p.busyMS == absent:
			b.counts.Dropped["tasks_that_never_ended"]++
			continue
		default:
			b.counts.Modelled["durations_of_tasks_without_success"]++
		}
		kept = append(kept, p)
	}
	if missing := want - len(parts); missing > 0 && missing <= len(parts) && ready && median != absent {
		b.counts.Modelled["durations_of_lost_tasks"] += int64(missing)
		have := map[int32]bool{}
		for i := range parts {
			have[parts[i].partition] = true
		}
		for p := int32(0); missing > 0; p++ {
			if !have[p] {
				kept = append(kept, part{
					partition: p, index: p, host: -1, executor: -1, busyMS: median, launch: absent, deserializeMS: absent,
					schedDelayMS: absent, inputBytes: absent, shuffleRead: absent, shuffleWrite: absent,
				})
				missing--
			}
		}
		slices.SortStableFunc(kept, func(x, y part) int { return cmp.Compare(x.partition, y.partition) })
	} else if missing > 0 {
		b.counts.Dropped["tasks_never_launched"] += int64(missing)
	}
	return kept
}

func medianWork(parts []part) int64 {
	ms := make([]int64, 0, len(parts))
	for i := range parts {
		if parts[i].done {
			ms = append(ms, parts[i].busyMS)
		}
	}
	if len(ms) == 0 {
		return absent
	}
	slices.Sort(ms)
	return ms[(len(ms)-1)/2]
}

// cacheOf returns the stage whose executors hold the stored RDD that this stage reads, or Unset.
// A log does not say where blocks are; a stored RDD counts as kept where its first stage ran when
// tasks of this stage later ran PROCESS_LOCAL and partitions match one to one.
func (b *appBuilder) cacheOf(pos int32, st *stageLog, tasks *trace.Tasks, out *Application) int32 {
	best, bestRDD := int32(trace.Unset), int32(-1)
	at := st.first()
	for _, r := range st.info.rdds {
		if !r.stored {
			continue
		}
		maker, ok := b.makers[r.id]
		if ok {
			if gone, was := b.log.unpersist[r.id]; was && gone <= at && b.log.stages[b.dag.order[maker]].first() <= gone {
				ok = false
			}
		}
		if !ok {
			b.makers[r.id] = pos
			continue
		}
		done := b.log.stages[b.dag.order[maker]].firstReady
		if r.id <= bestRDD || done == absent || done > at || b.newPos[maker] == trace.Unset {
			continue
		}
		best, bestRDD = b.newPos[maker], r.id
	}
	if best == trace.Unset || !slices.Contains(tasks.RecordedLocality, "PROCESS_LOCAL") {
		return trace.Unset
	}
	if out.Job.Stages[best].Tasks.Len() != tasks.Len() {
		b.counts.Dropped["cached_inputs_that_do_not_match_one_to_one"]++
		return trace.Unset
	}
	b.counts.Modelled["stages_with_cached_input"]++
	return best
}

// inputFile gives a stage that reads a file its FileID: one file for each path and number of partitions
// that an RDD has, else one for each source RDD.
func (b *appBuilder) inputFile(s *trace.Stage, st *stageLog, out *Application) {
	if s.Tasks.InputBytes == nil || s.CacheOf != trace.Unset {
		return
	}
	source := rddInfo{id: -1}
	for _, r := range st.info.rdds {
		if len(r.parents) == 0 && (source.id < 0 || r.id < source.id) {
			source = r
		}
	}
	if source.id < 0 {
		return
	}
	name := "rdd-" + strconv.Itoa(int(source.id))
	if strings.HasPrefix(source.name, "/") || strings.Contains(source.name, "://") {
		name = fmt.Sprintf("%s#%d", source.name, source.partitions)
	}
	out.ReadFile(s, name, false)
}
