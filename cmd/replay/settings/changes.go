package settings

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"replay/cmd/replay/cmdline"
	"replay/engine/scenario"
	"replay/trace"
	"replay/trace/view"
)

// A --change says which job it is about by its number, by its name or by the id under which it was recorded. The scenario takes numbers; which one a name stands for,
// the jobs say that are replayed.

// noJob stands for the number of a job until its name has been looked up: no trace has so many.
const noJob = math.MaxInt64

// jobOf splits a change at what it calls its job, which may have spaces; ok is false where it is about none, or says a number.
func jobOf(text string) (before, name, after string, ok bool) {
	text = strings.Join(strings.Fields(text), " ")
	if name, ok = strings.CutPrefix(text, "without job "); ok {
		before = text[:len(text)-len(name)]
	} else if at := strings.Index(text, " of job "); at > 0 && strings.HasPrefix(text, "container ") {
		at += len(" of job ")
		before, name = text[:at], text[at:]
		end := strings.LastIndex(name, " on ")
		if end < 0 {
			return "", "", "", false
		}
		end = len(strings.TrimSuffix(name[:end], " not"))
		name, after = name[:end], name[end:]
	} else {
		return "", "", "", false
	}
	_, err := strconv.ParseInt(name, 10, 64)
	return before, name, after, name != "" && err != nil
}

// ParseChange reads a change. Which job it is about may be [Open]: [Numbered] says it.
func ParseChange(text string) (scenario.Change, error) {
	change, err := scenario.ParseChange(text)
	if before, name, after, ok := jobOf(text); err != nil && ok {
		if open, err := scenario.ParseChange(before + strconv.Itoa(noJob) + after); err == nil {
			open.Text = before + name + after
			return open, nil
		}
	}
	return change, err
}

// Open reports whether a change says by a name which job it is about.
func Open(change scenario.Change) bool {
	_, _, _, ok := jobOf(change.Text)
	return ok
}

// Numbered is a change with the number of the job that it is about. Of says whose the jobs are.
func Numbered(change scenario.Change, of string, jobs iter.Seq[cmdline.Called]) (scenario.Change, error) {
	before, name, after, ok := jobOf(change.Text)
	if !ok {
		return change, nil
	}
	number, err := cmdline.JobCalled(name, of, jobs)
	if err != nil {
		return change, fmt.Errorf("--change %q: %w", change.Text, err)
	}
	return scenario.ParseChange(before + strconv.FormatInt(number, 10) + after)
}

// namedJobs remembers what changes are that say names of jobs, for each trace and window: its jobs are read once. Several may ask at the same time.
type namedJobs struct {
	mu   sync.Mutex
	seen map[namedJob]scenario.Change
}

type namedJob struct {
	trace, change string
	fromMS, toMS  int64
}

func (n *namedJobs) numbered(t *trace.Trace, w *view.Window, changes []scenario.Change) ([]scenario.Change, error) {
	changes = slices.Clone(changes) // others may replay the same options
	var called []cmdline.Called
	of := "the trace"
	if w != nil {
		of = "a window of the trace"
	}
	for i := range changes {
		if !Open(changes[i]) {
			continue
		}
		key := namedJob{trace: t.Hash(), change: changes[i].Text}
		if w != nil {
			key.fromMS, key.toMS = w.FromMS, w.ToMS
		}
		n.mu.Lock()
		found, ok := n.seen[key]
		n.mu.Unlock()
		if !ok {
			var err error
			if called == nil {
				if called, err = calledIn(t, w); err != nil {
					return nil, err
				}
			}
			if found, err = Numbered(changes[i], of, slices.Values(called)); err != nil {
				return nil, err
			}
			n.mu.Lock()
			if n.seen == nil {
				n.seen = map[namedJob]scenario.Change{}
			}
			n.seen[key] = found
			n.mu.Unlock()
		}
		changes[i] = found
	}
	return changes, nil
}

// calledIn reads what the jobs of a trace, or of a window of it, are called.
func calledIn(t *trace.Trace, w *view.Window) (called []cmdline.Called, err error) {
	jobs := t.Jobs()
	if w != nil {
		jobs = w.Jobs(jobs)
	}
	for j, err := range trace.All(jobs) {
		if err != nil {
			return nil, err
		}
		called = append(called, cmdline.Called{Number: j.ID, Name: j.Name, ID: j.ExternalID})
	}
	return called, nil
}
