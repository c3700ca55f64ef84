// Package queuefile makes of the queues of a trace what YARN's schedulers read of files, for traces that come without one: [Allocations] for the FairScheduler, [Capacity] for the
// CapacityScheduler.
package queuefile

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/engine/yarn/conf"
	"replay/trace"
)

// placed is a queue in its place in the tree, which its path says: parents in the table are optional, and may be any queue above.
type placed struct {
	name  string
	row   trace.Queue
	below []*placed // in the order of the table
}

// tree returns the root of the queues; stated says whether the table has it.
func tree(queues []trace.Queue) (root *placed, stated bool) {
	all := map[string]*placed{}
	var at func(path string) *placed
	at = func(path string) *placed {
		if q := all[path]; q != nil {
			return q
		}
		i := strings.LastIndexByte(path, '.')
		q := &placed{name: path[i+1:], row: trace.NewQueue(trace.Unset, path)}
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

// Allocations writes an allocation file (fair-scheduler.xml).
func Allocations(queues []trace.Queue) []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<allocations>\n")
	var write func(of *placed, depth string)
	write = func(of *placed, depth string) {
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
	if root, stated := tree(queues); stated {
		write(root, "  ")
	} else {
		for _, q := range root.below {
			write(q, "  ")
		}
	}
	b.WriteString("</allocations>\n")
	return []byte(b.String())
}

// Capacity returns the properties of a capacity-scheduler.xml in which queues have capacities in proportion to their weights. Memory and vcores count (DominantResourceCalculator); queues
// may use the whole cluster and a user the whole queue. Without queues it is the file that comes with Hadoop.
func Capacity(queues []trace.Queue) map[string]string {
	const prefix = "yarn.scheduler.capacity."
	if len(queues) == 0 {
		return conf.ShippedCapacity()
	}
	out := map[string]string{prefix + "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"}
	weight := func(of *placed) float64 {
		if w := of.row.Weight; !math.IsNaN(w) && w > 0 {
			return w
		}
		return 1
	}
	var share func(of *placed)
	share = func(of *placed) {
		var names []string
		sum := 0.0
		for _, q := range of.below {
			names = append(names, q.name)
			sum += weight(q)
		}
		left := 10000 // hundredths of a percent
		for i, q := range of.below {
			part := int(math.Floor(10000 * weight(q) / sum))
			if i == len(of.below)-1 {
				part = left
			}
			left -= part
			key := prefix + q.row.Path + "."
			out[key+"capacity"] = strconv.FormatFloat(float64(part)/100, 'f', -1, 64)
			out[key+"maximum-capacity"] = "100"
			if len(q.below) == 0 {
				out[key+"user-limit-factor"] = "-1"
			}
			share(q)
		}
		if len(names) > 0 {
			out[prefix+of.row.Path+".queues"] = strings.Join(names, ",")
		}
	}
	root, _ := tree(queues)
	share(root)
	return out
}

// escaped returns text as XML holds it.
func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a strings.Builder has no errors
	return b.String()
}
