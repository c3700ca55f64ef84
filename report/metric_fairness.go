package report

var fairness = Metric{"fairness", "Fairness", func(d *Data) (vs []Value) {
	q := d.Queues
	const never = "never two leaf queues with an entitlement at once, or the scheduler has no fair shares"
	const alone = "never two leaf queues with unmet demand at once, or the scheduler has no steady shares"
	j := value("fairness_jain", "index", Higher, over(q.JainSum, q.JainMS), int64(len(q.Names)), never,
		"Jain's index of received over entitled memory of leaf queues, mean over the time with two or more entitled")
	jd := value("fairness_jain_dominant", "index", Higher, over(q.DomSum, q.DomMS), int64(len(q.Names)), alone,
		"Jain's index of dominant share over steady share of leaf queues with unmet demand, mean over the time with two or more of them")
	j.Family, jd.Family = Headline, Headline
	var within, entitled, below, entitledMS float64
	for _, name := range q.Names {
		s := q.ByQueue[name]
		within += s.within
		entitled += s.entitled
		below += s.below
		entitledMS += s.entitledMS
	}
	short := value("fairness_shortfall_share", "share", Lower, 1-over(within, entitled), int64(len(q.Names)), never, "entitled memory of leaf queues (least of fair share and demand) that they did not receive")
	short.Family = Headline
	vs = append(vs, j, jd, short,
		value("fairness_below_time_share", "share", Lower, over(below, entitledMS), int64(len(q.Names)), never, "time that leaf queues had more than 10 % less memory than they were entitled to, of the time entitled"))
	for _, name := range q.Names {
		s := q.ByQueue[name]
		label := "[queue=" + name + "]"
		const none = "the queue was never entitled to memory, or the scheduler has no fair shares"
		vs = append(vs,
			value("fairness_received_ratio"+label, "ratio", Neither, over(s.received, s.entitled), 1, none, "memory received over entitled, while entitled, by queue "+name),
			value("fairness_shortfall_share"+label, "share", Lower, 1-over(s.within, s.entitled), 1, none, "entitled memory that queue "+name+" did not receive"),
			value("fairness_below_time_share"+label, "share", Lower, over(s.below, s.entitledMS), 1, none, "time that queue "+name+" had more than 10 % less memory than entitled, of the time entitled"))
	}
	return vs
}}
