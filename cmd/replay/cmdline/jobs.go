package cmdline

import (
	"fmt"
	"iter"
	"strings"
)

// Called is what a job can be called by.
type Called struct {
	Number   int64
	Name, ID string // the id is that under which it was recorded
}

// JobCalled finds a job among those of a result or a trace by its number, its name or the id under which it was recorded.
func JobCalled(name, of string, jobs iter.Seq[Called]) (int64, error) {
	var found, ids []int64
	n := 0
	for j := range jobs {
		n++
		if fmt.Sprint(j.Number) == name {
			return j.Number, nil
		}
		if j.ID == name {
			ids = append(ids, j.Number)
		}
		if j.Name == name {
			found = append(found, j.Number)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	switch found = append(found, ids...); len(found) {
	case 0:
		return 0, Usagef("none of the %d jobs of %s has the number, name or id %q; numbers begin at 0", n, of, name)
	case 1:
		return found[0], nil
	}
	first, more := Named(found, namedJobs)
	return 0, Usagef("%d jobs are called %q, by number: %s%s", len(found), name, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(first)), ", "), "[]"), more)
}

// namedJobs is how many jobs an error names.
const namedJobs = 10
