// Package autoscale decides how many nodes a cluster has. Like package policy it holds no clock, no files and no randomness: an
// [Autoscaler] is shown the cluster at times of the replay and says what is to change.
//
// A policy is one file and one line in [Autoscalers]. All memory is in MiB, all CPU in vcores, all times in milliseconds of simulated time.
package autoscale

import (
	"fmt"
	"slices"
	"strings"

	"replay/policy/resource"
)

// A Group is a kind of nodes that are counted by themselves.
type Group int

// The groups. Nodes of the trace are primary ones; secondary ones have no blocks, and may be spot instances.
const (
	Primary Group = iota
	Secondary
	Groups
)

func (g Group) String() string { return [...]string{"primary", "secondary"}[g] }

// Counts has a number of nodes for each group.
type Counts [Groups]int

// All is their sum.
func (c Counts) All() int { return c[Primary] + c[Secondary] }

// Shown is what YARN and the cloud show of a cluster.
type Shown struct {
	Now       int64
	Pending   resource.Resource // asked for and not allocated
	Allocated resource.Resource // held by containers
	Reserved  resource.Resource // memory alone
	Available resource.Resource // of nodes in service, neither allocated nor reserved
	Worker    resource.Resource // what one more node has
	Active    Counts            // nodes in service
	Leaving   Counts            // being decommissioned by the autoscaler
	Coming    Counts            // asked for and not in the cluster yet
}

// A Change is what an autoscaler wants. The zero value is none.
type Change struct {
	Nodes      Counts // to be added, or, negative, decommissioned gracefully
	PatienceMS int64  // after which a decommission ends what still runs
	Cancel     bool   // nodes that are leaving go back in service
}

// An Autoscaler is shown the cluster at equal intervals, see [Fleet.IntervalMS].
type Autoscaler interface {
	Evaluate(*Shown) Change
}

// Size is that of a node, the zero value that of most nodes of the trace.
type Size struct{ MemMiB, VCores int64 }

// Fleet is what holds of the nodes that an autoscaler may have.
type Fleet struct {
	Min, Max     Counts
	Size         [Groups]Size
	IntervalMS   int64 // between evaluations
	ProvisionMS  int64 // from the wish for a node to its registration, at least
	ProvisionMax int64 // and at most
	SpotLifeMS   int64 // mean life of secondary nodes before they are taken away, 0 = never
	NoticeMS     int64 // before that, in which such a node is decommissioned
}

// A Plan is a policy with its fleet.
type Plan struct {
	Name   string
	Policy Autoscaler
	Fleet
	Resolved map[string]string // every key with its value
}

// Entry is one line of [Autoscalers].
type Entry struct {
	Name string
	New  func(*Reader, *Fleet) Autoscaler // nil for a cluster that nobody scales
}

// Autoscalers are the policies.
var Autoscalers = []Entry{
	{"none", newNone},
	{"dataproc", newDataproc},
	{"emr-managed", newEMR},
	{"schedule", newSchedule},
}

// Names are those of [Autoscalers], and of more.
func Names(more ...Entry) string {
	var names []string
	for _, e := range slices.Concat(Autoscalers, more) {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// New returns the policy of [Autoscalers] or of more called name, with its settings; a nil plan scales nothing, whatever the settings: they are those of the policies that it is compared
// with. Errors say the place of a setting, its key, its value and what was wanted.
func New(name string, s Settings, more ...Entry) (*Plan, error) {
	for _, e := range slices.Concat(Autoscalers, more) {
		if e.Name != name {
			continue
		}
		r := &Reader{settings: s, policy: name, resolved: map[string]string{}}
		p := &Plan{Name: name, Resolved: r.resolved}
		if p.Policy = e.New(r, &p.Fleet); p.Policy == nil {
			return nil, nil
		}
		r.fleet(&p.Fleet)
		return p, r.err()
	}
	if strings.ContainsAny(name, "./") {
		return nil, fmt.Errorf("unknown autoscaling %q (known: %s); a file of settings goes to --autoscale-conf, beside --autoscale with the name of the policy", name, Names(more...))
	}
	return nil, fmt.Errorf("unknown autoscaling %q (known: %s)", name, Names(more...))
}

// fleet reads what a replay has to know beside the policy.
func (r *Reader) fleet(f *Fleet) {
	f.IntervalMS = r.Time("interval", "10s", 1000, day)
	f.ProvisionMS, f.ProvisionMax = r.Times("provisioningTime", "90s", 0, day)
	f.Size[Primary] = r.Size("workerType", Size{})
	f.Size[Secondary] = r.Size("secondaryWorkerType", f.Size[Primary])
	f.SpotLifeMS = r.Time("spot.meanLifetime", "0s", 0, 3660*day)
	f.NoticeMS = r.Time("spot.notice", "30s", 0, day)
}

// ceil is a/b rounded up, of numbers that are not negative.
func ceil(a, b int64) int64 { return (a + b - 1) / b }

// Concrete are values of the types of all policies of this package: what stands behind interfaces in the state of a replay.
func Concrete() []any { return []any{(*dataproc)(nil), (*emr)(nil), (*schedule)(nil)} }
