package inference

import (
	"fmt"

	"replay/counted"
)

// Unit is what is drawn by chance, so that its differences are the sample.
type Unit string

// The units. What is inferred holds for others of the kind.
const (
	Seed   Unit = "seed"   // of one trace: what is inferred is about this trace
	Trace  Unit = "trace"  // about workloads like these
	Window Unit = "window" // of one long trace, in time: about workloads like its windows
)

// Counted writes n units: "7 seeds".
func (u Unit) Counted(n int) string {
	return counted.Of(n, string(u)+"s")
}

// Estimate is what differences say, one for each unit in order: windows of one trace follow each other, other units are drawn apart.
func (u Unit) Estimate(ds []float64) Estimate {
	if u == Window {
		return Consecutive(ds)
	}
	return Independent(ds)
}

// Scope says what an inference from n units is about.
func (u Unit) Scope(n int) string {
	switch u {
	case Trace:
		return fmt.Sprintf("for workloads like these %d traces", n)
	case Window:
		return fmt.Sprintf("for workloads like the %d windows of this trace", n)
	}
	return fmt.Sprintf("for this trace (%s)", u.Counted(n))
}
