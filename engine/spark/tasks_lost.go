package spark

import (
	"slices"

	"replay/engine/spark/scala"
)

// LossKind is why an executor was lost.
type LossKind uint8

// Kinds of ExecutorLossReason.
const (
	LossPending        LossKind = iota // not yet known: a second call brings the true reason
	LossExited                         // the process exited
	LossKilled                         // killed on the driver's demand
	LossProcess                        // the connection went
	LossDecommissioned                 // gone after it was decommissioned
)

// Loss is why an executor was lost.
type Loss struct {
	Kind     LossKind
	ByApp    bool // LossExited, LossProcess: held against the tasks that ran there
	Worker   bool // the whole host is gone
	Migrated bool // LossDecommissioned: its shuffle output was moved to other executors before
}

// byApp reports whether the loss counts against a task that ran on the executor, or was on its way there.
//
// Source: TaskSetManager.executorLost.
func (l Loss) byApp(launching bool) bool {
	switch l.Kind {
	case LossExited, LossProcess:
		return l.ByApp && !launching
	case LossKilled, LossDecommissioned:
		return false
	}
	return !launching
}

// ExecutorLost takes an executor away. With a reason the task sets put back what ran there; the
// first call for an executor tells the DAGScheduler and asks for offers, a second one (after
// [LossPending]) does not.
//
// Source: TaskSchedulerImpl.executorLost, removeExecutor.
func (s *TaskScheduler) ExecutorLost(now int64, exec int32, loss Loss) {
	if int(exec) >= len(s.execs) || !s.execs[exec].mapped {
		return
	}
	e := &s.execs[exec]
	first := e.known
	if first {
		for _, set := range s.sets {
			if e.open == 0 {
				break
			}
			for _, row := range set.openOn(exec) {
				set.attempts[row].tracked = false
			}
		}
		e.running = 0
		e.known = false
		s.removeFromHost(exec)
	}
	e.decommissioned, e.wholeHost = false, false // spark.scheduler.maxRetainedRemovedDecommissionExecutors is 0
	if loss.Kind != LossPending {
		e.mapped = false
		for set := range s.Sets {
			set.executorLost(now, exec, loss)
		}
	}
	if s.health != nil {
		s.health.executorRemoved(exec)
	}
	if first {
		s.emit(TaskEvent{Kind: ExecutorGone, Exec: exec, Worker: loss.Worker})
		s.emit(TaskEvent{Kind: ReviveOffers})
	}
}

func (s *TaskScheduler) removeFromHost(exec int32) {
	at := s.execs[exec].at
	h := &s.hosts[at]
	if i := slices.Index(h.execs, exec); i >= 0 {
		h.execs = slices.Delete(h.execs, i, i+1)
		if !s.execs[exec].decommissioned {
			h.alive--
		}
	}
	if h.order != nil {
		h.order.Remove(exec)
		if len(h.execs) == 0 {
			h.order = &scala.HashSet[int32]{Hash: s.order.Exec}
		}
	}
	if len(h.execs) == 0 && h.rack >= 0 {
		r := &s.racksOn[h.rack]
		if i := slices.Index(r.hosts, at); i >= 0 {
			r.hosts = slices.Delete(r.hosts, i, i+1)
		}
	}
}

// Decommission notes that an executor is to go when its tasks are done, with its whole host or
// alone. The backend offers it no more.
//
// Source: TaskSchedulerImpl.executorDecommission.
func (s *TaskScheduler) Decommission(now int64, exec int32, wholeHost bool) {
	if int(exec) < len(s.execs) && s.execs[exec].mapped {
		e := &s.execs[exec]
		if e.known && !e.decommissioned {
			s.hosts[e.at].alive--
		}
		e.decommissioned, e.wholeHost, e.decommissionedAt = true, wholeHost, now
	}
	for set := range s.Sets {
		set.recomputeLevels()
	}
	s.emit(TaskEvent{Kind: ReviveOffers})
}

// hostOf returns the host of an executor, also of a lost one, or -1.
func (s *TaskScheduler) hostOf(exec int32) int32 {
	if exec < 0 || int(exec) >= len(s.execs) {
		return -1
	}
	return s.execs[exec].host
}

func (s *TaskScheduler) decommissioned(exec int32) bool {
	return exec >= 0 && int(exec) < len(s.execs) && s.execs[exec].decommissioned
}

func (s *TaskScheduler) hostDecommissioned(exec int32) bool {
	return s.decommissioned(exec) && s.execs[exec].wholeHost
}
