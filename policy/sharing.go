package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Contender is a queue or an application as it stands when it is compared with its siblings.
// Schedulers keep one in each and hand out pointers, so that nothing is copied to be compared.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.Schedulable.
type Contender struct {
	Usage    Resource // live
	Demand   Resource // as of the last update
	Min      Resource // minimum share
	Weight   float32
	Priority int32
	Start    int64  // ms; 0 for queues
	Rank     uint64 // order of the name among its siblings; no two are equal
	ID       int32  // for the owner
}

// A Claim is a queue's or an application's part in the division of a total.
type Claim struct {
	Min, Max Resource
	Share    Resource // result; types that a policy does not divide keep their value
	Weight   float32
	Idle     bool  // a queue without runnable applications: no part in instantaneous shares
	Start    int64 // ms
}

// A Sharing divides resources among siblings and says which of them is served first.
//
// Shares and SteadyShares set Share of each claim, in YARN's arithmetic; claims are in the order of
// the queue's list. Compare is negative when a is served before b, 0 only for a itself; it must read nothing
// but its arguments. Total reports whether Compare is a strict total order on cs; where it is not
// (shares that are not numbers), the order is that of a Java TreeSet filled in the order of cs.
// Headroom is what an application in a queue with this fair share, usage and available maximum may still get.
// A Sharing keeps scratch space: one goroutine at a time.
//
// Source: SchedulingPolicy.
type Sharing interface {
	Name() string // as YARN prints it
	Shares(total Resource, claims []Claim)
	SteadyShares(total Resource, claims []Claim)
	Compare(a, b *Contender, cluster *Resource) int
	Total(cs []*Contender, cluster *Resource) bool
	Headroom(fair, used, available Resource) Resource
	Calculator() Calculator // of starvation, reservation and preemption in the queue
	// Allows reports whether a child of a queue with this policy may have the policy child.
	Allows(child Sharing) bool
}

// Sharings maps the name used in configuration, in lower case, to the constructor; types is the number of
// resource types of the cluster.
var Sharings = map[string]func(types int) Sharing{
	"fair": newFair,
	"drf":  newDRF,
	"fifo": newFIFO,
}

// NewSharing returns the policy called name, in any letter case, for a cluster with so many resource types.
// The error names the known ones, so it can be shown as it is.
func NewSharing(name string, types int) (Sharing, error) {
	mk, ok := Sharings[strings.ToLower(name)]
	if !ok {
		return nil, fmt.Errorf("unknown scheduling policy %q (known: %s)", name, strings.Join(slices.Sorted(maps.Keys(Sharings)), ", "))
	}
	return mk(types), nil
}

// compareTies orders what a policy holds to be equal: by start, then by name.
func compareTies(a, b *Contender) int {
	if a.Start != b.Start {
		return compareInt64(a.Start, b.Start)
	}
	switch {
	case a.Rank < b.Rank:
		return -1
	case a.Rank > b.Rank:
		return 1
	}
	return 0
}

// memoryHeadroom is the headroom of policies that divide memory only.
func memoryHeadroom(fair, used, available Resource) Resource {
	return R(min(available[Memory], max(fair[Memory]-used[Memory], 0)), available.CPU())
}
