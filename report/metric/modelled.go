package metric

import (
	"replay/report/quantity"
	"replay/report/result"
)

var modelled = Metric{"modelled", "Modelled time", plain(func(d *result.Data) []Value {
	t := &d.Tasks
	all := t.DurationMS + t.PenaltyMS + t.OverheadMS
	const none = "no task attempt succeeded, or tasks took no time"
	return []Value{
		value("modelled_task_time_share", quantity.Share, quantity.Neither, quantity.Over(t.PenaltyMS+t.OverheadMS, all), t.N, none, "time of successful task attempts that is modelled and not from the trace (read penalty, overheads)"),
		value("modelled_penalty_share", quantity.Share, quantity.Neither, quantity.Over(t.PenaltyMS, all), t.N, none, "time of successful task attempts that is the modelled penalty of reading from afar"),
	}
})}
