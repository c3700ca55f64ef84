package metric

import (
	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
)

var waste = Metric{"waste", "Waste", func(p *pass) func() []Value {
	values := p.jobRatios("", jobRatio{"waste_task_time_share", quantity.Share, quantity.Lower, func(j *result.Job) (float64, float64) {
		return float64(j.WastedTaskMS), float64(j.TaskMS + j.WastedTaskMS + j.RunningTaskMS)
	}, "", "no task attempt ran", "time of failed, killed, lost and repeated task attempts, of all task time"})
	return func() []Value {
		c, t := &p.data.Containers, &p.data.Tasks
		vs, _ := values()
		vs[0].headline("task time wasted", "wasted task time")
		for _, e := range []struct{ name, end, about string }{
			{"unused", record.EndUnused, "released without having been started"},
			{"preempted", record.EndPreempted, "preempted"},
			{"node_lost", record.EndNodeLost, "lost with their node"},
			{"failed", record.EndFailed, "whose process failed"},
			{"expired", record.EndExpired, "that were never started in time"},
		} {
			vs = append(vs,
				value("waste_containers_"+e.name+"_count", quantity.Count, quantity.Lower, float64(c.Ends[e.end]), c.N, "", "executor and task containers "+e.about),
				value("waste_memory_"+e.name+"_share", quantity.Share, quantity.Lower, quantity.Over(c.MemMS[e.end], c.AllMemMS), c.N, "no container held memory", "memory-time of containers "+e.about+", of all memory-time allocated"))
		}
		for _, e := range []struct{ name, end, about string }{
			{"failed", record.TaskFailed, "failed"}, {"lost", record.TaskLost, "were lost with their executor"}, {"killed", record.TaskKilled, "were killed"},
		} {
			vs = append(vs, value("waste_tasks_"+e.name+"_count", quantity.Count, quantity.Lower, float64(t.Ends[e.end]), t.N, "", "task attempts that "+e.about))
		}
		return append(vs, value("waste_tasks_speculative_count", quantity.Count, quantity.Neither, float64(t.Speculative), t.N, "", "task attempts launched speculatively"))
	}
}}
