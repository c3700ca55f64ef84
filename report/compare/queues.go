package compare

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"replay/report/inference"
	"replay/report/page"
	"replay/report/quantity"
	"replay/shown"
)

// A Queue is what a variant changes for the jobs of a queue. A row is nil where there is none.
type Queue struct {
	Name           string
	Wait, Duration *Shift
}

// A Shift is a row of a queue, and what chance may have done to its change in one variant.
type Shift struct {
	*Row
	Half    float64 // half the interval around the change, in the row's unit; NaN where it was not tested
	Moved   bool    // the interval excludes 0, and reaches beyond the margin
	of      *Comparison
	variant int
}

const (
	queueDuration = "duration_job_mean_ms"
	queueWait     = "wait_job_first_task_mean_ms"
)

// Queues returns what variant v changes for the queues in a statistic of their waits, which a metric names, and in the mean duration of their jobs. The one that
// loses most for its size is first. The rows of all queues and variants are a family of their own, beside that of the headline metrics: chance makes the interval of
// even one of them exclude 0 in at most 5 % of comparisons.
func (c *Comparison) Queues(v int, wait string) []Queue {
	tested := 0
	var queues []Queue
	for of := 1; of < len(c.Variants); of++ {
		list := c.queues(of, wait)
		for i := range list {
			for _, s := range list[i].Rows() {
				if c.differences(s.Row, of) != nil {
					tested++
				}
			}
		}
		if of == v {
			queues = list
		}
	}
	for i := range queues {
		for _, s := range queues[i].Rows() {
			if ds := c.differences(s.Row, v); ds != nil {
				e := c.Unit.Estimate(ds)
				s.Half = e.Half(inference.Level / float64(tested))
				s.Moved = e.Word(s.Half, c.Margin*s.Reference()) == inference.Real
			}
		}
	}
	slices.SortStableFunc(queues, func(a, b Queue) int {
		_, x := a.Loses()
		_, y := b.Loses()
		return cmp.Compare(y, x)
	})
	return queues
}

// queues are those that have a row, in the order of rows.
func (c *Comparison) queues(v int, wait string) (out []Queue) {
	for i := range c.Rows {
		row := &c.Rows[i]
		name := row.Queue()
		isWait, isDuration := row.Name == wait+"[queue="+name+"]", row.Name == queueDuration+"[queue="+name+"]"
		if name == "" || !isWait && !isDuration {
			continue
		}
		at := slices.IndexFunc(out, func(q Queue) bool { return q.Name == name })
		if at < 0 {
			at = len(out)
			out = append(out, Queue{Name: name})
		}
		s := &Shift{Row: row, Half: math.NaN(), of: c, variant: v}
		if isWait {
			out[at].Wait = s
		} else {
			out[at].Duration = s
		}
	}
	return out
}

// differences are those of a row by unit, nil where there is nothing to test: for want of numbers, units or jobs, as other jobs finish or are cut off, or as they differ never or too rarely.
func (c *Comparison) differences(row *Row, v int) []float64 {
	was, is := &row.Cells[0], &row.Cells[v]
	if c.Unchangeable(row, v) != "" || len(is.ByUnit) < inference.Fewest || row.Few() != "" || slices.Equal(was.ByUnit, is.ByUnit) {
		return nil
	}
	if ds := is.Differences(was); inference.Rare(ds) == 0 {
		return ds
	}
	return nil
}

// Unchangeable says why nothing can be said of the change of a row in variant v, however many units there are; empty where it can.
func (c *Comparison) Unchangeable(row *Row, v int) string {
	loss := &c.Losses[v]
	for _, of := range []int{v, 0} {
		if absent := row.Cells[of].Absent; absent != "" {
			return fmt.Sprintf("no number for %s: %s", c.Variants[of].Name, absent)
		}
	}
	switch {
	case loss.any():
		return "the jobs that finish are not the same"
	case row.Ends && loss.CutOff > 0:
		return OthersCutOff
	}
	return ""
}

// Rows are those that the queue has.
func (q *Queue) Rows() []*Shift {
	return slices.DeleteFunc([]*Shift{q.Wait, q.Duration}, func(s *Shift) bool { return s == nil })
}

// part is by what part of the first variant's value the row changed; NaN where there is no number.
func (s *Shift) part() float64 {
	return quantity.Over(s.Cells[s.variant].Difference, s.Cells[0].Number)
}

// Loses says in what the queue's jobs wait or take longer, whichever is more, and by what part.
func (q *Queue) Loses() (in *Shift, part float64) {
	part = math.Inf(-1)
	for _, s := range q.Rows() {
		if x := s.part(); x > part {
			in, part = s, x
		}
	}
	return in, part
}

// Jobs is how many the queue has, in the replay with the fewest.
func (q *Queue) Jobs() string {
	for _, s := range []*Shift{q.Duration, q.Wait} {
		if s != nil {
			return quantity.Thousands(s.N)
		}
	}
	return Dash
}

// Dash stands where there is no number.
const Dash = "–"

// Text is what changes in the row, with the interval where it was tested.
func (s *Shift) Text() string {
	if s == nil || s.Cells[0].Absent != "" || s.Cells[s.variant].Absent != "" {
		return Dash
	}
	same := slices.Equal(s.Cells[0].ByUnit, s.Cells[s.variant].ByUnit)
	if !same && !math.IsNaN(s.Half) {
		return s.of.fromTo(s.Row, s.variant, s.Half, " ±")
	}
	scale := s.Scale(s.variant)
	text := fmt.Sprintf("%s → %s", scale.Number(s.Cells[0].Number), scale.Number(s.Cells[s.variant].Number)+scale.Suffix())
	if same {
		text += " (=)"
	}
	return text
}

// Look is that of a row that really changed.
func (s *Shift) Look() string {
	switch {
	case s == nil || !s.Moved:
		return ""
	case s.Cells[s.variant].Difference > 0:
		return findingClass[RealWorse] // both are times
	}
	return findingClass[RealBetter]
}

// several are the queues of variant v where there is more than one, so that one may pay for what another gains; nil elsewhere, and where nothing differs.
func (c *Comparison) several(v int) []Queue {
	if c.Same[v] {
		return nil
	}
	if queues := c.Queues(v, queueWait); len(queues) > 1 {
		return queues
	}
	return nil
}

// shiftText says which queues lose and which gain beyond chance, whatever all jobs together do; empty where that is not known of any.
func (c *Comparison) shiftText(v int) string {
	queues := c.several(v)
	var lost, won int
	var loses, gains *Shift
	for i := range queues {
		worse, better := false, false
		for _, s := range queues[i].Rows() {
			switch {
			case !s.Moved:
			case s.Cells[v].Difference > 0:
				if worse = true; loses == nil || s.part() > loses.part() {
					loses = s
				}
			default:
				if better = true; gains == nil || s.part() < gains.part() {
					gains = s
				}
			}
		}
		if worse {
			lost++
		}
		if better {
			won++
		}
	}
	say := func(n int, verb string, s *Shift) string {
		of := verb + "s, "
		if n > 1 {
			of = verb + ", most of all "
		}
		metric := c.Rows[c.row(strings.TrimSuffix(s.Name, "[queue="+s.Queue()+"]"))].Words()
		return fmt.Sprintf("%d %s%s in %s: %s", n, of, s.Queue(), metric, c.fromTo(s.Row, v, s.Half, " ± "))
	}
	var said []string
	if loses != nil {
		said = append(said, say(lost, "lose", loses))
	}
	if gains != nil {
		said = append(said, say(won, "gain", gains))
	}
	if said == nil {
		return ""
	}
	return fmt.Sprintf(" Of %s %s.", quantity.Counted(int64(len(queues)), "queues"), strings.Join(said, "; "))
}

// Unseen says which queues variant v and the first are told otherwise in which no job is, so that of what changes for them no replay tells anything; empty where there is
// none, and where it is not known what queues are told.
func (c *Comparison) Unseen(v int) string {
	was, is := c.study.manifest(0), c.study.manifest(v)
	if was.Scheduler != is.Scheduler || len(c.study.queues) == 0 {
		return ""
	}
	either := maps.Clone(was.Queues)
	if either == nil || is.Queues == nil {
		return ""
	}
	maps.Copy(either, is.Queues)
	var unseen []string
	for path := range either {
		a, before := was.Queues[path]
		b, after := is.Queues[path]
		if a == b && before == after {
			continue
		}
		hasJob := false
		for queue := range c.study.queues {
			hasJob = hasJob || queue == path || strings.HasPrefix(queue, path+".")
		}
		if !hasJob {
			unseen = append(unseen, path)
		}
	}
	slices.Sort(unseen)
	switch len(unseen) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Nothing is known of what changes for queue %s: no job is in it.", unseen[0])
	}
	return fmt.Sprintf("Nothing is known of what changes for %s in which no job is: %s.", quantity.Counted(int64(len(unseen)), "queues"), named(unseen, ", "))
}

// mostShown are the queues of a table, in their order: of many those that really changed, then those that changed most for their size. It says how many others there are.
func mostShown(queues []Queue) (kept []Queue, others int) {
	if len(queues) <= mostQueues {
		return queues, 0
	}
	size := func(i int) (moved, most float64) {
		for _, s := range queues[i].Rows() {
			if s.Moved {
				moved = 1
			}
			if x := math.Abs(s.part()); x > most {
				most = x
			}
		}
		return moved, most
	}
	order := make([]int, len(queues))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		movedA, sizeA := size(a)
		movedB, sizeB := size(b)
		return cmp.Or(cmp.Compare(movedB, movedA), cmp.Compare(sizeB, sizeA))
	})
	order = order[:mostQueues]
	slices.Sort(order)
	for _, i := range order {
		kept = append(kept, queues[i])
	}
	return kept, len(queues) - mostQueues
}

// queueHead are the columns of a table of queues.
var queueHead = []string{"queue", "mean wait for the first task", "mean duration of a job", "jobs"}

// aboutShifts says what a table of queues holds, of which others are left out.
func aboutShifts(queues []Queue, others int) string {
	var said []string
	if slices.ContainsFunc(queues, func(q Queue) bool {
		return slices.ContainsFunc(q.Rows(), func(s *Shift) bool { return !math.IsNaN(s.Half) })
	}) {
		said = append(said, "The queue that loses most for its size is first. ±: half the interval around the change; all rows of queues are tested together, apart from the headline metrics: chance makes even one of them exclude 0 in at most 5 % of comparisons.")
	}
	if others > 0 {
		said = append(said, fmt.Sprintf("Not listed: %s, of which less is known to change.", quantity.Counted(int64(others), "queues")))
	}
	return strings.Join(said, " ")
}

// writeQueues writes the table of the queues of variant v, where there are several; with all, every one.
func (c *Comparison) writeQueues(w io.Writer, v int, all bool) {
	queues := c.several(v)
	if queues == nil {
		return
	}
	others := 0
	if !all {
		queues, others = mostShown(queues)
	}
	fmt.Fprintln(w)
	t := &shown.Table{}
	t.Head(queueHead...)
	for i := range queues {
		q := &queues[i]
		t.Row(q.Name, q.Wait.Text(), q.Duration.Text(), q.Jobs())
	}
	t.Write(w)
	if text := aboutShifts(queues, others); text != "" {
		shown.Paragraph(w, text, "")
	}
}

// queueTable is the same for a page, none where there are not several.
func (c *Comparison) queueTable(v int) []page.Table {
	queues, others := mostShown(c.several(v))
	if queues == nil {
		return nil
	}
	t := page.Table{Title: "Queues", Head: queueHead, About: aboutShifts(queues, others)}
	if len(c.Variants) > 2 {
		t.Title += " under " + c.Variants[v].Name
	}
	for i := range queues {
		q := &queues[i]
		t.Rows = append(t.Rows, page.Row{Name: q.Name, Cells: []page.Cell{
			{Text: q.Wait.Text(), Class: q.Wait.Look(), Label: t.Head[1]}, {Text: q.Duration.Text(), Class: q.Duration.Look(), Label: t.Head[2]}, {Text: q.Jobs(), Label: t.Head[3]}}})
	}
	return []page.Table{t}
}

// queueJSON is what a variant changes for a queue, for other programs.
type (
	queueJSON struct {
		Queue string      `json:"queue"`
		Rows  []shiftJSON `json:"changes"`
	}
	shiftJSON struct {
		Metric string   `json:"metric"`
		Change *float64 `json:"change"`
		Half   *float64 `json:"half_interval"` // null where it was not tested
		Moved  bool     `json:"moved"`         // the interval excludes 0, and reaches beyond the margin
		N      int64    `json:"n"`
	}
)

// queuesJSON are the queues of variant v, where there are several.
func (c *Comparison) queuesJSON(v int) (out []queueJSON) {
	for _, q := range c.several(v) {
		of := queueJSON{Queue: q.Name}
		for _, s := range q.Rows() {
			of.Rows = append(of.Rows, shiftJSON{s.Name, finite(s.Cells[v].Difference), finite(s.Half), s.Moved, s.N})
		}
		out = append(out, of)
	}
	return out
}
