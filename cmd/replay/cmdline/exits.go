package cmdline

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/input"
)

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

// Arguments says how many arguments a command got, and which, as one that the shell took apart shows by that.
func Arguments(c *cli.Context) string {
	list := c.Args().Slice()
	if len(list) < 2 {
		return fmt.Sprintf("%d arguments", len(list))
	}
	return fmt.Sprintf("%d arguments (a name with blanks stands in quotes): %s", len(list), strings.Join(list, ", "))
}

// FailedCheck is the error of a command whose check failed and which has already said why.
func FailedCheck() error { return &CodedError{Code: ExitFailed} }

// Said is the text of an error for people. One of a file that is not there, that may not be read or that is none says so, and which flag of the words names it where
// the error does not.
func (w *Words) Said(err error) string {
	text := err.Error()
	var at *fs.PathError
	var irregular *input.NotRegular
	path := ""
	switch {
	case errors.As(err, &irregular):
		path = irregular.Path
	case errors.As(err, &at) && (errors.Is(at.Err, fs.ErrNotExist) || errors.Is(at.Err, fs.ErrPermission)):
		path = at.Path
		text = strings.Replace(text, at.Error(), path+": "+at.Err.Error(), 1)
	default:
		return text
	}
	for i := range w.Flags {
		if f := &w.Flags[i]; strings.HasPrefix(text, path) && f.Value != "" && (f.Value == path || strings.HasSuffix(f.Value, "="+path)) {
			return "--" + f.Name + ": " + text
		}
	}
	return text
}
