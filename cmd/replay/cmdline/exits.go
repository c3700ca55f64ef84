package cmdline

import "fmt"

// Exit codes, as documented in the README.
const (
	ExitDone     = 0
	ExitFailed   = 1 // the check failed: a difference, an invalid trace, a regression, jobs that should have succeeded
	ExitUsage    = 2
	ExitBadInput = 3
	ExitInternal = 4   // a fault of the program
	ExitStopped  = 130 // interrupted, as shells say it
)

// CodedError is an error that says which exit code it asks for. An error without one is bad input.
type CodedError struct {
	Code int
	Err  error
}

func (e *CodedError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *CodedError) Unwrap() error { return e.Err }

// Usagef returns an error of wrong usage.
func Usagef(format string, args ...any) error {
	return &CodedError{ExitUsage, fmt.Errorf(format, args...)}
}

// FailedCheck is the error of a command whose check failed and which has already said why.
func FailedCheck() error { return &CodedError{Code: ExitFailed} }
