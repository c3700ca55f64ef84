package metric

import (
	"replay/report/quantity"
	"replay/report/result"
)

var queueShares = Metric{"queue", "Shares of queues", plain(func(d *result.Data) (vs []Value) {
	q := d.Queues
	sampled := q.Cluster.MS
	const noTime = "no time was sampled"
	for _, name := range q.Names {
		s := q.ByQueue[name]
		label := "[queue=" + name + "]"
		const none = "never two leaf queues with unmet demand at once"
		dom := value("queue_contended_dominant_share"+label, quantity.Share, quantity.Neither, quantity.Over(s.ContDom, q.Cluster.ContendedMS), 1, none, "dominant share of queue "+name+", mean over the time in which two or more leaf queues had unmet demand")
		dom.N, dom.Whole, dom.Things = seconds(q.Cluster.ContendedMS), seconds(q.Cluster.MS), "seconds"
		dom.Family, dom.Plain, dom.Short = quantity.Shares, "contended share of "+name, name
		vs = append(vs, dom,
			value("queue_contended_memory_share"+label, quantity.Share, quantity.Neither, quantity.Over(s.ContendedMem, q.Cluster.ContendedMS), 1, none, "share of the cluster's memory of queue "+name+" over that time"),
			value("queue_contended_vcores_share"+label, quantity.Share, quantity.Neither, quantity.Over(s.ContendedVCores, q.Cluster.ContendedMS), 1, none, "share of the cluster's vcores of queue "+name+" over that time"),
			value("queue_memory_share"+label, quantity.Share, quantity.Neither, quantity.Over(s.UsedMem, sampled), 1, noTime, "share of the cluster's memory of queue "+name+", mean over the sampled time"),
			value("queue_vcores_share"+label, quantity.Share, quantity.Neither, quantity.Over(s.UsedVCores, sampled), 1, noTime, "share of the cluster's vcores of queue "+name+", mean over the sampled time"),
			value("queue_pending_time_share"+label, quantity.Share, quantity.Lower, quantity.Over(s.PendingMS, sampled), 1, noTime, "time in which queue "+name+" had unmet demand, of the sampled time"))
	}
	return unseen(d, vs)
})}
