// Package gate says whether a change of a configuration may pass: which conditions on its replays are broken beyond chance, which are kept, and
// which nothing is known of; in which queues, and which applications are hit hardest.
package gate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"replay/report/compare"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/target"
)

// A Condition is one that the gate stands on.
type Condition struct {
	*target.Target
	Must bool // it has to hold; otherwise the gate fails where it holds
}

// The two variants of the comparison: what is there, and what is to come.
const base, head = 0, 1

// A Gate collects the replays of a base and a head.
type Gate struct {
	Conditions []Condition
	Precision  float64 // see [Gate.Enough]; a part
	jobs       jobs
	least      map[string]bool // names of values that are least values in a replay of the head
}

// Add takes in a replay of the base and one of the head, of the same trace and seed. The error, of the first ones, is that a condition is about
// nothing that they have.
func (g *Gate) Add(base, head *metric.Summary) error {
	if g.jobs.at == nil {
		either := slices.Clone(base.Values) // a queue may be new
		for i := range head.Values {
			if _, ok := base.Value(head.Values[i].Name); !ok {
				either = append(either, head.Values[i])
			}
		}
		for _, c := range g.Conditions {
			if _, _, _, err := c.Find(either); err != nil && !errors.As(err, new(*target.NoJobs)) {
				return err
			}
		}
	}
	if g.least == nil {
		g.least = map[string]bool{}
	}
	for i := range head.Values {
		if v := &head.Values[i]; v.Least() {
			g.least[v.Name] = true
		}
	}
	g.jobs.add(base.Data, head.Data)
	return nil
}

// Status is what is known of a condition.
type Status string

// What can be known. A gate fails on what is broken.
const (
	Kept   Status = "kept"
	Broken Status = "broken"
	Open   Status = "not known" // chance may explain either
)

// A Judged condition.
type Judged struct {
	Condition
	Row     *compare.Row
	Limit   float64 // in the row's unit, of the value or of its change; a part of the base's value where Percent
	Percent bool
	// Over is by how much the value, or its change, exceeds the limit, and Half half the interval around it; NaN when nothing was tested.
	Over, Half float64
	Find       float64 // what excess would have been found in 8 of 10 such gates
	Status     Status
	Why        string // there is nothing to test
}

// A Verdict is what a gate says.
type Verdict struct {
	Comparison *compare.Comparison
	Conditions []Judged
	Worse      []*compare.Row // worse by more than the margin beyond chance, where there are no conditions
	Perhaps    []*compare.Row // really worse, and perhaps by no more than the margin
	Same       bool           // every value of every replay is equal
	Lost       int64          // jobs, over all replays, that the base finishes and the head does not
	LostNames  []string       // of the first of them
	Queues     []compare.Queue
	Hit        []Hit
	Since      string // when the times of these begin
}

// Failed reports whether the change may not pass.
func (v *Verdict) Failed() bool {
	if v.Lost > 0 || len(v.Worse) > 0 || v.none() || v.unsubmitted() {
		return true
	}
	for i := range v.Conditions {
		if v.Conditions[i].Status == Broken {
			return true
		}
	}
	return false
}

// none reports whether no job succeeds under either, so that there is nothing to judge.
func (v *Verdict) none() bool {
	a, b := v.Comparison.Outcomes[base], v.Comparison.Outcomes[head]
	return a.NoneSucceeds() && b.NoneSucceeds()
}

// unsubmitted reports whether no replay has a job, so that there is nothing to judge either.
func (v *Verdict) unsubmitted() bool {
	of := func(o *metric.Outcome) bool { return o.Jobs == o.NotSubmitted }
	return of(v.Comparison.Outcomes[base]) && of(v.Comparison.Outcomes[head])
}

// Judge says what the comparison of head with base shows.
func (g *Gate) Judge(c *compare.Comparison) (*Verdict, error) {
	v := &Verdict{Comparison: c, Same: c.Same[head], Lost: c.Losses[head].Lost, LostNames: g.jobs.lostNames()}
	var err error
	if v.Conditions, err = g.judge(c); err != nil {
		return nil, err
	}
	if len(g.Conditions) == 0 {
		for i := range c.Rows {
			row := &c.Rows[i]
			switch cell := &row.Cells[head]; {
			case cell.Finding != compare.RealWorse:
			case math.Abs(cell.Difference)-cell.Half > c.Margin*row.Reference():
				v.Worse = append(v.Worse, row)
			default:
				v.Perhaps = append(v.Perhaps, row)
			}
		}
	}
	v.Queues, v.Hit, v.Since = c.Queues(head, "wait_job_first_task_p95_ms"), g.jobs.hit(), "submission"
	if g.jobs.own {
		v.Since = "submission (of jobs that begin after others, from their own time)"
	}
	return v, nil
}

// Enough reports whether more replays would say little more: the change of each condition is known to half of what it allows, or where it
// allows none to half of the precision, so that a change as large as the precision is found; and a value to the precision.
func (g *Gate) Enough(c *compare.Comparison) (bool, error) {
	if len(g.Conditions) == 0 || c.Same[head] {
		return c.Stop() != "", nil
	}
	judged, err := g.judge(c)
	if err != nil {
		return false, err
	}
	for i := range judged {
		j := &judged[i]
		if j.Why == "" && j.Half > j.wanted(g.Precision) {
			return false, nil
		}
	}
	return len(c.Units) >= inference.Fewest, nil
}

// wanted is how wide half the interval of a condition may be.
func (j *Judged) wanted(precision float64) float64 {
	of := math.Abs(j.Row.Cells[base].Number)
	switch {
	case j.Limit == 0:
		return precision * of / 2
	case j.Percent:
		return math.Abs(j.Limit) * of / 2
	case j.Change:
		return math.Abs(j.Limit) / 2
	}
	return precision * math.Abs(j.Limit)
}

func (g *Gate) judge(c *compare.Comparison) (out []Judged, err error) {
	var values []metric.Value
	for i := range c.Rows {
		values = append(values, c.Rows[i].Value)
	}
	// Chance breaks even one of all conditions in at most this part of gates.
	alpha := inference.Level / float64(max(len(g.Conditions), 1))
	for _, cond := range g.Conditions {
		at, limit, percent, err := cond.Find(values)
		row := &c.Rows[at]
		var none *target.NoJobs
		switch {
		case errors.As(err, &none):
			row = row.Without("queue="+none.Queue, "no job is in this queue")
		case err != nil:
			return nil, err
		}
		j := Judged{Condition: cond, Row: row, Limit: limit, Percent: percent, Over: math.NaN(), Half: math.NaN(), Status: Open}
		j.test(c, alpha)
		if j.Over < 0 && !j.Change && g.least[j.Row.Name] {
			j.Status, j.Why = Open, fmt.Sprintf("in a replay of head more than 5 %% of it goes on at the end, so that %s is a least value", j.Row.Unit.Amount(j.Row.Cells[head].Number))
		}
		out = append(out, j)
	}
	return out, nil
}

// test says what the units show of the condition.
func (j *Judged) test(c *compare.Comparison, alpha float64) {
	was, is := &j.Row.Cells[base], &j.Row.Cells[head]
	switch {
	case j.Change:
		j.Why = c.Unchangeable(j.Row, head)
	case is.Absent != "":
		j.Why = "no number for head: " + is.Absent
	case j.Row.Ends && c.Outcomes[head].CutOff() > 0:
		j.Why = "--until ends replays before all jobs are over, and decides what this is over"
	}
	if j.Why != "" {
		return
	}
	xs, changed := make([]float64, len(is.ByUnit)), make([]float64, len(is.ByUnit))
	for k, x := range is.ByUnit {
		limit, size := j.Limit, x
		if j.Change {
			changed[k] = x - was.ByUnit[k]
			size, x = max(math.Abs(x), math.Abs(was.ByUnit[k])), x-was.ByUnit[k]
			if j.Percent {
				limit = float64(j.Limit * was.ByUnit[k])
			}
		}
		xs[k] = target.Over(x, limit, size)
	}
	if len(xs) < inference.Fewest {
		j.Why = c.Few()
		return
	}
	e := c.Unit.Estimate(xs)
	rare := 0
	if j.Change {
		rare = inference.Rare(changed)
	}
	j.Over, j.Half, j.Find = e.Mean, e.Half(alpha), e.Detectable(alpha)
	low, high := j.Holds(e.Mean-j.Half), j.Holds(e.Mean+j.Half)
	switch {
	case low != high:
	case low == j.Must:
		j.Status = Kept
	case rare > 0:
		j.Why = fmt.Sprintf("differs in %d of %s: too rarely to say by how much", rare, c.Unit.Counted(len(xs)))
	default:
		j.Status = Broken
	}
}
