package explain

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What a runner says of a number of cores does not depend on what it was asked before, and is what is found by looking at each moment in turn.
func TestRunner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stages := make([]viewed, rapid.IntRange(1, 6).Draw(t, "stages"))
		for i := range stages {
			s := &stages[i]
			s.gap, s.cores = rapid.Int64Range(0, 3).Draw(t, "gap"), rapid.Int64Range(1, 3).Draw(t, "cores")
			s.tasks = rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 8).Draw(t, "tasks")
			for b := range i {
				if rapid.IntRange(0, 2).Draw(t, "before") == 0 {
					s.before = append(s.before, b)
				}
			}
		}
		r := newRunner(stages, 5)
		for _, cores := range rapid.SliceOfN(rapid.Int64Range(1, 40), 1, 10).Draw(t, "on") {
			if got, want := r.run(cores), slowly(stages, cores)+5; got != want {
				t.Fatalf("%d ms on %d cores, want %d", got, cores, want)
			}
		}
	})
}

// slowly executes stages ms by ms, and looks at all of them until nothing happens any more.
func slowly(stages []viewed, cores int64) int64 {
	type state struct {
		ready, next int64
		ends        []int64
	}
	at, last := make([]state, len(stages)), int64(0)
	for i := range at {
		at[i].ready = -1
	}
	ended := func(i int, now int64) bool {
		return int(at[i].next) == len(stages[i].tasks) && slices.Max(at[i].ends) <= now
	}
	for now := int64(0); ; now++ {
		open := false
		for i := range stages { // those before it come first in the list
			if at[i].ready < 0 && !slices.ContainsFunc(stages[i].before, func(b int) bool { return !ended(b, now) }) {
				at[i].ready = now + stages[i].gap
			}
		}
		used := int64(0)
		for i := range stages {
			for _, end := range at[i].ends {
				if end > now {
					used += min(stages[i].cores, cores)
				}
			}
		}
		again := false
	launch:
		for i := range stages {
			for at[i].ready >= 0 && at[i].ready <= now && int(at[i].next) < len(stages[i].tasks) {
				need := min(stages[i].cores, cores)
				if used+need > cores {
					break launch // it is waited for
				}
				end := now + stages[i].tasks[at[i].next]
				at[i].next++
				at[i].ends = append(at[i].ends, end)
				last = max(last, end)
				if used += need; end == now {
					again = true
				}
			}
		}
		if again { // what took no time is over
			now--
			continue
		}
		for i := range stages {
			open = open || !ended(i, now)
		}
		if !open {
			return last
		}
	}
}
