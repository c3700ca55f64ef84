package scenario

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/trace"
)

// queuesXML writes an allocation file for the queues of the trace, for traces that come without one.
func queuesXML(queues []trace.Queue) []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<allocations>\n")
	children := map[int32][]int{}
	for i := range queues {
		children[queues[i].Parent] = append(children[queues[i].Parent], i)
	}
	var write func(i int, depth string)
	write = func(i int, depth string) {
		q := &queues[i]
		name := q.Path[strings.LastIndexByte(q.Path, '.')+1:]
		fmt.Fprintf(&b, "%s<queue name=\"%s\">\n", depth, escaped(name))
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
		if !math.IsNaN(q.AMShare) && len(children[q.ID]) == 0 {
			fmt.Fprintf(&b, "%s<maxAMShare>%s</maxAMShare>\n", in, strconv.FormatFloat(q.AMShare, 'g', -1, 64))
		}
		if q.Policy != "" {
			fmt.Fprintf(&b, "%s<schedulingPolicy>%s</schedulingPolicy>\n", in, escaped(q.Policy))
		}
		for _, c := range children[q.ID] {
			if c != i {
				write(c, in)
			}
		}
		fmt.Fprintf(&b, "%s</queue>\n", depth)
	}
	for i := range queues {
		if p := queues[i].Parent; p == trace.Unset {
			write(i, "  ")
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
