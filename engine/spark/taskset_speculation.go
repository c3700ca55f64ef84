package spark

import (
	"math"
	"slices"
)

const maxFloat = math.MaxFloat64

// durations are the durations of successful attempts, sorted.
type durations struct {
	sorted []int64
}

func (d *durations) insert(ms int64) {
	i, _ := slices.BinarySearch(d.sorted, ms)
	d.sorted = slices.Insert(d.sorted, i, ms)
}

// median is the upper of the two middle values.
//
// Source: org.apache.spark.util.collection.PercentileHeap.
func (d *durations) median() int64 { return d.sorted[len(d.sorted)/2] }

// speculate looks for tasks that run too long and puts a copy of each into the lists of
// speculative copies. It reports whether it found any.
//
// Source: TaskSetManager.checkSpeculatableTasks, checkAndSubmitSpeculatableTasks.
func (s *TaskSet) speculate(now int64) (found bool) {
	c := &s.sched.conf.Speculation
	n := s.Spec.Tasks
	if s.Zombie || s.Spec.Barrier || n == 1 && c.DurationThreshold == Unset {
		return false
	}
	minFinished := max(int(math.Floor(c.Quantile*float64(n))), 1)
	var threshold float64
	custom := false
	switch {
	case len(s.durations.sorted) >= minFinished:
		threshold = max(c.Multiplier*float64(s.durations.median()), float64(c.MinTaskRuntime))
	case c.DurationThreshold > 0 && n <= s.sched.SlotsPerExecutor:
		threshold, custom = float64(c.DurationThreshold), true
	default:
		return false
	}
	for row := range s.runningRows {
		a := &s.attempts[row]
		t := &s.tasks[a.Index]
		if t.done || t.copies != 1 || t.speculatable {
			continue
		}
		run := float64(now - a.Launch)
		slow := run > threshold && (custom || !c.Efficiency || run > c.LongRunTaskFactor*threshold || s.slowRate(a))
		if !slow && !s.diesFirst(a) {
			continue
		}
		s.addPending(&s.again, a.Index)
		t.speculatable = true
		s.speculatable++
		s.emit(SpeculativeTask, row, 0, false)
		found = true
	}
	return found
}

// slowRate reports whether an attempt reads records slower than the set's average. While no
// successful task has reported records every attempt counts as slow.
//
// Source: TaskSetManager.TaskProcessRateCalculator.
func (s *TaskSet) slowRate(a *Attempt) bool {
	rate := 0.0
	if a.recordsRead > 0 && a.runMS > 0 {
		rate = float64(a.recordsRead) / (float64(a.runMS) / 1000)
	}
	return rate < s.avgProcessRate*s.sched.conf.Speculation.ProcessRateMultiplier
}

// addProcessRate counts the records of a successful attempt.
func (s *TaskSet) addProcessRate(a *Attempt) {
	if a.runMS <= 0 || a.recordsRead <= 0 {
		return
	}
	s.recordsRead += a.recordsRead
	s.successRunMS += a.runMS
	s.avgProcessRate = float64(s.recordsRead) / (float64(s.successRunMS) / 1000)
}

// diesFirst reports whether the executor of an attempt is being decommissioned and will probably be
// gone before a task of median duration is done.
func (s *TaskSet) diesFirst(a *Attempt) bool {
	interval := s.sched.conf.DecommissionKillAfter
	if interval == Unset || len(s.durations.sorted) == 0 {
		return false
	}
	e := &s.sched.execs[a.Exec]
	return e.decommissioned && e.decommissionedAt+interval < a.Launch+s.durations.median()
}
