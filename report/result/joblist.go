package result

import (
	"cmp"
	"iter"
	"slices"
)

// mostWhole is how many jobs are kept as they are. Of more each takes a fifth of the memory, and some 100 ns whenever it is looked at.
const mostWhole = 1 << 16

// Jobs are the jobs of a replay, in the order of their numbers. The zero value has none.
type Jobs struct {
	whole  []Job
	packed packedJobs // where there are more than mostWhole
}

// JobsOf are the jobs of a list, which is theirs from then on.
func JobsOf(list []Job) Jobs {
	if len(list) <= mostWhole {
		slices.SortStableFunc(list, func(a, b Job) int { return cmp.Compare(a.ID, b.ID) })
		return Jobs{whole: list}
	}
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
