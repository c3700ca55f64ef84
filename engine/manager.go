package engine

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/yarn"
	"replay/engine/yarn/rm"
	"replay/trace"
)

// The simulation is the [rm.Host] of the ResourceManager, together with what containers.go has of it.
var _ rm.Host = (*sim)(nil)

// timers are the kinds of the ResourceManager's timers.
var timers = [...]eventKind{rm.NodeExpired: evNodeExpired, rm.ExpiryCheck: evExpiryCheck, rm.PreemptionKill: evPreemptionKill,
	rm.Cleanup: evCleanup, rm.ReloadFile: evReload, rm.ContinuousPass: evContinuous, rm.MasterExpired: evMasterExpired, rm.MonitorLook: evMonitor}

// At is part of [rm.Host].
func (s *sim) At(at int64, t rm.Timer, number, arg int64) {
	s.push(at, timers[t], number, arg)
	if t == rm.NodeExpired {
		s.nodes.looks = append(s.nodes.looks, at)
		s.nodes.changes = -1
	}
}

// Passed is part of [rm.Host].
func (s *sim) Passed(t rm.Timer) bool {
	k := timers[t]
	return order(kinds[k].class, 0, k, 0) <= s.reached
}

// NextBeat is part of [rm.Host].
func (s *sim) NextBeat() int64 { return s.beats.nextBeat() }

// BeatAt is part of [rm.Host].
func (s *sim) BeatAt(h int64) int64 { return s.beats.timeOf(h) }

// NodeGone is part of [rm.Host].
func (s *sim) NodeGone(id protocol.NodeID) {
	s.nodesChanged(id)
	if s.scaling != nil {
		s.scaling.gone(id)
	}
}

// Expired is part of [rm.Host].
func (s *sim) Expired(id protocol.ContainerID) {
	if a := s.of(id); a != nil {
		a.containerOf(id.Number()).rec.End = record.EndExpired
	}
}

// Warn is part of [rm.Host].
func (s *sim) Warn(code, text string) { s.warnings.add(code, "%s", text) }

// newManager builds the ResourceManager of a scenario.
func (s *sim) newManager(sc *scenario.Scenario) (*rm.RM, error) {
	c := rm.Config{
		StartMS: clusterTimestamp, ContainerExpiryMS: int64(sc.Site.ContainerExpiry), NodeExpiryMS: int64(sc.Site.NodeExpiry), MasterExpiryMS: sc.Site.AMExpiry,
		MaxAttempts: int(sc.Site.MaxAttempts), GlobalMaxAttempts: int(sc.Site.GlobalMaxAttempts), AvoidsFailed: sc.Site.AvoidsFailed, AvoidsAtMost: sc.Site.AvoidsAtMost, Preemption: sc.Site.Preemption, Dense: sc.Engine == scenario.Dense, KillsLater: s.killsLater(), Loader: sc.AllocationFile,
		HeartbeatMS: sc.Site.HeartbeatInterval, Types: sc.Site.Types, LeastNode: sc.Site.LeastNode(),
		Drains: sc.Scaling != nil || slices.ContainsFunc(sc.Input.Events, func(e trace.NodeEvent) bool { return e.Kind == trace.Drain }),
	}
	if sc.Site.Continuous {
		c.ContinuousMS = max(int64(sc.Site.ContinuousSleep), 1)
	}
	for i, a := range sc.Later {
		c.Reloads = append(c.Reloads, rm.Reload{AtMS: sc.Reloads[i].AtMS, Name: sc.Reloads[i].Name, File: a})
	}
	return rm.New(s, c, func(o yarn.Observer) (yarn.Scheduler, error) { return sc.NewScheduler(s.names, clusterTimestamp, o) })
}
