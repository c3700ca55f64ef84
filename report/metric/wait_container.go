package metric

import (
	"maps"
	"slices"

	"replay/report/result"
)

var waitContainer = Metric{"wait_container", "Wait of containers", func(d *result.Data) (vs []Value) {
	const none = "no executor or task container was allocated"
	c := &d.Containers
	vs = distValues("wait_container_allocation", "", &c.Ask, none, "the time from a container's ask to its allocation, over executor and task containers")
	vs[0].headline("mean wait of containers", "container wait")
	vs[0].PerJob = &PerJob{Of: func(j *result.Job) (float64, float64, bool) { return float64(j.AskMS), float64(j.Asks), true }}
	vs = append(vs, distValues("wait_container_start", "", &c.Start, "no such container was started", "the time from a container's allocation to the start of its process, over those started")...)
	vs = append(vs, distValues("wait_container_ready", "", &c.Register, "no executor became ready", "the time from a container's allocation until it is ready for tasks, over those that became ready")...)
	for _, q := range slices.Sorted(maps.Keys(c.AskByQueue)) {
		vs = append(vs, distValues("wait_container_allocation", "[queue="+q+"]", c.AskByQueue[q], none, "the time from ask to allocation of containers in queue "+q)...)
	}
	return vs
}}
