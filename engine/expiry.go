package engine

import "replay/engine/protocol"

// watchExpiry starts the monitor of containers that were acquired and not started, if it does not run.
// It checks every third of the expiry interval.
//
// Source: ContainerAllocationExpirer.
func (s *sim) watchExpiry() {
	if !s.watch {
		s.watch = true
		check := max(int64(s.sc.Site.ContainerExpiry)/3, 1)
		s.push(s.now-s.now%check+check, evExpiryCheck, 0, 0)
	}
}

func (s *sim) checkExpiry() {
	s.watch = false
	if s.rm.CheckExpiry(s.now, s.reported) {
		s.watchExpiry()
	}
}

// reported tells whether a container needs no watching any more: it runs, or it is gone.
func (s *sim) reported(id protocol.ContainerID) bool {
	a := s.byID(id.App)
	if a == nil {
		return true
	}
	c := a.containerOf(id.N)
	return c == nil || c.ended || c.process == running
}
