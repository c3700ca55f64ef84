package engine

import (
	"fmt"
	"slices"

	"replay/engine/master"
)

// eventKind says what an event is. Its row in kinds says when it comes among those of the same millisecond.
type eventKind uint8

// The kinds of the engine, each in the order of its class; see kinds. From numKinds on they are those of the application's
// own kind, in the order of its table.
const (
	evSpan eventKind = iota
	evStarted
	evStartedThere
	evExit
	evNodeExpired
	evMasterExpired
	evExpiryCheck
	evPreemptionKill
	evCleanup
	evReload

	evUpdate
	evMonitor
	evNodeEvent
	evNodeComes
	evNodeNotice
	evNodeTaken
	evArrival
	evRegisterAM
	evGivenBack
	evNodeBeat
	evContinuous
	evAutoscale
	evSample
	numKinds
)

// class is the first part of the order of events of one millisecond. This list and the one of kinds are the only places
// where that order is defined; the dense and the fast loop obey it.
type class uint8

const (
	classMessage    class = iota + 1 // what was on its way, and what the ResourceManager's own timers do
	classUpdate                      // fair-share update, look of the monitor
	classNodeEvent                   // node events of the trace, and of the autoscaler
	classArrival                     // submissions
	classAM                          // application masters
	classNodeBeat                    // node heartbeats
	classContinuous                  // passes of continuous scheduling
	classInbox                       // messages to drivers
	classTimer                       // timers of drivers
	classAutoscale                   // evaluations of the autoscaler, which see all before them
	classSample                      // after everything else
)

// A kind is what the loop must know of an event. Events of one millisecond are ordered by class, then by application (0
// is the ResourceManager), then by their row here, then by number. Only events that agree in all of these, which
// are of one kind and one thing, come in the order in which they were scheduled.
type kind struct {
	name   string
	class  class
	number string // what the number is
	work   bool   // something will have happened; else a timer, which alone is no progress

	private, hints, many bool // see [master.Event]
}

var kinds = [numKinds]kind{
	evSpan:           {name: "a span in which everything is executed begins or ends", class: classMessage, number: "0 for its end, 1 for its beginning"},
	evStarted:        {name: "containers started", class: classMessage, number: "one of them", work: true},
	evStartedThere:   {name: "containers started, on their nodes", class: classMessage, number: "one of them", work: true},
	evExit:           {name: "process ended", class: classMessage, number: "container", work: true},
	evNodeExpired:    {name: "node missed by the liveness monitor", class: classMessage, number: "node", work: true},
	evMasterExpired:  {name: "application master missed by the liveness monitor", class: classMessage, number: "application"}, // no work: that of its node is there as long as it can have an effect
	evExpiryCheck:    {name: "monitor of acquired containers", class: classMessage},
	evPreemptionKill: {name: "containers chosen by preemption are due", class: classMessage, work: true},
	evCleanup:        {name: "clean-up of empty dynamic queues", class: classMessage},
	evReload:         {name: "allocation file comes into force", class: classMessage, number: "position in the scenario", work: true},

	evUpdate:     {name: "fair-share update", class: classUpdate},
	evMonitor:    {name: "look for containers to preempt", class: classUpdate},
	evNodeEvent:  {name: "node event", class: classNodeEvent, number: "position in the trace", work: true},
	evNodeComes:  {name: "node of the autoscaler registers", class: classNodeEvent, number: "node", work: true},
	evNodeNotice: {name: "notice that a spot node is taken away", class: classNodeEvent, number: "node"},
	evNodeTaken:  {name: "spot node is taken away", class: classNodeEvent, number: "node"},
	evArrival:    {name: "submission", class: classArrival, number: "job", work: true},
	evRegisterAM: {name: "application master registers", class: classAM, work: true},
	evGivenBack:  {name: "containers given back before", class: classAM, number: "container, 0 for several"},
	evNodeBeat:   {name: "node heartbeat", class: classNodeBeat, number: "rank by (phase, node)"},
	evContinuous: {name: "pass of continuous scheduling", class: classContinuous},
	evAutoscale:  {name: "evaluation of the autoscaler", class: classAutoscale},
	evSample:     {name: "sample", class: classSample},
}

// classOf are the classes of a master's events.
var classOf = [...]class{master.Message: classMessage, master.Heartbeat: classAM, master.Inbox: classInbox, master.Timer: classTimer}

// rowsOf returns the table of kinds of applications of a kind, behind those of the engine.
func rowsOf(k master.Kind) []kind {
	rows := slices.Clone(kinds[:])
	for _, e := range k.Events() {
		rows = append(rows, kind{e.Name, classOf[e.Class], e.Number, e.Work, e.Private, e.Hints, e.Many})
	}
	return rows
}

// app is the application of an event, 0 for none.
func (e *event) app() int64 { return int64(e.ord >> (kindBits + numberBits) & (1<<appBits - 1)) }

// The parts of an order, in bits.
const (
	appBits    = 26
	kindBits   = 6
	numberBits = master.NumberBits
)

// order packs class, application, kind and number.
func order(c class, app int64, k eventKind, number int64) uint64 {
	return uint64(c)<<(appBits+kindBits+numberBits) | uint64(app)<<(kindBits+numberBits) | uint64(k)<<numberBits | uint64(number)
}

// fits reports whether application and number have a place in the order.
func fits(app, number int64) bool { return app>>appBits|number>>numberBits == 0 }

func unfit(app, number int64) error {
	return fmt.Errorf("application %d, number %d: a replay has at most %d applications, and each at most %d task attempts or containers",
		app, number, 1<<appBits-1, 1<<numberBits-1)
}
