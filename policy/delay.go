package policy

import (
	"fmt"
	"math"
	"strings"
)

// Level is how far from the wanted place an application accepts containers at present.
type Level uint8

// Levels; NoLevel is that of asks that no node was offered to.
const (
	NoLevel Level = iota
	NodeLevel
	RackLevel
	AnyLevel
)

func (l Level) String() string {
	return [...]string{"none", "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH"}[l]
}

// Patience is what a scheduler keeps of the asks of one priority for delay scheduling.
//
// Source: SchedulerApplicationAttempt.schedulingOpportunities, FSAppAttempt.allowedLocalityLevel,
// lastScheduledContainer.
type Patience struct {
	Offers int32 // nodes offered since it was set back
	Level  Level
	Since  int64 // ms, when the level was reached
}

// relax accepts the next level from now on.
func (p *Patience) relax(now int64) { *p = Patience{Level: p.Level + 1, Since: now} }

// Got takes the level back to that of a container that was nearer than permitted.
//
// Source: FSAppAttempt.allocate.
func (p *Patience) Got(level Level) { p.Level = min(p.Level, level) }

// DelaySettings is what yarn-site.xml says about the FairScheduler's delay scheduling. A negative value turns the kind
// of delay off that looks at it.
type DelaySettings struct {
	Node, Rack     float64 // yarn.scheduler.fair.locality.threshold: parts of the nodes, at most 1 counts
	NodeMS, RackMS int64   // yarn.scheduler.fair.locality-delay-node-ms, -rack-ms
}

// A Delay is delay scheduling: it says when an application accepts containers farther from where it wants them.
//
// Level counts nothing itself: this offer is in p.Offers. It returns the level that is accepted now and keeps it in p. Nodes is
// the number of nodes in the cluster, now the time in ms.
//
// Source: FSAppAttempt.getAllowedLocalityLevel.
type Delay interface {
	Level(p *Patience, nodes int, now int64) Level
}

// Foreseen is a [Delay] that can tell what offers without a container do, so that they need not be made one by one.
type Foreseen interface {
	// Until returns which of the next offers, counted from 1, is the first at which another level may be accepted than
	// now; [Always] when none is. It may be too small, never too large.
	Until(p *Patience, nodes int) int64
	// Pass counts so many offers, fewer than Until says, and keeps their level.
	Pass(p *Patience, offers int64)
}

// Always is longer than any replay.
const Always = math.MaxInt64

// DelayEntry is one line of [Delays].
type DelayEntry struct {
	Name string
	New  func(DelaySettings) Delay
}

// Names of the [Delays] that YARN has. It waits by time when continuous scheduling is on and by offers otherwise.
const (
	DelayByOffers = "offers"
	DelayByTime   = "time"
)

// Delays are the kinds of delay scheduling of the FairScheduler.
var Delays = []DelayEntry{
	{DelayByOffers, newOfferDelay},
	{DelayByTime, newTimeDelay},
	{"none", func(DelaySettings) Delay { return noDelay{} }},
}

// NewDelay returns the delay scheduling called name.
// The error names the known ones, so it can be shown as it is.
func NewDelay(name string, s DelaySettings) (Delay, error) {
	var known []string
	for _, e := range Delays {
		if e.Name == name {
			return e.New(s), nil
		}
		known = append(known, e.Name)
	}
	return nil, fmt.Errorf("unknown delay scheduling %q (known: %s)", name, strings.Join(known, ", "))
}

// noDelay accepts every node from the start.
type noDelay struct{}

func (noDelay) Level(*Patience, int, int64) Level { return AnyLevel }

// Until is part of [Foreseen], and so is Pass: nobody reads what is counted.
func (noDelay) Until(*Patience, int) int64 { return Always }
func (noDelay) Pass(*Patience, int64)      {}
