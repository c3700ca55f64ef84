package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/quantity"
)

// A Choice is what somebody who runs a cluster can choose: variant and settings, under every trace and load.
type Choice struct {
	Label  string
	groups []*Group
	means  []estimateAt // by metric
}

// choosable reports whether a dimension is somebody's choice, and not what the cluster is under.
func choosable(d *dim) bool { return d.name != "trace" && d.name != "load" }

func everything(*dim) bool { return true }

// choices returns what can be chosen among, and sentences on what was left out: choices that not every trace and load has would win by
// where they are missing, those that lose jobs by the room that lost jobs leave to the others, and those without a number have none to
// compare. Without anything to choose it is the cells.
func (m *Merged) choices() (out []*Choice, left []string) {
	among := choosable
	if !slices.ContainsFunc(m.dims, func(d dim) bool { return choosable(&d) }) {
		among = everything
	}
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
		left = append(left, are(n, "choices")+" not under every trace and load, and left out here.")
	}
	out, lose := m.losing(out, among)
	if lose != nil {
		left = append(left, fmt.Sprintf("Left out, because more jobs do not succeed than under others, which leaves their room to the rest: %s.", listed(lose)))
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
	if without != nil {
		left = append(left, fmt.Sprintf("Left out where a choice has no number, or one over next to nothing, in a cell: %s.", strings.Join(without, ", ")))
	}
	return out, left
}

// losing takes the choices apart under which more jobs than under another do not succeed that should have, with the same trace, load and
// seed, and returns the others and the labels of these.
func (m *Merged) losing(all []*Choice, among func(*dim) bool) (others []*Choice, labels []string) {
	under := func(g *Group, seed int) string {
		key := fmt.Sprint(g.Seeds[seed])
		for i := range m.dims {
			if !among(&m.dims[i]) {
				key += fmt.Sprint(" ", g.at[i])
			}
		}
		return key
	}
	least := map[string]int64{}
	each := func(c *Choice, do func(key string, lost int64)) {
		for _, g := range c.groups {
			for k, lost := range g.Lost {
				do(under(g, k), lost)
			}
		}
	}
	for _, c := range all {
		each(c, func(key string, lost int64) {
			if before, ok := least[key]; !ok || lost < before {
				least[key] = lost
			}
		})
	}
	for _, c := range all {
		more := false
		each(c, func(key string, lost int64) { more = more || lost > least[key] })
		if more {
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

// extremes returns the best and the worst choice in a metric, nil where nothing tells two of them apart.
func (m *Merged) extremes(metric int, choices []*Choice) (best, worst *Choice) {
	sign := 1.0
	switch m.Metrics[metric].Better {
	case "lower":
		sign = -1
	case "":
		return nil, nil
	}
	top, bottom := math.Inf(-1), math.Inf(1)
	for _, c := range choices {
		if !c.has(metric) {
			continue
		}
		x := sign * c.means[metric].mean
		if x > top {
			best, top = c, x
		}
		if x < bottom {
			worst, bottom = c, x
		}
	}
	if !(top > bottom) {
		return nil, nil
	}
	return best, worst
}

// overText says what the means of choices are over.
func (m *Merged) overText() string {
	text := "mean over seeds"
	for i := range m.dims {
		if d := &m.dims[i]; !choosable(d) {
			text += ", " + d.name + "s"
		}
	}
	return text
}
