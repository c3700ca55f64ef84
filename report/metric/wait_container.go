package metric

import (
	"maps"
	"slices"

	"replay/report/result"
)

var waitContainer = Metric{"wait_container", "Wait of containers", plain(func(d *result.Data) (vs []Value) {
	vs = timeValues(&result.ContainerAllocation, d)
	vs[0].headline("mean wait for a container", "container wait")
	vs[0].PerJob = &PerJob{Of: func(j *result.Job) (float64, float64, bool) { return float64(j.AskMS), float64(j.Asks), true }}
	for i := range vs {
		vs[i].Ends = true // containers that were never given are not among them
	}
	vs = append(vs, timeValues(&result.ContainerStart, d)...)
	vs = append(vs, timeValues(&result.ContainerReady, d)...)
	byQueue := d.Containers.AskByQueue
	for _, q := range slices.Sorted(maps.Keys(byQueue)) {
		of := distValues(&result.ContainerAllocation, "[queue="+q+"]", byQueue[q], "the time from ask to allocation of containers in queue "+q)
		for i := range of {
			of[i].Ends = true
		}
		vs = append(vs, of...)
	}
	return vs
})}
