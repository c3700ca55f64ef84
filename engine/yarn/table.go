package yarn

import (
	"cmp"

	"replay/engine/protocol"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// Key separates the asks of an application: asks of different keys never mix.
//
// Source: SchedulerRequestKey.
type Key struct {
	Priority int32
	Request  int64                // allocationRequestId
	Update   protocol.ContainerID // the container to be resized; zero in an ordinary key
}

// Compare orders keys as the scheduler visits them: ordinary ones first, then the lower priority number,
// the lower request id, the lower container.
func (k Key) Compare(o Key) int {
	if u, v := k.Update != (protocol.ContainerID{}), o.Update != (protocol.ContainerID{}); u != v {
		if v {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(k.Priority, o.Priority),
		cmp.Compare(k.Request, o.Request),
		cmp.Compare(k.Update.App, o.Update.App),
		cmp.Compare(k.Update.N, o.Update.N))
}

// Record is the ask for one resource name: how many containers of which size.
type Record struct {
	Size  resource.Resource
	Count int32
	Relax bool
	back  *RememberAsk // that was put back as this record
}

// Table is what an application asks for under one key, by resource name. It stays for the life of the
// attempt; an empty one is as good as absent.
//
// Source: LocalityAppPlacementAllocator.
type Table struct {
	Key
	Number  int32                                        // of the table in the attempt, from 0, in the order in which they were made
	records jvm.ConcurrentHashMap[protocol.Name, Record] // that of "*" has its place here and its value in anywhere
	places  *Places
	hash    int32 // of the key
	present bool  // YARN has a table for the key
	hasAny  bool  // there is a record of "*"
	active  bool  // the count of * is above 0
	uneven  bool  // see [Table.Uneven]
	named   bool  // a name was put by itself since there was no record

	// Patience is of delay scheduling and kept when the table goes. The CapacityScheduler counts offers in it and has no levels.
	policy.Patience
	// With Leaf the FairScheduler counts offers for many tables at a time, of them those to its leaf alone there, and Patience is as of the first Passed of all.
	Leaf      *int64
	Passed    int64
	Seen      int64 // version, and level, as of which it began to
	SeenLevel policy.Level

	anywhere  Record
	version   int64
	smallest  int64             // see [Table.Smallest]
	first     resource.Resource // size of the record that was put first since there was none
	of        int64             // version of locations
	locations int               // of a table by groups
	asOf      int64             // version of located, plus 1
	located   bool              // see [Table.Located]
	localities
}

// Version is another number whenever other names are asked for, or one of them in another way.
func (t *Table) Version() int64 { return t.version }

// Uneven reports whether records may be of different sizes: those of names that were asked for when the largest container was a smaller one keep what the ask was cut to.
func (t *Table) Uneven() bool { return t.uneven }

const anyHash = 42 // hash code of "*"

// Any returns the record of "*", nil when there is none.
func (t *Table) Any() *Record {
	if t.hasAny {
		return &t.anywhere
	}
	return nil
}

// AnyCount returns the count of "*".
func (t *Table) AnyCount() int32 {
	if r := t.Any(); r != nil {
		return r.Count
	}
	return 0
}

// Host returns the record of a node's host, nil when there is none; Rack that of its rack.
// It is valid until the next one is asked for.
func (t *Table) Host(n *Node) *Record {
	host, _ := t.At(n)
	return host
}

// Rack is described at [Table.Host].
func (t *Table) Rack(n *Node) *Record {
	_, rack := t.At(n)
	return rack
}

// Addressed returns the record of the host of a node's address where requests call the node otherwise, as by its port, too; nil where they do not.
func (t *Table) Addressed(n *Node) *Record {
	if n.host == n.Host {
		return nil
	}
	return t.Name(n.host)
}

// At returns what [Table.Host] and [Table.Rack] do.
func (t *Table) At(n *Node) (host, rack *Record) {
	if !t.byLocality() {
		return t.records.Ref(n.Host, n.HostHash), t.records.Ref(n.Rack, n.RackHash)
	}
	s := t.sight(n)
	return s.host.record(t, &t.places.host), s.rack.record(t, &t.places.rack)
}

// Name returns the record of a resource name, nil when there is none.
func (t *Table) Name(name protocol.Name) *Record { return t.ref(name, t.places.Hash(name)) }

func (t *Table) ref(name protocol.Name, hash int32) *Record {
	if name == protocol.Any {
		return t.Any()
	}
	return t.records.Ref(name, hash)
}

// clear drops all records; a table that is made again starts with the first size, as a new object does.
func (t *Table) clear() {
	t.version++
	t.records.Reset()
	t.hasAny = false
	t.drop()
}

// Locations returns how many records there are, those with count 0 included.
//
// Source: LocalityAppPlacementAllocator.getUniqueLocationAsks.
func (t *Table) Locations() int {
	if !t.byLocality() {
		return t.records.Len()
	}
	if t.of != t.version {
		t.of, t.locations = t.version, t.records.Len()+t.len()
	}
	return t.locations
}

// Located reports whether a table with a record of "*" has another one.
func (t *Table) Located() bool {
	if t.asOf != t.version+1 {
		t.asOf, t.located = t.version+1, t.records.Len() > 1 || t.byLocality() && !t.none()
	}
	return t.located
}

// Smallest returns the memory of the smallest record that there may be, MiB: of those stored since there was none, as a host or a rack may still be asked for one of
// a size that is asked for nowhere else.
func (t *Table) Smallest() int64 { return t.smallest }

// Wanted reports whether containers are wanted anywhere under the key.
func (t *Table) Wanted() bool { return t.active }

// Records yields the records in YARN's order, the hash order of the names.
func (t *Table) Records(yield func(protocol.Name, Record) bool) {
	for name, rec := range t.records.All {
		if name == protocol.Any {
			rec = t.anywhere
		}
		if !yield(name, rec) {
			return
		}
	}
	if t.byLocality() { // in another order
		for name := range t.names {
			if !yield(name, Record{Size: t.size, Count: t.Count(name), Relax: true}) {
				return
			}
		}
	}
}

// Relaxed reports whether a record permits what is farther away: an absent one does.
//
// Source: LocalityAppPlacementAllocator.canDelayTo.
func (r *Record) Relaxed() bool { return r == nil || r.Relax }

// Asked returns the count of a record, 0 for an absent one.
func (r *Record) Asked() int32 {
	if r == nil {
		return 0
	}
	return r.Count
}

// Pending returns what is wanted anywhere under the key.
func (t *Table) Pending() resource.Resource {
	if !t.active {
		return resource.Resource{}
	}
	a := t.Any()
	return a.Size.Mul(float64(a.Count))
}
