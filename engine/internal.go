package engine

import (
	"fmt"
	"runtime/debug"

	"replay/policy"
)

// InternalError is a fault of this program or of a policy that it was given: an invariant that does not hold, or a panic. The
// same trace, configuration and seed give it again.
type InternalError struct {
	AtMS      int64
	Event     string // what was being executed
	Number    int64  // of the event in the replay, from 1
	Text      string // what does not hold, with its values
	Stack     string // of a panic
	TraceHash string
	Scheduler string
	Engine    string
	Seed      uint64
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error at %d ms, event %d (%s): %s", e.AtMS, e.Number, e.Event, e.Text)
}

// internal describes a fault at this point of the replay.
func (s *sim) internal(text, stack string) *InternalError {
	event := "start"
	if s.doing != nil {
		event = s.doing.name
	}
	return &InternalError{AtMS: s.now, Event: event, Number: s.totals.Events, Text: text, Stack: stack,
		TraceHash: s.sc.Input.Hash, Scheduler: s.sc.Scheduler, Engine: s.sc.Engine, Seed: s.sc.Seed}
}

// broken stops the replay because an invariant does not hold.
func (s *sim) broken(format string, args ...any) {
	if s.err == nil {
		s.err = s.internal(fmt.Sprintf(format, args...), "")
		s.shorten(-1)
	}
}

// caught turns a panic into an error.
func (s *sim) caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case *policy.Mistake:
		*err = fmt.Errorf("at %d ms of the replay: %w", s.now, p)
	default:
		*err = s.internal(fmt.Sprint(p), string(debug.Stack()))
	}
}
