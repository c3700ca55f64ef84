package spark

import (
	"math"
	"slices"

	"replay/engine/spark/conf"
)

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
	if s.Zombie || s.Spec.Barrier || n == 1 && c.DurationThreshold == conf.Unset {
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
		slow := run > threshold && (custom || !c.Efficiency || run > c.LongRunTaskFactor*threshold || s.rates.slow(row, c.ProcessRateMultiplier))
		if !slow && !s.diesFirst(a) {
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

// processRates are the rates at which attempts read records, for the efficiency of speculation.
//
// Source: TaskSetManager.TaskProcessRateCalculator.
type processRates struct {
	reports []processReport // by row; nil while nothing was reported
	records int64           // of successful attempts that reported any
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

// succeeded counts the records of a successful attempt.
func (r *processRates) succeeded(row int32) {
	if int(row) < len(r.reports) && r.reports[row].rate() > 0 {
		r.records += r.reports[row].records
		r.runMS += r.reports[row].runMS
	}
}

// slow reports whether an attempt reads slower than that part of the average. While no successful
// attempt has reported records every attempt counts as slow.
func (r *processRates) slow(row int32, multiplier float64) bool {
	average := math.MaxFloat64
	if r.runMS > 0 {
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
	if interval == conf.Unset || len(s.durations.sorted) == 0 {
		return false
	}
	e := &s.sched.execs[a.Exec]
	return e.decommissioned && e.decommissionedAt+interval < a.Launch+s.durations.median()
}
