package swf

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"replay/counted"
	"replay/trace/importer/workload"
)

// machine is what the headers of the logs say of the machine, the largest of several, and what their jobs take.
type machine struct {
	amRoom             bool  // is added for application masters
	maxNodes, maxProcs int64 // 0 = not said
	procs, memMiB      int64 // that the largest job needs, and of a node with an even share of the tasks of each
}

const (
	mostNodes = 1_000_000
	mostProcs = 100_000_000

	nodeProcs = 16      // of a machine whose number of nodes is not said
	procMiB   = 4 << 10 // at least, as no header says it
	amMiB     = 1024    // of an application master, which has 1 vcore
)

// says takes the number with which a value of the header begins; less than 1 is unknown. It reports whether the value is a number that a machine can have.
func (m *machine) says(to *int64, value string) bool {
	text, _, _ := strings.Cut(value, " ")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > mostProcs {
		return false
	}
	*to = max(*to, n)
	return true
}

// size is the number of nodes and of processors; 0 = unknown.
func (m *machine) size() (nodes, procs int64) {
	procs = cmp.Or(m.maxProcs, m.maxNodes)
	nodes = cmp.Or(m.maxNodes, (procs+nodeProcs-1)/nodeProcs)
	if nodes > mostNodes {
		return 0, 0
	}
	return nodes, max(procs, nodes)
}

// holds takes a job of so many tasks of one processor.
func (m *machine) holds(tasks, memMiB int64) {
	m.procs = max(m.procs, tasks)
	if nodes, _ := m.size(); nodes > 0 {
		m.memMiB = max(m.memMiB, memMiB*((tasks+nodes-1)/nodes))
	}
}

// nodes makes the cluster that of the headers, where no other is asked for and jobs are not wider than its nodes. As such a machine has no application masters, each node gets room for one.
func (m *machine) nodes(b *workload.Builder, wide bool) {
	nodes, procs := m.size()
	is := fmt.Sprintf("the log is of a machine of %s and %s", counted.Of(nodes, "nodes"), counted.Of(procs, "processors"))
	if m.maxNodes == 0 {
		is = fmt.Sprintf("the log is of a machine of %s, of whose nodes the header does not say the number: they are taken to have %d each", counted.Of(procs, "processors"), nodeProcs)
	}
	switch o := b.Options; {
	case nodes == 0:
	case o.Nodes > 0 || wide:
		b.Note("%s", is)
	default:
		vcores := (max(procs, m.procs)+nodes-1)/nodes + 1
		wider := ""
		if m.procs > procs { // the header does not say how many there are
			wider = fmt.Sprintf(", as its largest job has %s", counted.Of(m.procs, "tasks"))
		}
		memMiB, room := max((vcores-1)*procMiB, (m.memMiB+1023)/1024*1024)+amMiB, ""
		switch {
		case !m.amRoom:
			vcores, memMiB, room = vcores-1, memMiB-amMiB, ", with no room for the application masters that jobs have on YARN: --scheduler ideal has none"
		case o.NodeVCores == 0:
			b.RoomForMasters(1)
			room = fmt.Sprintf(", with 1 vcore and %d MiB of each for application masters, which such a machine does not have and tasks may take too: loads are of this larger cluster, and --swf-am-room=false leaves the machine as it is, for --scheduler ideal", amMiB)
		}
		o.Nodes, o.NodeVCores, o.NodeMemMiB = int(nodes), cmp.Or(o.NodeVCores, int32(vcores)), cmp.Or(o.NodeMemMiB, memMiB)
		if m.maxNodes > 0 {
			b.Counts.Read["nodes_of_the_header"] += nodes
		} else {
			b.Counts.Read["processors_of_the_header"] += procs
		}
		b.Note("%s: the cluster is %s of %s and %d MiB%s%s; --nodes, --node-vcores and --node-mem say others",
			is, counted.Of(nodes, "nodes"), counted.Of(int64(o.NodeVCores), "vcores"), o.NodeMemMiB, wider, room)
	}
}
