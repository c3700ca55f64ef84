package protocol

import (
	"cmp"
	"slices"

	"replay/engine/fetch"
	"replay/engine/reuse"
	"replay/policy/resource"
)

// RelaxedClient is the table of asks of an application master whose requests are all relaxed, of one size for each priority, and made
// in groups that name the same places, as Spark's are. It tells what a [Client] would with these requests, but keeps groups in place of
// requests and of records by name: what it does costs as much as there are groups.
//
// A ResourceManager that takes localities is told of groups; another one of each name.
//
// Source: org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl.
type RelaxedClient struct {
	outbox
	names      *Names
	localities bool
	levels     []relaxedLevel // by priority
	count      int32          // of all
	asked      bool           // one of them has to be told
	counts     []int32        // scratch, by name
	touched    []Name         // scratch
}

// relaxedLevel is what is asked for at one priority.
type relaxedLevel struct {
	size   resource.Resource
	groups []Group
	last   int32 // number of the group made last
	count  int32
	asked  bool // has to be told
}

// A Group is requests of one priority that name the same places and were added in a row.
type Group struct {
	*Locality // nil for anywhere
	Count     int32
	number    int32
	asked     bool
}

// NewRelaxedClient returns an empty table; localities says what its ResourceManager takes.
func NewRelaxedClient(names *Names, localities bool) *RelaxedClient {
	c := new(RelaxedClient)
	c.Renew(names, localities)
	return c
}

// Renew makes of c what [NewRelaxedClient] returns, in the memory that it has.
func (c *RelaxedClient) Renew(names *Names, localities bool) {
	for i := range c.levels {
		clear(c.levels[i].groups)
	}
	*c = RelaxedClient{outbox: c.outbox.emptied(), names: names, localities: localities, levels: c.levels[:0], counts: c.counts, touched: c.touched[:0]}
}

// Fetch has fetched (package fetch) what nearly all calls look at beside the table itself.
func (c *RelaxedClient) Fetch() { fetch.At(c.levels, 0) }

func (c *RelaxedClient) level(priority int32) *relaxedLevel {
	for int(priority) >= len(c.levels) {
		c.levels = reuse.Longer(c.levels)
		l := &c.levels[len(c.levels)-1]
		*l = relaxedLevel{groups: l.groups[:0]}
	}
	return &c.levels[priority]
}

// Groups returns the groups of a priority, oldest first; some may have no request left. It is valid until the next call.
func (c *RelaxedClient) Groups(priority int32) []Group {
	if int(priority) < len(c.levels) {
		return c.levels[priority].groups
	}
	return nil
}

// Count returns how many requests of a priority there are.
func (c *RelaxedClient) Count(priority int32) int {
	if int(priority) < len(c.levels) {
		return int(c.levels[priority].count)
	}
	return 0
}

// Add asks for n more containers, at least one, at a locality, nil for anywhere. All at one priority have the same size.
func (c *RelaxedClient) Add(priority int32, size resource.Resource, at *Locality, n int32) {
	l := c.level(priority)
	if l.count > 0 && l.size != size {
		panic("protocol: requests of one priority have two sizes")
	}
	l.size = size
	if k := len(l.groups) - 1; k < 0 || l.groups[k].Locality != at {
		l.last++
		l.groups = append(l.groups, Group{Locality: at, number: l.last})
	}
	c.change(l, len(l.groups)-1, n)
}

// Remove takes the oldest n requests of group i back, because they are met or no longer wanted.
func (c *RelaxedClient) Remove(priority int32, i int, n int32) { c.change(c.level(priority), i, -n) }

func (c *RelaxedClient) change(l *relaxedLevel, i int, n int32) {
	g := &l.groups[i]
	g.Count += n
	l.count += n
	c.count += n
	g.asked, l.asked, c.asked = true, true, true
}

// Open reports whether there are requests.
func (c *RelaxedClient) Open() bool { return c.count > 0 }

// Tells reports whether the next call has anything to tell.
func (c *RelaxedClient) Tells() bool { return c.asked || !c.empty() }

// Serve takes out the oldest request that a container at a place can serve, and returns where that was wanted; ok is false when there is none. The place is a
// host, a rack or [Any].
//
// Source: AMRMClientImpl.getMatchingRequests.
func (c *RelaxedClient) Serve(priority int32, place Name) (at *Locality, ok bool) {
	if int(priority) >= len(c.levels) {
		return nil, false
	}
	l := &c.levels[priority]
	for i := range l.groups {
		if g := &l.groups[i]; g.Count > 0 && (place == Any || g.Locality != nil && g.Has(place)) {
			c.change(l, i, -1)
			return g.Locality, true
		}
	}
	return nil, false
}

// Gives returns the containers that the next call gives back, and whether it has nothing else to tell.
func (c *RelaxedClient) Gives() (gives []ContainerID, only bool) {
	return c.release, !c.asked && len(c.blackAdd)+len(c.blackRemove) == 0
}

// Tell fills a request with what there is to tell; Spark reads no headroom. It is told again with the next one, unless [RelaxedClient.Told] follows.
//
// Source: AMRMClientImpl.allocate, which puts back what a call that failed was to tell.
func (c *RelaxedClient) Tell(req *AllocateRequest) {
	req.Asks, req.Localities, req.NoHeadroom = req.Asks[:0], req.Localities[:0], true
	for p := len(c.levels) - 1; p >= 0 && c.asked; p-- {
		l := &c.levels[p]
		if !l.asked {
			continue
		}
		if c.localities {
			l.tell(int32(p), req)
		} else {
			c.spell(int32(p), l, req)
		}
	}
	c.tell(req)
}

// Told notes that the ResourceManager has taken what [RelaxedClient.Tell] gave last.
func (c *RelaxedClient) Told() {
	for p := 0; p < len(c.levels) && c.asked; p++ {
		l := &c.levels[p]
		if !l.asked {
			continue
		}
		l.asked = false
		for i := range l.groups {
			l.groups[i].asked = false
		}
		l.groups = slices.DeleteFunc(l.groups, func(g Group) bool { return g.Count == 0 })
	}
	c.asked = false
	c.told()
}

func (l *relaxedLevel) ask(priority int32, name Name, count int32) Ask {
	return Ask{Priority: priority, Name: name, Count: count, Size: l.size, Relax: true}
}

// tell asks for the groups that have changed.
func (l *relaxedLevel) tell(priority int32, req *AllocateRequest) {
	req.Asks = append(req.Asks, l.ask(priority, Any, l.count))
	for _, g := range l.groups {
		if g.asked && g.Locality != nil {
			req.Localities = reuse.Longer(req.Localities) // and fills it there
			a := &req.Localities[len(req.Localities)-1]
			a.Priority, a.Group, a.Locality, a.Count = priority, g.number, g.Locality, g.Count
		}
	}
}

// spell asks for each name of the groups that have changed, with the counts of all groups, in the order of ResourceRequestComparator.
func (c *RelaxedClient) spell(priority int32, l *relaxedLevel, req *AllocateRequest) {
	for len(c.counts) < c.names.Len() {
		c.counts = append(c.counts, 0)
	}
	c.counts[Any] = l.count
	c.touched = append(c.touched[:0], Any)
	c.names.once()
	c.names.first(Any)
	for _, g := range l.groups {
		if g.Locality == nil {
			continue
		}
		for n := range g.Names {
			c.counts[n] += g.Count
			if g.asked && c.names.first(n) {
				c.touched = append(c.touched, n)
			}
		}
	}
	slices.SortFunc(c.touched, func(a, b Name) int { return cmp.Compare(c.names.Rank(a), c.names.Rank(b)) })
	for _, n := range c.touched {
		req.Asks = append(req.Asks, l.ask(priority, n, c.counts[n]))
	}
	for _, g := range l.groups {
		if g.Locality != nil {
			for n := range g.Names {
				c.counts[n] = 0
			}
		}
	}
	c.counts[Any] = 0
}
