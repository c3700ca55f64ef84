package engine

import "fmt"

// eventKind says what an event is. Its row in kinds says when it comes among those of the same millisecond.
type eventKind uint8

// The kinds, each in the order of its class; see kinds.
const (
	evStarted eventKind = iota
	evExit
	evDisconnect
	evAskTimeout
	evDecommission
	evRecordedLeave
	evRecordedRemove
	evDriverStop
	evNodeLost
	evExpiryCheck
	evPreemptKill
	evCleanup
	evReload

	evUpdate
	evNodeEvent
	evArrival
	evRegisterAM
	evAM
	evNodeBeat
	evContinuous

	evStatus
	evKilled
	evRecordedAdd
	evExecReady
	evRevive
	evResult
	evStage
	evResubmit

	evBegin
	evGate
	evTick
	evAbort
	evSpeculate
	evReviveTimer

	evSample
	numKinds
)

// class is the first part of the order of events of one millisecond. This list and the one of kinds are the only places
// where that order is defined; the dense and the fast loop obey it.
type class uint8

const (
	classMessage    class = iota + 1 // what was on its way, and what the ResourceManager's own timers do
	classUpdate                      // fair-share update
	classNodeEvent                   // node events of the trace
	classArrival                     // submissions
	classAM                          // application masters
	classNodeBeat                    // node heartbeats
	classContinuous                  // passes of continuous scheduling
	classDriver                      // messages to drivers
	classTimer                       // timers of drivers
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
}

var kinds = [numKinds]kind{
	evStarted:        {"container started", classMessage, "container", true},
	evExit:           {"process ended", classMessage, "container", true},
	evDisconnect:     {"connection of an executor dropped", classMessage, "executor", true},
	evAskTimeout:     {"application master did not say why an executor is gone", classMessage, "executor", true},
	evDecommission:   {"decommissioned executor looks whether it may end", classMessage, "executor", true},
	evRecordedLeave:  {"recorded decision to have an executor killed", classMessage, "recorded executor", true},
	evRecordedRemove: {"recorded end of an executor", classMessage, "recorded executor", true},
	evDriverStop:     {"end of the application's code", classMessage, "", true},
	evNodeLost:       {"node missed by the liveness monitor", classMessage, "node", true},
	evExpiryCheck:    {"monitor of acquired containers", classMessage, "", false},
	evPreemptKill:    {"containers chosen by preemption are due", classMessage, "", true},
	evCleanup:        {"clean-up of empty dynamic queues", classMessage, "", false},
	evReload:         {"allocation file comes into force", classMessage, "position in the scenario", true},

	evUpdate:     {"fair-share update", classUpdate, "", false},
	evNodeEvent:  {"node event", classNodeEvent, "position in the trace", true},
	evArrival:    {"submission", classArrival, "job", true},
	evRegisterAM: {"application master registers", classAM, "", true},
	evAM:         {"application master's heartbeat", classAM, "", false},
	evNodeBeat:   {"node heartbeat", classNodeBeat, "rank by (phase, node)", false},
	evContinuous: {"pass of continuous scheduling", classContinuous, "", false},

	evStatus:      {"end of a task attempt reported", classDriver, "task attempt", true},
	evKilled:      {"task attempt told to stop has", classDriver, "task attempt", true},
	evRecordedAdd: {"recorded start of an executor", classDriver, "recorded executor", true},
	evExecReady:   {"executor has registered and has free cores", classDriver, "container", true},
	evRevive:      {"offer of all executors", classDriver, "", true},
	evResult:      {"result of a task attempt handled", classDriver, "task attempt", true},
	evStage:       {"submission of a stage handled", classDriver, "order of posting", true},
	evResubmit:    {"failed stages submitted again", classDriver, "", true},

	evBegin:       {"recorded begin of the application's code", classTimer, "", true},
	evGate:        {"registered executors counted", classTimer, "", false},
	evTick:        {"tick of dynamic allocation", classTimer, "", false},
	evAbort:       {"task set that could not be scheduled anywhere", classTimer, "task set", true},
	evSpeculate:   {"look for tasks to speculate on", classTimer, "", false},
	evReviveTimer: {"periodic offer of all executors", classTimer, "", false},

	evSample: {"sample", classSample, "", false},
}

// The parts of an order, in bits.
const (
	appBits    = 26
	kindBits   = 6
	numberBits = 28
)

// order packs class, application, kind and number.
func order(k eventKind, app, number int64) uint64 {
	return uint64(kinds[k].class)<<(appBits+kindBits+numberBits) | uint64(app)<<(kindBits+numberBits) | uint64(k)<<numberBits | uint64(number)
}

// fits reports whether application and number have a place in the order.
func fits(app, number int64) error {
	if app>>appBits != 0 || number>>numberBits != 0 {
		return fmt.Errorf("application %d, number %d: a replay has at most %d applications, and each at most %d task attempts or containers",
			app, number, 1<<appBits-1, 1<<numberBits-1)
	}
	return nil
}
