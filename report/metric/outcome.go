package metric

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
)

// Outcome counts what became of jobs. Jobs is the sum of the five counts after it.
type Outcome struct {
	Jobs         int64    `json:"jobs"`
	Succeeded    int64    `json:"succeeded"`
	Failed       int64    `json:"failed"`  // they began and did not succeed
	Refused      int64    `json:"refused"` // the cluster or the configuration did not take them: they never got a container
	Unfinished   int64    `json:"unfinished"`
	NotSubmitted int64    `json:"not_submitted"`   // the end that was asked for came first
	AsRecorded   int64    `json:"recorded_failed"` // of those that did not succeed, the trace records so many as failed or killed
	Unexpected   int64    `json:"unexpected"`      // of those that did not succeed: not so recorded, and not cut off by the end that was asked for
	Reasons      []Reason `json:"reasons"`         // of those that did not succeed; that of the most jobs first
	EndedWell    int64    `json:"-"`               // of those that succeeded, the trace records so many as failed or killed
	Runs         int      `json:"-"`               // that were added
}

// Reason is why jobs did not succeed. Reasons that differ in the user, in ids and in numbers alone, other than exit statuses, are one; the words
// are those of the first job.
type Reason struct {
	Outcome string `json:"outcome"` // failed, refused or unfinished
	Words   string `json:"reason"`
	Jobs    int64  `json:"jobs"`
	First   int64  `json:"first_job"` // number of the first job, and its name or, if it has none, its name where it was recorded
	Name    string `json:"first_name"`
	Of      string `json:"first_of,omitempty"` // the trace or window of the first job, where there are several
	// Unexpected is how many of the jobs count in [Outcome.Unexpected].
	Unexpected int64 `json:"-"`
	Run        int   `json:"-"` // in which of the runs the first job is
}

// Names of outcomes beside those of package record: a job that failed before it got a container was refused.
const refused = "refused"

// OutcomeOf counts the jobs of runs together.
func OutcomeOf(runs ...*result.Data) *Outcome {
	o := newOutcome()
	for _, d := range runs {
		o.Add(d)
	}
	return o
}

func newOutcome() *Outcome { return &Outcome{Reasons: []Reason{}} }

// Add counts the jobs of one more run.
func (o *Outcome) Add(d *result.Data) {
	p := newPass(d)
	counted := o.add(p)
	p.run()
	counted()
}

// add counts those that pass, which are all when what it returns is called.
func (o *Outcome) add(p *pass) func() {
	d, at := p.data, map[[2]string]int{}
	for r := range o.Reasons {
		at[[2]string{o.Reasons[r].Outcome, unnumbered(o.Reasons[r].Words)}] = r
	}
	p.each = append(p.each, func(j *result.Job) {
		unexpected := o.Unexpected
		name := o.count(j, d.Manifest.Until > 0)
		if name == record.JobSucceeded {
			return
		}
		key := [2]string{name, unnumbered(j.Reason)}
		r, ok := at[key]
		if !ok {
			r = len(o.Reasons)
			at[key] = r
			o.Reasons = append(o.Reasons, Reason{Outcome: name, Words: j.Reason, First: j.ID, Name: cmp.Or(j.Name, j.ExternalID), Run: o.Runs})
		}
		o.Reasons[r].Jobs++
		o.Reasons[r].Unexpected += o.Unexpected - unexpected
	})
	return func() {
		o.Runs++
		if n := d.Manifest.TraceJobs - int64(d.Jobs.Len()); n > 0 {
			o.NotSubmitted += n
			o.Jobs += n
		}
		slices.SortStableFunc(o.Reasons, func(a, b Reason) int { return cmp.Compare(b.Jobs, a.Jobs) })
	}
}

// Unexpected reports whether a job did not succeed that the trace does not record as failed or killed, and that the end that was asked for, if there
// was one, did not cut off.
func Unexpected(j *result.Job, cutOff bool) bool {
	return j.Outcome != record.JobSucceeded && !asRecorded(j) && !(j.Outcome == record.JobUnfinished && cutOff)
}

func asRecorded(j *result.Job) bool { return j.Recorded == "failed" || j.Recorded == "killed" }

// count adds a job of a replay, which may have been cut off, and returns the name of its outcome.
func (o *Outcome) count(j *result.Job, cutOff bool) string {
	o.Jobs++
	if j.Outcome == record.JobSucceeded {
		if o.Succeeded++; asRecorded(j) {
			o.EndedWell++
		}
		return j.Outcome
	}
	switch {
	case Unexpected(j, cutOff):
		o.Unexpected++
	case asRecorded(j):
		o.AsRecorded++
	}
	switch {
	case j.Outcome != record.JobFailed:
		o.Unfinished++
	case !result.Happened(j.AMAllocated):
		o.Refused++
		return refused
	default:
		o.Failed++
	}
	return j.Outcome
}

// numbers are exit statuses, who submitted, ids of YARN, and numbers by themselves.
var numbers = regexp.MustCompile(`\bexit -?\d+|\b(?:by|from) user (?:: )?\S+|\b(?:application|appattempt|container)(?:_e\d+)?(?:_\d+)+\b|\b\d+(?:,\d{3})*\b`)

// unnumbered returns a reason without its numbers, other than exit statuses, and without the user.
func unnumbered(reason string) string {
	return numbers.ReplaceAllStringFunc(reason, func(s string) string {
		if strings.HasPrefix(s, "exit") {
			return s
		}
		return "#"
	})
}

// Count is how many jobs had an outcome.
type Count struct {
	Name string
	Jobs int64
}

// Counts returns the five outcomes, success first.
func (o *Outcome) Counts() []Count {
	return []Count{{"succeeded", o.Succeeded}, {"failed", o.Failed}, {"refused", o.Refused}, {"unfinished", o.Unfinished}, {"not submitted", o.NotSubmitted}}
}

// Outcome counts the jobs of the replay.
func (s *Summary) Outcome() *Outcome {
	if s.outcome == nil { // it was not made by [Of]
		return OutcomeOf(s.Data)
	}
	o := *s.outcome
	o.Reasons = append([]Reason{}, o.Reasons...) // the caller's
	return &o
}

// Succeeded returns the numbers of the jobs that succeeded.
func (s *Summary) Succeeded() map[int64]bool {
	ids := map[int64]bool{}
	for j := range s.Jobs.All() {
		if j.Outcome == record.JobSucceeded {
			ids[j.ID] = true
		}
	}
	return ids
}

// CutOff is how many jobs the end that was asked for kept from finishing, those that are not submitted included.
func (o *Outcome) CutOff() int64 { return o.Jobs - o.Succeeded - o.Unexpected - o.AsRecorded }

// NoneSucceeds reports whether there are jobs and all are lost: none succeeds, is recorded as failed or cut off by the end that was asked for.
func (o *Outcome) NoneSucceeds() bool { return o.Jobs > 0 && o.Unexpected == o.Jobs }

// Text says what became of the jobs, without the reasons.
func (o *Outcome) Text() string {
	n := quantity.Thousands
	switch {
	case o.Jobs == o.NotSubmitted:
		return "No job was submitted"
	case o.Succeeded == 1 && o.Jobs == 1:
		return "The one job succeeded"
	case o.Succeeded == 2 && o.Jobs == 2:
		return "Both jobs succeeded"
	case o.Succeeded == o.Jobs:
		return "All " + n(o.Jobs) + " jobs succeeded"
	}
	text := fmt.Sprintf("%s of %s jobs succeeded", n(o.Succeeded), n(o.Jobs))
	for _, c := range o.Counts()[1:] {
		if c.Jobs > 0 {
			text += ", " + n(c.Jobs) + " " + c.Name
		}
	}
	if o.AsRecorded > 0 {
		text += fmt.Sprintf("; of these the trace records %s as failed or killed", n(o.AsRecorded))
	}
	return text
}

// Text says how many jobs have the reason, and what it is.
func (r *Reason) Text() string {
	verb := map[string][2]string{
		record.JobFailed: {"failed", "failed"}, refused: {"was refused", "were refused"}, record.JobUnfinished: {"did not finish", "did not finish"},
	}[r.Outcome]
	first := record.JobCalled(r.First, r.Name)
	if r.Of != "" {
		first += " of " + r.Of
	}
	words := quantity.OrDash(r.Words)
	if r.Jobs == 1 {
		return fmt.Sprintf("%s %s: %s", first, verb[0], words)
	}
	return fmt.Sprintf("%s jobs %s, the first is %s: %s", quantity.Thousands(r.Jobs), verb[1], first, words)
}
