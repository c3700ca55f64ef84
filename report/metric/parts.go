package metric

import (
	"maps"
	"slices"

	"replay/report/result"
)

// part of the jobs, by which values are told apart.
type part struct {
	label string // "[queue=root.a]"
	text  string // "in queue root.a"
	has   func(*result.Job) bool
}

// allJobs is the part that is the whole.
var allJobs = part{has: func(*result.Job) bool { return true }}

// after returns the text after a word, nothing for all jobs.
func (p *part) after() string {
	if p.text == "" {
		return ""
	}
	return " " + p.text
}

// parts are the parts by queue and by size that jobs are in, numbered as they come.
type parts struct {
	queues, sizes map[string]int
	queue, size   int // of the job that was looked for last
}

func newParts() parts { return parts{queues: map[string]int{}, sizes: map[string]int{}} }

// find finds the two parts that a job is in.
func (p *parts) find(j *result.Job) {
	p.queue, p.size = numberOf(p.queues, j.Queue), numberOf(p.sizes, j.Size())
}

func numberOf(numbers map[string]int, key string) int {
	n, ok := numbers[key]
	if !ok {
		n = len(numbers)
		numbers[key] = n
	}
	return n
}

// partSamples are what the jobs of each part say, by its number.
type partSamples struct{ queues, sizes []sample }

// sampleAt returns the sample of a part.
func sampleAt(list *[]sample, number int) *sample {
	for len(*list) <= number {
		*list = append(*list, sample{})
	}
	return &(*list)[number]
}

// all gives the parts that are not empty.
func (p *parts) all(of *partSamples, yield func(part, *sample)) {
	for _, q := range slices.Sorted(maps.Keys(p.queues)) {
		yield(part{"[queue=" + q + "]", "in queue " + q, func(j *result.Job) bool { return j.Queue == q }}, &of.queues[p.queues[q]])
	}
	for _, c := range result.SizeClasses {
		if n, ok := p.sizes[c.Name]; ok {
			yield(part{"[size=" + c.Name + "]", "of jobs of " + c.Name + " tasks", func(j *result.Job) bool { return j.Size() == c.Name }}, &of.sizes[n])
		}
	}
}

// pass goes through the jobs of a replay once, for several metrics: there may be many jobs, each of which is unpacked whenever it is looked at. So may be what a metric
// keeps of each, of which there is that of one at a time.
type pass struct {
	data   *result.Data
	each   []func(*result.Job) // what metrics take of a job
	parts  parts
	parted bool // they are asked for
	keeps  bool // a metric keeps something of each job: no other is to share the pass behind it
}

func newPass(d *result.Data) *pass { return &pass{data: d, parts: newParts()} }

// plain are the values of a metric that looks at no single job.
func plain(of func(*result.Data) []Value) func(*pass) func() []Value {
	return func(p *pass) func() []Value { return func() []Value { return of(p.data) } }
}

// run gives each job to the metrics.
func (p *pass) run() {
	if len(p.each) == 0 {
		return
	}
	for j := range p.data.Jobs.All() {
		if p.parted {
			p.parts.find(j)
		}
		for _, take := range p.each {
			take(j)
		}
	}
}

// sampled fills samples of all jobs, with room for so many values each, and those of the first kind by part too if by is not nil.
func (p *pass) sampled(room int, fill []func(*sample, *result.Job), by *partSamples) []sample {
	samples := make([]sample, len(fill))
	for i := range samples {
		samples[i].xs = make([]float64, 0, room)
	}
	p.parted = p.parted || by != nil
	p.each = append(p.each, func(j *result.Job) {
		for i, add := range fill {
			add(&samples[i], j)
		}
		if by != nil {
			fill[0](sampleAt(&by.queues, p.parts.queue), j)
			fill[0](sampleAt(&by.sizes, p.parts.size), j)
		}
	})
	return samples
}
