package driver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replay/engine/master"
	"replay/engine/spark"
	"replay/engine/spark/scala"
	"replay/policy/resource"
	"replay/trace"
)

// byJob sorts the executors by application; ids of the driver are positions there plus 1.
func (r *Recorded) byJob() map[int64][]RecordedExecutor {
	out := map[int64][]RecordedExecutor{}
	for _, e := range r.Executors {
		out[e.Job] = append(out[e.Job], e)
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b RecordedExecutor) int { return int(a.ID - b.ID) })
	}
	return out
}

// given are executors that a recording gives: no ResourceManager takes part, and dynamic allocation does not decide.
type given struct {
	*Driver
	list []RecordedExecutor
	left int     // executors that are there or will come
	next []queue // by executor: the tasks that the recording has there, in order of launch
}

func (g *given) prepare() error {
	g.execs = make([]executor, len(g.list)+1)
	g.left = len(g.list)
	g.next = g.history.queues(g.list, g.kind.Recorded.Attempts[g.job.ID])
	return nil
}

// begin schedules what was recorded, relative to the recorded start of the application.
func (g *given) begin(int) {
	if len(g.list) == 0 {
		g.Fail("the recording has no executor of it: Spark waits for resources without end")
		return
	}
	start := g.now()
	if g.job.RecordedStartMS != trace.Unset {
		start -= g.job.RecordedStartMS
	} else {
		start -= g.job.SubmitMS
	}
	for i := range g.list {
		e := &g.list[i]
		g.h.At(max(g.now(), start+e.AddedMS), evRecordedAdd, int64(i), int64(i))
		if e.LeaveMS != trace.Unset {
			g.h.At(max(g.now(), start+e.LeaveMS), evRecordedLeave, int64(i), int64(i))
		}
		if e.RemovedMS != trace.Unset && e.CausedBy == trace.Unset {
			g.h.At(max(g.now(), start+e.RemovedMS), evRecordedRemove, int64(i), int64(i))
		}
	}
	g.h.At(g.now()+g.kind.Recorded.CodeMS[g.job.ID], evBegin, 0, 0)
}

func (g *given) handle(k master.EventKind, arg int64) {
	switch k {
	case evRecordedAdd:
		g.add(int32(arg))
	case evRecordedLeave:
		if e := g.exec(int32(arg) + 1); e != nil && g.mayLeave(int32(arg), e) <= g.now() { // the driver has decided to have it killed: no more tasks
			e.killing = true
		}
	case evRecordedRemove:
		g.remove(int32(arg))
	}
}

func (g *given) news() {}

func (g *given) nodesChanged(int) {}

func (g *given) quit() {}

func (g *given) enough() bool { return true }

// kill does nothing: executors end as they did in the recording.
func (g *given) kill([]int32, bool) []int32 { return nil }

func (g *given) questioning() bool { return false }

func (g *given) tick() {} // there is none

// submitted schedules the end of the executors that fail during a stage that is submitted now.
func (g *given) submitted(stage, attempt, _ int32) {
	for i := range g.list {
		if e := &g.list[i]; e.CausedBy == stage && attempt == 0 && e.RemovedMS != trace.Unset {
			g.h.At(g.now()+e.AfterMS, evRecordedRemove, int64(i), int64(i))
		}
	}
}

// firstMS is what the first tasks of the executor took more.
func (g *given) firstMS(id int32, k int, own int64) int64 {
	if x := &g.list[id-1]; k < len(x.FirstMS) {
		return x.FirstMS[k] - own
	}
	return -own
}

// Waits is part of [master.Master]: no ResourceManager has a part in it.
func (g *given) Waits(why func(resource.Resource) string) string {
	if g.ready == 0 {
		return fmt.Sprintf("%d of its %d tasks are done; it has no executor until the recording has the next", g.rec.TasksSucceeded, g.rec.Tasks)
	}
	return g.Driver.Waits(why)
}

func (g *given) recordedAs(id int32) int32 { return g.list[id-1].ID }

// hashes is the order that the names of the recording give: executors, hosts and racks have those that they had.
func (g *given) hashes() *spark.HashOrder {
	exec := make([]int32, len(g.list)+1)
	for i := range g.list {
		exec[i+1] = hashOfExecutor(g.list[i].ID)
	}
	return g.hashesOf(func(id int32) int32 { return exec[id] })
}

// hashesOf is the order of hash tables that names of hosts and racks give, with the hashes of executors.
func (d *Driver) hashesOf(exec func(id int32) int32) *spark.HashOrder {
	names := d.cluster.Names
	host, rack := make([]int32, len(d.cluster.Host)), make([]int32, len(d.cluster.Rack))
	for n := range host {
		host[n] = scala.HashCode(names.Text(d.cluster.Host[n]))
		rack[d.cluster.RackIndex[n]] = scala.HashCode(names.Text(d.cluster.Rack[n]))
	}
	return &spark.HashOrder{
		Exec: exec,
		Host: func(n int32) int32 { return host[n] },
		Rack: func(n int32) int32 { return rack[n] },
	}
}

// hashOfExecutor is the hash of an executor's name.
func hashOfExecutor(id int32) int32 { return scala.HashCode(strconv.Itoa(int(id))) }

// arrange puts the executors into the order in which the recording has them take their next tasks. Spark's order is
// drawn, from a generator without a seed: where the recording shows what was drawn, a replay beside it takes that.
func (g *given) arrange(offers []spark.Offer) {
	slices.SortStableFunc(offers, func(x, y spark.Offer) int {
		a, b := g.next[x.Exec-1].head(&g.history), g.next[y.Exec-1].head(&g.history)
		return a.compare(&b)
	})
}

// leave ends the application with its executors.
func (g *given) leave(reason string) {
	g.h.Unregister(reason)
	g.Stop()
	g.h.Leave()
}

// Started, StartFailed and Exited are part of [master.Master]: containers of a recording neither start nor end by a node.
func (g *given) Started(int64)     {}
func (g *given) StartFailed(int64) {}
func (g *given) Exited(int64)      {}

// add is the arrival of executor i of the recording.
func (g *given) add(i int32) {
	if g.stopping {
		return
	}
	x := &g.list[i]
	n := g.h.Bring(x.Node, x.MemMiB, x.VCores)
	g.execs[i+1] = executor{container: n, node: x.Node, profile: x.Profile, lastStage: -1, died: never, cores: g.slotCores(x)}
	g.runsIn(n, i+1)
	ready := g.m.ExecutorReadyMS
	if x.ReadyMS != trace.Unset {
		ready = x.ReadyMS
	}
	g.register(n, 0, ready)
}

// slotCores returns how many cores of a recorded executor tasks can use: further resources may run out before cores do.
func (g *given) slotCores(x *RecordedExecutor) int32 {
	if int(x.Profile) < len(g.set.profiles) {
		if p := &g.set.profiles[x.Profile]; p.limited {
			return min(x.VCores, p.offered())
		}
	}
	return x.VCores
}

// mayLeave returns when an executor that left because it was idle may leave in the replay, at the earliest: one that
// is busy is not idle, and with dynamic allocation it has to be for some time.
//
// Source: ExecutorMonitor.timedOutExecutors.
func (g *given) mayLeave(i int32, e *executor) int64 {
	switch {
	case !g.list[i].Idle || e.state != execAlive:
		return g.now()
	case e.running > 0:
		return g.now() + spark.TickInterval
	case g.conf.DynamicAllocation:
		return e.idleSince + g.conf.IdleTimeout
	}
	return g.now()
}

// remove is the end of executor i of the recording.
func (g *given) remove(i int32) {
	e := g.exec(i + 1)
	if e == nil || g.stopping || e.state == execRemoved {
		return
	}
	reason := g.list[i].Reason
	loss := lossOfReason(reason)
	if at := g.mayLeave(i, e); at > g.now() && !e.killing {
		g.h.At(at, evRecordedRemove, int64(i), int64(i))
		return
	}
	e.died = g.now()
	switch {
	case g.dag == nil:
	case strings.Contains(reason, "on a *lost* node"): // and its shuffle service with it
		g.dag.HostLost(g.list[i].Node)
	case !g.conf.ShuffleService || loss.Worker:
		g.dag.ServerLost(i + 1)
	}
	if e.state == execLaunching {
		g.ready++ // it never got ready; removeExecutor takes it off
		e.state = execAlive
	}
	g.removeExecutor(i+1, loss)
	g.enter(e)
	g.h.Return(e.container)
	g.left--
	if g.left == 0 && !g.ended {
		g.Fail(fmt.Sprintf("the last of its %d executors is gone (%s) and the recording has no other: Spark waits for resources without end", len(g.list), reason))
	}
}

// lossOfReason turns the text of an ExecutorRemoved event into what the driver knew.
func lossOfReason(reason string) spark.Loss {
	switch {
	case strings.HasPrefix(reason, "Executor killed by driver"), strings.Contains(reason, "explicit termination request"):
		return spark.Loss{Kind: spark.LossKilled}
	case strings.HasPrefix(reason, "Executor decommission"):
		return spark.Loss{Kind: spark.LossDecommissioned}
	case strings.Contains(reason, "was preempted"), strings.Contains(reason, "Exit status: -100"),
		strings.Contains(reason, "because of a YARN event"):
		return spark.Loss{Kind: spark.LossExited}
	case strings.Contains(reason, "worker lost"), strings.Contains(reason, "Worker shutting down"):
		return spark.Loss{Kind: spark.LossProcess, Worker: true}
	case strings.Contains(reason, "heartbeat timed out"), strings.Contains(reason, "disassociated"):
		return spark.Loss{Kind: spark.LossProcess, ByApp: true}
	}
	return spark.Loss{Kind: spark.LossExited, ByApp: true}
}
