package sweep

import (
	"math"
	"slices"
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

// choices returns what can be chosen among, and how many choices were left out because not every trace and load has them: they
// would win by where they are missing. Without anything to choose it is the cells.
func (m *Merged) choices() (out []*Choice, left int) {
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
	of := map[*Group]int{}
	for i, c := range out {
		for _, g := range c.groups {
			of[g] = i
		}
	}
	for metric := range m.Metrics {
		means := m.over(metric, len(out), func(g *Group) int {
			if i, ok := of[g]; ok {
				return i
			}
			return -1
		})
		for i, c := range out {
			c.means = append(c.means, means[i])
		}
	}
	return out, n - len(out)
}

// extremes returns the best and the worst choice in a metric, nil where nothing tells two of them apart. A choice without a value in some
// cell has no part in it.
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
		if slices.ContainsFunc(c.groups, func(g *Group) bool { return math.IsNaN(g.mean(metric).mean) }) {
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
