package policy

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
}

// Preference is the host list of one container request, positions in ascending order;
// empty means anywhere.
type Preference []int32

// A Placement turns the locality of tasks into the locality of container requests.
//
// Requests returns exactly n preferences, none for n <= 0. It must not keep or change hints.
// Preferences may share memory, so the caller must not change them; they are valid until the next call.
type Placement interface {
	Requests(n int, hints *Hints) []Preference
}

// A TaskPlacement is a [Placement] that looks at single tasks. They are costly to keep, so nobody else gets them.
// TaskRequests is asked in place of Requests: tasks are the preferred hosts of each task in task order, empty for a
// task without one. Requests is what holds while there are none.
type TaskPlacement interface {
	Placement
	TaskRequests(n int, hints *Hints, tasks [][]int32) []Preference
}

// A SparsePlacement is a [Placement] that does not look at each host where it need not: hosts on which nothing runs, and that all pending requests name,
// differ in their tasks alone. SparseRequests is asked first. It returns how many of the n requests, the last ones, prefer all hosts but those of a list,
// ascending, which is valid until the next call; the others prefer none. ok is false where that is not how it is, or not known: then Requests is asked.
type SparsePlacement interface {
	Placement
	SparseRequests(n int, hints *SparseHints) (local int, without []int32, ok bool)
}

// SparseHints are [Hints] with the hosts that stand out, and what holds of all others.
type SparseHints struct {
	LocalTasks, PerExec int
	Hosts               int // how many there are, those in Busy included
	Pairs               int // the sum of their tasks
	Least, Most         int // tasks on a host
	Pending             int // requests that name a host; the others have as many as there are
	PendingNames        int // names in all these requests
	Busy                []BusyHost
}

// BusyHost is a host on which containers run, or that not all pending requests name.
type BusyHost struct {
	Host                     int32 // a number of the caller's; they come in ascending order
	Tasks, Existing, Pending int
}

// PlacementEntry is one line of [Placements].
type PlacementEntry struct {
	Name string // as on the command line
	New  func() Placement
}

// DefaultPlacement is the placement that Spark has.
const DefaultPlacement = "locality-ratio"

// Placements are the placements. Only locality-ratio and none are Spark's; the others are baselines to compare with,
// which look at the hints alone and not at what exists or is pending.
var Placements = []PlacementEntry{
	{"locality-ratio", func() Placement { return &localityRatio{} }},
	{"none", func() Placement { return none{} }},
	{"naive", func() Placement { return none{} }}, // another name of none
	{"union", func() Placement { return union{} }},
	{"top", func() Placement { return top{} }},
	{"per-task", func() Placement { return perTask{} }},
}

// PlacementNames returns the names in [Placements], in the order of the table.
func PlacementNames() []string { return (*Tables)(nil).PlacementNames() }

// NewPlacement returns the placement of [Placements] called name, see [Tables.NewPlacement].
func NewPlacement(name string) (Placement, error) { return (*Tables)(nil).NewPlacement(name) }

// Requests asks p, with the single tasks if it looks at them.
func Requests(p Placement, n int, hints *Hints, tasks [][]int32) []Preference {
	if t, ok := p.(TaskPlacement); ok {
		return t.TaskRequests(n, hints, tasks)
	}
	return p.Requests(n, hints)
}

// WantsTasks reports whether p looks at single tasks.
func WantsTasks(p Placement) bool {
	_, ok := p.(TaskPlacement)
	return ok
}
