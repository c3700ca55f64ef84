package metric

import (
	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
)

const noTaskPreference = "no successful task attempt had a preferred host"

var localityTasks = Metric{"locality_tasks", "Locality of tasks", func(p *pass) func() []Value {
	ratios := []jobRatio{{"locality_tasks_host_share", quantity.Share, quantity.Higher, func(j *result.Job) (float64, float64) {
		return float64(j.TasksPreferred), float64(j.TasksPreferring)
	}, "task attempts", noTaskPreference, "successful task attempts on a preferred host, of those whose task had one"}}
	for level, l := range result.TaskLevels {
		ratios = append(ratios, jobRatio{"locality_tasks_" + l.Name + "_share", quantity.Share, l.Better, func(j *result.Job) (float64, float64) {
			return float64(j.TaskLevels[level]), sum(j.TaskLevels[:]...)
		}, "task attempts", "no task attempt succeeded", "successful task attempts launched " + l.About + ", of all successful ones"})
	}
	values := p.jobRatios("successful task attempts on a preferred host, %s, of those there whose task had one", ratios...)
	return func() []Value {
		vs, ofParts := values()
		vs[0].headline("tasks on a preferred host", "tasks on host")
		t := &p.data.Tasks
		for i := range vs {
			vs[i].Whole = t.Ends[record.TaskSuccess]
		}
		vs = append(vs, ofParts...)
		return append(vs, missValues("locality_tasks_miss", t.Missed, "successful task attempts that missed their preferred hosts")...)
	}
}}
