package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/compare"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
)

// A Queue is what changes for the jobs of a queue. A row is nil where there is none.
type Queue struct {
	Name           string
	Wait, Duration *Shift // p95 wait for the first task, mean duration
}

// A Shift is a row of a queue with what chance may have done to its change. The rows of all queues are a family of their own: chance makes the interval of even one of
// them exclude 0 in at most 5 % of gates. They inform, and decide nothing.
type Shift struct {
	*compare.Row
	Half  float64 // half the interval around the change, in the row's unit; NaN where it was not tested
	Moved bool    // the interval excludes 0, and reaches beyond the margin
}

// queuesOf returns the queues, the one that loses most for its size first.
func queuesOf(c *compare.Comparison) (out []Queue) {
	at := map[string]int{}
	for i := range c.Rows {
		row := &c.Rows[i]
		value, name, ok := strings.Cut(strings.TrimSuffix(row.Name, "]"), "[queue=")
		if !ok || value != "wait_job_first_task_p95_ms" && value != "duration_job_mean_ms" {
			continue
		}
		n, ok := at[name]
		if !ok {
			n = len(out)
			at[name] = n
			out = append(out, Queue{Name: name})
		}
		s := &Shift{Row: row, Half: math.NaN()}
		if value == "duration_job_mean_ms" {
			out[n].Duration = s
		} else {
			out[n].Wait = s
		}
	}
	testShifts(c, out)
	slices.SortStableFunc(out, func(a, b Queue) int {
		_, x := a.loses()
		_, y := b.loses()
		return cmp.Compare(y, x)
	})
	return out
}

// testShifts tests together all rows of queues that have something to test.
func testShifts(c *compare.Comparison, queues []Queue) {
	type tested struct {
		shift *Shift
		of    inference.Estimate
	}
	var list []tested
	for i := range queues {
		for _, s := range queues[i].rows() {
			if ds := changes(c, s.Row); ds != nil {
				list = append(list, tested{s, c.Unit.Estimate(ds)})
			}
		}
	}
	for _, t := range list {
		t.shift.Half = t.of.Half(inference.Level / float64(len(list)))
		t.shift.Moved = t.of.Word(t.shift.Half, c.Margin*t.shift.Reference()) == inference.Real
	}
}

// changes are the differences of a row by unit, nil where there is nothing to test: for want of numbers, units or jobs, as other jobs finish or are cut off, or as they differ never or too rarely.
func changes(c *compare.Comparison, row *compare.Row) []float64 {
	was, is := &row.Cells[base], &row.Cells[head]
	if unchangeable(c, row) != "" || len(is.ByUnit) < inference.Fewest || row.Few() != "" || slices.Equal(was.ByUnit, is.ByUnit) {
		return nil
	}
	if ds := is.Differences(was); inference.Rare(ds) == 0 {
		return ds
	}
	return nil
}

// rows are those that the queue has.
func (q *Queue) rows() []*Shift {
	return slices.DeleteFunc([]*Shift{q.Wait, q.Duration}, func(s *Shift) bool { return s == nil })
}

// loses says in what the queue's jobs wait or take longer, whichever is more, and by what part.
func (q *Queue) loses() (in *Shift, part float64) {
	part = math.Inf(-1)
	for _, s := range q.rows() {
		if x := quantity.Over(s.Cells[head].Difference, s.Cells[base].Number); x > part {
			in, part = s, x
		}
	}
	return in, part
}

func (q *Queue) jobs() string {
	for _, s := range []*Shift{q.Duration, q.Wait} {
		if s != nil {
			return quantity.Thousands(s.N)
		}
	}
	return dash
}

// dash stands where there is no number.
const dash = "–"

// cell is what a queue's row changes, with the interval where it was tested.
func (s *Shift) cell() string {
	if s == nil {
		return dash
	}
	a, b := &s.Cells[base], &s.Cells[head]
	if a.Absent != "" || b.Absent != "" {
		return dash
	}
	scale := s.Scale(head)
	text := fmt.Sprintf("%s → %s", scale.Number(a.Number), scale.Number(b.Number)+scale.Suffix())
	switch {
	case slices.Equal(a.ByUnit, b.ByUnit):
		text += " (=)"
	case !math.IsNaN(s.Half):
		text += fmt.Sprintf(" (%s ±%s)", scale.Signed(b.Difference), scale.Number(s.Half))
	}
	return text
}

// look is that of a row that really changed.
func (s *Shift) look() string {
	switch {
	case s == nil || !s.Moved:
		return ""
	case s.Cells[head].Difference > 0:
		return "real-worse" // both are times
	}
	return "real-better"
}

// aboutQueues says what intervals are, why some queues have a dash in place of a number, and whose p95 is over too few jobs.
func (v *Verdict) aboutQueues() (texts []string) {
	for i := range v.Queues {
		if slices.ContainsFunc(v.Queues[i].rows(), func(s *Shift) bool { return !math.IsNaN(s.Half) }) {
			texts = append(texts, "±: half the interval around the change, where there is enough to test; chance makes even one in this table exclude 0 in at most 5 % of gates. They decide nothing. =: equal in each replay.")
			break
		}
	}
	for _, text := range []string{v.without(), v.few()} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// without says why queues have a dash in place of a number; empty where none has.
func (v *Verdict) without() string {
	var said []string
	for i := range v.Queues {
		q := &v.Queues[i]
		for _, s := range q.rows() {
			if s.cell() == dash {
				said = append(said, fmt.Sprintf("%s (%s)", q.Name, v.Comparison.Lacks(s.Row, head)))
				break
			}
		}
	}
	if said == nil {
		return ""
	}
	return dash + ": " + strings.Join(said, "; ") + "."
}

// few says that queues have too few jobs for a p95; empty where they have enough.
func (v *Verdict) few() string {
	var waits []*metric.Value
	for i := range v.Queues {
		if s := v.Queues[i].Wait; s != nil {
			waits = append(waits, &s.Value)
		}
	}
	return metric.FewAmong(waits)
}
