package cmdline

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"replay/engine/spelling"
)

// Called is what a job can be called by.
type Called struct {
	Number   int64
	Name, ID string // the id is that under which it was recorded
}

// JobCalled finds a job among those of a result or a trace by its number, its name or the id under which it was recorded. What is the number of one and the name or
// id of another is an error: "job 3" is the number 3, and "id 3" the id.
func JobCalled(name, of string, jobs iter.Seq[Called]) (int64, error) {
	if strings.TrimSpace(name) == "" {
		return 0, Usagef("a job is called %q, want its number, its name, or its id", name)
	}
	numbers, named, ids := jobsCalled(name, jobs)
	if number, ok := strings.CutPrefix(name, "job "); ok && numbers == nil && named == nil && ids == nil {
		numbers, _, _ = jobsCalled(number, jobs)
	}
	if id, ok := strings.CutPrefix(name, "id "); ok && numbers == nil && named == nil && ids == nil {
		_, _, ids = jobsCalled(id, jobs)
	}
	others := slices.Concat(named, ids)
	if len(numbers) == 1 {
		for _, other := range others {
			if other != numbers[0] {
				return 0, Usagef("%q is the number of a job and the name or id of another, job %d: want 'job %[1]s' for the first and 'job %[2]d' for the other", name, other)
			}
		}
		return numbers[0], nil
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	switch len(others) {
	case 0:
		return 0, noneCalled(name, of, jobs)
	case 1:
		return others[0], nil
	}
	first, more := Named(others, namedJobs)
	return 0, Usagef("%d jobs are called %q, by number: %s%s", len(others), name, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(first)), ", "), "[]"), more)
}

// noneCalled is the error that no job is called so; it says what the jobs are called that come near.
func noneCalled(name, of string, jobs iter.Seq[Called]) error {
	n, first, last := int64(0), int64(math.MaxInt64), int64(0)
	var known []string
	for j := range jobs {
		n, first, last = n+1, min(first, j.Number), max(last, j.Number)
		for _, called := range []string{j.Name, j.ID} {
			if called != "" {
				known = append(known, called)
			}
		}
	}
	slices.Sort(known)
	near := "; they have numbers alone"
	if known = spelling.Nearest(name, slices.Compact(known), nearJobs); known != nil {
		near = "; near it: " + strings.Join(known, ", ")
	}
	numbered := ""
	if last-first+1 > n { // as of a result in which some were never submitted
		numbered = "numbered from "
	}
	switch n {
	case 0:
		return Usagef("%s has no jobs, so none is called %q", of, name)
	case 1:
		return Usagef("the only job of %s is job %d, and has not the name or id %q%s", of, first, name, near)
	}
	return Usagef("none of the %d jobs of %s, %s%d to %d, has the number, name or id %q%s", n, of, numbered, first, last, name, near)
}

// nearJobs is how many names an error says that come near.
const nearJobs = 3

// jobsCalled returns the jobs that have a number, a name and an id.
func jobsCalled(name string, jobs iter.Seq[Called]) (numbers, named, ids []int64) {
	for j := range jobs {
		if fmt.Sprint(j.Number) == name {
			numbers = append(numbers, j.Number)
		}
		if j.ID == name {
			ids = append(ids, j.Number)
		}
		if j.Name == name {
			named = append(named, j.Number)
		}
	}
	return numbers, named, ids
}

// namedJobs is how many jobs an error names.
const namedJobs = 10
