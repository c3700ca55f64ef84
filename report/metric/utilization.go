package metric

import (
	"math"

	"replay/report/quantity"
	"replay/report/result"
)

var utilization = Metric{"utilization", "Utilization", plain(func(d *result.Data) []Value {
	q, c := &d.Queues.Cluster, &d.Containers
	sampled, none := over(d)
	const noRoom = "the cluster had no capacity"
	// What is allocated has no better side: containers that hold more of the cluster for the same work waste it, and where more work is done they hold more, too.
	const noContainers = "no executor or task container held a resource"
	mem := value("utilization_memory_allocated_share", quantity.Share, quantity.Neither, quantity.Over(c.AllMemMS, q.CapMem), c.N+c.AMs, noRoom, "memory allocated to containers, AM included, of the cluster's")
	vc := value("utilization_vcores_allocated_share", quantity.Share, quantity.Neither, quantity.Over(c.AllCoreMS, q.CapVCores), c.N+c.AMs, noRoom, "vcores allocated to containers, AM included, of the cluster's; above 1 it is oversubscription")
	dom := value("utilization_dominant_allocated_share", quantity.Share, quantity.Neither, quantity.Over(q.Dominant, sampled), c.N+c.AMs, none, "larger of the allocated shares of memory and vcores at each instant, mean over the sampled time")
	dom.headline("cluster allocated", "utilization")
	busy := value("utilization_vcores_busy_share", quantity.Share, quantity.Higher, quantity.Over(c.BusyCoreMS, q.CapVCores), c.N, noRoom, "vcores that ran task attempts, of the cluster's").movedBy(quantity.ByNodes)
	busy.headline("vcores running tasks", "vcores busy")
	return []Value{
		dom, mem, vc, busy,
		value("utilization_vcores_busy_of_allocated_share", quantity.Share, quantity.Higher, quantity.Over(c.BusyCoreMS, c.CoreMS), c.N, noContainers, "vcores that ran task attempts, of those allocated to executor and task containers"),
		value("utilization_memory_busy_share", quantity.Share, quantity.Higher, quantity.Over(c.BusyMemMS, q.CapMem), c.N, noRoom, "memory of containers counted by the share of their vcores that ran tasks, of the cluster's").movedBy(quantity.ByNodes),
		value(MeanNodes, quantity.Nodes, quantity.Neither, quantity.Over(q.Nodes, q.MS), c.N, none, "nodes in the cluster, mean over the sampled time"),
	}
})}

// MeanNodes is the name of the value that says how many nodes there are.
const MeanNodes = "utilization_nodes_mean"

// over is the sampled time, ms, that means of samples are over, and why there is none: NaN where samples saw too little of what ran.
func over(d *result.Data) (ms float64, none string) {
	if d.Undersampled() {
		return math.NaN(), result.TooFarApart
	}
	return d.Queues.Cluster.MS, "the cluster was not sampled, or had no capacity"
}

// unseen takes the numbers from values that rest on samples where those saw too little of what ran: what was seen by chance is no mean, nor is what was not seen never.
func unseen(d *result.Data, vs []Value) []Value {
	if d.Undersampled() {
		for i := range vs {
			vs[i].Number, vs[i].Absent = math.NaN(), result.TooFarApart
		}
	}
	return vs
}
