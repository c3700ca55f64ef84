package capacity

import (
	"cmp"
	"slices"

	"replay/engine/yarn"
	"replay/engine/yarn/capacity/ideal"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// forReserved chooses containers of nodes that are reserved, as long as they make room for what is reserved there; first on the nodes where that costs least.
//
// Source: ReservedContainerCandidatesSelector.selectCandidates.
func (d *byShares) forReserved(r *round) {
	d.compute(r)
	quotas := make([]resource.Resource, len(r.shares)) // what may be taken of each leaf
	has := make([]bool, len(r.shares))
	for _, t := range r.leaves {
		quotas[t.N], has[t.N] = t.Obtain, !t.NonPreemptable && r.s.calc.Compare(r.s.cluster(), t.Obtain, resource.Resource{}, false) > 0
	}
	type costly struct {
		n    *yarn.Node
		cost float32
	}
	var nodes []costly
	x := clearance{r, quotas, has}
	for n := range r.s.nodes.All {
		if n.Reserved != nil {
			if _, cost, ok := x.on(n, true); ok {
				nodes = append(nodes, costly{n, cost})
			}
		}
	}
	slices.SortStableFunc(nodes, func(a, b costly) int { return cmp.Compare(a.cost, b.cost) })
	for _, c := range nodes {
		list, _, _ := x.on(c.n, false)
		for _, x := range list {
			r.choose(appOn(x), x)
		}
	}
}

// A clearance makes room on nodes, out of quotas of leaves.
type clearance struct {
	*round
	quotas []resource.Resource // by number of the queue
	has    []bool              // there is one
}

// on returns containers of a node without which there is room for what is reserved on it, and what part of that they are. With try set no quota is used up. One that was chosen
// before uses the quotas up, too, and so does what is not chosen in the end: what may be taken in the round is not given back.
//
// Source: ReservedContainerCandidatesSelector.getPreemptionCandidatesOnNode, tryToPreemptFromQueue.
func (x *clearance) on(n *yarn.Node, try bool) (list []*yarn.Container, cost float32, ok bool) {
	calc, want, room := x.s.calc, n.Reserved.Size, n.Free.Clone()
	if calc.Fits(want, room) {
		return nil, 0, false
	}
	running := slices.Collect(n.Containers)
	slices.SortFunc(running, func(a, b *yarn.Container) int {
		return cmp.Or(cmp.Compare(b.ID.App, a.ID.App), cmp.Compare(b.ID.N, a.ID.N))
	})
	var selected resource.Resource
	for _, c := range running {
		a := appOn(c)
		if c.AM || a == nil || !a.q.known() || !x.has[a.q.index] {
			continue
		}
		quota := &x.quotas[a.q.index]
		if !calc.Fits(c.Size, *quota) || !calc.Fits(c.Size, x.allowed) {
			continue
		}
		if !try {
			quota.SubtractFrom(&c.Size)
			x.allowed.SubtractFrom(&c.Size)
		}
		if !x.all.has(c) {
			if !try {
				list = append(list, c)
			}
			selected = selected.Add(c.Size)
		}
		if room = room.Add(c.Size); calc.Fits(want, room) {
			return list, calc.Ratio(selected, want), true
		}
	}
	for _, c := range list {
		x.quotas[appOn(c).q.index].AddTo(&c.Size)
	}
	return nil, 0, false
}

// appOn returns the attempt of a container on a node, which may have left; nil for the record of a decrease, which YARN gives no queue.
func appOn(c *yarn.Container) *app {
	if c.App == nil {
		return nil
	}
	a, ok := c.App.Watcher.(*app)
	if !ok {
		return nil
	}
	if live := a.Live(c.ID); live != nil && live != c {
		return nil
	}
	return a
}

// byPriority chooses containers of less urgent queues that are in the way of a reservation of a more urgent one, which has less than is guaranteed to it and has waited for long enough.
//
// Source: QueuePriorityContainerCandidateSelector.selectCandidates.
func (r *round) byPriority() {
	s := r.s
	p := precedence{round: r, touched: map[*yarn.Node]bool{}, marked: map[*share]resource.Resource{}}
	var reserved []*yarn.Container
	for n := range s.nodes.All {
		if c := n.Reserved; c != nil && p.leads(appOn(c)) {
			reserved = append(reserved, c)
		}
	}
	jvm.Sort(reserved, p.compare)
	for _, c := range reserved {
		if s.now-c.Created < r.cfg.PriorityDelay {
			continue
		}
		a, t := appOn(c), r.shareOn(c)
		if s.calc.Compare(s.cluster(), t.Used.Sub(t.q.reserved).Add(p.marked[t]), t.Guaranteed, false) >= 0 {
			continue
		}
		list, ok := p.on(c.Node, c.Size, a)
		if !ok {
			continue
		}
		p.touched[c.Node] = true
		p.marked[t] = p.marked[t].Add(c.Size)
		for _, x := range list {
			r.choose(appOn(x), x)
			r.allowed.SubtractFrom(&x.Size)
		}
	}
}

// A precedence is which queues may take containers of which, and what they have been given so.
type precedence struct {
	*round
	touched map[*yarn.Node]bool
	marked  map[*share]resource.Resource
}

// shareOn is that of a container's leaf, nil where YARN knows it by no path.
func (m *monitor) shareOn(c *yarn.Container) *share {
	if a := appOn(c); a != nil && a.q.known() {
		return &m.shares[a.q.index]
	}
	return nil
}

// over reports whether a leaf may take containers of another: what lies above it, right below what both have in common, is more urgent.
//
// Source: QueuePriorityContainerCandidateSelector.initializePriorityDigraph.
func over(a, b *share) bool {
	if a == nil || b == nil || a == b {
		return false
	}
	up, other := a.path(), b.path()
	i := 0
	for up[i] == other[i] {
		i++
	}
	return up[i].Priority > other[i].Priority
}

// path returns the queues from the root to this one.
func (t *share) path() (list []*share) {
	for ; t != nil; t = t.parent {
		list = append(list, t)
	}
	slices.Reverse(list)
	return list
}

// leads reports whether an application's queue may take containers of another one.
func (p *precedence) leads(a *app) bool {
	if a == nil || !a.q.known() {
		return false
	}
	of := &p.shares[a.q.index]
	return slices.ContainsFunc(p.leaves, func(t *ideal.Share) bool { return over(of, p.of(t)) })
}

// compare orders containers: those of queues that may take others' first, then those made first.
//
// Source: QueuePriorityContainerCandidateSelector.CONTAINER_CREATION_TIME_COMPARATOR.
func (p *precedence) compare(x, y *yarn.Container) int {
	a, b := p.shareOn(x), p.shareOn(y)
	switch {
	case over(a, b):
		return -1
	case over(b, a):
		return 1
	}
	return cmp.Compare(x.Created, y.Created)
}

// on returns containers of a node without which there is room for a size, beside those that have been chosen before, and whether there can be.
//
// Source: QueuePriorityContainerCandidateSelector.canPreemptEnoughResourceForAsked.
func (p *precedence) on(n *yarn.Node, size resource.Resource, a *app) (list []*yarn.Container, ok bool) {
	if p.touched[n] {
		return nil, false
	}
	calc, none := p.s.calc, resource.Resource{}
	lacking := size.Sub(n.Free)
	running := slices.Collect(n.Containers)
	jvm.Sort(running, p.compare)
	for _, c := range running {
		if p.all.has(c) {
			lacking = lacking.Sub(c.Size)
		}
	}
	if calc.Fits(lacking, none) {
		return nil, true
	}
	of, allowed := &p.shares[a.q.index], p.allowed.Clone()
	for _, c := range running {
		if p.all.has(c) || c.AM || !over(of, p.shareOn(c)) {
			continue
		}
		if calc.Compare(p.s.cluster(), allowed, c.Size, false) >= 0 {
			allowed, lacking = allowed.Sub(c.Size), lacking.Sub(c.Size)
			list = append(list, c)
		}
		if calc.Fits(lacking, none) {
			return list, true
		}
	}
	return nil, false
}
