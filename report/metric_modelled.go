package report

var modelled = Metric{"modelled", "Modelled time", func(d *Data) []Value {
	t := &d.Tasks
	all := t.DurationMS + t.PenaltyMS + t.OverheadMS
	const none = "no task attempt succeeded, or tasks took no time"
	return []Value{
		value("modelled_task_time_share", "share", Neither, over(t.PenaltyMS+t.OverheadMS, all), t.N, none, "time of successful task attempts that is modelled and not from the trace (read penalty, overheads)"),
		value("modelled_penalty_share", "share", Neither, over(t.PenaltyMS, all), t.N, none, "time of successful task attempts that is the modelled penalty of reading from afar"),
	}
}}
