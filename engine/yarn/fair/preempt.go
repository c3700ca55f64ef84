package fair

import (
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// kill is a list of containers that are killed together.
//
// Source: FSPreemptionThread.PreemptContainersTask.
type kill struct {
	at   int64 // ms
	list []*yarn.Container
}

// StarvedAsk is one ask of a starved application that containers are preempted for.
type StarvedAsk struct {
	Priority int32
	Name     protocol.Name
	Count    int32
	Size     resource.Resource
}

// Preemption is what was done for one starved application.
type Preemption struct {
	App        protocol.AppID
	Starvation resource.Resource
	Asks       []StarvedAsk
	Marked     []protocol.Container // in the order in which they will be killed
}

// ObservePreemption sets who is told of each application in a preemption pass.
func (f *Scheduler) ObservePreemption(o func(*Preemption)) { f.observePreemption = o }

// Preempt chooses containers for the starved applications, one application after the other, and sets them aside to
// be killed after the wait.
//
// Source: FSPreemptionThread.run.
func (f *Scheduler) Preempt() {
	for a := f.starving.take(); a != nil; a = f.starving.take() {
		f.elision.change()
		f.elision.changeAll()
		asks := f.starvedAsks(a)
		p := Preemption{App: a.ID(), Starvation: a.starvation()}
		var list []*yarn.Container
		for _, s := range asks {
			p.Asks = append(p.Asks, StarvedAsk{s.key.Priority, s.name, s.count, s.size})
			list = f.choose(a, s, list)
		}
		f.kills = append(f.kills, kill{f.now + int64(f.site.WaitBeforeKill), list})
		a.nextCheck = f.now + f.nextCheckAfter()
		if f.observePreemption != nil {
			for _, c := range list {
				p.Marked = append(p.Marked, c.Protocol())
			}
			f.observePreemption(&p)
		}
	}
	f.barren = f.barren[:0]
}

// nextCheckAfter is the time in which an application is not looked at again. YARN means to add four node heartbeats, but
// reads their interval before it is set.
//
// Source: FSPreemptionThread constructor.
func (f *Scheduler) nextCheckAfter() int64 {
	delay := int64(f.site.WaitBeforeKill) + f.site.WaitBeforeNextStarvation
	if f.site.Continuous {
		delay += 10 * int64(f.site.ContinuousSleep)
	}
	return delay
}

// NextKill returns when the next list is due, in ms.
func (f *Scheduler) NextKill() (int64, bool) {
	at := int64(math.MaxInt64)
	for _, k := range f.kills {
		at = min(at, k.at)
	}
	return at, len(f.kills) > 0
}

// Spares returns from when on a container of an application may be killed: the first list that is due may have those that are marked, and others are marked for a while before.
func (f *Scheduler) Spares(id protocol.AppID, now int64) int64 {
	at := now + int64(f.site.WaitBeforeKill)
	if a := f.attempt(id); a == nil || len(a.marked) == 0 {
		return at
	}
	next, _ := f.NextKill()
	return min(at, next)
}

// KillDue kills the containers of the lists that are due, in the order of their making.
//
// Source: FSPreemptionThread.PreemptContainersTask.run.
func (f *Scheduler) KillDue() {
	var later []kill
	for _, k := range f.kills {
		if k.at > f.now {
			later = append(later, k)
			continue
		}
		for _, c := range k.list {
			f.completed(c, protocol.ExitPreempted, yarn.EventKill)
		}
	}
	f.kills = later
}

// choose appends the containers that make room for one ask.
//
// Source: FSPreemptionThread.identifyContainersToPreempt.
func (f *Scheduler) choose(a *app, s starvedAsk, list []*yarn.Container) []*yarn.Container {
	nodes := f.cluster.Named(s.name)
	for range s.count {
		best := f.bestVictims(s, nodes)
		if best == nil || len(best.chosen) == 0 {
			break // YARN looks again, and finds the same
		}
		cs := best.byApp()
		list, f.chose = append(list, cs...), true
		f.at(cs[0].Node).mark(cs, a)
		for _, c := range cs {
			if owner := f.attempt(c.ID.App); owner != nil {
				owner.remember(c)
				f.fertile(owner)
			}
		}
	}
	return list
}

// barren are the nodes on which a pass has found nothing that makes room for a size. It would find nothing again until it has chosen containers of an application that has some
// there: all else that it looks at stays what it is in a pass.
type barren struct {
	size  resource.Resource
	nodes []bool // by number
}

// barrenFor returns the nodes that are barren for a size.
func (f *Scheduler) barrenFor(size resource.Resource) []bool {
	for i := range f.barren {
		if f.barren[i].size == size {
			return f.barren[i].nodes
		}
	}
	f.barren = reuse.Longer(f.barren)
	b := &f.barren[len(f.barren)-1]
	b.size, b.nodes = size, reuse.Reaching(b.nodes[:0], len(f.nodes))
	clear(b.nodes)
	return b.nodes
}

// fertile notes that the nodes with containers of an application may not be barren any more.
func (f *Scheduler) fertile(a *app) {
	for c := range a.AllLive {
		for i := range f.barren {
			f.barren[i].nodes[c.Node.ID] = false
		}
	}
}

// victims are the containers chosen on one node.
//
// Source: FSPreemptionThread.PreemptableContainers.
type victims struct {
	chosen []*yarn.Container
	ams    int
}

// byApp returns the containers by application, in the hash order of the applications.
func (v *victims) byApp() (list []*yarn.Container) {
	var apps jvm.HashMap[protocol.AppID, bool]
	for _, c := range v.chosen {
		apps.Put(c.ID.App, c.App.AppHash, true)
	}
	for id := range apps.All {
		for _, c := range v.chosen {
			if c.ID.App == id {
				list = append(list, c)
			}
		}
	}
	return list
}

func (v *victims) of(id protocol.AppID) (sum resource.Resource) {
	for _, c := range v.chosen {
		if c.ID.App == id {
			sum = sum.Add(c.Size)
		}
	}
	return sum
}

// bestVictims prefers a node with fewer application masters among the victims, elsewhere if the ask permits it.
//
// Source: FSPreemptionThread.getBestPreemptableContainers.
func (f *Scheduler) bestVictims(s starvedAsk, nodes []*yarn.Node) *victims {
	best := f.firstVictims(s, nodes)
	if !s.relax || s.name == protocol.Any || best == nil || best.ams == 0 {
		return best
	}
	var others []*yarn.Node
	for n := range f.cluster.All {
		if !slices.Contains(nodes, n) {
			others = append(others, n)
		}
	}
	if spare := f.firstVictims(s, others); spare != nil && spare.ams < best.ams {
		return spare
	}
	return best
}

// firstVictims is FSPreemptionThread.identifyContainersToPreemptForOneContainer.
func (f *Scheduler) firstVictims(s starvedAsk, nodes []*yarn.Node) (best *victims) {
	most := math.MaxInt32
	barren := f.barrenFor(s.size)
	for _, n := range nodes {
		if barren[n.ID] && !f.literally {
			continue
		}
		v, none := f.victimsOn(f.at(n), &s.size, most)
		if barren[n.ID] = none; v != nil {
			best, most = v, v.ams
			if most == 0 {
				break
			}
		}
	}
	return best
}

// victimsOn returns containers of the node that make room for size, with fewer than mostAMs application masters
// among them, or nil: none if it is not for these masters. That there may be room already is noticed only after a container was looked at.
//
// Source: FSPreemptionThread.identifyContainersToPreemptOnNode.
func (f *Scheduler) victimsOn(n *node, size *resource.Resource, mostAMs int) (v *victims, none bool) {
	v = &victims{}
	room := n.Free.Clone().SubNonNegative(n.reserved())
	for _, c := range n.PreemptionOrder() {
		if slices.Contains(n.held().marked, c) {
			continue
		}
		a := f.attempt(c.ID.App)
		if a == nil {
			continue
		}
		if f.mayPreempt(a, c, v.of(c.ID.App)) {
			if c.AM {
				if v.ams++; v.ams >= mostAMs {
					return nil, false
				}
			}
			v.chosen = append(v.chosen, c)
			room = room.Add(c.Size)
		}
		if size.FitsIn(room) {
			return v, false
		}
	}
	return nil, true
}

// mayPreempt reports whether the application would keep its fair share without c, what is marked and what is chosen already.
//
// Source: FSAppAttempt.canContainerBePreempted.
func (f *Scheduler) mayPreempt(a *app, c *yarn.Container, chosen resource.Resource) bool {
	if !a.queue.preemptable || c.AM && !a.amPreemption || a.Live(c.ID) == nil || slices.Contains(a.marked, c) {
		return false
	}
	left := a.Usage.Clone().Sub(a.markedSize).Sub(c.Size).Sub(chosen)
	return !a.belowShare(left, f.share(a))
}

// assignPreempted serves the applications that room on the node was made for.
//
// Source: FairScheduler.assignPreemptedContainers.
func (f *Scheduler) assignPreempted(n *node) {
	n.cleanClaims()
	for _, claim := range slices.Clone(n.held().claims) {
		left := claim.amount
		for !claim.app.Stopped && !left.IsNone() {
			r := f.assign(claim.app, n)
			if r == nil || r == reservedMark {
				break
			}
			left = left.SubNonNegative(*r)
		}
	}
}
