package spark

import (
	"math"

	"replay/engine/spark/conf"
)

// durations are the durations of successful attempts: the smaller half, of which the largest is known, and the others, of which the smallest is.
type durations struct {
	small leastFirst // negated
	large leastFirst
}

func (d *durations) count() int { return len(d.small) + len(d.large) }

func (d *durations) insert(ms int64) {
	if len(d.large) > 0 && ms < d.large[0] {
		d.small.push(-ms)
	} else {
		d.large.push(ms)
	}
	switch half := d.count() / 2; {
	case len(d.small) > half:
		d.large.push(-d.small.pop())
	case len(d.small) < half:
		d.small.push(-d.large.pop())
	}
}

// median is the upper of the two middle values.
//
// Source: org.apache.spark.util.collection.PercentileHeap.
func (d *durations) median() int64 { return d.large[0] }

// leastFirst is a binary heap.
type leastFirst []int64

func (h *leastFirst) push(v int64) {
	*h = append(*h, v)
	l := *h
	i := len(l) - 1
	for p := (i - 1) / 2; i > 0 && v < l[p]; p = (i - 1) / 2 {
		l[i], i = l[p], p
	}
	l[i] = v
}

func (h *leastFirst) pop() int64 {
	n := len(*h) - 1
	least, v, l := (*h)[0], (*h)[n], (*h)[:n]
	*h = l
	i := 0
	for c := 1; c < n; c = 2*i + 1 {
		if c+1 < n && l[c+1] < l[c] {
			c++
		}
		if v <= l[c] {
			break
		}
		l[i], i = l[c], c
	}
	if n > 0 {
		l[i] = v
	}
	return least
}

// slowAfter returns how long, in ms, an attempt has to run to be taken for slow; custom is true if that is the configured time.
// ok is false while no attempt is.
//
// Source: TaskSetManager.checkSpeculatableTasks.
func (s *TaskSet) slowAfter() (ms float64, custom, ok bool) {
	c := &s.sched.conf.Speculation
	n := s.Spec.Tasks
	if s.Zombie || s.Spec.Barrier || n == 1 && c.DurationThreshold == conf.Unset {
		return 0, false, false
	}
	switch minFinished := max(int(math.Floor(c.Quantile*float64(n))), 1); {
	case s.durations.count() >= minFinished:
		return max(c.Multiplier*float64(s.durations.median()), float64(c.MinTaskRuntime)), false, true
	case c.DurationThreshold > 0 && n <= s.slots():
		return float64(c.DurationThreshold), true, true
	}
	return 0, false, false
}

// slots returns how many tasks an executor of the set's resource profile runs at a time.
//
// Source: TaskSetManager.speculationTasksLessEqToSlots.
func (s *TaskSet) slots() int {
	if p := int(s.Spec.Profile); p < len(s.sched.SlotsPerExecutor) {
		return s.sched.SlotsPerExecutor[p]
	}
	return 1
}

// speculate looks for tasks that run too long and puts a copy of each into the lists of
// speculative copies. It reports whether it found any.
//
// Source: TaskSetManager.checkSpeculatableTasks, checkAndSubmitSpeculatableTasks.
func (s *TaskSet) speculate(now int64) (found bool) {
	threshold, custom, ok := s.slowAfter()
	if !ok {
		return false
	}
	for row := range s.runs {
		a := &s.attempts[row]
		t := &s.tasks[a.Index]
		if t.copied() {
			continue
		}
		run := float64(now - a.Launch)
		slow := run > threshold && run > s.slowBy(row, threshold, custom)
		if !slow && (custom || !s.diesFirst(a)) {
			continue
		}
		s.addPending(&s.again, a.Index)
		t.speculatable = true
		s.speculatable++
		s.emit(SpeculativeTask, row, 0)
		found = true
	}
	return found
}

// copied reports whether the task of a running attempt needs no copy, or has one.
func (t *taskState) copied() bool { return t.done || t.copies != 1 || t.speculatable }

// slowBy returns how long, in ms, an attempt has to run to be taken for slow, where one that does not do what it should is after the threshold.
//
// Source: TaskSetManager.checkAndSubmitSpeculatableTasks.
func (s *TaskSet) slowBy(row int32, threshold float64, custom bool) float64 {
	c := &s.sched.conf.Speculation
	if custom || !c.Efficiency || s.rates.slow(row, c.ProcessRateMultiplier) {
		return threshold
	}
	return c.LongRunTaskFactor * threshold
}

// speculates returns the earliest time at which speculate would find a task, if nothing happens before, in ms: math.MinInt64 for at
// once, math.MaxInt64 for never.
func (s *TaskSet) speculates() int64 {
	threshold, custom, ok := s.slowAfter()
	if !ok {
		return math.MaxInt64
	}
	due, behind := int64(math.MaxInt64), true // no attempt yet that may be copied
	for row := range s.running.from(s.copiedTo) {
		a := &s.attempts[row]
		if s.tasks[a.Index].copied() {
			if behind {
				s.copiedTo = row + 1
			}
			continue
		}
		behind = false
		if !custom && s.diesFirst(a) {
			return math.MinInt64
		}
		if earliest := longer(a.Launch, threshold); earliest < due {
			due = min(due, max(earliest, longer(a.Launch, s.slowBy(row, threshold, custom))))
		} else if s.sched.conf.DecommissionKillAfter == conf.Unset { // those after it were launched later
			break
		}
	}
	return due
}

// longer returns the first time at which what began at start has gone on for more than ms.
func longer(start int64, ms float64) int64 {
	if ms >= float64(math.MaxInt64-1-start) {
		return math.MaxInt64
	}
	return start + int64(math.Floor(ms)) + 1
}

// processRates are the rates at which attempts read records, for the efficiency of speculation.
//
// Source: TaskSetManager.TaskProcessRateCalculator.
type processRates struct {
	reports []processReport // by row; nil while nothing was reported
	records int64           // of successful attempts
	runMS   int64
}

type processReport struct{ records, runMS int64 }

func (p processReport) rate() float64 {
	if p.records <= 0 || p.runMS <= 0 {
		return 0
	}
	return float64(p.records) / (float64(p.runMS) / 1000)
}

func (r *processRates) report(row int32, records, runMS int64) {
	for int(row) >= len(r.reports) {
		r.reports = append(r.reports, processReport{})
	}
	r.reports[row] = processReport{records, runMS}
}

// succeeded counts the records of a successful attempt, and its run time also where it has read none.
func (r *processRates) succeeded(row int32) {
	if int(row) < len(r.reports) {
		r.records += r.reports[row].records
		r.runMS += r.reports[row].runMS
	}
}

// slow reports whether an attempt reads slower than that part of the average. While no successful
// attempt has reported records every attempt counts as slow.
func (r *processRates) slow(row int32, multiplier float64) bool {
	average := math.MaxFloat64
	if r.records > 0 && r.runMS > 0 {
		average = processReport{r.records, r.runMS}.rate()
	}
	rate := 0.0
	if int(row) < len(r.reports) {
		rate = r.reports[row].rate()
	}
	return rate < average*multiplier
}

// diesFirst reports whether the executor of an attempt is being decommissioned and will probably be
// gone before a task of median duration is done.
func (s *TaskSet) diesFirst(a *Attempt) bool {
	interval := s.sched.conf.DecommissionKillAfter
	if interval == conf.Unset || s.durations.count() == 0 {
		return false
	}
	e := &s.sched.execs[a.Exec]
	return e.decommissioned && e.decommissionedAt+interval < a.Launch+s.durations.median()
}
