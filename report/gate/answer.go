package gate

import (
	"math"

	"replay/report/compare"
)

// An Answer is the verdict for other programs.
type Answer struct {
	Failed     bool         `json:"failed"`
	Verdict    string       `json:"verdict"`
	Same       bool         `json:"no_decision_changes"`
	Lost       int64        `json:"jobs_lost"`
	Conditions []Conclusion `json:"conditions"`
	Worse      []Change     `json:"worse"`         // headline metrics that are worse by more than the margin beyond chance, where there are no conditions
	Perhaps    []Change     `json:"perhaps_worse"` // those that are worse, and perhaps by no more than the margin
	Queues     []OfQueue    `json:"queues"`
	Hit        []Hit        `json:"hit_hardest"`
	Since      string       `json:"hit_hardest_from"` // when the times of these begin
	OfBase     []string     `json:"base_warnings"`
	OfHead     []string     `json:"head_warnings"`
}

// A Conclusion is a judged condition for other programs; numbers are in the unit of the metric.
type Conclusion struct {
	Condition string   `json:"condition"`
	Must      bool     `json:"must_hold"`
	Status    Status   `json:"status"`
	Text      string   `json:"text"`
	Metric    string   `json:"metric"`
	Base      *float64 `json:"base"`
	Head      *float64 `json:"head"`
	Over      *float64 `json:"over_limit"` // null when nothing was tested
	Half      *float64 `json:"half_interval"`
}

// A Change is a metric under both, for other programs; numbers are in its unit and null where there is none.
type Change struct {
	Metric string   `json:"metric"`
	Base   *float64 `json:"base"`
	Head   *float64 `json:"head"`
	Change *float64 `json:"change"`
	Half   *float64 `json:"half_interval"` // null where it was not tested
	N      int64    `json:"n"`             // the jobs, containers or others behind the number, in the replay with the fewest; 0 where they are not counted
}

// OfQueue is a queue for other programs.
type OfQueue struct {
	Queue   string   `json:"queue"`
	Metrics []Change `json:"metrics"`
}

// known is x for JSON, which has no NaN.
func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func changeOf(row *compare.Row) Change {
	h := &row.Cells[head]
	return Change{row.Name, known(row.Cells[base].Number), known(h.Number), known(h.Difference), known(h.Half), row.N}
}

// Answer returns the verdict for other programs.
func (v *Verdict) Answer() *Answer {
	a := &Answer{Failed: v.Failed(), Verdict: v.Sentence(), Same: v.Same, Lost: v.Lost, Conditions: []Conclusion{}, Worse: []Change{}, Perhaps: []Change{}, Queues: []OfQueue{}, Hit: append([]Hit{}, v.Hit...), Since: v.Since,
		OfBase: append([]string{}, v.Comparison.Warnings(base)...), OfHead: append([]string{}, v.Comparison.Warnings(head)...)}
	for i := range v.Conditions {
		j := &v.Conditions[i]
		a.Conditions = append(a.Conditions, Conclusion{j.Text, j.Must, j.Status, j.Say(), j.Row.Name, known(j.Row.Cells[base].Number), known(j.Row.Cells[head].Number), known(j.Over), known(j.Half)})
	}
	for _, row := range v.Worse {
		a.Worse = append(a.Worse, changeOf(row))
	}
	for _, row := range v.Perhaps {
		a.Perhaps = append(a.Perhaps, changeOf(row))
	}
	for _, q := range v.Queues {
		of := OfQueue{q.Name, []Change{}}
		for _, s := range q.Rows() {
			row := changeOf(s.Row)
			row.Half = known(s.Half)
			of.Metrics = append(of.Metrics, row)
		}
		a.Queues = append(a.Queues, of)
	}
	return a
}
