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
		r := pageReader{pages: &l.packed.pages}
		for _, at := range l.packed.at {
			if l.packed.read(r.page(int(at.page)), at, &j); !yield(&j) {
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
	at := l.packed.at[place]
	l.packed.read(l.packed.shared.page(int(at.page)), at, &j)
	return &j
}

// Find returns the job with a number, nil if there is none.
func (l *Jobs) Find(id int64) *Job {
	place, found := slices.BinarySearchFunc(l.whole, id, func(j Job, id int64) int { return cmp.Compare(j.ID, id) })
	if len(l.packed.at) > 0 {
		place, found = l.packed.find(id)
	}
	if !found {
		return nil
	}
	return l.At(place)
}

// packedJobs are jobs whose records and sums are complete, in about a fifth of the memory that they take as [Job]: of a long replay those that are
// done are most of what is kept. The zero value is empty.
type packedJobs struct {
	pages jobPages
	texts []string // that many jobs have
	index map[string]uint64

	// of those in order
	at     []packedAt
	some   []int64 // the numbers of each eachSome-th
	shared *sharedReader
}

// packedAt is where a job begins.
type packedAt struct{ page, offset uint32 }

// eachSome is how many jobs are gone through to find one.
const eachSome = 64

// packed lists what is kept of a job: texts that many jobs have, texts of its own, times, and other numbers.
func (j *Job) packed() (shared [6]*string, own [2]*string, times [9]*int64, numbers [30]*int64) {
	r, l := &j.Job, &j.TaskLevels
	return [...]*string{&r.Kind, &r.User, &r.Queue, &r.Outcome, &r.Reason, &r.Recorded},
		[...]*string{&r.Name, &r.ExternalID},
		[...]*int64{&r.Submit, &r.AMScheduled, &r.AMAllocated, &r.AMRegistered, &r.FirstAsked, &r.FirstAllocated, &r.FirstRegistered, &r.FirstTask, &r.Finish},
		[...]*int64{&r.Stages, &r.Tasks, &r.TasksSucceeded, &r.TasksFailed, &r.Attempts, &r.StageAttempts, &l[0], &l[1], &l[2], &l[3], &l[4],
			&r.TasksPreferring, &r.TasksPreferred, &r.Containers, &r.ContainersPreferring, &r.ContainersPreferred, &r.ContainersRackPreferred, &r.ContainersHinting,
			&r.ContainersHinted, &r.MemMiBMS, &r.VCoreMS, &r.TaskMS, &r.WastedTaskMS, &r.RunningTaskMS, &r.CriticalPathMS, &r.RecordedMS, &j.AskMS, &j.Asks, &j.TaskWaitMS, &j.TaskWaits}
}

// add keeps a job.
func (p *packedJobs) add(j *Job) {
	shared, own, times, numbers := j.packed()
	b, page := p.pages.room(10*(1+len(shared)+len(own)+len(times)+len(numbers)) + len(*own[0]) + len(*own[1]))
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
	p.pages.list[page] = b
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

// id is the number of a job, in its page.
func (at packedAt) id(page []byte) int64 {
	id, _ := binary.Varint(page[at.offset:])
	return id
}

// find returns the place of a job.
func (p *packedJobs) find(id int64) (place int, found bool) {
	block, found := slices.BinarySearch(p.some, id)
	if found {
		return block * eachSome, true
	}
	from := max(block-1, 0) * eachSome
	list := p.at[from:min(from+eachSome, len(p.at))]
	i, found := slices.BinarySearchFunc(list, id, func(at packedAt, id int64) int { return cmp.Compare(at.id(p.shared.page(int(at.page))), id) })
	return from + i, found
}

// read fills in a job from its page, and returns where in it the next one begins.
func (p *packedJobs) read(page []byte, at packedAt, j *Job) (end int) {
	i := int(at.offset)
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
	return i
}

// each gives the jobs in the order in which they were added.
func (p *packedJobs) each(yield func(packedAt, *Job) bool) {
	var j Job
	r := pageReader{pages: &p.pages}
	for number := range p.pages.list {
		page := r.page(number)
		for offset := 0; offset < len(page); {
			at := packedAt{uint32(number), uint32(offset)}
			if offset = p.read(page, at, &j); !yield(at, &j) {
				return
			}
		}
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
	type numbered struct {
		id int64
		at packedAt
	}
	var list []numbered
	for at, j := range p.each {
		list = append(list, numbered{j.ID, at})
	}
	slices.SortStableFunc(list, func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
	p.at = make([]packedAt, len(list))
	for i := range list {
		p.at[i] = list[i].at
	}
	p.index = nil
	l := Jobs{packed: *p}
	*p = packedJobs{}
	if len(list) > mostWhole {
		for i := 0; i < len(list); i += eachSome {
			l.packed.some = append(l.packed.some, list[i].id)
		}
		l.packed.shared = &sharedReader{pageReader: pageReader{pages: &l.packed.pages}}
		return l
	}
	whole := make([]Job, len(list))
	r := pageReader{pages: &l.packed.pages}
	for i, n := range list {
		l.packed.read(r.page(int(n.at.page)), n.at, &whole[i])
	}
	return Jobs{whole: whole}
}
