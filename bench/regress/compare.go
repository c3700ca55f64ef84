package regress

import (
	"fmt"
	"strings"
)

// A Moved count differs from the baseline's; -1 stands for one that is not there.
type Moved struct {
	Unit     string
	Old, New int64
	Cost     bool
}

func (m Moved) String() string { return fmt.Sprintf("%s %d, were %d", m.Unit, m.New, m.Old) }

func moved(old, now []Count) (out []Moved) {
	find := func(list []Count, unit string) int64 {
		for _, c := range list {
			if c.Unit == unit {
				return c.N
			}
		}
		return -1
	}
	for _, c := range old {
		if n := find(now, c.Unit); n != c.N {
			out = append(out, Moved{c.Unit, c.N, n, c.Cost})
		}
	}
	for _, c := range now {
		if find(old, c.Unit) < 0 {
			out = append(out, Moved{c.Unit, -1, c.N, c.Cost})
		}
	}
	return out
}

// A Result is a case against its baseline. What comes first explains what comes after it, so the first difference is the verdict.
type Result struct {
	Entry     *Entry
	Old       *Entry // nil = the baseline has no such case
	Input     bool   // another input than the baseline's: nothing else can be compared
	Decided   bool   // decisions differ
	Where     string // the first row that differs, in words; "" if it is not known
	Moved     []Moved
	Judgement Judgement
}

// Compare holds a measured case against its baseline's entry; the last run of its times is the one that is judged. calibrated says
// that their times are beside the same loop.
func Compare(old, now *Entry, calibrated bool) *Result {
	var samples []float64
	if n := len(now.Times); n > 0 {
		samples = now.Times[n-1]
	}
	r := &Result{Entry: now, Old: old, Judgement: judge(nil, samples)}
	if old == nil {
		return r
	}
	r.Input = old.Input != now.Input
	r.Decided = old.Hash != now.Hash
	r.Moved = moved(old.Counts, now.Counts)
	if calibrated && !r.Input {
		r.Judgement = judge(old.Times, samples)
	}
	return r
}

// First returns the rows among which the decisions of the two part, from 1; false when they do not, or it is not known.
func (r *Result) First() (first, last int64, ok bool) {
	if r.Old == nil || r.Input || !r.Decided {
		return 0, 0, false
	}
	return r.Old.Trail.parts(r.Entry.Trail)
}

// costs are the counts of work that rose (more) or fell.
func (r *Result) costs(more bool) (out []Moved) {
	for _, m := range r.Moved {
		if m.Cost && m.Old >= 0 && (more && m.New > m.Old || !more && m.New < m.Old) {
			out = append(out, m)
		}
	}
	return out
}

// Failed reports whether the case is a regression: another input, other decisions, more work, or slower.
func (r *Result) Failed() bool {
	return r.Input || r.Decided || len(r.costs(true)) > 0 || r.answers() != nil || r.Judgement.Speed == Slower
}

// answers are the counts that are part of the answer and differ although the decision hash does not.
func (r *Result) answers() (out []Moved) {
	for _, m := range r.Moved {
		if !m.Cost || m.Old < 0 || m.New < 0 {
			out = append(out, m)
		}
	}
	return out
}

// Say says in a sentence or two what became of the case; the first part is the verdict.
func (r *Result) Say() string {
	j := &r.Judgement
	switch {
	case r.Old == nil:
		return "not in the baseline"
	case r.Input:
		return "the input is another one, so nothing can be compared: trace " + short(r.Entry.Input) + ", was " + short(r.Old.Input)
	case r.Decided:
		text := "decides differently: hash " + r.Entry.Hash + ", was " + r.Old.Hash
		if r.Where != "" {
			text += "; " + r.Where
		}
		return text + "; if that is meant, --save makes it the baseline"
	case r.answers() != nil:
		return "counts differ: " + list(r.answers())
	}
	var parts []string
	if more := r.costs(true); more != nil {
		parts = append(parts, "more work: "+list(more))
	}
	if less := r.costs(false); less != nil {
		parts = append(parts, "less work: "+list(less)+" (--save makes it the baseline)")
	}
	switch j.Speed {
	case Slower:
		parts = append(parts, fmt.Sprintf("slower: %s CPU, beyond %+.1f %% of the history", j.change(), 100*(j.Limits.High/j.Limits.Median-1)))
	case Faster:
		parts = append(parts, fmt.Sprintf("faster: %s CPU (--save makes it the baseline)", j.change()))
	case Unknown:
		if j.Few {
			parts = append(parts, fmt.Sprintf("speed not known: %s CPU, and no interval of fewer than %d samples holds their median with 95 %%: there are %d", j.change(), fewest, j.Samples))
			break
		}
		parts = append(parts, fmt.Sprintf("speed not known: %s CPU, and the interval of %d samples, %+.1f to %+.1f %%, reaches over the limits %+.1f and %+.1f %%", j.change(), j.Samples,
			100*(j.Low/j.Limits.Median-1), 100*(j.High/j.Limits.Median-1), 100*(j.Limits.Low/j.Limits.Median-1), 100*(j.Limits.High/j.Limits.Median-1)))
	case Absent:
		parts = append(parts, "speed not compared: the baseline has too few samples, or they are beside another loop")
	default:
		parts = append(parts, fmt.Sprintf("as before: %s CPU (a slow-down from %s on is seen)", j.change(), j.seen()))
	}
	return strings.Join(parts, "; ")
}

func list(ms []Moved) string {
	var texts []string
	for _, m := range ms {
		texts = append(texts, m.String())
	}
	return strings.Join(texts, ", ")
}

func short(hash string) string {
	if hash == "" {
		return "-"
	}
	return hash[:min(len(hash), 12)]
}
