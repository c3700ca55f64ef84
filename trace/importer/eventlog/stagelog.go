package eventlog

// stageLog is one stage over all its attempts.
type stageLog struct {
	info       *stageInfo // of the first attempt
	submitted  []int64    // by attempt; absent where it is not known
	announced  []bool     // by attempt
	begun      []int64    // by attempt: launch of its first task, or absent
	firstReady int64      // first time it completed without failure, or absent
	completed  int64      // last time it completed, or absent
	lostEnd    bool       // the log lost the event of that: it is the end of its last task
	failure    string     // of the last completion
	result     bool
	parts      []part
	more       []attemptLog    // that ended, beside those of parts
	row        map[int32]int32 // partition -> row of parts
	retry      map[int32]retry // attempt -> what it computes, for logs without partition ids
}

// first is when the stage was submitted first, or absent. Attempt 0 may be missing: the attempts of a stage
// that was found available count from 1.
func (st *stageLog) first() int64 {
	for _, at := range st.submitted {
		if at != absent {
			return at
		}
	}
	return absent
}

// submittedAt is when an attempt was submitted, or absent.
func (st *stageLog) submittedAt(attempt int32) int64 {
	if int(attempt) < len(st.submitted) {
		return st.submitted[attempt]
	}
	return absent
}

// attempts is how many attempts were submitted.
func (st *stageLog) attempts() (n int) {
	for _, yes := range st.announced {
		if yes {
			n++
		}
	}
	return n
}

// whole reports whether each task that the stage was submitted with has succeeded.
func (st *stageLog) whole() bool {
	done := int32(0)
	for i := range st.parts {
		if st.parts[i].done {
			done++
		}
	}
	return done > 0 && done >= st.info.tasks
}

// grow makes room for an attempt.
func (st *stageLog) grow(attempt int32) {
	for int(attempt) >= len(st.submitted) {
		st.submitted, st.begun, st.announced = append(st.submitted, absent), append(st.begun, absent), append(st.announced, false)
	}
}

// setSubmitted sets when an attempt was submitted. Before Spark 3 the event of a submission has no time: the end of the
// attempt tells it.
func (st *stageLog) setSubmitted(attempt int32, at int64) {
	st.grow(attempt)
	if at != absent {
		st.submitted[attempt] = at
	}
}

// settle takes the launch of its first task for when an attempt was submitted that has no other time, and the end of
// its last task for when the stage completed, if the log lost that and all tasks have succeeded.
func (st *stageLog) settle() {
	for i, at := range st.submitted {
		if at == absent {
			st.submitted[i] = st.begun[i]
		}
	}
	if st.firstReady != absent || st.failure != "" || !st.whole() {
		return
	}
	for i := range st.parts {
		st.firstReady = max(st.firstReady, st.parts[i].launch+st.parts[i].coreMS)
	}
	st.completed, st.lostEnd = max(st.completed, st.firstReady), true
}

// launched notes the launch of a task of an attempt of the stage.
func (st *stageLog) launched(attempt int32, at int64) {
	st.grow(attempt)
	if b := &st.begun[attempt]; *b == absent || at < *b {
		*b = at
	}
}
