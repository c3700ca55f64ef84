package protocol

import (
	"cmp"
	"slices"

	"replay/policy/resource"
)

// Matches are the requests that one record remembers, in the order in which they were added.
type Matches struct {
	c      *Client
	record int32
}

// Len returns how many requests there are; those of [Client.AddMany] are one.
func (m Matches) Len() int { return int(m.c.records[m.record].remembered) }

// First returns the oldest request; there is always one.
func (m Matches) First() *ContainerRequest {
	return m.c.members[m.c.records[m.record].first-1].req
}

// All yields the requests, oldest first, those of [Client.AddMany] once. The one that is yielded may be removed from the client.
func (m Matches) All(yield func(*ContainerRequest) bool) {
	for e := m.c.records[m.record].first; e != 0; {
		next := m.c.members[e-1].next
		if !yield(m.c.members[e-1].req) {
			return
		}
		e = next
	}
}

// Matching appends to buf the collections of requests that a container of that priority and
// size at that place can serve, and returns it: the collection of exactly that size when there
// is a record of it, else those of smaller sizes that fit, largest first. Only requests with
// RequestID 0 are found, and at racks that were not asked for and at [Any] only those with
// Relax. The collections are views of the table.
//
// Source: AMRMClientImpl.getMatchingRequests.
func (c *Client) Matching(priority int32, place Name, size resource.Resource, buf []Matches) []Matches {
	l := c.level(levelKey{0, priority})
	if l == nil {
		return buf
	}
	for i := range l.sizes {
		g := &l.sizes[i]
		d := compareSizes(g.size, size)
		if d > 0 {
			continue
		}
		ri, ok := g.at(place)
		if !ok || c.records[ri].count == 0 {
			continue
		}
		if c.records[ri].remembered > 0 && g.size.FitsIn(size) {
			buf = append(buf, Matches{c, ri})
		}
		if d == 0 {
			break
		}
	}
	return buf
}

// FirstMatching returns the oldest request of the first collection of [Client.Matching], nil
// when there is none.
func (c *Client) FirstMatching(priority int32, place Name, size resource.Resource) *ContainerRequest {
	var buf [4]Matches
	if m := c.Matching(priority, place, size, buf[:0]); len(m) > 0 {
		return m[0].First()
	}
	return nil
}

// First returns the oldest request of a priority and RequestID that a container at that place can serve, nil when there is none. All requests of the two
// are of one size, as a ResourceManager keeps only one.
//
// Source: AMRMClientImpl.getMatchingRequests(long).
func (c *Client) First(priority int32, id int64, place Name) *ContainerRequest {
	l := c.level(levelKey{id, priority})
	if l == nil {
		return nil
	}
	for i := range l.sizes {
		if ri, ok := l.sizes[i].at(place); ok && c.records[ri].remembered > 0 {
			return Matches{c, ri}.First()
		}
	}
	return nil
}

// Count returns the number of containers that is asked for at a place, 0 for none.
func (c *Client) Count(priority int32, id int64, place Name, size resource.Resource) int32 {
	if l := c.level(levelKey{id, priority}); l != nil {
		if ri := l.find(size, place); ri >= 0 {
			return c.records[ri].count
		}
	}
	return 0
}

// Idle reports whether the next call has nothing to tell.
func (c *Client) Idle() bool {
	return len(c.ask) == 0 && c.outbox.empty()
}

// Build fills a request with everything that changed since the last call: asks in the order of
// YARN's ResourceRequestComparator (larger priority numbers first), releases by number, changes
// of the blacklist. The slices of req are reused; Updates is left alone. A call that does not
// get through is put back with [Client.Failed].
//
// Source: AMRMClientImpl.allocate.
func (c *Client) Build(req *AllocateRequest) {
	slices.SortFunc(c.ask, c.compareAsks)
	req.Asks, req.Localities = req.Asks[:0], req.Localities[:0]
	for _, ri := range c.ask {
		r := &c.records[ri]
		r.asked = false
		req.Asks = append(req.Asks, Ask{
			Priority:  r.level.priority,
			RequestID: r.level.id,
			Name:      r.name,
			Count:     r.count,
			Size:      r.size,
			Relax:     r.relax,
		})
	}
	c.ask = c.ask[:0]
	c.outbox.build(req)
}

func (c *Client) compareAsks(a, b int32) int {
	x, y := &c.records[a], &c.records[b]
	if x.level != y.level {
		if x.level.priority != y.level.priority {
			return cmp.Compare(y.level.priority, x.level.priority)
		}
		return cmp.Compare(x.level.id, y.level.id)
	}
	if x.name != y.name {
		return cmp.Compare(c.names.Rank(x.name), c.names.Rank(y.name))
	}
	return compareSizes(x.size, y.size)
}

// Failed puts back what the last [Client.Build] took, because the call did not get through.
func (c *Client) Failed(req *AllocateRequest) {
	for _, a := range req.Asks {
		if l := c.level(levelKey{a.RequestID, a.Priority}); l != nil {
			if ri := l.find(a.Size, a.Name); ri >= 0 {
				c.send(ri)
			}
		}
	}
	for _, id := range req.Releases {
		c.release = insertID(c.release, id)
	}
	for _, n := range req.BlacklistAdd {
		c.blackAdd = with(c.blackAdd, n)
	}
	for _, n := range req.BlacklistRemove {
		c.blackRemove = with(c.blackRemove, n)
	}
}

// Resync makes the next call tell everything, because the ResourceManager does not know the
// application master any more: all counts, all releases that were not confirmed, the blacklist.
func (c *Client) Resync() {
	for ri := range c.records {
		if c.records[ri].count > 0 {
			c.send(int32(ri))
		}
	}
	for _, id := range c.pending {
		c.release = insertID(c.release, id)
	}
	for _, n := range c.black {
		c.blackAdd = with(c.blackAdd, n)
	}
}
