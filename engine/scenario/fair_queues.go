package scenario

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/trace"
)

// tracedQueue is a queue of the trace in its place in the tree, which its path says: parents in the table are optional, and may be any queue above.
type tracedQueue struct {
	name  string
	row   trace.Queue
	below []*tracedQueue // in the order of the table
}

// queueTree returns the root of the queues; stated says whether the table has it.
func queueTree(queues []trace.Queue) (root *tracedQueue, stated bool) {
	all := map[string]*tracedQueue{}
	var at func(path string) *tracedQueue
	at = func(path string) *tracedQueue {
		if q := all[path]; q != nil {
			return q
		}
		i := strings.LastIndexByte(path, '.')
		q := &tracedQueue{name: path[i+1:], row: trace.NewQueue(trace.Unset, path)}
		all[path] = q
		if i >= 0 {
			above := at(path[:i])
			above.below = append(above.below, q)
		}
		return q
	}
	root = at("root")
	for i := range queues {
		at(queues[i].Path).row = queues[i]
		stated = stated || queues[i].Path == "root"
	}
	return root, stated
}

// queuesXML writes an allocation file for the queues of the trace, for traces that come without one.
func queuesXML(queues []trace.Queue) []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<allocations>\n")
	var write func(of *tracedQueue, depth string)
	write = func(of *tracedQueue, depth string) {
		q := &of.row
		fmt.Fprintf(&b, "%s<queue name=\"%s\">\n", depth, escaped(of.name))
		in := depth + "  "
		if !math.IsNaN(q.Weight) && q.Weight != trace.Unset {
			fmt.Fprintf(&b, "%s<weight>%s</weight>\n", in, strconv.FormatFloat(q.Weight, 'g', -1, 64))
		}
		if q.MinMemMiB > 0 || q.MinVCores > 0 {
			fmt.Fprintf(&b, "%s<minResources>%d mb, %d vcores</minResources>\n", in, max(q.MinMemMiB, 0), max(q.MinVCores, 0))
		}
		if q.MaxMemMiB >= 0 || q.MaxVCores >= 0 {
			mem, vcores := q.MaxMemMiB, q.MaxVCores
			if mem < 0 {
				mem = math.MaxInt32
			}
			if vcores < 0 {
				vcores = math.MaxInt32
			}
			fmt.Fprintf(&b, "%s<maxResources>%d mb, %d vcores</maxResources>\n", in, mem, vcores)
		}
		if q.MaxApps >= 0 {
			fmt.Fprintf(&b, "%s<maxRunningApps>%d</maxRunningApps>\n", in, q.MaxApps)
		}
		if !math.IsNaN(q.AMShare) && len(of.below) == 0 {
			fmt.Fprintf(&b, "%s<maxAMShare>%s</maxAMShare>\n", in, strconv.FormatFloat(q.AMShare, 'g', -1, 64))
		}
		if q.Policy != "" {
			fmt.Fprintf(&b, "%s<schedulingPolicy>%s</schedulingPolicy>\n", in, escaped(q.Policy))
		}
		for _, c := range of.below {
			write(c, in)
		}
		fmt.Fprintf(&b, "%s</queue>\n", depth)
	}
	if root, stated := queueTree(queues); stated {
		write(root, "  ")
	} else {
		for _, q := range root.below {
			write(q, "  ")
		}
	}
	b.WriteString("</allocations>\n")
	return []byte(b.String())
}

// escaped returns text as XML holds it.
func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a strings.Builder has no errors
	return b.String()
}
