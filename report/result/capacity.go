package result

import "replay/engine/record"

// capacity is what the nodes of the cluster have, over the time of the replay: to the millisecond, as containers are, which are set against it.
type capacity struct {
	nodes   map[int32]size // of those in the cluster
	all     size
	changes []change // in order of time
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

// until returns the integrals up to the end: node events may come after it.
func (k *capacity) until(end int64) (memMS, vcoreMS float64) {
	var mem, vcores exact
	for i, c := range k.changes {
		next := end
		if i+1 < len(k.changes) {
			next = min(end, k.changes[i+1].at)
		}
		if next > c.at {
			mem.add(c.mem, next-c.at)
			vcores.add(c.vcores, next-c.at)
		}
	}
	return mem.float(), vcores.float()
}
