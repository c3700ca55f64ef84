package result

import (
	"replay/report/dist"
	"replay/report/quantity"
)

// OfJobs is a quantity that each job has or has not. Its values are statistics over the jobs that have it.
type OfJobs struct {
	quantity.Quantity
	Population string // the jobs that have it, where %s stands for a part of all jobs; empty when the quantity says it
	None       string // why there is none in a replay
	Of         func(*Job) (x float64, ok bool)
	// Open returns how long it has lasted for a job of which it had not ended at the end of the replay; nil where that
	// cannot be. Still says so in words.
	Open  func(j *Job, end int64) (x float64, ok bool)
	Still string
}

// Dist returns the distribution of a time over the jobs that have it.
func (q *OfJobs) Dist(d *Data) *dist.Dist {
	out := &dist.Dist{}
	for j := range d.Jobs.All() {
		if ms, ok := q.Of(j); ok {
			out.Add(int64(ms))
		}
	}
	return out
}

// OpenJobs is how many jobs it is open for at the end of the replay.
func (q *OfJobs) OpenJobs(d *Data) (n int64) {
	if q.Open == nil {
		return 0
	}
	for j := range d.Jobs.All() {
		if _, open := q.Open(j, d.Manifest.Totals.EndMS); open {
			n++
		}
	}
	return n
}

// What is measured of each job.
var (
	FirstTaskWait = OfJobs{
		Quantity:   timeCalled("wait_job_first_task", "to first task", "the time from a job's submission to its first task"),
		Population: "jobs%s that launched one",
		None:       "no job launched a task",
		Of:         func(j *Job) (float64, bool) { return float64(j.FirstTask - j.Submit), Happened(j.FirstTask) },
		Open:       func(j *Job, end int64) (float64, bool) { return j.soFar(end), j.unfinished() && !Happened(j.FirstTask) },
		Still:      "still waiting",
	}
	AMStartWait = OfJobs{
		Quantity:   timeCalled("wait_job_am_start", "to AM start", "the time from a job's submission to the registration of its application master"),
		Population: "jobs%s where it registered",
		None:       "no application master registered",
		Of:         func(j *Job) (float64, bool) { return float64(j.AMRegistered - j.Submit), Happened(j.AMRegistered) },
		Open: func(j *Job, end int64) (float64, bool) {
			return j.soFar(end), j.unfinished() && !Happened(j.AMRegistered)
		},
		Still: "still waiting",
	}
	// HeldBack is not in the waits and durations, which count from the submission.
	HeldBack = OfJobs{
		Quantity:   timeCalled("wait_job_held", "held back", "the time from a job's own time to its submission, for which it was held back until the jobs that it begins after had ended"),
		Population: "jobs%s that begin after others",
		None:       "no job begins after another",
		Of:         func(j *Job) (float64, bool) { return float64(j.HeldMS), j.DependsOn > 0 },
	}
	JobDuration = OfJobs{
		Quantity:   timeCalled("duration_job", "submission to finish", "the time from submission to finish"),
		Population: "jobs that succeeded%s",
		None:       "no job succeeded",
		Of:         func(j *Job) (float64, bool) { return float64(j.Finish - j.Submit), j.succeeded() },
		Open:       func(j *Job, end int64) (float64, bool) { return j.soFar(end), j.unfinished() },
		Still:      "not finished",
	}
	// Slowdown is bounded. Source: docs/metrics.md, "slowdown".
	Slowdown = OfJobs{
		Quantity: quantity.Quantity{
			Name: "slowdown", Unit: quantity.Ratio, Better: quantity.Lower,
			About: "submission to finish against the job's critical path (at least 1 s)",
		},
		Population: JobDuration.Population,
		None:       JobDuration.None,
		Of:         func(j *Job) (float64, bool) { return j.SlowedDown(float64(j.Finish - j.Submit)), j.succeeded() },
		Open:       func(j *Job, end int64) (float64, bool) { return j.SlowedDown(j.soFar(end)), j.unfinished() },
		Still:      "not finished",
	}
)

// SlowedDown returns a duration against the job's critical path. It is below 1 where speculative copies were faster than what the trace has of their tasks.
func (j *Job) SlowedDown(ms float64) float64 {
	return max(ms, slowdownFloorMS) / float64(max(j.CriticalPathMS, slowdownFloorMS))
}

// slowdownFloorMS keeps jobs of a moment from dominating the slowdown.
const slowdownFloorMS = 1000

// timeCalled describes a time in ms, of which less is better.
func timeCalled(name, short, about string) quantity.Quantity {
	return quantity.Quantity{Name: name, Unit: quantity.MS, Better: quantity.Lower, Short: short, About: about}
}

// WaitPart is a part of a job's wait for its first task.
type WaitPart struct {
	OfJobs
	Step string // that ends it
}

// WaitParts are the parts of a job's wait from submission to its first task, in order.
var WaitParts = waitParts([waitSteps]WaitPart{
	{part("queue", "queue limits", "submission until the application is runnable in its queue (limits on running applications)"), "runnable in its queue"},
	{part("am_allocation", "AM allocation", "runnable until the AM container is allocated"), "AM container allocated"},
	{part("am_start", "AM start", "AM container allocated until the AM has registered"), "AM registered"},
	{part("ask", "first ask", "AM registered until its first container ask reaches the ResourceManager"), "first ask"},
	{part("allocation", "container allocation", "first ask until the first container is allocated"), "first container allocated"},
	{part("executor_start", "executor start", "first container allocated until the first executor is ready for tasks"), "first executor ready"},
	{part("first_launch", "first launch", "first executor ready until the first task is launched"), "first task launched"},
})

func part(name, short, about string) OfJobs {
	return OfJobs{Quantity: timeCalled("wait_job_part_"+name, short, "the part of the wait for the first task from "+about), None: FirstTaskWait.None}
}

// waitParts lets each part be computed by its place in the wait.
func waitParts(parts [waitSteps]WaitPart) [waitSteps]WaitPart {
	for i := range parts {
		parts[i].Of = func(j *Job) (float64, bool) { return float64(j.Parts()[i]), Happened(j.FirstTask) }
	}
	return parts
}

// Time is a time that containers or task attempts take.
type Time struct {
	quantity.Quantity
	Things     string // what they are: containers, task attempts
	Population string // which of them have it
	None       string // why there is none in a replay
	of         func(*Data) *dist.Dist
}

// Dist returns the distribution of the time in a replay.
func (t *Time) Dist(d *Data) *dist.Dist { return t.of(d) }

// What is measured of executor and task containers, and of task attempts.
var (
	ContainerAllocation = Time{
		timeCalled("wait_container_allocation", "ask to allocation", "the time from a container's ask to its allocation"),
		"containers", "executor and task containers", "no executor or task container was allocated", func(d *Data) *dist.Dist { return &d.Containers.Ask },
	}
	ContainerStart = Time{
		timeCalled("wait_container_start", "allocation to start", "the time from a container's allocation to the start of its process"),
		"containers", "those started", "no such container was started", func(d *Data) *dist.Dist { return &d.Containers.Start },
	}
	ContainerReady = Time{
		timeCalled("wait_container_ready", "allocation to ready", "the time from a container's allocation until it is ready for tasks"),
		"containers", "those that became ready", "no executor became ready", func(d *Data) *dist.Dist { return &d.Containers.Register },
	}
	TaskLaunch = Time{
		timeCalled("wait_task_launch", "ready to launch", "the time from a task being ready (its stage submitted, or pending again) to its launch"),
		"task attempts", "task attempts", "no task attempt was launched", func(d *Data) *dist.Dist { return &d.Tasks.Wait },
	}
	TaskRun = Time{
		timeCalled("run_task", "launch to finish", "the time from launch to finish"),
		"task attempts", "task attempts that finished", "no task attempt finished", func(d *Data) *dist.Dist { return &d.Tasks.Run },
	}
)
