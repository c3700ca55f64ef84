package engine

import (
	"replay/engine/yarn"
)

// cleanupMS is the period in which the FairScheduler removes dynamic queues that are empty.
//
// Source: AllocationFileLoaderService.ALLOC_RELOAD_INTERVAL_MS.
const cleanupMS = 10_000

// startFairTimers schedules what the FairScheduler does by itself besides updates.
func (s *sim) startFairTimers() {
	if _, can := s.rm.Scheduler().(yarn.Continuous); can && s.sc.Site.Continuous {
		s.push(s.continuousPause(), evContinuous, 0, 0)
	}
	if s.sc.AllocationFile { // without a file YARN runs no loader
		s.push(cleanupMS, evCleanup, 0, 0)
	}
	for i := range s.sc.Later {
		s.push(s.sc.Reloads[i].AtMS, evReload, int64(i), int64(i))
	}
}

func (s *sim) continuousPause() int64 { return max(int64(s.sc.Site.ContinuousSleep), 1) }

// continuousPass is one attempt of continuous scheduling over all nodes.
func (s *sim) continuousPass() {
	s.rm.Do(s.now, s.rm.Scheduler().(yarn.Continuous).ContinuousPass)
	s.push(s.now+s.continuousPause(), evContinuous, 0, 0)
}

func (s *sim) cleanup() {
	s.rm.Do(s.now, s.rm.Scheduler().(yarn.Reloader).Cleanup)
	s.push(s.now+cleanupMS, evCleanup, 0, 0)
}

// reload puts an allocation file in force. Where the real class throws in the middle, what YARN has then holds.
func (s *sim) reload(i int) {
	s.rm.Do(s.now, func() {
		if err := s.rm.Scheduler().(yarn.Reloader).Reload(s.sc.Later[i]); err != nil {
			s.warnings.add("reload", "reload of %s at %d ms: YARN's loader throws %v", s.sc.Reloads[i].Name, s.now, err)
		}
	})
	s.sc.Allocations = s.sc.Later[i]
}
