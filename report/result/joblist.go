package result

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math/bits"
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

	before [6]uint64 // texts of the job that was added last

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
func (j *Job) packed() (shared [6]*string, own [2]*string, times [9]*int64, numbers [33]*int64) {
	r, l := &j.Job, &j.TaskLevels
	return [...]*string{&r.Kind, &r.User, &r.Queue, &r.Outcome, &r.Reason, &r.Recorded},
		[...]*string{&r.Name, &r.ExternalID},
		[...]*int64{&r.Submit, &r.AMScheduled, &r.AMAllocated, &r.AMRegistered, &r.FirstAsked, &r.FirstAllocated, &r.FirstRegistered, &r.FirstTask, &r.Finish},
		[...]*int64{&r.DependsOn, &r.HeldMS, &r.HeldBy, &r.Stages, &r.Tasks, &r.TasksSucceeded, &r.TasksFailed, &r.Attempts, &r.StageAttempts, &l[0], &l[1], &l[2], &l[3], &l[4],
			&r.TasksPreferring, &r.TasksPreferred, &r.Containers, &r.ContainersPreferring, &r.ContainersPreferred, &r.ContainersRackPreferred, &r.ContainersHinting,
			&r.ContainersHinted, &r.MemMiBMS, &r.VCoreMS, &r.TaskMS, &r.WastedTaskMS, &r.RunningTaskMS, &r.CriticalPathMS, &r.RecordedMS, &j.AskMS, &j.Asks, &j.TaskWaitMS, &j.TaskWaits}
}

// A packed job is its length; its numbers, of each as many bytes as it has, and its own texts; and then how long each number is. So nothing is branched by that, and the
// eight bytes that begin with a number can always be read.
const (
	jobNumbers = 1 + 6 + 2 + 9 + 33 + 1 // with one of none, so that they are an even number
	jobLengths = jobNumbers / 2         // four bits for each
	jobBefore  = 4                      // the length of the job
)

// add keeps a job.
func (p *packedJobs) add(j *Job) {
	shared, own, times, numbers := j.packed()
	var list [jobNumbers]uint64
	list[0] = unsigned(j.ID)
	rest := list[1:]
	for k, s := range shared {
		rest[k] = p.text(k, *s)
	}
	rest = rest[len(shared):]
	for k, s := range own {
		rest[k] = uint64(len(*s))
	}
	rest = rest[len(own):]
	last := int64(0)
	for k, t := range times {
		if rest[k] = unsigned(*t - last); Happened(*t) {
			last = *t
		}
	}
	rest = rest[len(times):]
	for k, n := range numbers {
		rest[k] = unsigned(*n)
	}
	room, page := p.pages.room(jobBefore + 8*jobNumbers + len(*own[0]) + len(*own[1]) + jobLengths)
	b, i := room[len(room):cap(room)], jobBefore
	var lengths [jobLengths]byte
	for k := range lengths {
		x, y := list[2*k], list[2*k+1]
		first, second := bytesOf(x), bytesOf(y)
		binary.LittleEndian.PutUint64(b[i:], x)
		binary.LittleEndian.PutUint64(b[i+first:], y)
		lengths[k] = byte(first | second<<4)
		i += first + second
	}
	for _, s := range own {
		i += copy(b[i:], *s)
	}
	i += copy(b[i:], lengths[:])
	binary.LittleEndian.PutUint32(b, uint32(i))
	p.pages.list[page] = room[:len(room)+i]
}

// text returns the number of a text that many jobs have, the k-th of a job: mostly that of the job before.
func (p *packedJobs) text(k int, s string) uint64 {
	if i := p.before[k]; i < uint64(len(p.texts)) && p.texts[i] == s {
		return i
	}
	i, ok := p.index[s]
	if !ok {
		if p.index == nil {
			p.index = map[string]uint64{}
		}
		i = uint64(len(p.texts))
		p.index[s], p.texts = i, append(p.texts, s)
	}
	p.before[k] = i
	return i
}

// bytesOf is how many bytes a number has.
func bytesOf(v uint64) int { return int(uint(bits.Len64(v)+7) >> 3) }

// in returns what is kept of a job, in its page.
func (at packedAt) in(page []byte) []byte {
	b := page[at.offset:]
	return b[:binary.LittleEndian.Uint32(b)]
}

// id is the number of a job, in its page.
func (at packedAt) id(page []byte) int64 {
	b := at.in(page)
	return signed(binary.LittleEndian.Uint64(b[jobBefore:]) & lowest[b[len(b)-jobLengths]&15])
}

// lowest has the bits of the lowest so many bytes.
var lowest = func() (masks [16]uint64) {
	for n := range masks {
		masks[n] = 1<<(8*n) - 1
	}
	return masks
}()

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

// read fills in a job from its page.
func (p *packedJobs) read(page []byte, at packedAt, j *Job) {
	var v [jobNumbers]uint64
	b, i := at.in(page), jobBefore
	for k, two := range (*[jobLengths]byte)(b[len(b)-jobLengths:]) {
		first, second := int(two&15), int(two>>4)
		v[2*k] = binary.LittleEndian.Uint64(b[i:]) & lowest[first]
		v[2*k+1] = binary.LittleEndian.Uint64(b[i+first:]) & lowest[second]
		i += first + second
	}
	shared, own, times, numbers := j.packed()
	j.ID = signed(v[0])
	rest := v[1:]
	for k, s := range shared {
		*s = p.texts[rest[k]]
	}
	rest = rest[len(shared):]
	for k, s := range own {
		n := int(rest[k])
		*s = unsafe.String(unsafe.SliceData(b[i:]), n) // pages are written once
		i += n
	}
	rest = rest[len(own):]
	last := int64(0)
	for k, t := range times {
		if *t = last + signed(rest[k]); Happened(*t) {
			last = *t
		}
	}
	rest = rest[len(times):]
	for k, n := range numbers {
		*n = signed(rest[k])
	}
}

// each gives the places and numbers of the jobs in the order in which they were added.
func (p *packedJobs) each(yield func(packedAt, int64) bool) {
	r := pageReader{pages: &p.pages}
	for number := range p.pages.list {
		page := r.page(number)
		for offset := 0; offset < len(page); {
			at := packedAt{uint32(number), uint32(offset)}
			if offset += len(at.in(page)); !yield(at, at.id(page)) {
				return
			}
		}
	}
}

// unsigned makes small numbers of those near 0, signed the other way.
func unsigned(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// signed is described at [unsigned].
func signed(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// jobs are the jobs in order, which p keeps no longer.
func (p *packedJobs) jobs() Jobs {
	type numbered struct {
		id int64
		at packedAt
	}
	var list []numbered
	for at, id := range p.each {
		list = append(list, numbered{id, at})
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
