package driver

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/sorted"
	"replay/engine/spark"
)

// tally counts by node: the nodes that count, ascending, and how often each does. An application wants few of a cluster's nodes. The lists are
// not changed, so tallies may share them.
type tally struct{ nodes, times []int32 }

// lent is memory of its kind that a driver has until it has left.
type lent struct {
	nodes [][]int32
	hosts [][]spark.HostTasks
}

// roomForNodes returns an empty list with room for n nodes, which is there until the driver has left.
func (d *Driver) roomForNodes(n int) []int32 {
	list := d.kind.nodeLists.Take(n)
	d.lent.nodes = append(d.lent.nodes, list)
	return list
}

// roomForHosts is roomForNodes for hosts.
func (d *Driver) roomForHosts(n int) []spark.HostTasks {
	list := d.kind.hostLists.Take(n)
	d.lent.hosts = append(d.lent.hosts, list)
	return list
}

// giveBack returns to its kind what the driver has of it.
func (d *Driver) giveBack() {
	for _, list := range d.lent.nodes {
		d.kind.nodeLists.Give(list)
	}
	for _, list := range d.lent.hosts {
		d.kind.hostLists.Give(list)
	}
	d.runs.giveBack()
	d.lent = lent{d.lent.nodes[:0], d.lent.hosts[:0]}
}

// wantedBy counts how often the tasks of a set that has launched none name each node.
func (d *Driver) wantedBy(set *spark.TaskSet) tally {
	spec := &set.Spec
	named := spec.Hosts[spec.PrefStart[0]:spec.PrefStart[spec.Tasks]]
	if hosts, times, ok := set.NamedHosts(d.roomForNodes); ok {
		return tally{hosts, times}
	}
	return tallyOf(named)
}

// hostsOf returns the hosts of the nodes with their counts.
func (d *Driver) hostsOf(t tally) []spark.HostTasks {
	hosts := d.roomForHosts(len(t.nodes))[:len(t.nodes)]
	if short := d.cluster.ShortHosts(); short != nil {
		named(hosts, t, short)
	} else {
		named(hosts, t, d.cluster.Host)
	}
	return hosts
}

// named fills a list with the hosts of the nodes, by node, and their counts.
func named[N uint16 | protocol.Name](hosts []spark.HostTasks, t tally, host []N) {
	times := t.times[:len(t.nodes)]
	hosts = hosts[:len(t.nodes)]
	for i, node := range t.nodes {
		hosts[i] = spark.HostTasks{Host: protocol.Name(host[node]), Tasks: times[i]}
	}
}

// tallyOf counts how often each node is listed.
func tallyOf(nodes []int32) tally {
	list := slices.Clone(nodes)
	slices.Sort(list)
	t := roomyTally(len(list))
	for _, node := range list {
		if k := len(t.nodes); k > 0 && t.nodes[k-1] == node {
			t.times[k-1]++
		} else {
			t.add(node, 1)
		}
	}
	return t
}

// roomyTally returns an empty tally with room for n nodes.
func roomyTally(n int) tally {
	room := make([]int32, 2*n)
	return tally{room[:0:n], room[n:n]}
}

// add counts a node behind all others.
func (t *tally) add(node, times int32) {
	t.nodes, t.times = append(t.nodes, node), append(t.times, times)
}

// plus returns the sum of t and by times o, without the nodes for which it is 0.
func (t tally) plus(o tally, by int32) (sum tally) {
	switch {
	case len(t.nodes) == 0 && by == 1:
		return o
	case by == -1 && len(t.nodes) == len(o.nodes) && (len(t.nodes) == 0 || &t.nodes[0] == &o.nodes[0]):
		return tally{}
	case by == 1:
		sum = roomyTally(len(t.nodes) + len(o.nodes))
	case len(t.nodes) > len(o.nodes):
		sum = roomyTally(len(t.nodes))
	}
	for i, k := 0, 0; i < len(t.nodes) || k < len(o.nodes); {
		var node, times int32
		switch {
		case k == len(o.nodes) || i < len(t.nodes) && t.nodes[i] < o.nodes[k]:
			node, times = t.nodes[i], t.times[i]
			i++
		case i == len(t.nodes) || o.nodes[k] < t.nodes[i]:
			node, times = o.nodes[k], by*o.times[k]
			k++
		default:
			node, times = t.nodes[i], t.times[i]+by*o.times[k]
			i, k = i+1, k+1
		}
		if times != 0 {
			sum.add(node, times)
		}
	}
	return sum
}

// has reports whether a node counts.
func (t tally) has(node int32) bool {
	return sorted.Find(t.nodes, node) >= 0
}
