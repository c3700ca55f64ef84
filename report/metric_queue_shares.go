package report

var queueShares = Metric{"queue", "Shares of queues", func(d *Data) (vs []Value) {
	q := d.Queues
	for _, name := range q.Names {
		s := q.ByQueue[name]
		label := "[queue=" + name + "]"
		const none = "never two leaf queues with unmet demand at once"
		dom := value("queue_contended_dominant_share"+label, "share", Neither, over(s.contDom, s.contendedMS), 1, none, "dominant share of queue "+name+", mean over the time in which two or more leaf queues had unmet demand")
		dom.Family = Shares
		vs = append(vs, dom,
			value("queue_contended_memory_share"+label, "share", Neither, over(s.contendedMem, s.contendedMS), 1, none, "share of the cluster's memory of queue "+name+" over that time"),
			value("queue_contended_vcores_share"+label, "share", Neither, over(s.contendedVCores, s.contendedMS), 1, none, "share of the cluster's vcores of queue "+name+" over that time"),
			value("queue_memory_share"+label, "share", Neither, over(s.usedMem, q.Cluster.ms), 1, "no time was sampled", "share of the cluster's memory of queue "+name+", mean over the sampled time"),
			value("queue_vcores_share"+label, "share", Neither, over(s.usedVCores, q.Cluster.ms), 1, "no time was sampled", "share of the cluster's vcores of queue "+name+", mean over the sampled time"),
			value("queue_pending_time_share"+label, "share", Lower, over(s.pendingMS, q.Cluster.ms), 1, "no time was sampled", "time in which queue "+name+" had unmet demand, of the sampled time"))
	}
	return vs
}}
