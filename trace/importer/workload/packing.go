package workload

import (
	"encoding/binary"
	"math"

	"replay/spill"
	"replay/trace"
	"replay/trace/importer/recorded"
)

// packing writes the fields of an application into bytes, or reads them, by one list of them for both: it is a fourth of the time of a general encoding, which was a third of an import
// of small jobs. Nothing of it leaves the process.
type packing struct {
	b     []byte // written, or what is left to read
	read  bool
	texts spill.Texts

	// What is read of an application that is not large is in memory that serves the next one.
	longs  arena[int64]
	shorts arena[int32]
	stages arena[trace.Stage]
}

// arena gives out memory that is used again. Who wants more than it has gets memory of its own.
type arena[T any] struct{ all, free []T }

func newArena[T any](n int) arena[T] { return arena[T]{all: make([]T, n)} }

// again takes all back that was given out.
func (a *arena[T]) again() { a.free = a.all }

func (a *arena[T]) take(n int) []T {
	if len(a.free) < n {
		return make([]T, n)
	}
	list := a.free[:n:n]
	a.free = a.free[n:]
	return list
}

func (p *packing) int(v *int64) {
	if !p.read {
		p.b = binary.AppendVarint(p.b, *v)
		return
	}
	x, n := binary.Varint(p.b)
	*v, p.b = x, p.b[n:]
}

func (p *packing) ints(list ...*int64) {
	for _, v := range list {
		p.int(v)
	}
}

func (p *packing) small(list ...*int32) {
	for _, v := range list {
		x := int64(*v)
		p.int(&x)
		*v = int32(x)
	}
}

func (p *packing) float(list ...*float32) {
	for _, v := range list {
		if !p.read {
			p.b = binary.LittleEndian.AppendUint32(p.b, math.Float32bits(*v))
			continue
		}
		*v, p.b = math.Float32frombits(binary.LittleEndian.Uint32(p.b)), p.b[4:]
	}
}

func (p *packing) yes(v *bool) {
	x := oneIf(*v)
	p.int(&x)
	*v = x != 0
}

// text is a text that is of this application alone.
func (p *packing) text(v *string) {
	n := int64(len(*v))
	p.int(&n)
	if !p.read {
		p.b = append(p.b, *v...)
		return
	}
	*v, p.b = string(p.b[:n]), p.b[n:]
}

// often is a text that many applications have.
func (p *packing) often(list ...*string) {
	for _, v := range list {
		if !p.read {
			p.text(v)
			continue
		}
		n := int64(0)
		p.int(&n)
		*v, p.b = p.texts.Of(p.b[:n]), p.b[n:]
	}
}

// packLength packs the length of a list, for which take has the memory when it is read. A list that is nil stays so.
func packLength[T any](p *packing, list *[]T, take func(n int) []T) {
	n := int64(len(*list)) + 1
	if *list == nil {
		n = 0
	}
	if p.int(&n); p.read {
		*list = nil
		if n > 0 {
			*list = take(int(n - 1))
		}
	}
}

// packList packs a list, of which one packs each.
func packList[T any](p *packing, list *[]T, one func(*T)) {
	packLength(p, list, func(n int) []T { return make([]T, n) })
	for i := range *list {
		one(&(*list)[i])
	}
}

// packNumbers is packList of numbers, of which a job has most.
func packNumbers[T int32 | int64](p *packing, list *[]T, from *arena[T]) {
	packLength(p, list, from.take)
	if !p.read {
		b := p.b
		for _, v := range *list {
			b = binary.AppendVarint(b, int64(v))
		}
		p.b = b
		return
	}
	b := p.b
	for i := range *list {
		x, n := binary.Varint(b)
		(*list)[i], b = T(x), b[n:]
	}
	p.b = b
}

func (p *packing) values(lists ...*[]trace.NamedValue) {
	for _, list := range lists {
		packList(p, list, func(v *trace.NamedValue) {
			p.often(&v.Name)
			p.int(&v.Value)
		})
	}
}

func (p *packing) application(a *Application) {
	p.job(&a.Job)
	p.often(&a.User, &a.Queue, &a.Attempt, &a.Manager)
	packList(p, &a.DependsOn, p.text)
	packList(p, &a.Hosts, func(v *string) { p.often(v) })
	packList(p, &a.Files, func(f *File) {
		p.text(&f.Name)
		p.ints(&f.Bytes, &f.BlockBytes)
		p.small(&f.ID, &f.Blocks, &f.Replication)
		p.yes(&f.Shared)
	})
	packList(p, &a.Executors, func(e *trace.Executor) {
		p.ints(&e.Job, &e.MemMiB, &e.AddedMS, &e.RemovedMS)
		p.small(&e.ID, &e.Node, &e.VCores, &e.Profile)
		p.often(&e.Reason)
	})
	packList(p, &a.ExecutorExtra, func(v *[]trace.NamedValue) { p.values(v) })
	p.values(&a.AMExtra)
	has := a.Recorded != nil
	if p.yes(&has); has {
		if p.read {
			a.Recorded = new(recorded.App)
		}
		p.recorded(a.Recorded)
	}
}

func (p *packing) job(j *trace.Job) {
	p.ints(&j.ID, &j.SubmitMS, &j.AMMemMiB, &j.ExecMemMiB, &j.ThinkMS, &j.TailMS, &j.RecordedStartMS, &j.RecordedFinishMS)
	p.small(&j.User, &j.Queue, &j.Priority, &j.AMVCores, &j.ExecVCores, &j.TaskCPUs, &j.MinExecs, &j.MaxExecs, &j.InitialExecs)
	p.often(&j.Kind, &j.Name, &j.RecordedOutcome)
	p.text(&j.ExternalID)
	packNumbers(p, &j.DependsOn, &p.longs)
	packList(p, &j.Conf, func(v *trace.KeyValue) { p.often(&v.Key, &v.Value) })
	packLength(p, &j.Stages, p.stages.take)
	for i := range j.Stages {
		p.stage(&j.Stages[i])
	}
}

func (p *packing) stage(s *trace.Stage) {
	p.small(&s.ID, &s.SparkJob, &s.TaskVCores, &s.TaskMilliVCores, &s.Priority, &s.FileID, &s.Profile, &s.ExecVCores, &s.ExecTasks, &s.CacheOf)
	p.ints(&s.DelayMS, &s.TaskMemMiB, &s.ShuffleReadBytes, &s.ExecMemMiB)
	p.float(&s.StartFraction, &s.FreshFactor, &s.FirstFactor)
	p.often(&s.Pool, &s.Kind, &s.Name, &s.ExternalID)
	packNumbers(p, &s.Parents, &p.shorts)
	packNumbers(p, &s.After, &p.shorts)
	p.values(&s.Extra, &s.ExecExtra)
	t := &s.Tasks
	for _, column := range []*[]int64{&t.DurationMS, &t.InputBytes, &t.MemMiB, &t.RecordedWaitMS, &t.DeserializeMS, &t.SchedDelayMS, &t.ShuffleReadBytes, &t.ShuffleWriteBytes} {
		packNumbers(p, column, &p.longs)
	}
	for _, column := range []*[]int32{&t.PrefStart, &t.Pref, &t.VCores, &t.Retries, &t.RecordedNode} {
		packNumbers(p, column, &p.shorts)
	}
	packList(p, &t.RecordedLocality, func(v *string) { p.often(v) })
}

func (p *packing) recorded(r *recorded.App) {
	p.ints(&r.Job, &r.SubmitMS, &r.StartMS, &r.ReadyMS, &r.FinishMS)
	p.text(&r.ID)
	p.often(&r.Name)
	packList(p, &r.Jobs, func(j *recorded.Job) {
		p.small(&j.ID)
		p.ints(&j.SubmitMS, &j.FinishMS)
		p.yes(&j.OK)
	})
	packList(p, &r.Stages, func(s *recorded.Stage) {
		attempts := int64(s.Attempts)
		p.ints(&attempts, &s.SubmitMS, &s.FinishMS)
		s.Attempts = int(attempts)
		p.small(&s.SparkStage)
		packList(p, &s.Tasks, func(t *recorded.Attempt) {
			p.ints(&t.Job, &t.LaunchMS, &t.CoreMS, &t.DurationMS, &t.DeserializeMS, &t.SchedDelayMS)
			p.small(&t.Stage, &t.Task, &t.StageAttempt, &t.Executor)
			p.yes(&t.Speculative)
			p.often(&t.End)
		})
	})
}
