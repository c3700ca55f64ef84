package fair

import (
	"slices"

	"replay/engine/lineup"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// queue is a queue of the FairScheduler; Contender holds its usage, demand, weight and minimum share.
//
// Source: FSQueue, FSParentQueue, FSLeafQueue.
type queue struct {
	policy.Contender

	// What each sample of all queues reads lies together, most of which each division of shares does, too.
	parent   *queue
	leaf     bool
	idle     bool // nothing runs, as far as its parent's shares go
	relisted bool // stands in [outdated.leaves]
	reshare  bool // stands in [outdated.shares]
	moved    bool // all applications of a leaf, or all children of a queue
	shifts   bool // stands in its parent's list of those
	partial  bool // the order is that of ordered and orderedQueues
	dynamic  bool // made by a submission, or no longer in the allocation file
	name     string
	fair     resource.Resource
	steady   resource.Resource
	maxShare resource.Resource // on the present cluster, not below the minimum share
	bounded  bool              // by that
	amUsed   resource.Resource
	runnable []*app
	running  int32  // runnable applications of a parent
	waiting  []*app // not runnable
	children []*queue
	sharing  *policy.Sharer
	depth    int // of the root is 0

	// And what each change of an application does.
	found     found
	even      evenShare // of a leaf
	wanting   []*app    // see below
	movedApps []*app
	wanted    resource.Resource // sum of the demands of what is in it, not limited by the maximum share

	verdicts verdicts // whether maxShare permits what surveys have seen

	claims childClaims // of a parent
	at     int         // place among its parent's children, as of their claims

	max          conf.ConfigurableResource
	maxChild     conf.ConfigurableResource
	hasMaxChild  bool
	maxRunning   int32
	maxAMShare   float32
	maxContainer resource.Resource
	limits       bool // maxContainer is a limit
	preemptable  bool
	minTimeout   int64
	fairTimeout  int64
	threshold    float32

	assigned  int   // admitted without an attempt
	lastAtMin int64 // ms

	// What is wanting, and the order in which it is served, see [Scheduler.keptApps].
	wantingQueues []*queue
	wantingAt     int      // place in its parent's list of those plus 1, 0 when it is not there
	shifted       []*queue // children that have moved
	started       lineup.Of[*app]
	masters       []*masters
	lineup        lineup.Of[*queue]
	place         lineup.Place[*queue]

	passed int64 // offers that nobody in the leaf has accepted, besides [together.passed]

	// Of the last visit of the literal way, and where the order is partial.
	changed       bool // the list of children or of runnable applications
	ordered       []*app
	orderedQueues []*queue
	candidates    []*app
}

// numRunnable is FSQueue.getNumRunnableApps.
func (q *queue) numRunnable() int32 {
	if q.leaf {
		return int32(len(q.runnable))
	}
	return q.running
}

// empty is FSQueue.isEmpty.
func (q *queue) empty() bool {
	for _, c := range q.children {
		if !c.empty() {
			return false
		}
	}
	return len(q.runnable) == 0 && len(q.waiting) == 0 && q.assigned == 0
}

// charge adds to the usage of a leaf and of all queues above it. Where one of these has a maximum, that may concern all leaves below it.
//
// Source: FSQueue.incUsedResource, decUsedResource.
func (f *Scheduler) charge(q *queue, r *resource.Resource) {
	for ; q != nil; q = q.parent {
		q.Usage.AddTo(r)
		q.shift()
		if q.bounded && q.verdicts.changed(q) {
			q.eachWanting(f.doubt)
		}
	}
}

// verdicts are the sizes of which surveys have asked whether the maximum of a queue permits as much more, and the answers, which follow its usage and its maximum.
type verdicts struct {
	sizes   []resource.Resource
	permits uint64 // a bit for each
	vague   bool   // not all are kept; it stands in elision.overfull
}

// mostVerdicts is how many sizes there are room for.
const mostVerdicts = 64

// changed brings the answers up to date and reports whether one is another now, or may be.
func (v *verdicts) changed(q *queue) bool {
	was := v.permits
	v.permits = 0
	for i := range v.sizes {
		if v.sizes[i].FitsBeside(&q.Usage, &q.maxShare) {
			v.permits |= 1 << i
		}
	}
	return v.permits != was || v.vague
}

// judged is what a survey of a leaf has asked of the verdicts of a queue.
type judged struct {
	queue          *queue
	asked, permits uint64
	vague          bool // and something of which the answer is not kept
}

// permits is [queue.fits] for a survey of a leaf.
func (f *Scheduler) permits(leaf *queue, size *resource.Resource) bool {
	x, k := &leaf.found, 0
	for q := leaf; q != nil; q = q.parent {
		if !q.bounded {
			continue
		}
		if k == len(x.judged) {
			x.judged = append(x.judged, judged{queue: q})
		}
		j := &x.judged[k]
		k++
		permits := size.FitsBeside(&q.Usage, &q.maxShare)
		v := &q.verdicts
		i := slices.Index(v.sizes, *size)
		switch {
		case i >= 0:
		case len(v.sizes) < mostVerdicts:
			i = len(v.sizes)
			v.sizes = append(v.sizes, *size)
			if permits {
				v.permits |= 1 << i
			}
		default:
			if j.vague = true; !v.vague {
				v.vague = true
				f.elision.overfull = append(f.elision.overfull, q)
			}
		}
		if i >= 0 {
			j.asked |= 1 << i
		}
		if j.permits = v.permits; !permits {
			return false
		}
	}
	return true
}

// doubt notes that a survey of a leaf would be given other answers by the maximum of a queue, as long as they stay so.
func (f *Scheduler) doubt(leaf *queue) {
	e, x := &f.elision, &leaf.found
	if !x.doubted {
		x.doubted = true
		e.doubted = append(e.doubted, leaf)
	}
}

// misjudged reports whether a survey of the leaf would be given other answers than it was.
func (x *found) misjudged() bool {
	return slices.ContainsFunc(x.judged, func(j judged) bool { return j.vague || (j.queue.verdicts.permits^j.permits)&j.asked != 0 })
}

// settleDoubts forgets the doubts that no longer hold.
func (e *elision) settleDoubts() {
	e.costs.doubted = 0
	e.doubted = slices.DeleteFunc(e.doubted, func(q *queue) bool {
		x := &q.found
		if x.doubted = !x.stale && x.misjudged(); x.doubted {
			e.costs.doubted += x.cost
		}
		return !x.doubted
	})
}

// fits reports whether r more would stay within the maximum of the queue and of all above it.
//
// Source: FSQueue.fitsInMaxShare.
func (q *queue) fits(r *resource.Resource) bool {
	for ; q != nil; q = q.parent {
		if q.bounded && !r.FitsBeside(&q.Usage, &q.maxShare) {
			return false
		}
	}
	return true
}

// largest is the maximum container allocation of the queue, its parent's where it has none; nil for none at all.
//
// Source: FSQueue.getMaximumContainerAllocation.
func (q *queue) largest() *resource.Resource {
	for ; q != nil; q = q.parent {
		if q.limits {
			return &q.maxContainer
		}
	}
	return nil
}

// setMaxShare resolves the maximum share of a queue on the present cluster.
//
// Source: FSQueue.getMaxShare.
func (f *Scheduler) setMaxShare(q *queue) {
	q.maxShare = q.max.Resolve(f.cluster.Capacity).Max(q.Min)
	q.bounded = q.maxShare != f.unbounded
	q.verdicts.changed(q)
}

// add appends a child and gives the children the order of their names.
func (q *queue) add(child *queue) {
	q.attach(child)
	child.Rank = 0
	for _, c := range q.children {
		switch d := jvm.CompareStrings(c.name, child.name); {
		case d < 0:
			child.Rank = max(child.Rank, c.Rank+1)
		case d > 0:
			c.Rank++
		}
	}
}

// attach is add for many children, which rank gives their order.
func (q *queue) attach(child *queue) {
	q.children = append(q.children, child)
	q.changed, q.moved = true, true
}

// rank gives the children the order of their names.
func (q *queue) rank() {
	sorted := slices.SortedFunc(slices.Values(q.children), func(a, b *queue) int { return jvm.CompareStrings(a.name, b.name) })
	for i, c := range sorted {
		c.Rank = uint64(i)
	}
}

// each calls do for q and all below it, parents first, children in list order.
func (q *queue) each(do func(*queue)) {
	do(q)
	for _, c := range q.children {
		c.each(do)
	}
}
