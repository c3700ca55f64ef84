package result

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"unsafe"
)

// mostWhole is how many jobs are kept as they are. Of more each takes a fifth of the memory, and some 100 ns whenever it is looked at.
const mostWhole = 1 << 16

// Jobs are the jobs of a replay, in the order of their numbers. The zero value has none.
type Jobs struct {
	whole  []Job
	packed packedJobs // where there are more than mostWhole
}

// JobsOf are copies of the jobs of a list, in any order.
func JobsOf(list []Job) Jobs {
	var p packedJobs
	for i := range list {
		p.add(&list[i])
	}
	return p.jobs()
}

// Len is how many there are.
func (l *Jobs) Len() int { return max(len(l.whole), len(l.packed.at)) }

// All gives each job. It is good until the next one is given; who keeps it, keeps a copy.
func (l *Jobs) All() iter.Seq[*Job] {
	return func(yield func(*Job) bool) {
		for i := range l.whole {
			if !yield(&l.whole[i]) {
				return
			}
		}
		var j Job
		for _, at := range l.packed.at {
			if l.packed.read(at, &j); !yield(&j) {
				return
			}
		}
	}
}

// At returns the job at a place from 0 on.
func (l *Jobs) At(place int) *Job {
	if len(l.packed.at) == 0 {
		return &l.whole[place]
	}
	var j Job
	l.packed.read(l.packed.at[place], &j)
	return &j
}

// Find returns the job with a number, nil if there is none.
func (l *Jobs) Find(id int64) *Job {
	place, found := slices.BinarySearchFunc(l.whole, id, func(j Job, id int64) int { return cmp.Compare(j.ID, id) })
	if len(l.packed.at) > 0 {
		place, found = slices.BinarySearchFunc(l.packed.at, id, func(at packedAt, id int64) int { return cmp.Compare(l.packed.id(at), id) })
	}
	if !found {
		return nil
	}
	return l.At(place)
}

// packedJobs are jobs whose records and sums are complete, in about a fifth of the memory that they take as [Job]: of a long replay those that are
// done are most of what is kept. The zero value is empty.
type packedJobs struct {
	pages [][]byte
	at    []packedAt // of each job
	texts []string   // that many jobs have
	index map[string]uint64
}

// packedAt is where a job begins.
type packedAt struct{ page, offset uint32 }

// packedPage is how much memory is asked for at once, in bytes.
const packedPage = 64 << 10

// packed lists what is kept of a job: texts that many jobs have, texts of its own, times, and other numbers.
func (j *Job) packed() (shared [6]*string, own [2]*string, times [9]*int64, numbers [29]*int64) {
	r, l := &j.Job, &j.TaskLevels
	return [...]*string{&r.Kind, &r.User, &r.Queue, &r.Outcome, &r.Reason, &r.Recorded},
		[...]*string{&r.Name, &r.ExternalID},
		[...]*int64{&r.Submit, &r.AMScheduled, &r.AMAllocated, &r.AMRegistered, &r.FirstAsked, &r.FirstAllocated, &r.FirstRegistered, &r.FirstTask, &r.Finish},
		[...]*int64{&r.Stages, &r.Tasks, &r.TasksSucceeded, &r.TasksFailed, &r.Attempts, &r.StageAttempts, &l[0], &l[1], &l[2], &l[3], &l[4],
			&r.TasksPreferring, &r.TasksPreferred, &r.Containers, &r.ContainersPreferring, &r.ContainersPreferred, &r.ContainersRackPreferred, &r.ContainersHinting,
			&r.ContainersHinted, &r.MemMiBMS, &r.VCoreMS, &r.TaskMS, &r.WastedTaskMS, &r.CriticalPathMS, &r.RecordedMS, &j.AskMS, &j.Asks, &j.TaskWaitMS, &j.TaskWaits}
}

// add keeps a job.
func (p *packedJobs) add(j *Job) {
	shared, own, times, numbers := j.packed()
	b := p.room(10*(1+len(shared)+len(own)+len(times)+len(numbers)) + len(*own[0]) + len(*own[1]))
	p.at = append(p.at, packedAt{uint32(len(p.pages) - 1), uint32(len(b))})
	b = binary.AppendVarint(b, j.ID)
	for _, s := range shared {
		b = binary.AppendUvarint(b, p.text(*s))
	}
	for _, s := range own {
		b = append(binary.AppendUvarint(b, uint64(len(*s))), *s...)
	}
	last := int64(0)
	for _, t := range times {
		b = binary.AppendVarint(b, *t-last)
		if Happened(*t) {
			last = *t
		}
	}
	for _, v := range numbers {
		b = binary.AppendVarint(b, *v)
	}
	p.pages[len(p.pages)-1] = b
}

// room returns the last page, which has room for so many bytes more.
func (p *packedJobs) room(size int) []byte {
	if n := len(p.pages); n > 0 && cap(p.pages[n-1])-len(p.pages[n-1]) >= size {
		return p.pages[n-1]
	}
	p.pages = append(p.pages, make([]byte, 0, max(packedPage, size)))
	return p.pages[len(p.pages)-1]
}

// text returns the number of a text.
func (p *packedJobs) text(s string) uint64 {
	i, ok := p.index[s]
	if !ok {
		if p.index == nil {
			p.index = map[string]uint64{}
		}
		i = uint64(len(p.texts))
		p.index[s], p.texts = i, append(p.texts, s)
	}
	return i
}

// id is the number of a job.
func (p *packedJobs) id(at packedAt) int64 {
	id, _ := binary.Varint(p.pages[at.page][at.offset:])
	return id
}

// read fills in a job.
func (p *packedJobs) read(at packedAt, j *Job) {
	page, i := p.pages[at.page], int(at.offset)
	var v uint64
	v, i = uvarint(page, i)
	j.ID = signed(v)
	shared, own, times, numbers := j.packed()
	for _, s := range shared {
		v, i = uvarint(page, i)
		*s = p.texts[v]
	}
	for _, s := range own {
		v, i = uvarint(page, i)
		*s = unsafe.String(unsafe.SliceData(page[i:]), v) // pages are written once
		i += int(v)
	}
	last := int64(0)
	for _, t := range times {
		v, i = uvarint(page, i)
		if *t = last + signed(v); Happened(*t) {
			last = *t
		}
	}
	for _, n := range numbers {
		v, i = uvarint(page, i)
		*n = signed(v)
	}
}

// uvarint reads what [binary.AppendUvarint] wrote at i, and returns where it ends.
func uvarint(b []byte, i int) (uint64, int) {
	if b[i] < 0x80 { // most are
		return uint64(b[i]), i + 1
	}
	v, n := binary.Uvarint(b[i:])
	return v, i + n
}

// signed is the number that [binary.AppendVarint] wrote so.
func signed(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// jobs are the jobs in order, which p keeps no longer.
func (p *packedJobs) jobs() Jobs {
	slices.SortStableFunc(p.at, func(a, b packedAt) int { return cmp.Compare(p.id(a), p.id(b)) })
	p.index = nil
	l := Jobs{packed: *p}
	*p = packedJobs{}
	if len(l.packed.at) > mostWhole {
		return l
	}
	list := make([]Job, len(l.packed.at))
	for i, at := range l.packed.at {
		l.packed.read(at, &list[i])
	}
	return Jobs{whole: list}
}
