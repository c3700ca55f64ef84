package trace

import "strings"

// readRows is how many rows of each table are decoded at a time. It has no influence on what is read.
const readRows = 8192

// A batch of a table is read by a rowReader; head is the next row of it to be used.
type batch struct {
	r       *rowReader
	n, head int
	base    int64 // row of the table where the batch starts
}

// more makes sure that row head exists; false at the end of the table.
func (b *batch) more() (bool, error) {
	if b.head < b.n {
		return true, nil
	}
	base := b.r.Row()
	n, err := b.r.next(readRows)
	b.n, b.head, b.base = n, 0, base
	return n > 0, err
}

// row is the table's row number of the head.
func (b *batch) row() int64 { return b.base + int64(b.head) }

// jobBatch decodes the job table; job fills in the job at the head.
type jobBatch struct {
	batch
	id, submit, am, execMem                   *column[int64]
	user, queue, priority, amCPU, execCPU     *column[int32]
	cpus, minExecs, maxExecs, initial, stages *column[int32]
	tasks, first, depends, think, start, end  *column[int64]
	tail                                      *column[int64]
	kind, name, external, outcome, key, value *column[string]
}

func newJobBatch(t *table, only []string) *jobBatch {
	r := newRowReader(t, only)
	i32 := func(name string) *column[int32] { return bindInt32(r, name) }
	i64 := func(name string) *column[int64] { return bindInt64(r, name) }
	str := func(name string) *column[string] { return bindString(r, name) }
	return &jobBatch{
		batch: batch{r: r},
		id:    i64("job_id"), submit: i64("submit_ms"), am: i64("am_mem_mib"), execMem: i64("exec_mem_mib"),
		user: i32("user_id"), queue: i32("queue_id"), priority: i32("priority"), amCPU: i32("am_vcores"), execCPU: i32("exec_vcores"),
		cpus: i32("task_cpus"), minExecs: i32("min_execs"), maxExecs: i32("max_execs"), initial: i32("initial_execs"), stages: i32("num_stages"),
		tasks: i64("num_tasks"), first: i64("first_task_row"), depends: i64("depends_on"), think: i64("think_ms"), tail: i64("tail_ms"), start: i64("recorded_start_ms"), end: i64("recorded_finish_ms"),
		kind: str("kind"), name: str("name"), external: str("external_id"), outcome: str("recorded_outcome"), key: str("conf.key"), value: str("conf.value"),
	}
}

// job fills in the job at the head, but for its stages.
func (b *jobBatch) job(j *Job) *Job {
	i, conf := b.head, j.Conf
	*j = Job{
		Stages: j.Stages,
		ID:     b.id.V[i], SubmitMS: b.submit.V[i], User: b.user.V[i], Queue: b.queue.V[i], Priority: b.priority.V[i], Kind: b.kind.V[i],
		AMMemMiB: b.am.V[i], AMVCores: b.amCPU.V[i], ExecMemMiB: b.execMem.V[i], ExecVCores: b.execCPU.V[i], TaskCPUs: b.cpus.V[i],
		MinExecs: b.minExecs.V[i], MaxExecs: b.maxExecs.V[i], InitialExecs: b.initial.V[i], DependsOn: b.depends.List(i), ThinkMS: b.think.V[i], TailMS: b.tail.V[i],
		Name: b.name.V[i], ExternalID: strings.Clone(b.external.V[i]), // a clone does not keep the page in memory
		RecordedStartMS: b.start.V[i], RecordedFinishMS: b.end.V[i], RecordedOutcome: b.outcome.V[i],
	}
	keys, values := b.key.Row(i), b.value.Row(i)
	if n := min(len(keys), len(values)); n > 0 {
		j.Conf = emptied(conf, n, n)
		for k := range n {
			j.Conf = append(j.Conf, KeyValue{keys[k], values[k]})
		}
	}
	return j
}

// stageBatch decodes the stage table.
type stageBatch struct {
	batch
	job, mem, shuffle, delay                *column[int64]
	id, parents, tasks, vcores, milli, prio *column[int32]
	file, after, sparkJob, cacheOf          *column[int32]
	profile, execCPU                        *column[int32]
	execMem                                 *column[int64]
	kind, pool, name, external              *column[string]
	startFraction, freshFactor, firstFactor *column[float32]
	extra, execExtra                        extraColumns
	execTasks                               *column[int32]
}

func newStageBatch(t *table, only []string) *stageBatch {
	r := newRowReader(t, only)
	i32 := func(name string) *column[int32] { return bindInt32(r, name) }
	i64 := func(name string) *column[int64] { return bindInt64(r, name) }
	str := func(name string) *column[string] { return bindString(r, name) }
	return &stageBatch{
		batch: batch{r: r},
		job:   i64("job_id"), mem: i64("task_mem_mib"), shuffle: i64("shuffle_read_bytes"), delay: i64("delay_ms"),
		id: i32("stage_id"), parents: i32("parents"), tasks: i32("num_tasks"), vcores: i32("task_vcores"), milli: i32("task_milli_vcores"), prio: i32("priority"),
		file: i32("file_id"), after: i32("after"), sparkJob: i32("spark_job"), cacheOf: i32("cache_of"),
		profile: i32("profile"), execMem: i64("exec_mem_mib"), execCPU: i32("exec_vcores"),
		kind: str("kind"), pool: str("pool"), name: str("name"), external: str("external_id"),
		startFraction: bindFloat(r, "start_fraction"), freshFactor: bindFloat(r, "fresh_factor"), firstFactor: bindFloat(r, "first_factor"),
		extra: bindExtra(r, "extra"), execExtra: bindExtra(r, "exec_extra"), execTasks: i32("exec_tasks"),
	}
}

func (b *stageBatch) stage() Stage {
	i := b.head
	return Stage{
		ID: b.id.V[i], Parents: b.parents.List(i), After: b.after.List(i), DelayMS: b.delay.V[i], SparkJob: b.sparkJob.V[i], Pool: b.pool.V[i],
		TaskMemMiB: b.mem.V[i], TaskVCores: b.vcores.V[i], TaskMilliVCores: b.milli.V[i], Extra: b.extra.list(i), Kind: b.kind.V[i],
		Priority: b.prio.V[i], StartFraction: b.startFraction.V[i], FileID: b.file.V[i], ShuffleReadBytes: b.shuffle.V[i],
		FreshFactor: b.freshFactor.V[i], FirstFactor: b.firstFactor.V[i], CacheOf: b.cacheOf.V[i],
		Profile: orZero(b.profile.V[i]), ExecMemMiB: orZero(b.execMem.V[i]), ExecVCores: orZero(b.execCPU.V[i]),
		ExecExtra: b.execExtra.list(i), ExecTasks: orZero(b.execTasks.V[i]), Name: b.name.V[i], ExternalID: b.external.V[i],
	}
}

// taskBatch decodes one file of the task table.
type taskBatch struct {
	batch
	job, duration, input, mem, wait    *column[int64]
	stage, pref, vcores, retries, node *column[int32]
	locality                           *column[string]
	deserialize, delay, read, written  *column[int64]
}

func newTaskBatch(t *table, only []string) *taskBatch {
	r := newRowReader(t, only)
	return &taskBatch{
		batch: batch{r: r},
		job:   bindInt64(r, "job_id"), stage: bindInt32(r, "stage_id"), duration: bindInt64(r, "duration_ms"), input: bindInt64(r, "input_bytes"),
		pref: bindInt32(r, "pref_nodes"), mem: bindInt64(r, "mem_mib"), vcores: bindInt32(r, "vcores"), retries: bindInt32(r, "retries"),
		wait: bindInt64(r, "recorded_wait_ms"), node: bindInt32(r, "recorded_node"), locality: bindString(r, "recorded_locality"),
		deserialize: bindInt64(r, "deserialize_ms"), delay: bindInt64(r, "sched_delay_ms"), read: bindInt64(r, "shuffle_read_bytes"), written: bindInt64(r, "shuffle_write_bytes"),
	}
}

// run returns how many rows from the head on, at most limit and within the batch, belong to the stage.
func (b *taskBatch) run(job int64, stage int32, limit int) int {
	jobs, stages := b.job.V[b.head:b.n], b.stage.V[b.head:b.n]
	n := min(limit, len(jobs))
	for i := range n {
		if jobs[i] != job || stages[i] != stage {
			return i
		}
	}
	return n
}

// take appends n rows from the head on to t, which is to have at most total tasks in the end; its columns are begun in the memory of
// others.
func (b *taskBatch) take(t, memory *Tasks, n, total int) {
	have, lo, hi := t.Len(), b.head, b.head+n
	t.DurationMS = appendRows(t.DurationMS, memory.DurationMS, b.duration.V[lo:hi], total)
	t.InputBytes = appendRows(t.InputBytes, memory.InputBytes, b.input.V[lo:hi], total)
	t.MemMiB = appendOptional(t.MemMiB, memory.MemMiB, b.mem, have, lo, hi, total)
	t.VCores = appendOptional(t.VCores, memory.VCores, b.vcores, have, lo, hi, total)
	t.Retries = appendOptional(t.Retries, memory.Retries, b.retries, have, lo, hi, total)
	t.RecordedWaitMS = appendOptional(t.RecordedWaitMS, memory.RecordedWaitMS, b.wait, have, lo, hi, total)
	t.RecordedNode = appendOptional(t.RecordedNode, memory.RecordedNode, b.node, have, lo, hi, total)
	t.RecordedLocality = appendOptional(t.RecordedLocality, memory.RecordedLocality, b.locality, have, lo, hi, total)
	t.DeserializeMS = appendOptional(t.DeserializeMS, memory.DeserializeMS, b.deserialize, have, lo, hi, total)
	t.SchedDelayMS = appendOptional(t.SchedDelayMS, memory.SchedDelayMS, b.delay, have, lo, hi, total)
	t.ShuffleReadBytes = appendOptional(t.ShuffleReadBytes, memory.ShuffleReadBytes, b.read, have, lo, hi, total)
	t.ShuffleWriteBytes = appendOptional(t.ShuffleWriteBytes, memory.ShuffleWriteBytes, b.written, have, lo, hi, total)
	b.takePrefs(t, memory, have, lo, hi, total)
	b.head = hi
}

// maxReserve bounds what is allocated because of a number in a file; more is appended as it comes.
const maxReserve = 1 << 20

// emptied returns memory without elements, or new memory where it has less room than is wanted.
func emptied[T any](memory []T, total, least int) []T {
	if n := max(min(total, maxReserve), least); cap(memory) < n || memory == nil {
		return make([]T, 0, n)
	}
	return memory[:0]
}

func appendRows[T any](dst, memory, src []T, total int) []T {
	if dst == nil {
		dst = emptied(memory, total, len(src))
	}
	return append(dst, src...)
}

// appendOptional leaves dst nil while there are only nulls.
func appendOptional[T comparable](dst, memory []T, c *column[T], have, lo, hi, total int) []T {
	if dst == nil {
		any := false
		if c.Set > 0 {
			for _, v := range c.V[lo:hi] {
				any = any || v != c.Absent
			}
		}
		if !any {
			return nil
		}
		dst = emptied(memory, total, have+hi-lo)
		for range have {
			dst = append(dst, c.Absent)
		}
	}
	return append(dst, c.V[lo:hi]...)
}

func (b *taskBatch) takePrefs(t, memory *Tasks, have, lo, hi, total int) {
	c := b.pref
	n := 0 // elements
	if c.Set > 0 {
		n = int(c.Start[hi] - c.Start[lo])
	}
	if t.PrefStart == nil {
		if n == 0 {
			return
		}
		t.PrefStart = append(emptied(memory.PrefStart, total+1, have+1), make([]int32, have+1)...)
		t.Pref = emptied(memory.Pref, n/(hi-lo)*total, n)
	}
	if c.Set == 0 {
		for range hi - lo {
			t.PrefStart = append(t.PrefStart, int32(len(t.Pref)))
		}
		return
	}
	shift := int32(len(t.Pref)) - c.Start[lo]
	for _, s := range c.Start[lo+1 : hi+1] {
		t.PrefStart = append(t.PrefStart, s+shift)
	}
	t.Pref = append(t.Pref, c.V[c.Start[lo]:c.Start[hi]]...)
}
