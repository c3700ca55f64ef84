package engine

import (
	"replay/engine/yarn"
)

// Reload is an allocation file that replaces the one in force at a time of the replay.
type Reload struct {
	AtMS int64
	Name string // of the file, for messages
	XML  []byte
}

// cleanupMS is the period in which the FairScheduler removes dynamic queues that are empty.
//
// Source: AllocationFileLoaderService.ALLOC_RELOAD_INTERVAL_MS.
const cleanupMS = 10_000

// startFairTimers schedules what the FairScheduler does by itself besides updates.
func (s *sim) startFairTimers() {
	if s.sc.Scheduler != "fair" {
		return
	}
	if s.sc.Site.Continuous {
		s.push(s.continuousPause(), order(classContinuous, 0), evContinuous, 0, 0)
	}
	if s.sc.FairXML != nil { // without a file YARN runs no loader
		s.push(cleanupMS, order(classMessage, 0), evCleanup, 0, 0)
	}
	for i := range s.sc.reloads {
		s.pushWork(s.sc.Reloads[i].AtMS, order(classMessage, int64(i)), evReload, 0, int64(i))
	}
}

func (s *sim) continuousPause() int64 { return max(int64(s.sc.Site.ContinuousSleep), 1) }

// continuousPass is one attempt of continuous scheduling over all nodes.
func (s *sim) continuousPass() {
	s.rm.Do(s.now, s.rm.Scheduler().(yarn.Continuous).ContinuousPass)
	s.push(s.now+s.continuousPause(), order(classContinuous, 0), evContinuous, 0, 0)
}

func (s *sim) cleanup() {
	s.rm.Do(s.now, s.rm.Scheduler().(yarn.Reloader).Cleanup)
	s.push(s.now+cleanupMS, order(classMessage, 0), evCleanup, 0, 0)
}

// reload puts an allocation file in force. Where the real class throws in the middle, what YARN has then holds.
func (s *sim) reload(i int) {
	s.rm.Do(s.now, func() {
		if err := s.rm.Scheduler().(yarn.Reloader).Reload(s.sc.reloads[i]); err != nil {
			s.warnings.add("reload", "reload of %s at %d ms: YARN's loader throws %v", s.sc.Reloads[i].Name, s.now, err)
		}
	})
	s.sc.Allocations = s.sc.reloads[i]
}

// readReloads parses the allocation files that come later.
func (sc *Scenario) readReloads() error {
	for i, r := range sc.Reloads {
		if sc.Scheduler != "fair" {
			return optionf("reload of %s: only the FairScheduler's allocation file can be replaced, scheduler is %q", r.Name, sc.Scheduler)
		}
		if i > 0 && r.AtMS < sc.Reloads[i-1].AtMS {
			return optionf("reload of %s is at %d ms, want it after the one before at %d ms", r.Name, r.AtMS, sc.Reloads[i-1].AtMS)
		}
		a, err := sc.parseAllocations(r.Name, r.XML)
		if err != nil {
			return err
		}
		if sc.sharingGiven {
			a.DefaultPolicy = sc.Sharing
		}
		sc.reloads = append(sc.reloads, a)
	}
	return nil
}
