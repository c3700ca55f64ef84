package metric

import (
	"iter"
	"maps"
	"slices"

	"replay/report/result"
)

// part of the jobs, by which values are told apart.
type part struct {
	label string // "[queue=root.a]"
	text  string // "in queue root.a"
	has   func(*result.Job) bool
	jobs  []int32 // those that it has, by their place among all
	all   bool    // it has them all, and jobs does not list them
}

// allJobs is the part that is the whole.
var allJobs = part{has: func(*result.Job) bool { return true }, all: true}

// of yields the jobs of the part, in the order of all of them.
func (p *part) of(jobs []result.Job) iter.Seq[*result.Job] {
	return func(yield func(*result.Job) bool) {
		if p.all {
			for i := range jobs {
				if !yield(&jobs[i]) {
					return
				}
			}
			return
		}
		for _, i := range p.jobs {
			if !yield(&jobs[i]) {
				return
			}
		}
	}
}

// size is how many jobs the part has, of all of them.
func (p *part) size(jobs []result.Job) int {
	if p.all {
		return len(jobs)
	}
	return len(p.jobs)
}

// after returns the text after a word, nothing for all jobs.
func (p *part) after() string {
	if p.text == "" {
		return ""
	}
	return " " + p.text
}

// partsOf returns the parts of the jobs by queue and by size, without empty ones.
func partsOf(jobs []result.Job) (parts []part) {
	queues, sizes := map[string][]int32{}, map[string][]int32{}
	for i := range jobs {
		j := &jobs[i]
		queues[j.Queue] = append(queues[j.Queue], int32(i))
		sizes[j.Size()] = append(sizes[j.Size()], int32(i))
	}
	for _, q := range slices.Sorted(maps.Keys(queues)) {
		parts = append(parts, part{"[queue=" + q + "]", "in queue " + q, func(j *result.Job) bool { return j.Queue == q }, queues[q], false})
	}
	for _, c := range result.SizeClasses {
		if list := sizes[c.Name]; list != nil {
			parts = append(parts, part{"[size=" + c.Name + "]", "of jobs of " + c.Name + " tasks", func(j *result.Job) bool { return j.Size() == c.Name }, list, false})
		}
	}
	return parts
}
