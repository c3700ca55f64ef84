package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/quantity"
)

// A Share is how much of some time a cause makes up.
type Share struct {
	Cause record.Cause `json:"cause"`
	MS    int64        `json:"ms"`
	Jobs  int64        `json:"jobs"` // with such a part
}

// Totals add up the parts of many jobs.
type Totals struct {
	Jobs          int64
	NoTask, Open  int64 // of these, without a first task, and not finished: they count up to their end, or that of the replay
	Wait, Whole   int64 // ms
	waits, wholes map[record.Cause]*Share
	Wrong         int64 // jobs whose parts do not sum to the whole, which is a fault of the program
	FirstWrong    string
}

// Add adds a job, and checks that its parts follow one another from its submission to its end.
func (t *Totals) Add(j *Job) {
	if t.waits == nil {
		t.waits, t.wholes = map[record.Cause]*Share{}, map[record.Cause]*Share{}
	}
	t.Jobs++
	if j.FirstTask == record.None {
		t.NoTask++
	}
	if j.Outcome == record.JobUnfinished {
		t.Open++
	}
	t.Wait += j.Wait()
	t.Whole += j.End - j.Submit
	if text := Check(j); text != "" {
		t.Wrong++
		t.FirstWrong = cmp.Or(t.FirstWrong, fmt.Sprintf("job %d: %s", j.ID, text))
	}
	seen, seenWait := map[record.Cause]bool{}, map[record.Cause]bool{}
	for i := range j.Parts {
		p := &j.Parts[i]
		book(t.wholes, p, seen)
		if p.To <= j.waited() {
			book(t.waits, p, seenWait)
		}
	}
}

func book(of map[record.Cause]*Share, p *Part, seen map[record.Cause]bool) {
	s := of[p.Cause]
	if s == nil {
		s = &Share{Cause: p.Cause}
		of[p.Cause] = s
	}
	s.MS += p.Length()
	if !seen[p.Cause] {
		seen[p.Cause] = true
		s.Jobs++
	}
}

// Waits are the shares of the waits for the first task, the largest first; Wholes those of all of the time.
func (t *Totals) Waits() []Share  { return ranked(t.waits) }
func (t *Totals) Wholes() []Share { return ranked(t.wholes) }

func ranked(of map[record.Cause]*Share) (list []Share) {
	for _, s := range of {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Share) int { return cmp.Or(cmp.Compare(b.MS, a.MS), cmp.Compare(a.Cause, b.Cause)) })
	return list
}

// jobs says how many jobs there are, and of how many of them the time is not whole.
func (t *Totals) jobs(of string) string {
	text := quantity.Counted(t.Jobs, "jobs") + of
	var some []string
	if t.NoTask > 0 {
		some = append(some, quantity.Thousands(t.NoTask)+" without a first task")
	}
	if t.Open > 0 {
		some = append(some, quantity.Thousands(t.Open)+" not finished")
	}
	if some == nil {
		return text
	}
	return text + " (" + strings.Join(some, ", ") + ": they count up to their end)"
}

// Sentence says which causes make up most of the waits for first tasks.
func (t *Totals) Sentence() string {
	var causes []string
	for _, s := range t.Waits() {
		if len(causes) < 3 && 20*s.MS >= t.Wait {
			causes = append(causes, fmt.Sprintf("%s (%s)", Label(s.Cause), share(s.MS, t.Wait)))
		}
	}
	if causes == nil {
		return "No job waited for its first task."
	}
	return fmt.Sprintf("Until their first tasks %s waited %s in all, mostly: %s.", t.jobs(""), ms(t.Wait), strings.Join(causes, ", "))
}

// Branch is the waits for the first tasks of jobs, by cause.
func (t *Totals) Branch() Branch {
	b := Branch{Title: "until the first tasks of " + quantity.Counted(t.Jobs, "jobs"), MS: t.Wait, Causes: []InCause{}}
	for _, s := range t.Waits() {
		b.Causes = append(b.Causes, InCause{Label(s.Cause), s.MS, []string{"in " + quantity.Counted(s.Jobs, "jobs")}})
	}
	return b
}

// Check says what is wrong with the parts of a job, "" when they follow one another without a gap from its submission to its end, and one
// of them ends with the wait for its first task.
func Check(j *Job) string {
	at, wait := j.Submit, int64(0)
	for i := range j.Parts {
		p := &j.Parts[i]
		if p.From != at || p.To <= p.From {
			return fmt.Sprintf("part %d, %s, is from %d to %d ms, and the one before ends at %d ms", i, p.Cause, p.From, p.To, at)
		}
		at = p.To
		if p.To <= j.waited() {
			wait += p.Length()
		}
	}
	if at != j.End && (len(j.Parts) > 0 || j.End != j.Submit) {
		return fmt.Sprintf("the parts end at %d ms and the job at %d ms", at, j.End)
	}
	if j.FirstTask != record.None && wait != j.Wait() {
		return fmt.Sprintf("its wait of %d ms has parts of %d ms", j.Wait(), wait)
	}
	return ""
}
