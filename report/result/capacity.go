package result

import (
	"slices"

	"replay/engine/record"
	"replay/report/sums"
)

// capacity is what the nodes of the cluster have, over the time of the replay: to the millisecond, as containers are, which are set against it.
type capacity struct {
	nodes       map[int32]size // of those in the cluster
	all         size
	changes     []change   // in order of time, those that are not in the sums
	mem, vcores sums.Exact // MiB*ms and vcores*ms up to the first of changes
}

type size struct{ mem, vcores int64 }

// change is what all nodes have from a time on.
type change struct {
	at int64
	size
}

// node sees the state of a node.
func (k *capacity) node(n *record.Node) {
	if k.nodes == nil {
		k.nodes = map[int32]size{}
	}
	was, is := k.nodes[n.Node], size{}
	if n.Registered {
		is = size{max(n.MemMiB, 0), max(n.VCores, 0)}
	}
	k.nodes[n.Node] = is
	k.all.mem += is.mem - was.mem
	k.all.vcores += is.vcores - was.vcores
	if last := len(k.changes) - 1; last >= 0 && k.changes[last].at >= n.Time {
		k.changes[last].size = k.all
	} else {
		k.changes = append(k.changes, change{n.Time, k.all})
	}
}

// fold adds up what is certain to count when the replay goes on to a time at least: changes do not wait in the length of a trace.
func (k *capacity) fold(until int64) {
	n := 0
	for ; n+1 < len(k.changes) && k.changes[n+1].at <= until; n++ {
		k.add(n, k.changes[n+1].at)
	}
	k.changes = slices.Delete(k.changes, 0, n)
}

// add adds up what nodes had from change i on until a time.
func (k *capacity) add(i int, until int64) {
	if c := &k.changes[i]; until > c.at {
		k.mem.Add(c.mem, until-c.at)
		k.vcores.Add(c.vcores, until-c.at)
	}
}

// until returns the integrals up to the end: node events may come after it.
func (k *capacity) until(end int64) (memMS, vcoreMS float64) {
	k.fold(end)
	if len(k.changes) > 0 {
		k.add(0, end)
	}
	return k.mem.Float(), k.vcores.Float()
}
