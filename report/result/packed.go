package result

import "encoding/binary"

// packedJobs are jobs whose records and sums are complete, in about a quarter of the memory that they take as [Job]: of a long replay those that are
// done are most of what is kept, and none is looked at before its end. The zero value is empty.
type packedJobs struct {
	pages [][]byte
	n     int
	texts []string // that many jobs have
	index map[string]uint64
}

// packedPage is how much memory is asked for at once, in bytes.
const packedPage = 64 << 10

// packed lists what is kept of a job: texts that many jobs have, texts of its own, times, and other numbers.
func (j *Job) packed() (shared [6]*string, own [2]*string, times [9]*int64, numbers [30]*int64) {
	r, l := &j.Job, &j.TaskLevels
	return [...]*string{&r.Kind, &r.User, &r.Queue, &r.Outcome, &r.Reason, &r.Recorded},
		[...]*string{&r.Name, &r.ExternalID},
		[...]*int64{&r.Submit, &r.AMScheduled, &r.AMAllocated, &r.AMRegistered, &r.FirstAsked, &r.FirstAllocated, &r.FirstRegistered, &r.FirstTask, &r.Finish},
		[...]*int64{&r.ID, &r.Stages, &r.Tasks, &r.TasksSucceeded, &r.TasksFailed, &r.Attempts, &r.StageAttempts, &l[0], &l[1], &l[2], &l[3], &l[4],
			&r.TasksPreferring, &r.TasksPreferred, &r.Containers, &r.ContainersPreferring, &r.ContainersPreferred, &r.ContainersRackPreferred, &r.ContainersHinting,
			&r.ContainersHinted, &r.MemMiBMS, &r.VCoreMS, &r.TaskMS, &r.WastedTaskMS, &r.CriticalPathMS, &r.RecordedMS, &j.AskMS, &j.Asks, &j.TaskWaitMS, &j.TaskWaits}
}

// add keeps a job.
func (p *packedJobs) add(j *Job) {
	shared, own, times, numbers := j.packed()
	b := p.room(10*(len(shared)+len(own)+len(times)+len(numbers)) + len(*own[0]) + len(*own[1]))
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
	p.n++
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

// take returns the jobs in the order in which they came, and keeps none.
func (p *packedJobs) take() []Job {
	jobs := make([]Job, p.n)
	rest, page := []byte(nil), 0
	signed := func() int64 {
		v, n := binary.Varint(rest)
		rest = rest[n:]
		return v
	}
	unsigned := func() uint64 {
		v, n := binary.Uvarint(rest)
		rest = rest[n:]
		return v
	}
	for i := range jobs {
		if len(rest) == 0 {
			rest, p.pages[page] = p.pages[page], nil
			page++
		}
		j := &jobs[i]
		shared, own, times, numbers := j.packed()
		for _, s := range shared {
			*s = p.texts[unsigned()]
		}
		for _, s := range own {
			n := unsigned()
			*s, rest = string(rest[:n]), rest[n:]
		}
		last := int64(0)
		for _, t := range times {
			if *t = last + signed(); Happened(*t) {
				last = *t
			}
		}
		for _, v := range numbers {
			*v = signed()
		}
	}
	*p = packedJobs{}
	return jobs
}
