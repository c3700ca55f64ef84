package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"replay/engine/yarn/conf"
	"replay/trace"
)

// queuesXML writes an allocation file for the queues of the trace, for traces that come without one.
func queuesXML(queues []trace.Queue) []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<allocations>\n")
	children := map[int32][]int{}
	known := map[string]bool{}
	for i := range queues {
		known[queues[i].Path] = true
	}
	for i := range queues {
		children[queues[i].Parent] = append(children[queues[i].Parent], i)
	}
	var write func(i int, depth string)
	write = func(i int, depth string) {
		q := &queues[i]
		name := q.Path[strings.LastIndexByte(q.Path, '.')+1:]
		fmt.Fprintf(&b, "%s<queue name=%q>\n", depth, name)
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
		if !math.IsNaN(q.AMShare) && q.AMShare >= 0 && len(children[q.ID]) == 0 {
			fmt.Fprintf(&b, "%s<maxAMShare>%s</maxAMShare>\n", in, strconv.FormatFloat(q.AMShare, 'g', -1, 64))
		}
		if q.Policy != "" {
			fmt.Fprintf(&b, "%s<schedulingPolicy>%s</schedulingPolicy>\n", in, q.Policy)
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

// queuesCapacity gives the queues of the trace capacities in proportion to their weights, for traces
// that come without capacity-scheduler.xml. Memory and vcores count (DominantResourceCalculator); queues
// may use the whole cluster and a user the whole queue.
func queuesCapacity(queues []trace.Queue) map[string]string {
	const prefix = "yarn.scheduler.capacity."
	if len(queues) == 0 {
		return conf.ShippedCapacity()
	}
	out := map[string]string{prefix + "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"}
	children := map[string][]*trace.Queue{}
	for i := range queues {
		if cut := strings.LastIndexByte(queues[i].Path, '.'); cut > 0 {
			parent := queues[i].Path[:cut]
			children[parent] = append(children[parent], &queues[i])
		}
	}
	for parent, list := range children {
		var names []string
		sum := 0.0
		weight := func(q *trace.Queue) float64 {
			if math.IsNaN(q.Weight) || q.Weight <= 0 {
				return 1
			}
			return q.Weight
		}
		for _, q := range list {
			sum += weight(q)
		}
		left := 10000 // hundredths of a percent
		for i, q := range list {
			names = append(names, q.Path[strings.LastIndexByte(q.Path, '.')+1:])
			share := int(math.Floor(10000 * weight(q) / sum))
			if i == len(list)-1 {
				share = left
			}
			left -= share
			key := prefix + q.Path + "."
			out[key+"capacity"] = strconv.FormatFloat(float64(share)/100, 'f', -1, 64)
			out[key+"maximum-capacity"] = "100"
			if len(children[q.Path]) == 0 {
				out[key+"user-limit-factor"] = "-1"
			}
		}
		out[prefix+parent+".queues"] = strings.Join(names, ",")
	}
	return out
}

// readCapacity resolves the queues of the CapacityScheduler.
func (sc *Scenario) readCapacity() error {
	props := sc.CapacityConf
	if !hasQueues(props) {
		props = queuesCapacity(sc.Input.Queues)
		maps.Copy(props, sc.CapacityConf)
	}
	sc.CapacityConf = props
	name := cmp.Or(sc.CapacityName, "capacity-scheduler")
	var err error
	if sc.Capacity, err = conf.NewCapacity(props, sc.Site); err == nil {
		err = sc.Capacity.Err()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, u := range sc.Capacity.Unknown {
		return fmt.Errorf("%s: %w", name, u)
	}
	for _, w := range sc.Capacity.Warnings {
		sc.warn("capacity:"+w, "capacity-scheduler: %s", w)
	}
	sc.MemoryOnly = sc.Capacity.CalculatorName == "default"
	return nil
}

func hasQueues(props map[string]string) bool {
	_, ok := props["yarn.scheduler.capacity.root.queues"]
	return ok
}
