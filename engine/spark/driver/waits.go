package driver

import (
	"fmt"

	"replay/engine/record"
	"replay/policy/resource"
)

// Waits is part of [master.Master].
func (d *Driver) Waits(why func(resource.Resource) string) string {
	switch {
	case d.ended:
		return done(d.rec)
	case d.rec.FirstAllocated == record.None && d.rec.FirstAsked != record.None:
		return "it waits for its first executor: " + why(d.set.profiles[0].size)
	case d.repeats != "":
		return fmt.Sprintf("%d of its %d tasks are done; %s", d.rec.TasksSucceeded, d.rec.Tasks, d.repeats)
	case d.ready == 0:
		return "it has no executor: " + why(d.set.profiles[0].size)
	case !d.started:
		return fmt.Sprintf("%d executors have registered, its code begins with %v of %d (spark.scheduler.minRegisteredResourcesRatio) or after %d ms (spark.scheduler.maxRegisteredResourcesWaitingTime)",
			d.ready, d.conf.MinRegisteredRatio, d.conf.InitialTarget(), d.conf.MaxRegisteredWait)
	}
	idle := 0
	for i := range d.execs {
		if e := &d.execs[i]; e.state == execAlive && e.free > 0 {
			idle++
		}
	}
	if idle > 0 && d.tasks.Pending() {
		return fmt.Sprintf("%d of its %d tasks are done; tasks wait although %d executors have free cores: for a preferred host (spark.locality.wait), for slots of their stage, or because of exclusion", d.rec.TasksSucceeded, d.rec.Tasks, idle)
	}
	return done(d.rec)
}
