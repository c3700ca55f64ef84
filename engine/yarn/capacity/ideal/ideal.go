// Package ideal finds what each queue of the CapacityScheduler should have, given what all have and want: it is what the monitor that preempts compares with what they have.
package ideal

import (
	"cmp"
	"math"

	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// A Share is a queue as one look of the monitor sees it: what it has and wants, and then what it should have and what is to be taken from it.
//
// Source: TempQueuePerPartition.
type Share struct {
	N        int // of the queue, which its owner knows it by
	Children []*Share
	Lively   []*Share // those of them that are not content: a queue that wants nothing and has no more than is guaranteed to it keeps what it has

	Capacity       float32 // part of the cluster
	Priority       int32   // among its siblings, 0 where they are not served by it
	NonPreemptable bool    // nothing may be taken from it

	Guaranteed resource.Resource
	Most       resource.Resource // that it may have

	Used       resource.Resource
	Pending    resource.Resource // of applications that run, within the limits of their users
	Unreserved resource.Resource // the same without what has been reserved for them
	Tempting   bool              // it is a leaf that has more than is tolerated

	Ideal  resource.Resource // what it should have
	Excess resource.Resource // what it has beyond that, as far as it goes in one round
	Obtain resource.Resource // what containers are to be chosen for

	untouchable resource.Resource          // beyond what is guaranteed, and may not be taken
	preemptable resource.Resource          // beyond what is guaranteed, and may be taken
	portion     [resource.MaxTypes]float64 // of what is offered in a turn, by type
}

// Begin forgets what another look has come to.
func (t *Share) Begin() {
	t.Ideal, t.Excess, t.Obtain = resource.Resource{}, resource.Resource{}, resource.Resource{}
	clear(t.portion[:])
}

// A Solver finds what the queues should have, which depends on who asks; its memory is used again.
//
// Source: PreemptableResourceCalculator, AbstractPreemptableResourceCalculator.
type Solver struct {
	calc       resource.Calculator
	types      int
	ofReserved bool
	balances   bool

	round   *Round // that it is computed for
	needy   jvm.PriorityQueue[*Share]
	turn    []*Share // scratch: those that are served in a turn
	whole   resource.Resource
	nonzero []*Share // scratch of each level, see distribute
	zero    []*Share
}

// New returns a solver for a number of resource types. OfReserved: what is reserved counts as wanted, and nothing ends by itself. Balances: queues may have more than is guaranteed at the cost of others that have more still.
func New(calc resource.Calculator, types int, ofReserved, balances bool) *Solver {
	d := &Solver{calc: calc, types: types, ofReserved: ofReserved, balances: balances}
	d.needy = *jvm.NewPriorityQueue(d.compare)
	return d
}

// A Round is what holds for all queues at one look.
type Round struct {
	Cluster            resource.Resource
	Allowed            resource.Resource // to be taken
	NaturalTermination float64           // part of the excess that is taken, as containers end by themselves
	Lacks              func(*Share)      // is told of each queue that lacks something, more than once
}

func (d *Solver) exceeds(cluster, a, b resource.Resource) bool {
	return d.calc.Compare(cluster, a, b, false) > 0
}

// Compute finds what each queue should have, and what is to be obtained from each of the leaves. All but the root has begun anew.
func (d *Solver) Compute(root *Share, leaves []*Share, r *Round) {
	d.round = r
	d.extras(root, r.Cluster)
	root.Ideal = root.Guaranteed
	d.descend(root)
	for _, t := range leaves {
		if t.Tempting {
			t.Obtain = d.obtain(t)
		}
	}
}

// obtain returns what is to be obtained from a leaf that has more than is tolerated: a part of the excess, since some of its containers end by themselves.
//
// Source: PreemptableResourceCalculator.calculateResToObtainByPartitionForLeafQueues.
func (d *Solver) obtain(t *Share) resource.Resource {
	if d.ofReserved || !d.exceeds(d.round.Cluster, t.Excess, resource.Resource{}) {
		return t.Excess
	}
	return d.calc.MulNormalizeUp(t.Excess, d.round.NaturalTermination, resource.R(1, 1))
}

// extras sets what a queue has beyond its own.
//
// Source: TempQueuePerPartition.updatePreemptableExtras.
func (d *Solver) extras(t *Share, cluster resource.Resource) {
	var below resource.Resource
	for _, c := range t.Lively {
		d.extras(c, cluster)
		below = below.Add(c.preemptable)
	}
	extra := t.Used.Sub(t.Guaranteed)
	if d.exceeds(cluster, resource.Resource{}, extra) {
		extra = resource.Resource{}
	}
	t.untouchable, t.preemptable = resource.Resource{}, resource.Resource{}
	switch {
	case len(t.Children) > 0:
		if d.exceeds(cluster, extra, below) {
			t.untouchable = extra.Sub(below)
		}
		t.preemptable = resource.Smaller(d.calc, cluster, below, extra)
	case t.NonPreemptable:
		t.untouchable = extra
	default:
		t.preemptable = extra
	}
}

// descend distributes what a queue should have among its children, and so on.
//
// Source: PreemptableResourceCalculator.recursivelyComputeIdealAssignment.
func (d *Solver) descend(t *Share) {
	if len(t.Lively) == 0 {
		return
	}
	d.distribute(t)
	for _, c := range t.Lively {
		d.descend(c)
	}
}

// distribute distributes what a queue should have among its children, and finds what each has beyond its part. Those that are content keep what they have. Queues of which nothing is guaranteed have what the others leave,
// of which YARN knows as it was after the first turn of these.
//
// Source: PreemptableResourceCalculator.computeIdealResourceDistribution.
func (d *Solver) distribute(of *Share) {
	amount, kept := of.Ideal, of.Used
	d.nonzero, d.zero = d.nonzero[:0], d.zero[:0]
	for _, t := range of.Lively {
		kept = kept.Sub(t.Used)
		if d.exceeds(amount, t.Guaranteed, resource.Resource{}) {
			d.nonzero = append(d.nonzero, t)
		} else {
			d.zero = append(d.zero, t)
		}
	}
	left := d.fill(amount, d.nonzero, amount.Sub(kept), false)
	if len(d.zero) > 0 && d.exceeds(amount, left, resource.Resource{}) {
		d.fill(amount, d.zero, left, true)
	}
	var needed resource.Resource
	for _, t := range of.Lively {
		if d.exceeds(amount, t.Used, t.Ideal) {
			needed = needed.Add(t.Used.Sub(t.Ideal))
		}
	}
	scale := float32(1)
	if d.exceeds(amount, needed, d.round.Allowed) {
		scale = d.calc.Divide(amount, d.round.Allowed, needed)
	}
	for _, t := range of.Lively {
		d.assign(t, scale, amount)
	}
}

// fill gives queues of an amount what they have of their own, then turn by turn what is left to those that lack most. It returns what YARN takes to be left.
//
// Source: AbstractPreemptableResourceCalculator.computeFixpointAllocation.
func (d *Solver) fill(amount resource.Resource, queues []*Share, left resource.Resource, evenly bool) (seen resource.Resource) {
	d.whole = amount
	for _, t := range queues {
		if t.Ideal = t.Used; d.exceeds(amount, t.Used, t.Guaranteed) {
			t.Ideal = t.Guaranteed.Min(t.Used).Add(t.untouchable)
		}
		left = left.Sub(t.Ideal)
		if d.exceeds(amount, t.Used.Add(t.Pending), t.Ideal) {
			d.needy.Add(t)
		}
	}
	seen = left
	first := true
	for d.exceeds(amount, left, resource.Resource{}) {
		if !d.neediest(evenly) {
			break
		}
		round := left.Clone()
		for _, t := range d.turn {
			if !d.calc.AnyAboveZero(left) {
				break
			}
			avail := d.offered(round, t).Min(left)
			accepted := d.offer(t, avail, amount)
			if d.exceeds(amount, accepted, resource.Resource{}) {
				d.needy.Add(t)
			}
			if left = left.Sub(accepted); first {
				seen, first = left, false
			}
			left = left.Max(resource.Resource{})
		}
	}
	for { // the others keep what they have
		t, ok := d.needy.Poll()
		if !ok {
			return seen
		}
		d.round.Lacks(t)
	}
}

// neediest takes those that lack most out of the queue, with what part of the offer each gets. It reports whether there are any.
//
// Source: AbstractPreemptableResourceCalculator.getMostUnderservedQueues.
func (d *Solver) neediest(evenly bool) bool {
	d.turn = d.turn[:0]
	d.parts(evenly)
	for {
		t, ok := d.needy.Poll()
		if !ok {
			return len(d.turn) > 0
		}
		d.turn = append(d.turn, t)
		d.round.Lacks(t)
		if next, more := d.needy.Peek(); more && d.compare(t, next) < 0 {
			d.round.Lacks(next)
			return true
		}
	}
}

// compare orders queues by what part of their guarantee they have been given.
//
// Source: AbstractPreemptableResourceCalculator.TQComparator, PriorityUtilizationQueueOrderingPolicy.compare.
func (d *Solver) compare(a, b *Share) int {
	pa, pb := d.satisfied(a), d.satisfied(b)
	if a.Priority != b.Priority && (pa < 1 && pb < 1 || pa >= 1 && pb >= 1) {
		return cmp.Compare(b.Priority, a.Priority)
	}
	switch na, nb := math.IsNaN(pa), math.IsNaN(pb); { // which Java has behind all others
	case na && nb:
		return 0
	case na:
		return 1
	case nb:
		return -1
	}
	return cmp.Compare(pa, pb)
}

func (d *Solver) satisfied(t *Share) float64 {
	if !d.exceeds(d.whole, t.Guaranteed, resource.Resource{}) {
		return math.MaxInt32
	}
	return float64(d.calc.Divide(d.whole, t.Ideal, t.Guaranteed))
}

// parts sets the part of an offer that each of the needy gets: by what is guaranteed; by capacity, where rounding leaves nothing of that; and else the same for all.
//
// Source: AbstractPreemptableResourceCalculator.resetCapacity.
func (d *Solver) parts(evenly bool) {
	var sum resource.Resource
	capacities, n := float32(0), 0
	for t := range d.needy.Each {
		sum = sum.Add(t.Guaranteed)
		capacities += t.Capacity
		n++
	}
	same := float64(1 / float32(n))
	for i := range d.types {
		byCapacity, alike := false, evenly || capacities == 0
		if !evenly {
			for t := range d.needy.Each {
				if t.Guaranteed[i] == 0 && t.Capacity != 0 && sum[i] != 0 {
					byCapacity = true
					break
				}
				alike = alike || sum[i] == 0
			}
		}
		for t := range d.needy.Each {
			switch {
			case byCapacity:
				t.portion[i] = float64(t.Capacity / capacities)
			case alike:
				t.portion[i] = same
			default:
				t.portion[i] = float64(float32(t.Guaranteed[i]) / float32(sum[i]))
			}
		}
	}
}

// offered is a queue's part of what is offered in a turn.
//
// Source: ResourceCalculator.multiplyAndNormalizeUp with a factor for each type.
func (d *Solver) offered(r resource.Resource, t *Share) resource.Resource {
	if _, memory := d.calc.(resource.DefaultCalculator); memory {
		return d.calc.MulNormalizeUp(r, t.portion[resource.Memory], resource.R(1, 1))
	}
	for i := range d.types {
		r[i] = resource.F2L(math.Ceil(float64(r[i]) * t.portion[i]))
	}
	return r
}

// offer gives a queue what it can take of an amount, which it returns.
//
// Source: TempQueuePerPartition.offer, filterByMaxDeductAssigned.
func (d *Solver) offer(t *Share, avail, cluster resource.Resource) resource.Resource {
	wanted := t.Unreserved
	if d.ofReserved {
		wanted = t.Pending
	}
	accepted := t.Most.Sub(t.Ideal).Max(resource.Resource{}).Min(resource.Smaller(d.calc, cluster, avail, t.Used.Add(wanted).Sub(t.Ideal)))
	if !d.balances && len(t.Children) == 0 {
		own := resource.Larger(d.calc, cluster, t.Used, t.Guaranteed).Sub(t.Ideal)
		accepted = resource.Smaller(d.calc, cluster, accepted, resource.Larger(d.calc, cluster, own, resource.Resource{}))
	}
	accepted = accepted.Max(resource.Resource{}).Min(avail)
	t.Ideal = t.Ideal.Add(accepted)
	return accepted
}

// assign sets what a queue has beyond what it should have, scaled so that no more is taken in a round than may be.
//
// Source: TempQueuePerPartition.assignPreemption.
func (d *Solver) assign(t *Share, scale float32, cluster resource.Resource) {
	keeps := resource.Larger(d.calc, cluster, resource.Smaller(d.calc, cluster, t.Used.Add(t.Pending), t.Guaranteed), t.Ideal)
	t.Excess = resource.Resource{}
	if d.exceeds(cluster, t.Used, keeps) {
		t.Excess = t.Used.Sub(keeps).Mul(float64(scale))
	}
}
