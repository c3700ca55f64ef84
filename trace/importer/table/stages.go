package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// sayStages warns of stages that nothing puts in an order.
func (t *reader) sayStages() {
	if t.staged == 0 {
		return
	}
	turn := ""
	if t.inTurn > 0 {
		turn = fmt.Sprintf("; of them %d where, by the times of the tasks, each stage began when the one before had ended", t.inTurn)
	}
	t.b.Warn("no column has the role parents: stages of a job start together; jobs of several: %d%s", t.staged, turn)
}

// order notes whether a job has several stages, and whether they ran one after the other.
func (t *reader) order(rows []record) {
	if t.columns[roleStage] == nil || t.columns[roleParents] != nil {
		return
	}
	type span struct{ from, to int64 }
	spans, known := map[string]span{}, true
	for i := range rows {
		r := &rows[i]
		known = known && r.start != unknown && r.end != unknown
		name := t.texts.Of(r.stage)
		if s, ok := spans[name]; ok {
			spans[name] = span{min(s.from, r.start), max(s.to, r.end)}
		} else {
			spans[name] = span{r.start, r.end}
		}
	}
	if len(spans) < 2 {
		return
	}
	t.staged++
	in := slices.SortedFunc(maps.Values(spans), func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for i := 1; i < len(in); i++ {
		known = known && in[i].from >= in[i-1].to
	}
	if known {
		t.inTurn++
	}
}
