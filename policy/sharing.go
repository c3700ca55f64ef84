package policy

import (
	"cmp"

	"replay/policy/resource"
)

// A Contender is a queue or an application as it stands when it is compared with its siblings.
// Schedulers keep one in each and hand out pointers, so that nothing is copied to be compared.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.Schedulable.
type Contender struct {
	Usage    resource.Resource // live
	Demand   resource.Resource // as of the last update
	Min      resource.Resource // minimum share
	Weight   float32
	Priority int32
	Start    int64  // ms; 0 for queues
	Rank     uint64 // order of the name among its siblings; no two are equal
	ID       int32  // for the owner
}

// A Claim is a queue's or an application's part in the division of a total.
type Claim struct {
	Min, Max resource.Resource
	Share    resource.Resource // result; types that a policy does not divide keep their value
	Weight   float32
	Idle     bool  // a queue without runnable applications: no part in instantaneous shares
	Start    int64 // ms
}

// A Sharing divides resources among siblings and says which of them is served first. That is all that a policy must
// say; [WithTotality], [WithEqual], [WithHeadroom], [WithCalculator] and [WithNesting] are what it may say, and without them holds
// what YARN's FairSharePolicy has.
//
// Shares sets Share of each claim, in YARN's arithmetic; claims are in the order of the queue's list. Compare is
// negative when a is served before b and 0 when the policy does not care: then the earlier start goes first, then the
// name. It must read nothing but its arguments. A Sharing may keep scratch space: one goroutine at a time.
//
// Source: SchedulingPolicy.
type Sharing interface {
	Shares(total resource.Resource, claims []Claim)
	Compare(a, b *Contender, cluster *resource.Resource) int
}

// WithTotality is a [Sharing] whose comparison may contradict itself. Those for which Total holds it orders, no matter where
// one starts. Where it does not hold of one of them (shares that are not numbers), their order is that of a Java TreeSet filled in
// the order of the queue's list.
type WithTotality interface {
	Total(c *Contender, cluster *resource.Resource) bool
}

// WithEqual is a [Sharing] for which neither the order of claims matters nor when they started. Equal sets Share of a claim as Shares
// does for each of count claims that are like this one.
type WithEqual interface {
	Equal(total resource.Resource, claim *Claim, count int64)
}

// WithHeadroom is a [Sharing] that says what an application may still get in a queue with this fair share, usage and
// available maximum. Without it the fair share bounds memory only.
//
// Source: SchedulingPolicy.getHeadroom.
type WithHeadroom interface {
	Headroom(fair, used, available resource.Resource) resource.Resource
}

// WithCalculator is a [Sharing] that measures starvation, reservations and preemption in the queue by another calculator
// than [resource.DefaultCalculator].
//
// Source: SchedulingPolicy.getResourceCalculator.
type WithCalculator interface {
	Calculator() resource.Calculator
}

// WithNesting is a [Sharing] that does not go with every other. Parents reports whether queues that may have children can
// have the policy, Allows whether a child of such a queue can have the policy child. Without it both are always true.
//
// Source: SchedulingPolicy.isChildPolicyAllowed, QueueManager.createNewQueues.
type WithNesting interface {
	Parents() bool
	Allows(child Sharing) bool
}

// SharingEntry is one line of [Sharings].
type SharingEntry struct {
	Name    string // in configuration, lower case
	Class   string // simple name of YARN's class, empty when YARN has none
	Printed string // name as YARN prints it, empty when it is Name
	New     func(types int) Sharing
}

// DefaultSharing is the policy of queues when nobody says another.
//
// Source: SchedulingPolicy.DEFAULT_POLICY.
const DefaultSharing = "fair"

// Sharings are the sharing policies. What stands here can be named by flag, by allocation file and by the queues of a
// trace. The argument of New is the number of resource types of the cluster.
var Sharings = []SharingEntry{
	{Name: "fair", Class: "FairSharePolicy", New: newFair},
	{Name: "drf", Class: "DominantResourceFairnessPolicy", Printed: "DRF", New: newDRF},
	{Name: "fifo", Class: "FifoPolicy", Printed: "FIFO", New: newFIFO},
}

// SharingNames returns the names in [Sharings], in the order of the table; with parents set only those that queues with
// children can have.
func SharingNames(parents bool) []string { return (*Tables)(nil).SharingNames(parents) }

// Sharer is a [Sharing] with everything that it may say, or what holds without that.
type Sharer struct {
	Sharing
	Name    string // in configuration
	Printed string // as YARN prints it

	totality WithTotality
	equal    WithEqual
	headroom WithHeadroom
	calc     resource.Calculator
	nesting  WithNesting
}

// NewSharing returns the policy of [Sharings] called name, see [Tables.NewSharing].
func NewSharing(name string, types int) (*Sharer, error) {
	return (*Tables)(nil).NewSharing(name, types)
}

func (e *SharingEntry) sharer(types int) *Sharer {
	s := &Sharer{Sharing: e.New(types), Name: e.Name, Printed: cmp.Or(e.Printed, e.Name), calc: resource.DefaultCalculator{}}
	s.totality, _ = s.Sharing.(WithTotality)
	s.equal, _ = s.Sharing.(WithEqual)
	s.headroom, _ = s.Sharing.(WithHeadroom)
	s.nesting, _ = s.Sharing.(WithNesting)
	if c, ok := s.Sharing.(WithCalculator); ok {
		s.calc = c.Calculator()
	}
	return s
}

// Compare is the policy's comparison with ties broken by start and name: 0 only for a itself.
func (s *Sharer) Compare(a, b *Contender, cluster *resource.Resource) int {
	if c := s.Sharing.Compare(a, b, cluster); c != 0 {
		return c
	}
	return compareTies(a, b)
}

// SteadyShares sets Share of each claim as if none were idle; claims lose that mark. A policy that no parent can have sets
// nothing.
//
// Source: SchedulingPolicy.computeSteadyShares.
func (s *Sharer) SteadyShares(total resource.Resource, claims []Claim) {
	if !s.Parents() {
		return
	}
	for i := range claims {
		claims[i].Idle = false
	}
	s.Shares(total, claims)
}

// Total is described at [WithTotality].
func (s *Sharer) Total(c *Contender, cluster *resource.Resource) bool {
	return s.totality == nil || s.totality.Total(c, cluster)
}

// DividesEqually reports whether the policy is a [WithEqual], where Equal is described.
func (s *Sharer) DividesEqually() bool { return s.equal != nil }

// Equal is for a policy that divides equally.
func (s *Sharer) Equal(total resource.Resource, claim *Claim, count int64) {
	s.equal.Equal(total, claim, count)
}

// Headroom is described at [WithHeadroom].
func (s *Sharer) Headroom(fair, used, available resource.Resource) resource.Resource {
	if s.headroom != nil {
		return s.headroom.Headroom(fair, used, available)
	}
	return MemoryHeadroom(fair, used, available)
}

// MemoryHeadroom is what an application may still get where its fair share bounds memory only.
//
// Source: FairSharePolicy.getHeadroom.
func MemoryHeadroom(fair, used, available resource.Resource) resource.Resource {
	return resource.R(min(available[resource.Memory], max(fair[resource.Memory]-used[resource.Memory], 0)), available.CPU())
}

// Measure compares a with b as the calculator of the policy does, see [WithCalculator]: the sign of a against b, shares of the cluster.
// It is all that YARN asks of that calculator.
func (s *Sharer) Measure(cluster, a, b resource.Resource, single bool) int {
	return s.calc.Compare(cluster, a, b, single)
}

// Parents is described at [WithNesting].
func (s *Sharer) Parents() bool { return s.nesting == nil || s.nesting.Parents() }

// Allows is described at [WithNesting].
func (s *Sharer) Allows(child *Sharer) bool {
	return s.nesting == nil || s.nesting.Parents() && s.nesting.Allows(own(child.Sharing))
}

// compareTies orders what a policy holds to be equal: by start, then by name.
func compareTies(a, b *Contender) int {
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	switch {
	case a.Rank < b.Rank:
		return -1
	case a.Rank > b.Rank:
		return 1
	}
	return 0
}
