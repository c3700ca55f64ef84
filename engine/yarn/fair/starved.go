package fair

import (
	"math"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// starvedApps is the heap of applications that containers are to be preempted for, without duplicates. Its comparator
// contradicts itself for equal starvations, so the heap is Java's.
//
// Source: FSStarvedApps.
type starvedApps struct {
	heap       jvm.PriorityQueue[*app]
	processing *app
}

func newStarvedApps() starvedApps {
	return starvedApps{heap: *jvm.NewPriorityQueue(func(a, b *app) int {
		if a.starvation().FitsIn(b.starvation()) {
			return -1
		}
		return 1
	})}
}

func (s *starvedApps) add(a *app) {
	if a != s.processing && !s.waits(a) {
		s.heap.Add(a)
	}
}

func (s *starvedApps) waits(a *app) bool {
	for o := range s.heap.Each {
		if o == a {
			return true
		}
	}
	return false
}

func (s *starvedApps) take() *app {
	s.processing, _ = s.heap.Poll()
	return s.processing
}

// starvation is FSAppAttempt.getStarvation.
func (a *app) starvation() resource.Resource { return a.fairStarvation.Add(a.minStarvation) }

// shouldPreempt reports whether the cluster is used enough for starvation to be looked at.
//
// Source: FairScheduler.shouldAttemptPreemption.
func (f *Scheduler) shouldPreempt() bool {
	if !f.site.Preemption {
		return false
	}
	used := func(now, total int64) float32 { return float32(float32(now) / float32(total)) }
	return f.site.PreemptionThreshold < max(
		used(f.allocated[resource.Memory], f.cluster.Capacity[resource.Memory]),
		used(f.allocated.CPU(), f.cluster.Capacity.CPU()))
}

// findStarved adds the starved applications of a leaf to the heap: those below their fair share, from the most deserving to
// the first that is not; then those that the queue's minimum share is owed to.
//
// Source: FSLeafQueue.updateStarvedApps.
func (f *Scheduler) findStarved(q *queue) {
	var waiting []*app
	c := f.candidatesOf(q, true)
	for a := c.next(f); a != nil; a = c.next(f) {
		if f.now >= a.nextCheck {
			waiting = append(waiting, a)
		}
	}
	var below resource.Resource
	for _, a := range waiting {
		s := f.fairStarvation(a)
		if s.IsNone() {
			break
		}
		f.starving.add(a)
		below = below.Add(s)
	}
	pending := f.minStarvation(q).SubNonNegative(below)
	for _, a := range waiting {
		if pending.IsNone() {
			a.minStarvation = resource.Resource{}
			continue
		}
		need := a.Demand.Sub(a.Usage).SubNonNegative(a.fairStarvation)
		if q.sharing.Measure(f.cluster.Capacity, need, pending, false) > 0 {
			// The rest is recorded, not what was pending: so does YARN.
			need = need.SubNonNegative(pending)
			pending = resource.Resource{}
		} else {
			pending = pending.SubNonNegative(need)
		}
		a.minStarvation = need
		f.starving.add(a)
	}
}

// fairStarvation sets and returns what the application lacks of the part of its fair share that it has waited for long enough.
//
// Source: FSAppAttempt.fairShareStarvation.
func (f *Scheduler) fairStarvation(a *app) resource.Resource {
	q := a.queue
	want := f.share(a).Mul(float64(q.threshold)).Min(a.Demand)
	starved := a.belowShare(a.Usage, want)
	if !starved {
		a.lastAtFair = f.now
	}
	a.fairStarvation = resource.Resource{}
	if starved && f.now-a.lastAtFair >= q.fairTimeout {
		a.fairStarvation = want.SubNonNegative(a.Usage)
	}
	return a.fairStarvation
}

// minStarvation returns what the queue lacks of its minimum share.
//
// Source: FSLeafQueue.minShareStarvation.
func (f *Scheduler) minStarvation(q *queue) resource.Resource {
	s := q.Min.Min(q.Demand).SubNonNegative(q.Usage)
	if s.IsNone() {
		q.lastAtMin = f.now
	}
	if f.now-q.lastAtMin < q.minTimeout {
		return resource.Resource{}
	}
	return s
}

// starvedAsk is one ask that containers are preempted for.
type starvedAsk struct {
	key   yarn.Key
	name  protocol.Name
	count int32
	size  resource.Resource
	relax bool
}

// starvedAsks returns the asks of an application that its starvation covers.
//
// Source: FSAppAttempt.getStarvedResourceRequests.
func (f *Scheduler) starvedAsks(a *app) (asks []starvedAsk) {
	pending := a.starvation()
	seen := visited{}
	for t := range a.All {
		for name, rec := range t.InOrder { // which decides what is served first
			if pending.IsNone() {
				return asks
			}
			if !f.visit(seen, t.Priority, name, rec.Size) {
				continue
			}
			fit := resource.F2I(math.Floor(float64(ratio(pending[resource.Memory], rec.Size[resource.Memory]))))
			if fit == 0 {
				continue
			}
			s := starvedAsk{key: t.Key, name: name, count: rec.Count, size: rec.Size, relax: rec.Relax}
			if fit < rec.Count {
				s.count, s.relax = fit, true
			}
			asks = append(asks, s)
			pending = pending.SubNonNegative(s.size.Mul(float64(s.count)))
		}
	}
	return asks
}

func ratio(a, b int64) float32 {
	return resource.DefaultCalculator{}.Ratio(resource.R(a, 0), resource.R(b, 0))
}

// visited notes at which levels an ask was seen, so that one need is not counted at several.
//
// Source: VisitedResourceRequestTracker.
type visited map[visitKey]*visits

type visitKey struct {
	priority int32
	size     resource.Resource
}

type visits struct {
	anywhere       bool
	racks          map[protocol.Name]bool
	racksWithNodes map[protocol.Name]bool
}

func (f *Scheduler) visit(seen visited, priority int32, name protocol.Name, size resource.Resource) bool {
	k := visitKey{priority, size}
	v := seen[k]
	if v == nil {
		v = &visits{racks: map[protocol.Name]bool{}, racksWithNodes: map[protocol.Name]bool{}}
		seen[k] = v
	}
	if name == protocol.Any {
		if len(v.racks) == 0 && len(v.racksWithNodes) == 0 {
			v.anywhere = true
		}
		return v.anywhere
	}
	nodes := f.cluster.Named(name)
	switch {
	case len(nodes) == 0 || v.anywhere:
		return false
	case len(nodes) == 1 && nodes[0].Host == name:
		rack := nodes[0].Rack
		if v.racks[rack] {
			return false
		}
		v.racksWithNodes[rack] = true
	default:
		if v.racksWithNodes[name] {
			return false
		}
		v.racks[name] = true
	}
	return true
}
