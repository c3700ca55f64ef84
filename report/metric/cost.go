package metric

import (
	"math"
	"slices"

	"replay/report/quantity"
	"replay/report/result"
)

// cost has values where prices are known, and what scaling lost where the cluster is scaled.
var cost = Metric{"cost", "Cost", plain(func(d *result.Data) (vs []Value) {
	if s := d.Manifest.Scaling; s != nil {
		vs = append(vs,
			value("cost_scaling_nodes_added_count", quantity.Count, quantity.Neither, float64(s.Came), s.Asked, "", "nodes that the autoscaler added"),
			value("cost_scaling_nodes_removed_count", quantity.Count, quantity.Neither, float64(s.Left), s.Decommissioned, "", "nodes that the autoscaler decommissioned and that left"),
			value("cost_scaling_nodes_lost_count", quantity.Count, quantity.Lower, float64(s.SpotLost), s.Came, "", "spot nodes that were taken away"),
			value("cost_scaling_containers_lost_count", quantity.Count, quantity.Lower, float64(s.Containers), d.Containers.N, "", "containers that ran on a node when scaling or spot loss took it out"),
			value("cost_scaling_task_time_lost_ms", quantity.MS, quantity.Lower, float64(s.TaskMS), s.Tasks, "", "time of task attempts that ran on a node when scaling or spot loss took it out"))
	}
	c := d.Costs
	if c == nil {
		return vs
	}
	in, of := "", ""
	if c.Currency != "" {
		in, of = ", in "+c.Currency, " in "+c.Currency
	}
	money := func(name string, units, n int64, better quantity.Direction, about string) Value {
		return value(name, quantity.Money, better, float64(units)/result.CostUnit, n, "", about+in)
	}
	seconds, times := int64(0), int64(0)
	for _, t := range c.Types {
		seconds += t.Seconds
		times += t.Times
	}
	total := money("cost_total", c.Total, times, quantity.Lower, "cost of all nodes, for the seconds of each time that they were in the cluster")
	total.MovedBy = quantity.ByWork
	total.headline("cost of nodes"+of, "cost"+of) // the unit of its number
	vs = append(vs, total,
		value("cost_node_seconds_count", quantity.Count, quantity.Lower, float64(seconds), times, "", "seconds of nodes that are billed"),
		money("cost_unused", c.Unused, times, quantity.Lower, "cost of memory that no container held, and of minimum charges"),
		value("cost_unused_share", quantity.Share, quantity.Lower, quantity.Over(float64(c.Unused), float64(c.Total)), times, "no node cost anything", "cost that no container accounts for, of that of all nodes").movedBy(quantity.ByNodes))
	jobs := make([]int64, len(c.Jobs))
	for i := range c.Jobs {
		jobs[i] = c.Jobs[i].Cost
	}
	mean, most := math.NaN(), math.NaN()
	if len(jobs) > 0 {
		mean, most = float64(c.Total-c.Unused)/result.CostUnit/float64(len(jobs)), float64(slices.Max(jobs))/result.CostUnit
	}
	const none = "no job had a container"
	vs = append(vs,
		value("cost_job_mean", quantity.Money, quantity.Lower, mean, int64(len(jobs)), none, "mean cost of the containers of a job"+in),
		value("cost_job_max", quantity.Money, quantity.Lower, most, int64(len(jobs)), none, "largest cost of the containers of a job"+in))
	for _, t := range c.Types {
		vs = append(vs, money("cost_type[type="+t.Name+"]", t.Cost, t.Times, quantity.Lower, "cost of nodes of type "+t.Name))
	}
	for _, q := range c.Queues {
		vs = append(vs, money("cost_queue[queue="+q.Name+"]", q.Cost, 1, quantity.Lower, "cost of the containers of queue "+q.Name))
	}
	return vs
})}
