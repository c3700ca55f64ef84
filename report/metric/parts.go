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

// parts are sums over the jobs of each part by queue and by size.
type parts struct{ queues, sizes map[string]*sample }

func newParts() parts { return parts{map[string]*sample{}, map[string]*sample{}} }

// of returns the sums of the two parts that a job is in.
func (p *parts) of(j *result.Job) (queue, size *sample) {
	return sumOf(p.queues, j.Queue), sumOf(p.sizes, j.Size())
}

func sumOf(sums map[string]*sample, key string) *sample {
	s := sums[key]
	if s == nil {
		s = new(sample)
		sums[key] = s
	}
	return s
}

// each gives the parts that are not empty.
func (p *parts) each(yield func(part, *sample)) {
	for _, q := range slices.Sorted(maps.Keys(p.queues)) {
		yield(part{"[queue=" + q + "]", "in queue " + q, func(j *result.Job) bool { return j.Queue == q }}, p.queues[q])
	}
	for _, c := range result.SizeClasses {
		if s := p.sizes[c.Name]; s != nil {
			yield(part{"[size=" + c.Name + "]", "of jobs of " + c.Name + " tasks", func(j *result.Job) bool { return j.Size() == c.Name }}, s)
		}
	}
}
