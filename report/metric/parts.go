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

// byPart adds up the jobs of each part by queue and by size, in the order of all of them, and calls each with the parts that are not empty.
func byPart[S any](jobs *result.Jobs, add func(*S, *result.Job), each func(part, *S)) {
	queues, sizes := map[string]*S{}, map[string]*S{}
	of := func(sums map[string]*S, key string) *S {
		s := sums[key]
		if s == nil {
			s = new(S)
			sums[key] = s
		}
		return s
	}
	for j := range jobs.All() {
		add(of(queues, j.Queue), j)
		add(of(sizes, j.Size()), j)
	}
	for _, q := range slices.Sorted(maps.Keys(queues)) {
		each(part{"[queue=" + q + "]", "in queue " + q, func(j *result.Job) bool { return j.Queue == q }}, queues[q])
	}
	for _, c := range result.SizeClasses {
		if s := sizes[c.Name]; s != nil {
			each(part{"[size=" + c.Name + "]", "of jobs of " + c.Name + " tasks", func(j *result.Job) bool { return j.Size() == c.Name }}, s)
		}
	}
}
