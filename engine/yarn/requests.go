package yarn

import (
	"cmp"
	"slices"

	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// Requests is what an application asks for.
//
// Source: AppSchedulingInfo.
type Requests struct {
	requestLists
	places  *Places
	app     int32 // hash of the attempt, for keys that name a container
	present jvm.ConcurrentHashMap[Key, *Table]
	stopped bool

	Watcher Watcher // nil for none
}

// A Watcher is told of changes of what is wanted anywhere.
type Watcher interface {
	// Changed says that another number of containers, or containers of another size, may be wanted under the key of a table.
	Changed(t *Table)

	// Emptied says that an ask, or an ask for growth that is taken back, leaves nothing wanted, before what comes after it in the same message.
	Emptied()
}

type requestLists struct {
	tables []*Table // all ever made, by key
	active []*Table // those with containers wanted anywhere, by key
}

// batches sorts the asks of one message by key and name as YARN does: the last ask for a name wins,
// and keys and names are taken in the hash order of maps made for this message.
//
// Source: AppSchedulingInfo.internalAddResourceRequests.
type batches struct {
	byKey jvm.HashMap[Key, *batch]
	pool  []*batch
}

type batch struct {
	asks jvm.HashMap[protocol.Name, protocol.Ask]
}

func (b *batches) fill(asks []protocol.Ask, places *Places) {
	b.byKey.Reset()
	used := 0
	for _, a := range asks {
		k := Key{Priority: a.Priority, Request: a.RequestID}
		h := jvm.RequestKeyHash(k.Priority, k.Request, 0)
		of, ok := b.byKey.Get(k, h)
		if !ok {
			if used == len(b.pool) {
				b.pool = append(b.pool, &batch{})
			}
			of = b.pool[used]
			used++
			of.asks.Reset()
			b.byKey.Put(k, h, of)
		}
		of.asks.Put(a.Name, places.Hash(a.Name), a)
	}
}

// Active returns the tables with containers wanted anywhere, in the order in which they are visited.
// It is valid until the next change.
//
// Source: AppSchedulingInfo.getSchedulerKeys.
func (r *Requests) Active() []*Table { return r.active }

// All yields every table in YARN's order, the hash order of the keys.
//
// Source: AppSchedulingInfo.getAllResourceRequests.
func (r *Requests) All(yield func(*Table) bool) {
	for _, t := range r.present.All {
		if !yield(t) {
			return
		}
	}
}

// Table returns the table of a key, nil when there never was one.
func (r *Requests) Table(k Key) *Table {
	if i, ok := r.search(k); ok {
		return r.tables[i]
	}
	return nil
}

func (r *Requests) search(k Key) (int, bool) {
	if len(r.tables) <= fewTables {
		for i, t := range r.tables {
			if t.Key == k {
				return i, true
			}
		}
	}
	return slices.BinarySearchFunc(r.tables, k, func(t *Table, k Key) int { return t.Key.Compare(k) })
}

// fewTables is how many tables are looked through one after the other: that of its master's container, and of each size of executor.
const fewTables = 4

// Ensure returns the table of a key, a new and empty one when there never was one.
func (r *Requests) Ensure(k Key) *Table {
	i, ok := r.search(k)
	if !ok {
		update := int32(0)
		if k.Update != (protocol.ContainerID{}) {
			update = jvm.ContainerHash(r.app, k.Update.Number())
		}
		t := spared(&r.places.tables)
		if t == nil {
			t = new(Table)
		}
		*t = Table{Key: k, Number: int32(len(r.tables)), places: r.places, hash: jvm.RequestKeyHash(k.Priority, k.Request, update)}
		t.records = spared(&r.places.records)
		r.tables = reuse.Insert(r.tables, i, t)
	}
	return r.tables[i]
}

// AppendTables appends the tables to a list.
func (r *Requests) AppendTables(list []*Table) []*Table { return append(list, r.tables...) }

// SpareTables gives the memory of tables to others: those of an attempt that has stopped, of which nobody speaks any more.
func (p *Places) SpareTables(tables []*Table) {
	p.sight.table = nil // which may be one of them
	p.tables = append(p.tables, tables...)
}

// FetchTables has fetched (package fetch) the tables, which [Requests.Stop] looks at.
func (r *Requests) FetchTables() {
	for _, t := range r.tables {
		fetch.Of(t)
	}
}

// Stop drops all asks for good: of the localities that the tables were told of, and of the tables' lists, the memory may be others' from then on.
func (r *Requests) Stop() {
	r.stopped = true
	for _, t := range r.tables {
		t.records.Reset()
		r.places.records = append(r.places.records, t.records)
		t.records, t.hasAny = jvm.ConcurrentHashMap[protocol.Name, Record]{}, false
		t.stop()
	}
	clear(r.tables)
	clear(r.active[:cap(r.active)])
	r.places.requests = append(r.places.requests, requestLists{r.tables[:0], r.active[:0]})
	r.requestLists = requestLists{}
	r.present = jvm.ConcurrentHashMap[Key, *Table]{}
}

// Update replaces records by those of a message, already normalized. Counts are absolute. With
// add set (requests of a container that died early) counts are added to what is there.
//
// Source: AppSchedulingInfo.updateResourceRequests, LocalityAppPlacementAllocator.updatePendingAsk.
func (r *Requests) Update(asks []protocol.Ask, add bool, localities ...protocol.LocalityAsk) {
	if r.stopped || len(asks) == 0 {
		return
	}
	if len(asks) == 1 {
		a := asks[0]
		t := r.make(Key{Priority: a.Priority, Request: a.RequestID})
		localities = of(t, localities)
		if a.Name == protocol.Any {
			r.before(t, &a, localities)
		}
		anyRecord := r.put(t, a, add)
		r.tell(t, localities)
		r.settle(t, anyRecord)
		return
	}
	b := &r.places.scratch
	b.fill(asks, r.places)
	for k, of := range b.byKey.All {
		r.store(r.make(k), of, add, localities)
	}
}

// UpdateKey is [Requests.Update] for asks that all belong to the key k, whatever they say themselves.
func (r *Requests) UpdateKey(k Key, asks []protocol.Ask, add bool) {
	if r.stopped {
		return
	}
	b := &r.places.scratch
	b.fill(asks, r.places)
	for _, of := range b.byKey.All {
		r.store(r.make(k), of, add, nil)
	}
}

func (r *Requests) store(t *Table, b *batch, add bool, localities []protocol.LocalityAsk) {
	localities = of(t, localities)
	if a, ok := b.asks.Get(protocol.Any, anyHash); ok {
		r.before(t, &a, localities)
	}
	anySeen := (*Record)(nil)
	for _, a := range b.asks.All {
		anySeen = cmp.Or(r.put(t, a, add), anySeen)
	}
	r.tell(t, localities)
	r.settle(t, anySeen)
}

func (r *Requests) make(k Key) *Table {
	t := r.Ensure(k)
	if !t.present {
		t.present = true
		r.present.Put(k, t.hash, t)
	}
	return t
}

// put stores one ask and returns the new record when it is that of "*".
func (r *Requests) put(t *Table, a protocol.Ask, add bool) *Record {
	rec := Record{Size: a.Size, Count: a.Count, Relax: a.Relax}
	t.version++
	h := r.places.Hash(a.Name)
	if a.Name != protocol.Any {
		if t.byLocality() {
			r.spell(t)
		}
		t.named = true
	}
	if t.records.Len() == 0 && !t.byLocality() {
		t.begin(a.Size)
	} else if a.Size != t.first {
		t.smallest, t.uneven = min(t.smallest, a.Size[resource.Memory]), true
	}
	if old := t.ref(a.Name, h); old != nil && add {
		rec.Count = old.Count + 1
	}
	t.records.Put(a.Name, h, rec)
	if a.Name == protocol.Any {
		t.anywhere, t.hasAny = rec, true
		return t.Any()
	}
	return nil
}

// begin notes the size of the record that is put first.
func (t *Table) begin(size resource.Resource) {
	t.smallest, t.first, t.uneven = size[resource.Memory], size, false
}

// settle activates or drops a table after its record of "*" was replaced.
func (r *Requests) settle(t *Table, anyRecord *Record) {
	if anyRecord != nil {
		r.changed(t)
	}
	switch {
	case anyRecord == nil:
	case anyRecord.Count <= 0:
		r.deactivate(t)
		r.checkEmptied()
		t.clear()
		r.drop(t)
	default:
		r.activate(t)
	}
}

func (r *Requests) activate(t *Table) {
	if t.active {
		return
	}
	t.active = true
	if len(r.active) == 0 {
		r.active = append(r.active, t)
		return
	}
	i, _ := slices.BinarySearchFunc(r.active, t.Key, func(t *Table, k Key) int { return t.Key.Compare(k) })
	r.active = reuse.Insert(r.active, i, t)
}

func (r *Requests) deactivate(t *Table) {
	if t.active {
		t.active = false
		i := 0
		if r.active[0] != t {
			i, _ = slices.BinarySearchFunc(r.active, t.Key, func(t *Table, k Key) int { return t.Key.Compare(k) })
		}
		r.active = slices.Delete(r.active, i, i+1)
	}
}

func (r *Requests) changed(t *Table) {
	if r.Watcher != nil {
		r.Watcher.Changed(t)
	}
}

func (r *Requests) checkEmptied() {
	if len(r.active) == 0 && r.Watcher != nil {
		r.Watcher.Emptied()
	}
}

func (r *Requests) drop(t *Table) {
	if t.present {
		t.present = false
		r.present.Remove(t.Key, t.hash)
	}
}

// Take counts one container of the given type off the table and appends the records that it took
// from to asks, for [Requests.PutBack]. The records of the type must be there.
//
// Source: LocalityAppPlacementAllocator.allocate.
func (r *Requests) Take(t *Table, level protocol.NodeType, n *Node, asks []RememberAsk) []RememberAsk {
	switch {
	case level > protocol.RackLocal:
	case t.byLocality():
		asks = t.takeAt(level, n, asks)
	case level == protocol.NodeLocal:
		asks = reuse.Longer(asks)
		t.takeOne(n.Host, n.HostHash, &asks[len(asks)-1])
		fallthrough
	default:
		asks = reuse.Longer(asks)
		t.takeOne(n.Rack, n.RackHash, &asks[len(asks)-1])
	}
	asks = reuse.Longer(asks)
	r.takeAny(t, &asks[len(asks)-1])
	return asks
}

// takeOne counts one container less at a name of which there is a record in the table itself, and notes what it was.
func (t *Table) takeOne(name protocol.Name, hash int32, was *RememberAsk) {
	rec := t.ref(name, hash)
	rec.Count--
	if rec.back != nil {
		rec.back.count = rec.Count
	}
	was.Name, was.Relax, was.count = name, rec.Relax, 1
	was.Size.CopyFrom(&rec.Size)
	if rec.Count == 0 {
		t.version++
		t.records.Remove(name, hash)
		if name == protocol.Any {
			t.hasAny = false
			t.goes(name)
		}
	}
}

func (r *Requests) takeAny(t *Table, was *RememberAsk) {
	t.takeOne(protocol.Any, anyHash, was)
	r.changed(t)
	if t.Any() == nil {
		r.deactivate(t)
		if t.records.Len() == 0 && (!t.byLocality() || t.none()) {
			t.clear()
			r.drop(t)
		}
	}
}

// PutBack adds one container to each record that a container of the key took from. Under the key of a
// resize the asks come back under the ordinary key, as in YARN. asks must stay where it is: in YARN the records
// that come back are the ones that were remembered, and a container can come back twice.
//
// Source: AbstractYarnScheduler.recoverResourceRequestForContainer.
func (r *Requests) PutBack(k Key, asks []RememberAsk) {
	if r.stopped {
		return
	}
	var back [3]protocol.Ask
	for i, a := range asks {
		back[i] = protocol.Ask{
			Priority: k.Priority, RequestID: k.Request, Name: a.Name, Count: a.count, Size: a.Size, Relax: a.Relax,
		}
	}
	k.Update = protocol.ContainerID{}
	if t := r.Table(k); t != nil && t.byLocality() {
		r.spell(t)
	}
	r.UpdateKey(k, back[:len(asks)], true)
	t := r.Ensure(k)
	for i := range asks {
		if rec := t.Name(asks[i].Name); rec != nil {
			rec.back, asks[i].count = &asks[i], rec.Count
		}
	}
}

// Pending returns the sum over the keys of what is wanted anywhere.
func (r *Requests) Pending() (sum resource.Resource) {
	for _, t := range r.active {
		sum = sum.Add(t.Pending())
	}
	return sum
}
