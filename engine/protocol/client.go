package protocol

import (
	"cmp"
	"fmt"
	"slices"

	"replay/policy/resource"
)

// ContainerRequest is one container that an application master wants.
//
// The client keeps the pointer from [Client.Add] to [Client.Remove]; until then nothing in the
// request may change. What is in its lists never may.
//
// Source: AMRMClient.ContainerRequest.
type ContainerRequest struct {
	Priority  int32
	RequestID int64 // allocationRequestId
	Size      resource.Resource
	Nodes     []Name // hosts; repeated ones count once
	Racks     []Name // racks asked for besides those of Nodes
	Relax     bool   // relaxLocality: other places will do
	Number    int64  // of the application's own

	more   int32 // containers that it wants besides one, see [Client.AddMany]
	member int32 // first of the records that remember the request, index+1 into Client.members
	spots  *spots
}

// spots are the records of requests that name the same places, in the order in which they are counted.
type spots struct {
	level   *level
	size    resource.Resource
	nodes   []Name
	racks   []Name
	records []int32
}

// RequestError is the refusal of a request; nothing was changed.
type RequestError struct {
	Class string // simple name of Java's exception
	Text  string
}

func (e *RequestError) Error() string { return e.Text }

// Check is the test of the constructor of YARN's ContainerRequest.
func (r *ContainerRequest) Check() error {
	if !r.Relax && len(r.Nodes) == 0 && len(r.Racks) == 0 {
		return &RequestError{"IllegalArgumentException", "Can't turn off locality relaxation on a request with no location constraints"}
	}
	return nil
}

// Client is the table of asks of an application master: it adds up single requests into the
// counts per place that the ResourceManager is told, and remembers which requests may be met at
// a place.
//
// Counts are absolute: what is sent at a change replaces what the ResourceManager has counted
// down since. The owner calls Remove for every container that it takes.
//
// Source: org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl.
type Client struct {
	outbox
	names *Names
	racks Racks

	levels  map[levelKey]*level
	last    *level // of the last look-up
	spots   *spots // of the last request that was added, if it was relaxed
	strict  bool   // a request that was not relaxed was added: requests may contradict each other
	records []record
	members []member
	freeMem int32 // first free member, index+1

	ask []int32 // records to send
}

// levelKey is what the ResourceManager knows a record by, apart from its name: for each name it
// keeps one size.
type levelKey struct {
	id       int64
	priority int32
}

// level holds the records of one priority and allocationRequestId, by size in descending order.
type level struct {
	levelKey
	sizes []sizeGroup
}

type sizeGroup struct {
	size     resource.Resource
	of       map[Name]int32 // index into Client.records, but for that of Any
	anywhere int32          // that one, plus 1, 0 for none
}

// at returns the index of the record at a name; ok is false when there never was one.
func (g *sizeGroup) at(name Name) (ri int32, ok bool) {
	switch {
	case name == Any:
		return g.anywhere - 1, g.anywhere > 0
	case len(g.of) == 0:
		return 0, false
	}
	ri, ok = g.of[name]
	return ri, ok
}

// record is one ResourceRequest of the table. With count 0 it is not in the table, but may
// still have to be sent.
type record struct {
	level       *level
	size        resource.Resource
	name        Name
	count       int32
	relax       bool
	asked       bool // in Client.ask
	first, last int32
	remembered  int32 // requests in the list from first to last
	own         int32 // member of the request that is being added or removed, index+1
}

// member is a request remembered by a record.
type member struct {
	req        *ContainerRequest
	record     int32
	prev, next int32 // in the record, index+1
	prevOf     int32 // of the request's other records, index+1
	nextOf     int32
}

// NewClient returns an empty table.
func NewClient(names *Names, racks Racks) *Client {
	return &Client{names: names, racks: racks, levels: map[levelKey]*level{}}
}

func (c *Client) level(k levelKey) *level {
	if c.last != nil && c.last.levelKey == k {
		return c.last
	}
	if l := c.levels[k]; l != nil {
		c.last = l
		return l
	}
	return nil
}

// compareSizes is Resource.compareTo.
func compareSizes(a, b resource.Resource) int {
	for i := range a {
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return 0
}

// find returns the record of a size at a name, -1 when there never was one.
func (l *level) find(size resource.Resource, name Name) int32 {
	for i := range l.sizes {
		if l.sizes[i].size == size {
			if r, ok := l.sizes[i].at(name); ok {
				return r
			}
			return -1
		}
	}
	return -1
}

// Add asks for one more container. The error is a [*RequestError] when the request is not
// valid, or when a place is already asked for at that priority with another Relax.
//
// Source: AMRMClientImpl.addContainerRequest.
func (c *Client) Add(req *ContainerRequest) error {
	if err := req.Check(); err != nil {
		return err
	}
	key := levelKey{req.RequestID, req.Priority}
	l := c.level(key)
	if l != nil {
		if err := c.conflict(l, req); err != nil {
			return err
		}
	} else {
		l = &level{levelKey: key}
		c.levels[key] = l
		c.last = l
	}
	c.mark(req)
	if req.Relax {
		c.addAt(c.spotsOf(l, req), req)
	} else {
		c.strict = true
		c.addEach(l, req, func(ri int32, relax bool) { c.count(ri, req, relax) })
	}
	c.unmark(req)
	return nil
}

// AddMany is [Client.Add] of n relaxed requests, at least one, that differ in nothing: req stands for all, and each [Client.Remove] of it is that of one.
func (c *Client) AddMany(req *ContainerRequest, n int32) error {
	if err := c.Add(req); err != nil {
		return err
	}
	req.more = n - 1
	for _, ri := range req.spots.records {
		c.records[ri].count += n - 1
	}
	return nil
}

// Expect makes room for so many requests more.
func (c *Client) Expect(n int) { c.members = slices.Grow(c.members, n) }

// addEach calls do for the records of a request, each once.
func (c *Client) addEach(l *level, req *ContainerRequest, do func(ri int32, relax bool)) {
	c.names.once()
	for _, n := range req.Nodes {
		if c.names.first(n) {
			do(c.recordOf(l, req.Size, n), true)
		}
	}
	c.names.once()
	for _, n := range req.Racks {
		if c.names.first(n) {
			do(c.recordOf(l, req.Size, n), true)
		}
	}
	for _, n := range req.Nodes {
		if rack := c.racks.RackOf(n); c.names.first(rack) {
			do(c.recordOf(l, req.Size, rack), req.Relax)
		}
	}
	do(c.recordOf(l, req.Size, Any), req.Relax)
}

// spotsOf returns the records of a relaxed request, once for all in a row that share their lists of places.
func (c *Client) spotsOf(l *level, req *ContainerRequest) *spots {
	same := func(a, b []Name) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
	if s := c.spots; s != nil && s.level == l && s.size == req.Size && same(s.nodes, req.Nodes) && same(s.racks, req.Racks) {
		return s
	}
	c.spots = &spots{level: l, size: req.Size, nodes: req.Nodes, racks: req.Racks}
	c.addEach(l, req, func(ri int32, _ bool) { c.spots.records = append(c.spots.records, ri) })
	return c.spots
}

func (c *Client) addAt(s *spots, req *ContainerRequest) {
	req.spots = s
	for _, ri := range s.records {
		c.count(ri, req, true)
	}
}

// mark lets the records that remember a request find it at once: a request with many places would
// otherwise be looked for among all of them at each.
func (c *Client) mark(req *ContainerRequest) {
	for m := req.member; m != 0; m = c.members[m-1].nextOf {
		c.records[c.members[m-1].record].own = m
	}
}

func (c *Client) unmark(req *ContainerRequest) {
	for m := req.member; m != 0; m = c.members[m-1].nextOf {
		c.records[c.members[m-1].record].own = 0
	}
}

// conflict refuses a request whose records exist with another relaxLocality, at any size.
func (c *Client) conflict(l *level, req *ContainerRequest) error {
	if req.Relax && !c.strict {
		return nil
	}
	if err := c.conflictAt(l, Any, req.Relax); err != nil {
		return err
	}
	c.names.once()
	for _, n := range req.Racks {
		if c.names.first(n) {
			if err := c.conflictAt(l, n, true); err != nil {
				return err
			}
		}
	}
	for _, n := range req.Nodes {
		if rack := c.racks.RackOf(n); c.names.first(rack) {
			if err := c.conflictAt(l, rack, req.Relax); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Client) conflictAt(l *level, name Name, relax bool) error {
	for i := range l.sizes {
		r, ok := l.sizes[i].at(name)
		if ok && c.records[r].count > 0 && c.records[r].relax != relax {
			return &RequestError{"InvalidContainerRequestException", fmt.Sprintf(
				"Cannot submit a ContainerRequest asking for location %s with locality relaxation %t when it has already been requestedwith locality relaxation %t",
				c.names.Text(name), relax, !relax)}
		}
	}
	return nil
}

// recordOf returns the record of a size at a name, made if there is none.
func (c *Client) recordOf(l *level, size resource.Resource, name Name) int32 {
	g := l.group(size)
	ri, ok := g.at(name)
	if ok {
		return ri
	}
	ri = int32(len(c.records))
	c.records = append(c.records, record{level: l, size: size, name: name})
	if name == Any {
		g.anywhere = ri + 1
	} else {
		g.of[name] = ri
	}
	return ri
}

// count counts one container more in a record; relax is that of the record when it is new.
func (c *Client) count(ri int32, req *ContainerRequest, relax bool) {
	r := &c.records[ri]
	if r.count == 0 {
		r.relax = relax
	}
	r.count++
	if relax {
		c.remember(ri, req)
	}
	c.send(ri)
}

// group returns the records of a size, descending by size among the others.
func (l *level) group(size resource.Resource) *sizeGroup {
	at := 0
	for i := range l.sizes {
		switch d := compareSizes(l.sizes[i].size, size); {
		case d == 0:
			return &l.sizes[i]
		case d > 0:
			at = i + 1
		}
	}
	l.sizes = slices.Insert(l.sizes, at, sizeGroup{size: size, of: map[Name]int32{}})
	return &l.sizes[at]
}

func (c *Client) send(ri int32) {
	if r := &c.records[ri]; !r.asked {
		r.asked = true
		c.ask = append(c.ask, ri)
	}
}

// remember puts a request at the end of those of a record, once.
func (c *Client) remember(ri int32, req *ContainerRequest) {
	r := &c.records[ri]
	if r.own != 0 {
		return
	}
	m := c.freeMem
	if m == 0 {
		c.members = append(c.members, member{})
		m = int32(len(c.members))
	} else {
		c.freeMem = c.members[m-1].next
	}
	c.members[m-1] = member{req: req, record: ri, prev: r.last, nextOf: req.member}
	if req.member != 0 {
		c.members[req.member-1].prevOf = m
	}
	req.member, r.own = m, m
	if r.last == 0 {
		r.first = m
	} else {
		c.members[r.last-1].next = m
	}
	r.last = m
	r.remembered++
}

// forget takes the request of member m out of its record.
func (c *Client) forget(m int32) {
	e := &c.members[m-1]
	r := &c.records[e.record]
	if e.prev == 0 {
		r.first = e.next
	} else {
		c.members[e.prev-1].next = e.next
	}
	if e.next == 0 {
		r.last = e.prev
	} else {
		c.members[e.next-1].prev = e.prev
	}
	r.remembered--
	if r.own == m {
		r.own = 0
	}
	if e.prevOf == 0 {
		e.req.member = e.nextOf
	} else {
		c.members[e.prevOf-1].nextOf = e.nextOf
	}
	if e.nextOf != 0 {
		c.members[e.nextOf-1].prevOf = e.prevOf
	}
	*e = member{next: c.freeMem}
	c.freeMem = m
}

// Remove takes a request back, because it is met or no longer wanted. The counts at its places
// go down even if it was never added, never below 0.
//
// Source: AMRMClientImpl.removeContainerRequest.
func (c *Client) Remove(req *ContainerRequest) {
	if s := req.spots; s != nil {
		if req.more > 0 { // which are remembered as one
			req.more--
		} else {
			c.mark(req)
		}
		for _, ri := range s.records {
			c.discount(ri)
		}
		c.unmark(req)
		return
	}
	l := c.level(levelKey{req.RequestID, req.Priority})
	if l == nil {
		return
	}
	c.mark(req)
	c.names.once()
	for _, n := range req.Nodes {
		if c.names.first(n) {
			c.decrement(l, n, req.Size)
		}
	}
	c.names.once()
	for _, n := range req.Racks {
		if c.names.first(n) {
			c.decrement(l, n, req.Size)
		}
	}
	for _, n := range req.Nodes {
		if rack := c.racks.RackOf(n); c.names.first(rack) {
			c.decrement(l, rack, req.Size)
		}
	}
	c.decrement(l, Any, req.Size)
	c.unmark(req)
}

func (c *Client) decrement(l *level, name Name, size resource.Resource) {
	if ri := l.find(size, name); ri >= 0 {
		c.discount(ri)
	}
}

// discount counts one container less in a record.
func (c *Client) discount(ri int32) {
	r := &c.records[ri]
	if r.count == 0 {
		return
	}
	if r.own != 0 {
		c.forget(r.own)
	}
	r.count--
	if r.count == 0 { // out of the table, with what it remembers
		for r.first != 0 {
			c.forget(r.first)
		}
	}
	c.send(ri)
}
