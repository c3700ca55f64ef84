package driver

import (
	"cmp"
	"slices"

	"replay/engine/spark"
)

// tally counts by node: the nodes that count, ascending. An application wants few of a cluster's nodes.
type tally []counted

type counted struct{ node, n int32 }

// wantedBy counts how often the tasks of a set that has launched none name each node.
func wantedBy(set *spark.TaskSet) (t tally) {
	spec := &set.Spec
	named := spec.Hosts[spec.PrefStart[0]:spec.PrefStart[spec.Tasks]]
	t = make(tally, 0, len(named))
	if !set.NamedHosts(func(node, n int32) { t = append(t, counted{node, n}) }) {
		return tallyOf(named)
	}
	return t
}

// tallyOf counts how often each node is listed.
func tallyOf(nodes []int32) (t tally) {
	sorted := slices.Clone(nodes)
	slices.Sort(sorted)
	distinct := 0
	for i := range sorted {
		if i == 0 || sorted[i] != sorted[i-1] {
			distinct++
		}
	}
	t = make(tally, 0, distinct)
	for _, node := range sorted {
		if k := len(t); k > 0 && t[k-1].node == node {
			t[k-1].n++
		} else {
			t = append(t, counted{node, 1})
		}
	}
	return t
}

// plus returns the sum of t and by times o, without the nodes for which it is 0.
func (t tally) plus(o tally, by int32) (sum tally) {
	switch {
	case len(t) == 0 && by == 1:
		return o // tallies are not changed
	case by == -1 && len(t) == len(o) && (len(t) == 0 || &t[0] == &o[0]):
		return nil
	case by == 1:
		sum = make(tally, 0, len(t)+len(o))
	case len(t) > len(o):
		sum = make(tally, 0, len(t))
	}
	for len(t)+len(o) > 0 {
		var c counted
		switch {
		case len(o) == 0 || len(t) > 0 && t[0].node < o[0].node:
			c, t = t[0], t[1:]
		case len(t) == 0 || o[0].node < t[0].node:
			c, o = counted{o[0].node, by * o[0].n}, o[1:]
		default:
			c, t, o = counted{t[0].node, t[0].n + by*o[0].n}, t[1:], o[1:]
		}
		if c.n != 0 {
			sum = append(sum, c)
		}
	}
	return sum
}

// has reports whether a node counts.
func (t tally) has(node int32) bool {
	_, ok := slices.BinarySearchFunc(t, node, func(c counted, node int32) int { return cmp.Compare(c.node, node) })
	return ok
}
