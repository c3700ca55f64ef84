package cmdline

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/report/metric"
)

// AllowFailures is the flag of those who mean it.
func AllowFailures() cli.Flag {
	return &cli.BoolFlag{Name: "allow-failures", Usage: "exit 0 even if jobs fail, are refused or do not finish that the trace does not record as failed or killed (without it: exit 1; jobs cut off by --until do not count)"}
}

// CheckOutcome returns the failed check of a command in which jobs did not succeed that should have. Variants have names.
func CheckOutcome(c *cli.Context, names []string, outcomes ...*metric.Outcome) error {
	if c.Bool("allow-failures") {
		return nil
	}
	var said []string
	for i, o := range outcomes {
		if o.Unexpected > 0 {
			text := fmt.Sprintf("%d of %d jobs", o.Unexpected, o.Jobs)
			if names != nil {
				text = "variant " + names[i] + ": " + text
			}
			said = append(said, text)
		}
	}
	if said == nil {
		return nil
	}
	return &CodedError{Code: ExitFailed, Err: fmt.Errorf("%s did not succeed that the trace does not record as failed; --allow-failures makes this exit 0", strings.Join(said, ", "))}
}
