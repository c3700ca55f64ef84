package explain

import "slices"

// A runner says how long some stages take on numbers of cores.
type runner struct {
	stages []viewed
	tail   int64
	after  [][]int // the stages that wait for each
	took   map[int64]int64
	enough int64 // cores on which no task waited for one, the fewest that were tried; 0 while none were

	// Of a run:
	waits, next, left []int
	open              []int // stages with tasks to launch, in order
	dues              dues
}

func newRunner(stages []viewed, tail int64) *runner {
	n := len(stages)
	counts := make([]int, 3*n)
	r := &runner{stages: stages, tail: tail, after: make([][]int, n), took: map[int64]int64{}, waits: counts[:n], next: counts[n : 2*n], left: counts[2*n:]}
	for i := range stages {
		for _, b := range stages[i].before {
			r.after[b] = append(r.after[b], i)
		}
	}
	return r
}

// run returns how long the stages take on so many cores. More cores than are enough for each task to begin at once change nothing.
func (r *runner) run(cores int64) int64 {
	if r.enough > 0 && cores > r.enough {
		cores = r.enough
	}
	if ms, ok := r.took[cores]; ok {
		return ms
	}
	ms, waited := r.onCores(cores)
	if !waited {
		r.enough = cores
	}
	r.took[cores] = ms
	return ms
}

// onCores executes the stages on so many cores, and reports whether a task waited for one.
func (r *runner) onCores(cores int64) (ms int64, waited bool) {
	r.open, r.dues = r.open[:0], r.dues[:0]
	for i := range r.stages {
		s := &r.stages[i]
		r.waits[i], r.next[i], r.left[i] = len(s.before), 0, len(s.tasks)
		if r.waits[i] == 0 {
			r.dues.push(due{s.gap, i, false})
		}
	}
	now := int64(0)
	for free := cores; len(r.dues) > 0; {
		now = r.dues[0].at
		for len(r.dues) > 0 && r.dues[0].at == now {
			d := r.dues.pop()
			if !d.task {
				at, _ := slices.BinarySearch(r.open, d.stage)
				r.open = slices.Insert(r.open, at, d.stage)
				continue
			}
			free += min(r.stages[d.stage].cores, cores)
			if r.left[d.stage]--; r.left[d.stage] > 0 {
				continue
			}
			for _, a := range r.after[d.stage] {
				if r.waits[a]--; r.waits[a] == 0 {
					r.dues.push(due{now + r.stages[a].gap, a, false})
				}
			}
		}
		for len(r.open) > 0 {
			i := r.open[0]
			s := &r.stages[i]
			need := min(s.cores, cores)
			if free < need {
				waited = true
				break
			}
			free -= need
			r.dues.push(due{now + s.tasks[r.next[i]], i, true})
			if r.next[i]++; r.next[i] == len(s.tasks) {
				r.open = slices.Delete(r.open, 0, 1)
			}
		}
	}
	return now + r.tail, waited
}

// due is something that happens in a run.
type due struct {
	at    int64
	stage int
	task  bool // a task ends, else the stage is ready
}

// dues are a binary heap by time. What is due at one time comes in any order.
type dues []due

func (d *dues) push(x due) {
	h := append(*d, x)
	*d = h
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up].at <= x.at {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = x
}

// pop takes the first one.
func (d *dues) pop() due {
	h := *d
	first, n := h[0], len(h)-1
	x := h[n]
	h = h[:n]
	*d = h
	i := 0
	for c := 1; c < n; c = 2*i + 1 {
		if c+1 < n && h[c+1].at < h[c].at {
			c++
		}
		if x.at <= h[c].at {
			break
		}
		h[i] = h[c]
		i = c
	}
	if n > 0 {
		h[i] = x
	}
	return first
}
