package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/inference"
	"replay/report/quantity"
)

// A Choice is what somebody who runs a cluster can choose: variant and settings, under every trace and load.
type Choice struct {
	Label  string
	groups []*Group
	means  []estimateAt // by metric
}

// conditions are what the cluster is under, or is looked at for, and nobody's choice; with the words for several.
var conditions = map[string]string{"trace": "traces", "load": "loads", "faster": "rates of arrivals", "until": "ends"}

// choosable reports whether a dimension is somebody's choice.
func choosable(d *dim) bool { return conditions[d.name] == "" }

// among is the dimensions that choices differ in: all of them where there is nothing to choose.
func (m *Merged) among() func(*dim) bool {
	if slices.ContainsFunc(m.dims, func(d dim) bool { return choosable(&d) }) {
		return choosable
	}
	return everything
}

func everything(*dim) bool { return true }

// choices returns what can be chosen among, and sentences on what was left out: choices that not every trace and load has would win by
// where they are missing, those that lose jobs by the room that lost jobs leave to the others, and those without a number have none to
// compare. Without anything to choose it is the cells.
func (m *Merged) choices() (out []*Choice, left []string) {
	among := m.among()
	at := map[string]*Choice{}
	most := 0
	for _, g := range m.Points {
		label := m.label(g, among)
		c := at[label]
		if c == nil {
			c = &Choice{Label: label}
			at[label] = c
			out = append(out, c)
		}
		c.groups = append(c.groups, g)
		most = max(most, len(c.groups))
	}
	n := len(out)
	out = slices.DeleteFunc(out, func(c *Choice) bool { return len(c.groups) < most })
	if n -= len(out); n > 0 {
		left = append(left, are(n, "choices")+" not under "+m.everyCondition()+", and left out here.")
	}
	out, lose := losing(out)
	if lose != nil {
		left = append(left, fmt.Sprintf("Left out, because jobs do not succeed that do under others, which leaves their room to the rest: %s.", listed(lose)))
	}
	of := map[*Group]int{}
	for i, c := range out {
		for _, g := range c.groups {
			of[g] = i
		}
	}
	var without []string
	for i := range m.Metrics {
		means := m.over(i, len(out), func(g *Group) int {
			if at, ok := of[g]; ok {
				return at
			}
			return -1
		})
		n := 0
		for k, c := range out {
			c.means = append(c.means, means[k])
			if !c.has(i) {
				n++
			}
		}
		if n > 0 && m.Metrics[i].Better != "" {
			without = append(without, fmt.Sprintf("%s (%d of %s)", m.Metrics[i].Plain, n, quantity.Counted(int64(len(out)), "choices")))
		}
	}
	var same []string
	for i := range m.Metrics {
		h := &m.Metrics[i]
		with := slices.DeleteFunc(slices.Clone(out), func(c *Choice) bool { return !c.has(i) })
		if len(with) > 1 && h.Better != "" && m.extremesOf(i, with) == nil {
			same = append(same, fmt.Sprintf("%s (%s)", h.Plain, h.amount(with[0].means[i])))
		}
	}
	if same != nil {
		left = append(left, fmt.Sprintf("The same mean under each of these choices: %s.", strings.Join(same, ", ")))
	}
	if m.sideless != nil {
		left = append(left, fmt.Sprintf("Neither best nor worst, as other nodes or arrivals move them by themselves: %s.", strings.Join(m.sideless, ", ")))
	}
	if without != nil {
		left = append(left, fmt.Sprintf("Left out where a choice has no number in a cell, or one over next to nothing or over what --until cut off: %s.", strings.Join(without, ", ")))
	}
	return out, left
}

// lose marks the groups under which a job does not succeed that should have and does under another, with the same trace, load, end and seed.
func (m *Merged) lose() {
	among := m.among()
	under := func(g *Group, seed int) string {
		key := fmt.Sprint(g.Seeds[seed])
		for i := range m.dims {
			if !among(&m.dims[i]) {
				key += fmt.Sprint(" ", g.at[i])
			}
		}
		return key
	}
	least := map[string]Outcome{} // what is lost under all
	for _, g := range m.Points {
		for k, lost := range g.Lost {
			key := under(g, k)
			if before, ok := least[key]; ok {
				lost = Outcome{Unexpected: min(lost.Unexpected, before.Unexpected), Lost: lost.Lost.both(before.Lost)}
			}
			least[key] = lost
		}
	}
	for _, g := range m.Points {
		for k := range g.Lost {
			all := least[under(g, k)]
			g.loses = g.loses || g.Lost[k].Loses(&all)
		}
	}
}

// faster is from how many times as fast on it is said that jobs arrive faster.
const faster = 1.005

// faster is how many times as fast as under another choice jobs arrive at most, with the same trace, load and end; 0 where that is not known.
func (m *Merged) faster() (times float64) {
	slowest := map[string]float64{}
	under := func(g *Group) (key string) {
		for i := range m.dims {
			if !choosable(&m.dims[i]) {
				key += fmt.Sprint(" ", g.at[i])
			}
		}
		return key
	}
	for _, g := range m.Points {
		if at := under(g); g.faster > 0 && (slowest[at] == 0 || g.faster < slowest[at]) {
			slowest[at] = g.faster
		}
	}
	for _, g := range m.Points {
		if least := slowest[under(g)]; least > 0 {
			times = max(times, g.faster/least)
		}
	}
	return times
}

// sides takes the better side from metrics where under one trace not every choice has the same nodes or the same arrivals, which by itself moves them.
func (m *Merged) sides() {
	first := map[int]record.Cluster{}
	unlike := slices.ContainsFunc(m.Points, func(g *Group) bool {
		c, ok := first[g.Trace]
		if !ok {
			first[g.Trace] = g.cluster
		}
		return ok && c.Differs(g.cluster)
	})
	for i := range m.Metrics {
		if h := &m.Metrics[i]; h.movedBy.Moved(unlike, m.faster() >= faster) && h.Better != "" {
			h.Better, m.sideless = "", append(m.sideless, h.Plain)
		}
	}
}

// losing takes out the choices that lose jobs, and returns the others and the labels of these.
func losing(all []*Choice) (others []*Choice, labels []string) {
	for _, c := range all {
		if slices.ContainsFunc(c.groups, func(g *Group) bool { return g.loses }) {
			labels = append(labels, c.Label)
		} else {
			others = append(others, c)
		}
	}
	return others, labels
}

// mostNamed is how many choices a sentence names.
const mostNamed = 8

// listed joins labels, which have commas in them.
func listed(labels []string) string {
	more := ""
	if n := len(labels) - mostNamed; n > 0 {
		labels, more = labels[:mostNamed], fmt.Sprintf("; and %s more", quantity.Thousands(int64(n)))
	}
	return strings.Join(labels, "; ") + more
}

// has reports whether a metric has a number in all cells of the choice.
func (c *Choice) has(metric int) bool {
	return !slices.ContainsFunc(c.groups, func(g *Group) bool { return math.IsNaN(g.mean(metric).mean) })
}

// extremes are the best and the worst choice in a metric.
type extremes struct {
	metric      int
	best, worst *Choice
	good, bad   []*Choice // others with the same mean as these
	difference  float64   // the best less the worst
	half        float64   // of its interval: all metrics and pairs of choices share the level; NaN with fewer seeds than [inference.Fewest]
}

// apart reports whether chance does not explain that the two differ.
func (e *extremes) apart() bool { return math.Abs(e.difference) > e.half }

// extremes returns them for each metric in which two choices differ.
func (m *Merged) extremes(choices []*Choice) (out []extremes) {
	for i := range m.Metrics {
		if e := m.extremesOf(i, choices); e != nil {
			out = append(out, *e)
		}
	}
	tests := len(out) * len(choices) * (len(choices) - 1) / 2
	for k := range out {
		e := &out[k]
		var ds []float64
		of := e.worst.means[e.metric].by
		for s, x := range e.best.means[e.metric].by {
			if d := x - of[s]; !math.IsNaN(d) {
				ds = append(ds, d)
			}
		}
		e.difference, e.half = e.best.means[e.metric].mean-e.worst.means[e.metric].mean, math.NaN()
		switch {
		case len(ds) < inference.Fewest:
		case inference.Rare(ds) > 0:
			e.half = math.Inf(1)
		default:
			e.half = inference.Independent(ds).Half(inference.Level / float64(tests))
		}
	}
	return out
}

// extremesOf returns those of a metric, nil where nothing tells two choices apart.
func (m *Merged) extremesOf(metric int, choices []*Choice) *extremes {
	sign := 1.0
	switch m.Metrics[metric].Better {
	case "lower":
		sign = -1
	case "":
		return nil
	}
	e := &extremes{metric: metric}
	top, bottom := math.Inf(-1), math.Inf(1)
	for _, c := range choices {
		if !c.has(metric) {
			continue
		}
		x := sign * c.means[metric].mean
		switch {
		case x > top:
			e.best, top, e.good = c, x, nil
		case x == top:
			e.good = append(e.good, c)
		}
		switch {
		case x < bottom:
			e.worst, bottom, e.bad = c, x, nil
		case x == bottom:
			e.bad = append(e.bad, c)
		}
	}
	if !(top > bottom) {
		return nil
	}
	return e
}

// named is the label of a choice with who else has the same mean, or how many where they are several.
func named(c *Choice, alike []*Choice) string {
	switch len(alike) {
	case 0:
		return c.Label
	case 1:
		return fmt.Sprintf("%s; alike %s", c.Label, alike[0].Label)
	}
	return fmt.Sprintf("%s; alike %d more", c.Label, len(alike))
}

// apartText says what the marks of best and worst that are not told apart mean, or why there are none; empty where all are told apart.
func (m *Merged) apartText(of []extremes, mark string) string {
	if len(m.seeds) < inference.Fewest {
		return fmt.Sprintf("Whether the best and the worst differ by more than chance is not known: %s (%d at least).", fewText(len(m.seeds)), inference.Fewest)
	}
	if !slices.ContainsFunc(of, func(e extremes) bool { return !e.apart() }) {
		return ""
	}
	return mark + ": chance may explain that the best and the worst differ, by their differences with the same seeds; all pairs of choices and all metrics share 5 %."
}

func fewText(seeds int) string {
	if seeds == 1 {
		return "1 seed is no evidence"
	}
	return fmt.Sprintf("%d seeds are too little evidence", seeds)
}

// everyCondition is what a choice must be under to be compared: "every trace and load".
func (m *Merged) everyCondition() string {
	names := []string{"trace", "load"}
	for _, further := range [][2]string{{"faster", "rate of arrivals"}, {"until", "end"}} {
		if slices.ContainsFunc(m.dims, func(d dim) bool { return d.name == further[0] }) {
			names = append(names, further[1])
		}
	}
	return "every " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// overText says what the means of choices are over.
func (m *Merged) overText() string {
	text := "mean over seeds"
	for i := range m.dims {
		if d := &m.dims[i]; !choosable(d) {
			text += ", " + conditions[d.name]
		}
	}
	return text
}
