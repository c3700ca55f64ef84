package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Hints says where the tasks of one resource profile want to run and what is there already.
//
// Hosts are positions 0 to len(Tasks)-1, in an order that the caller keeps (host names in the
// engine); Existing and Pending have the length of Tasks. What a position stands for, and its
// rack, is the caller's business.
type Hints struct {
	LocalTasks int   // tasks with at least one preferred host
	PerExec    int   // tasks that one executor runs at a time, at least 1
	Tasks      []int // (task, location) pairs that name the host; a task counts once for each of its locations
	Existing   []int // running containers on the host

	// Pending requests that name at least one host of the hints. A host of theirs outside the
	// hints has no position, so PendingNames may exceed the sum of Pending.
	Pending         []int // requests that name the host
	PendingRequests int
	PendingNames    int // names in all these requests

	// TaskHosts are the preferred hosts of each task in task order, empty for a task without one.
	// Only "per-task" reads it; see [WantsTasks].
	TaskHosts [][]int32
}

// Preference is the host list of one container request, positions in ascending order;
// empty means anywhere.
type Preference []int32

// A Placement turns the locality of tasks into the locality of container requests.
//
// Requests returns exactly n preferences, none for n <= 0. It must not keep or change hints.
// Preferences may share memory, so the caller must not change them.
type Placement interface {
	Requests(n int, hints *Hints) []Preference
}

// Placements maps the name used on the command line to its constructor. Only locality-ratio and
// none are Spark's; the others are baselines to compare with, which look at the hints alone and
// not at what exists or is pending.
var Placements = map[string]func() Placement{
	"locality-ratio": func() Placement { return localityRatio{} },
	"naive":          func() Placement { return none{} }, // another name of none
	"none":           func() Placement { return none{} },
	"per-task":       func() Placement { return perTask{} },
	"top":            func() Placement { return top{} },
	"union":          func() Placement { return union{} },
}

// NewPlacement returns the placement called name.
// The error names the known ones, so it can be shown as it is.
func NewPlacement(name string) (Placement, error) {
	mk, ok := Placements[name]
	if !ok {
		known := slices.Sorted(maps.Keys(Placements))
		return nil, fmt.Errorf("unknown placement %q (known: %s)", name, strings.Join(known, ", "))
	}
	return mk(), nil
}

// WantsTasks reports whether p reads Hints.TaskHosts, which is costly to keep.
func WantsTasks(p Placement) bool {
	_, ok := p.(perTask)
	return ok
}
