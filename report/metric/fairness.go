package metric

import (
	"replay/report/quantity"
	"replay/report/result"
)

var fairness = Metric{"fairness", "Fairness", plain(func(d *result.Data) (vs []Value) {
	q := d.Queues
	const never = "never two leaf queues with an entitlement at once, or the scheduler has no fair shares"
	const none = "no leaf queue was entitled to memory at any sample, or the scheduler has no fair shares"
	const alone = "never two leaf queues with unmet demand at once, or the scheduler has no steady shares"
	j := value("fairness_jain", quantity.Index, quantity.Higher, quantity.Over(q.JainSum, q.JainMS), int64(len(q.Names)), never,
		"Jain's index of received over entitled memory of leaf queues, mean over the time with two or more entitled")
	jd := value("fairness_jain_dominant", quantity.Index, quantity.Higher, quantity.Over(q.DomSum, q.DomMS), int64(len(q.Names)), alone,
		"Jain's index of dominant share over steady share of leaf queues with unmet demand, mean over the time with two or more of them")
	j.N, j.Whole, j.Things = seconds(q.JainMS), seconds(q.Cluster.MS), "seconds"
	jd.N, jd.Whole, jd.Things = seconds(q.DomMS), seconds(q.Cluster.MS), "seconds"
	j.headline("Jain's index of received memory", "Jain, memory")
	jd.headline("Jain's index of dominant shares", "Jain, dominant")
	var within, entitled, below, entitledMS float64
	for _, name := range q.Names {
		s := q.ByQueue[name]
		within += s.Within
		entitled += s.Entitled
		below += s.Below
		entitledMS += s.EntitledMS
	}
	short := value("fairness_shortfall_share", quantity.Share, quantity.Lower, 1-quantity.Over(within, entitled), int64(len(q.Names)), none, "entitled memory of leaf queues (least of fair share and demand) that they did not receive")
	short.headline("entitled memory not received", "shortfall")
	vs = append(vs, j, jd, short,
		value("fairness_below_time_share", quantity.Share, quantity.Lower, quantity.Over(below, entitledMS), int64(len(q.Names)), none, "time that leaf queues had more than 10 % less memory than they were entitled to, of the time entitled"))
	for _, name := range q.Names {
		s := q.ByQueue[name]
		label := "[queue=" + name + "]"
		const none = "the queue was never entitled to memory, or the scheduler has no fair shares"
		vs = append(vs,
			value("fairness_received_ratio"+label, quantity.Ratio, quantity.Neither, quantity.Over(s.Received, s.Entitled), 1, none, "memory received over entitled, while entitled, by queue "+name),
			value("fairness_shortfall_share"+label, quantity.Share, quantity.Lower, 1-quantity.Over(s.Within, s.Entitled), 1, none, "entitled memory that queue "+name+" did not receive"),
			value("fairness_below_time_share"+label, quantity.Share, quantity.Lower, quantity.Over(s.Below, s.EntitledMS), 1, none, "time that queue "+name+" had more than 10 % less memory than entitled, of the time entitled"))
	}
	return unseen(d, vs)
})}
