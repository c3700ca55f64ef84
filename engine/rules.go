package engine

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"

	"replay/engine/generic"
	"replay/engine/mapreduce"
	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/snapshot"
	"replay/engine/spark/driver"
	"replay/engine/yarn/capacity"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/fair"
	"replay/engine/yarn/fifo"
	"replay/engine/yarn/rm"
	"replay/policy"
	"replay/policy/autoscale"
)

// stateCodec writes and reads states of replays.
var stateCodec = sync.OnceValues(func() (*snapshot.Codec, error) { return snapshot.New(stateRules(), rootTypes()...) })

// stateRules say of the fields below [sim.roots] what cannot be seen of them. All others are written.
func stateRules() snapshot.Rules {
	const (
		eng   = "replay/engine."
		spark = "replay/engine/spark."
		yarn  = "replay/engine/yarn."
	)
	return snapshot.Rules{
		Fields: map[string]snapshot.Rule{
			// the input, and what is made of it once
			eng + "sim.sc":                             snapshot.Fixed,
			eng + "appKind.rows":                       snapshot.Fixed,
			"replay/engine/yarn/rm.RM.config":          snapshot.Fixed,
			"replay/engine/spark/driver.Kind.Setup":    snapshot.Fixed,
			"replay/engine/spark/driver.Kind.recorded": snapshot.Fixed,
			"replay/engine/mapreduce.Kind.Setup":       snapshot.Fixed,
			"replay/engine/generic.Kind.Setup":         snapshot.Fixed,
			eng + "sim.kinds":                          snapshot.Kept,
			eng + "guests.events":                      snapshot.Kept,
			eng + "guests.next":                        snapshot.Kept,
			eng + "guests.after":                       snapshot.Kept,
			eng + "guests.down":                        snapshot.Kept,
			eng + "guests.applied":                     snapshot.Kept,
			eng + "guests.vague":                       snapshot.Kept,
			eng + "ahead.off":                          snapshot.Kept,
			eng + "ahead.keeps":                        snapshot.Kept, // the sink's
			eng + "sim.listens":                        snapshot.Kept,
			// the world outside
			eng + "sim.sink":                   snapshot.Kept,
			eng + "sim.summed":                 snapshot.Kept,
			eng + "sim.progress":               snapshot.Kept,
			eng + "sim.checkpoints":            snapshot.Kept,
			eng + "sim.after":                  snapshot.Kept,
			"replay/engine/yarn/rm.RM.shown":   snapshot.Kept,
			"replay/engine/yarn/rm.RM.endLate": snapshot.Kept,
			eng + "reasons.sink":               snapshot.Kept,
			// functions of roots
			"replay/engine/yarn/fair.Scheduler.observe":                                  snapshot.Kept,
			"replay/engine/yarn/fair.Scheduler.observePreemption":                        snapshot.Kept,
			"replay/engine/yarn/capacity.Scheduler.masters":                              snapshot.Kept,
			"replay/engine/yarn/capacity.Scheduler.observe":                              snapshot.Kept,
			"replay/engine/yarn/capacity.Scheduler.turns":                                snapshot.Kept,
			"replay/engine/yarn/capacity.Scheduler.observeProposals":                     snapshot.Kept,
			"replay/engine/yarn/capacity.Scheduler.observeMonitor":                       snapshot.Kept,
			"replay/engine/yarn/fifo.Scheduler.observe":                                  snapshot.Kept,
			yarn + "NodeSets.set":                                                        snapshot.Kept,
			"replay/engine/yarn/jvm.PriorityQueue[*replay/engine/yarn/fair.app].compare": snapshot.Kept,
			// between two events there is none
			eng + "ahead.span":                       snapshot.Kept,
			"replay/engine/spark/driver.Driver.span": snapshot.Unset,
			// for messages about faults
			eng + "sim.doing": snapshot.Kept,
			// memory that is used again
			eng + "sim.spare":    snapshot.Dropped,
			eng + "sim.departed": snapshot.Dropped,
			eng + "sim.decided":  snapshot.Dropped,
			eng + "sim.placed":   snapshot.Dropped,
			eng + "placed.spare": snapshot.Dropped,
			eng + "giving.req":   snapshot.Dropped,
			eng + "giving.resp":  snapshot.Dropped,
			eng + "sim.near":     snapshot.Kept,
			"replay/engine/spark/allocator.Allocator.made":  snapshot.Dropped,
			"replay/engine/yarn/rm.RM.spare":                snapshot.Dropped,
			"replay/engine/yarn/fair.Scheduler.departed":    snapshot.Dropped,
			"replay/engine/yarn/fair.Scheduler.leaving":     snapshot.Dropped,
			"replay/engine/yarn/fair.Scheduler.asked":       snapshot.Dropped,
			"replay/engine/yarn/fair.Scheduler.heads":       snapshot.Dropped,
			"replay/engine/yarn/fair.app.had":               snapshot.Dropped,
			"replay/engine/yarn/capacity.Scheduler.monitor": snapshot.Dropped,
			"replay/engine/yarn/fair.app.crowded":           snapshot.Dropped,
			"replay/engine/yarn/rm.RM.firstOf":              snapshot.Dropped,
			"replay/engine/yarn/rm.RM.exited":               snapshot.Kept,
			"replay/engine/yarn/rm.RM.fetching":             snapshot.Dropped,
			"replay/engine/yarn/rm.RM.first":                snapshot.Dropped,
			yarn + "Places.containers":                      snapshot.Dropped,
			yarn + "Places.sight":                           snapshot.Dropped,
			yarn + "Cycle.first":                            snapshot.Dropped, // which cycle was asked for last is a remark
			yarn + "Cycle.number":                           snapshot.Dropped,
			yarn + "Places.records":                         snapshot.Dropped,
			yarn + "Places.lists":                           snapshot.Dropped,
			yarn + "Places.united":                          snapshot.Dropped,
			yarn + "Places.attempts":                        snapshot.Dropped,
			yarn + "Places.requests":                        snapshot.Dropped,
			yarn + "Places.tables":                          snapshot.Dropped,
			yarn + "Places.list":                            snapshot.Dropped,
			yarn + "Places.sorted":                          snapshot.Dropped,
			yarn + "Places.seats":                           snapshot.Dropped,
			yarn + "Places.order":                           snapshot.Dropped,
			"replay/engine/spark/driver.Kind.index":         snapshot.Kept,
			"replay/engine/spark/driver.Kind.scratch":       snapshot.Kept,
			"replay/engine/spark/driver.Kind.spare":         snapshot.Kept,
			"replay/engine/spark/driver.Kind.gone":          snapshot.Kept,
			"replay/engine/spark/driver.Kind.said":          snapshot.Kept,
			"replay/engine/spark/driver.Kind.nodeLists":     snapshot.Kept,
			"replay/engine/spark/driver.Kind.hostLists":     snapshot.Kept,
			"replay/engine/spark/driver.Driver.lent":        snapshot.Dropped,
			"replay/engine/spark/driver.Driver.launching":   snapshot.Dropped,
			"replay/engine/spark/driver.executor.rec":       snapshot.Dropped, // looked up again
			spark + "Manager.latest":                        snapshot.Dropped,
			"replay/engine/generic.Kind.spare":              snapshot.Kept,
			"replay/engine/generic.dag.given":               snapshot.Dropped,
			// a replay that has broken has no checkpoints
			eng + "sim.err": snapshot.Unset,
			// the orders of Spark's tables are known where executors are recorded
			spark + "TaskScheduler.order": snapshot.Unset,
			spark + "TaskSet.order":       snapshot.Unset,
			spark + "hostState.order":     snapshot.Unset,
			spark + "keyedLists.order":    snapshot.Unset,
			spark + "health.known":        snapshot.Unset,
			// tests
			"replay/engine/spark/allocator.Allocator.OnRequest": snapshot.Unset,
		},
		Input: []any{(*conf.Site)(nil), (*conf.PlacementRules)(nil), (*autoscale.Plan)(nil), (*model.Model)(nil)},
		Aside: []string{
			"replay/engine/scenario.Options.Until", // what differs between replays that may go on from each other's states
			"replay/engine/scenario.Options.Decisions",
			"replay/engine/scenario.Options.DenseN", // a state is of no span
			"replay/engine/scenario.Options.DenseMS",
			"replay/engine/scenario.Scenario.used", // names of files
			"replay/engine/scenario.File.Name",
			"replay/engine/scenario.Input.Name",
			"replay/engine/scenario.Input.Jobs",
			"replay/engine/scenario.Scenario.Requests",   // a root
			"replay/engine/spark/driver.Setup.Placement", // the same
			"replay/policy/autoscale.Plan.Policy",        // a root
			"replay/engine/spark/driver.Setup.Dense",     // see [denseSpans]
			"replay/engine/mapreduce.Setup.Dense",
			"replay/engine/generic.Setup.Dense",
		},
		Concrete: slices.Concat([]any{(*sim)(nil), (*app)(nil), (*master.Cluster)(nil), (*rm.RM)(nil), (*fair.Scheduler)(nil), (*capacity.Scheduler)(nil), (*fifo.Scheduler)(nil), (*rand.PCG)(nil)},
			capacity.Concrete(), driver.Concrete(), mapreduce.Concrete(), generic.Concrete(), policy.Concrete()),
	}
}

// rootTypes are the types of [sim.roots].
func rootTypes() []any {
	pointers := slices.DeleteFunc(policy.Concrete(), func(p any) bool { return !isPointer(p) })
	return slices.Concat([]any{(*sim)(nil), (*rm.RM)(nil), (*fair.Scheduler)(nil), (*capacity.Scheduler)(nil), (*fifo.Scheduler)(nil), (*appKind)(nil), (*reasons)(nil),
		(*driver.Kind)(nil), (*mapreduce.Kind)(nil), (*generic.Kind)(nil)}, pointers, autoscale.Concrete())
}

func isPointer(x any) bool { return reflect.TypeOf(x).Kind() == reflect.Pointer }
