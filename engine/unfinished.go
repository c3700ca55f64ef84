package engine

import (
	"fmt"

	"replay/engine/yarn"
	"replay/policy/resource"
)

// whyUnfinished says in words what an application that did not finish was waiting for.
func (a *app) whyUnfinished(s *sim) string {
	if s.sc.Until > 0 && s.now >= s.sc.Until {
		return fmt.Sprintf("the replay stopped at %d ms", s.now)
	}
	switch {
	case a.circle.closed(a.rec.TasksSucceeded):
		return a.circle.text(a.rec.Tasks)
	case a.am == 0 && a.attempt > 1:
		return fmt.Sprintf("it waits for an AM container after %d attempts: %s", a.attempt-1, s.whyWaiting(a, a.plan.AMSize))
	case a.am == 0:
		return "it waits for its AM container: " + s.whyWaiting(a, a.plan.AMSize)
	case a.master == nil:
		return "its application master did not register"
	}
	return a.master.Waits(func(size resource.Resource) string { return s.whyWaiting(a, size) })
}

// whyWaiting says what keeps a container of this size from the application.
func (s *sim) whyWaiting(a *app, size resource.Resource) string {
	fits, fitsEmpty := false, false
	for _, id := range s.nodes.registered {
		total := s.total(id)
		fitsEmpty = fitsEmpty || size.FitsIn(total)
		fits = fits || s.nodes.used[id].Add(size).FitsIn(total)
	}
	text := fmt.Sprintf("%d MiB and %d vcores", size[resource.Memory], size[resource.VCores])
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
				q.Used[resource.Memory], q.Used[resource.VCores], q.MaxShare[resource.Memory], q.MaxShare[resource.VCores], text)
		case q.NonRunnable > 0 && a.am == 0:
			why = fmt.Sprintf("queue %s runs %d applications, as many as it may, and %d wait", q.Path, q.Runnable, q.NonRunnable)
		case a.am == 0:
			why = fmt.Sprintf("queue %s gives no more to application masters (maxAMShare)", q.Path)
		}
	})
	return why
}
