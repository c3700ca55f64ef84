package engine

import (
	"fmt"

	"replay/engine/record"
	"replay/engine/yarn"
	"replay/policy"
)

// whyUnfinished says in words what an application that did not finish was waiting for.
func (a *app) whyUnfinished(s *sim) string {
	if s.sc.Until > 0 && s.now >= s.sc.Until {
		return fmt.Sprintf("the replay stopped at %d ms", s.now)
	}
	switch {
	case a.am == 0:
		return "it waits for its AM container: " + s.whyWaiting(a, a.set.amSize)
	case a.driver == nil:
		return "its application master did not register"
	case a.rec.FirstAllocated == record.None && a.rec.FirstAsked != record.None:
		return "it waits for its first executor: " + s.whyWaiting(a, a.set.profiles[0].size)
	case a.driver.ready == 0:
		return "it has no executor: " + s.whyWaiting(a, a.set.profiles[0].size)
	case !a.driver.started:
		return fmt.Sprintf("%d executors have registered, its code begins with %v of %d (spark.scheduler.minRegisteredResourcesRatio) or after %d ms (spark.scheduler.maxRegisteredResourcesWaitingTime)",
			a.driver.ready, a.driver.conf.MinRegisteredRatio, a.driver.conf.InitialTarget(), a.driver.conf.MaxRegisteredWait)
	}
	idle := 0
	for i := range a.driver.execs {
		if e := &a.driver.execs[i]; e.state == execAlive && e.free > 0 {
			idle++
		}
	}
	if idle > 0 && a.driver.tasks.Pending() {
		return fmt.Sprintf("%d of its %d tasks are done; tasks wait although %d executors have free cores: for a preferred host (spark.locality.wait), for slots of their stage, or because of exclusion", a.rec.TasksSucceeded, a.rec.Tasks, idle)
	}
	return fmt.Sprintf("%d of its %d tasks are done", a.rec.TasksSucceeded, a.rec.Tasks)
}

// whyWaiting says what keeps a container of this size from the application.
func (s *sim) whyWaiting(a *app, size policy.Resource) string {
	fits, fitsEmpty := false, false
	for _, id := range s.nodes.registered {
		total := s.total(id)
		fitsEmpty = fitsEmpty || size.FitsIn(total)
		fits = fits || s.nodes.used[id].Add(size).FitsIn(total)
	}
	text := fmt.Sprintf("%d MiB and %d vcores", size[policy.Memory], size[policy.VCores])
	switch {
	case len(s.nodes.registered) == 0:
		return "no node is in the cluster"
	case !fitsEmpty:
		return fmt.Sprintf("no node is large enough for %s", text)
	case !fits:
		return fmt.Sprintf("no node has room for %s", text)
	}
	why := "room is there"
	if s.sc.Kind().Updates && s.sc.Site.UpdateInterval == 0 {
		return why + ", but shares are never computed (yarn.scheduler.fair.update-interval-ms is 0)"
	}
	s.rm.Scheduler().Queues(func(q yarn.QueueState) {
		if q.Path != a.rec.Queue {
			return
		}
		switch {
		case !q.Used.Add(size).FitsIn(q.MaxShare):
			why = fmt.Sprintf("queue %s uses %d MiB and %d vcores of at most %d MiB and %d vcores, %s do not fit", q.Path,
				q.Used[policy.Memory], q.Used[policy.VCores], q.MaxShare[policy.Memory], q.MaxShare[policy.VCores], text)
		case q.NonRunnable > 0 && a.am == 0:
			why = fmt.Sprintf("queue %s runs %d applications, as many as it may, and %d wait", q.Path, q.Runnable, q.NonRunnable)
		case a.am == 0:
			why = fmt.Sprintf("queue %s gives no more to application masters (maxAMShare)", q.Path)
		}
	})
	return why
}
