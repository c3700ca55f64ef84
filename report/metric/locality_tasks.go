package metric

import (
	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
)

const noTaskPreference = "no successful task attempt had a preferred host"

var localityTasks = Metric{"locality_tasks", "Locality of tasks", func(d *result.Data) (vs []Value) {
	hit := func(j *result.Job) (float64, float64) {
		return float64(j.TasksPreferred), float64(j.TasksPreferring)
	}
	head := jobRatio("locality_tasks_host_share", quantity.Share, quantity.Higher, &d.Jobs, hit, "task attempts", noTaskPreference,
		"successful task attempts on a preferred host, of those whose task had one")
	head.headline("tasks on a preferred host", "tasks on host")
	vs = append(vs, head)
	for level, l := range result.TaskLevels {
		vs = append(vs, jobRatio("locality_tasks_"+l.Name+"_share", quantity.Share, l.Better, &d.Jobs, func(j *result.Job) (float64, float64) {
			return float64(j.TaskLevels[level]), sum(j.TaskLevels[:]...)
		}, "task attempts", "no task attempt succeeded", "successful task attempts launched "+l.About+", of all successful ones"))
	}
	for i := range vs {
		vs[i].Whole = d.Tasks.Ends[record.TaskSuccess]
	}
	vs = append(vs, partRatios("locality_tasks_host_share", quantity.Share, quantity.Higher, &d.Jobs, hit, "task attempts", noTaskPreference,
		"successful task attempts on a preferred host, %s, of those there whose task had one")...)
	return append(vs, missValues("locality_tasks_miss", d.Tasks.Missed, "successful task attempts that missed their preferred hosts")...)
}}
