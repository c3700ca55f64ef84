package mapreduce

// scan is the speculator's clock. Its times are computed; one is in the event queue if a type can be looked at.
type scan struct {
	next   int64
	queued bool
	last   int64
}

// eligible reports whether a type is looked at: tasks of it run, and none waits for a container.
func (j *job) eligible(i int) bool {
	return len(j.tasks[i]) > 0 && j.set.task(i == 1).Speculative && j.waiting[i] == 0 && j.live[i].n > 0
}

// expectScan puts the next scan into the event queue. It comes after each heartbeat, and when an attempt goes that waits for a container: nothing else makes a
// type eligible.
func (j *job) expectScan() {
	s := &j.scan
	if s.queued || s.next == never || j.uber != nil || !j.set.Map.Speculative && !j.set.Reduce.Speculative ||
		!j.k.Dense && !j.eligible(0) && !j.eligible(1) {
		return
	}
	now := j.h.Now()
	if idle := max(j.set.Speculation.RetryIdleMS, 1); s.next < now {
		s.next += (now - s.next + idle - 1) / idle * idle
	}
	if s.next == now && j.h.Passed(evSpeculate) {
		s.next += max(j.set.Speculation.RetryIdleMS, 1)
	}
	s.last++
	s.queued = true
	j.h.At(s.next, evSpeculate, 0, s.last)
}

// speculate looks for a map and a reduce that would end earlier if begun again now.
//
// Source: DefaultSpeculator.computeSpeculations.
func (j *job) speculate() {
	j.scan.queued = false
	launched := j.speculateOn(0)
	launched = j.speculateOn(1) || launched
	wait := max(j.set.Speculation.RetryIdleMS, 1)
	if launched {
		wait = max(wait, j.set.Speculation.RetryMS)
	}
	j.scan.next = j.h.Now() + wait
	j.expectScan()
	j.beats.Expect()
}

// The values of a task that is not worth a second attempt, all below any real one.
const (
	onSchedule = -1<<62 + iota
	already
	tooNew
	good
	tooLate
	notRunning
)

// speculateOn begins another attempt of a task of a type, if there is one for which it is worth while.
func (j *job) speculateOn(i int) bool {
	task, ok := j.slowest(i)
	if ok {
		j.tasks[i][task].speculated = true
		j.attempt(i == 1, task, true, false)
	}
	return ok
}

// slowest finds the task of a type that would gain most by another attempt; none if nothing would or there are as many as may be.
//
// Source: DefaultSpeculator.maybeScheduleASpeculation.
func (j *job) slowest(i int) (task int32, ok bool) {
	if !j.eligible(i) {
		return 0, false
	}
	byTask := map[int32][]*attempt{}
	var order []int32
	for a := range j.live[i].all {
		if byTask[a.id.Task] == nil {
			order = append(order, a.id.Task)
		}
		byTask[a.id.Task] = append(byTask[a.id.Task], a)
	}
	best, most, twice, run := int32(-1), int64(tooLate+1), 0, 0
	for _, index := range order {
		v := j.worth(i, index, byTask[index])
		if v == already {
			twice++
		}
		if v != notRunning {
			run++
		}
		if v > most || v == most && best >= 0 && index < best {
			best, most = index, v
		}
	}
	s := j.set.Speculation
	allowed := int(max(float64(s.Allowed), s.TotalCap*float64(len(j.tasks[i]))))
	allowed = int(max(float64(allowed), s.RunningCap*float64(run)))
	return best, best >= 0 && allowed > twice
}

// worth is how many ms earlier a second attempt would end, or why there is to be none.
//
// Source: DefaultSpeculator.speculationValue, StartEndTimesBase.thresholdRuntime.
func (j *job) worth(i int, index int32, attempts []*attempt) int64 {
	t := &j.tasks[i][index]
	done := j.completed[i]
	early := done < 1 || float32(done)/float32(len(j.tasks[i])) < 0.05
	if !t.speculated && early {
		return onSchedule
	}
	now := j.h.Now()
	v, seen := int64(notRunning), false
	for _, a := range attempts {
		if a.state != unassigned && a.state != assigned && a.state != running {
			continue
		}
		if seen {
			return already
		}
		seen = true
		if a.state != running {
			return tooNew
		}
		estimate, progress := j.reported(a)
		j.watch(a, estimate, progress)
		end := a.Launch + estimate
		if end < now {
			return good
		}
		again := now + j.spent[i].mean()
		if again >= end {
			return tooLate
		}
		v = end - again
	}
	if seen && t.speculated && early {
		return onSchedule
	}
	return v
}

// silentMS is how long the estimate and progress of an attempt may stay as they are before the speculator takes the last progress for that of now.
//
// Source: DefaultSpeculator.MAX_WAITTING_TIME_FOR_HEARTBEAT.
const silentMS = 9000

// watched is what the speculator has seen of an attempt.
type watched struct {
	on       bool
	estimate int64
	progress float32
	at       int64 // since when that has not changed
	madeUp   int64 // when the last progress was taken for that of now, 0 for never
}

// watch notes what a scan sees of an attempt. One that has said nothing for too long, as its process is still being started, is estimated by the
// time that has passed: with the next scan it looks far slower than any other.
func (j *job) watch(a *attempt, estimate int64, progress float32) {
	w, now := &a.watched, j.h.Now()
	switch {
	case !w.on || estimate != w.estimate || progress != w.progress:
		w.on, w.estimate, w.progress, w.at = true, estimate, progress, now
	case now-w.at > silentMS:
		w.at, w.madeUp = now, now
	}
}

// reported is how long an attempt will have run at its end and how far it is, as its last report has it: -1 and 0 before the first.
//
// Source: LegacyTaskRuntimeEstimator.updateAttempt.
func (j *job) reported(a *attempt) (estimate int64, progress float32) {
	at := int64(0)
	if n := j.reports(a); n > 0 {
		at = a.begin + (n+1)*j.set.ReportMS
		progress = j.progressAt(a, at)
	}
	if at = max(at, a.watched.madeUp); at <= a.Launch {
		return -1, progress
	}
	return int64(float64(at-a.Launch) / max(0.0001, float64(progress))), progress
}

// reports counts what an attempt has told of its progress: with the second interval of its work and each after it, as the first tells only that it lives.
//
// Source: Task.TaskReporter.run.
func (j *job) reports(a *attempt) int64 {
	every := j.set.ReportMS
	if every == 0 || j.h.Now() < a.begin {
		return 0
	}
	return max((j.h.Now()-a.begin)/every-1, 0)
}

// progress is that of an attempt now; it reads 1 from its end, or from the order to stop it, on.
func (j *job) progress(a *attempt) float32 {
	switch a.state {
	case unassigned, assigned:
		return 0
	case running:
		return j.progressAt(a, j.h.Now())
	}
	return 1
}

// progressAt is the progress of a running attempt. A map's grows with its time. A third of a reduce's is its shuffle, by the share of maps that are
// complete, the rest grows with its time.
func (j *job) progressAt(a *attempt, at int64) float32 {
	share := func(part, all int64) float32 {
		if all <= 0 {
			return 1
		}
		return float32(min(max(part, 0), all)) / float32(all)
	}
	switch {
	case at <= a.begin:
		return 0
	case !a.id.Reduce || a.fails:
		return share(at-a.begin, a.work)
	case a.until != never:
		rest := a.work - a.fetch
		return float32(1)/3 + share(at-(a.until-rest), rest)*2/3
	}
	return share(int64(j.completed[0]), int64(len(j.tasks[0]))) / 3
}
