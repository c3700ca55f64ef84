package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/compare"
	"replay/report/metric"
)

// aboutQueues says what intervals are, why some queues have a dash in place of a number, and whose p95 is over too few jobs.
func (v *Verdict) aboutQueues() (texts []string) {
	for i := range v.Queues {
		if slices.ContainsFunc(v.Queues[i].Rows(), func(s *compare.Shift) bool { return !math.IsNaN(s.Half) }) {
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
		for _, s := range q.Rows() {
			if s.Text() == compare.Dash {
				said = append(said, fmt.Sprintf("%s (%s)", q.Name, v.Comparison.Lacks(s.Row, head)))
				break
			}
		}
	}
	if said == nil {
		return ""
	}
	return compare.Dash + ": " + strings.Join(said, "; ") + "."
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
