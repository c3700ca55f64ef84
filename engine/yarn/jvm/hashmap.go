package jvm

import "slices"

// entry is a key of a map. Chains of a table are linked by index, so a table is two slices.
type entry[K comparable, V any] struct {
	key  K
	val  V
	hash int32 // spread
	next int32 // index+1, 0 ends the chain
}

// HashMap is java.util.HashMap: iteration by slot, then by chain.
// The zero value is an empty map. Chains of nine and more, which Java turns into trees once the table
// has 64 slots, stay chains here.
//
// As long as there never were more than a few keys there is no table: a table of the first size would not have grown, so the order in which they came tells
// that of its chains.
type HashMap[K comparable, V any] struct {
	entries []entry[K, V] // without a table, the keys in the order in which they came
	size    int
	table   []int32 // index+1 of the first entry; empty while there is no table
	free    []int32
}

const (
	few         = 8
	firstTable  = 16
	treeifyAt   = 8
	treeifyFrom = 64
)

func spread(h int32) int32 { return h ^ int32(uint32(h)>>16) }

// Slot returns the slot of a key, by its hash code, in a HashMap that never had more than so many keys at a time.
func Slot(h int32, most int) int {
	length := firstTable
	for most > length/4*3 {
		length *= 2
	}
	return Place(h, length)
}

// Place returns the slot of a key, by its hash code, in a table of that length, a power of two.
func Place(h int32, length int) int { return int(spread(h)) & (length - 1) }

// Len returns the number of keys.
func (m *HashMap[K, V]) Len() int { return m.size }

// Get returns the value of k, whose hash code is h, and whether it is there.
func (m *HashMap[K, V]) Get(k K, h int32) (v V, ok bool) {
	if p := m.find(k, h); p != nil {
		return p.val, true
	}
	return v, false
}

func (m *HashMap[K, V]) find(k K, h int32) *entry[K, V] {
	if len(m.table) == 0 {
		for i := range m.entries {
			if e := &m.entries[i]; e.key == k {
				return e
			}
		}
		return nil
	}
	for i := m.table[int(spread(h))&(len(m.table)-1)]; i != 0; {
		e := &m.entries[i-1]
		if e.key == k {
			return e
		}
		i = e.next
	}
	return nil
}

// Put sets the value of k, whose hash code is h. A key that is there keeps its place.
func (m *HashMap[K, V]) Put(k K, h int32, v V) {
	length, ok := m.put(k, h, v)
	if !ok {
		return
	}
	if length >= treeifyAt && len(m.table) < treeifyFrom {
		m.resize()
	}
	if m.size > len(m.table)*3/4 {
		m.resize()
	}
}

// put is Put without what makes a table grow. ok tells that there is a table and k is new in it, length how many keys the chain had.
func (m *HashMap[K, V]) put(k K, h int32, v V) (length int, ok bool) {
	if e := m.find(k, h); e != nil {
		e.val = v
		return 0, false
	}
	m.size++
	e := entry[K, V]{key: k, val: v, hash: spread(h)}
	if len(m.table) == 0 {
		if len(m.entries) < few {
			m.entries = append(m.entries, e)
			return 0, false
		}
		m.table = append(m.table, make([]int32, firstTable)...)
		for i := range m.entries {
			m.link(int32(i + 1))
		}
	}
	return m.link(m.add(e)), true
}

// link puts an entry, by index+1, at the end of its chain and returns how many keys that had.
func (m *HashMap[K, V]) link(n int32) (length int) {
	slot := &m.table[int(m.entries[n-1].hash)&(len(m.table)-1)]
	for *slot != 0 {
		slot = &m.entries[*slot-1].next
		length++
	}
	*slot = n
	return length
}

func (m *HashMap[K, V]) add(e entry[K, V]) int32 {
	if n := len(m.free); n > 0 {
		i := m.free[n-1]
		m.free = m.free[:n-1]
		m.entries[i-1] = e
		return i
	}
	m.entries = append(m.entries, e)
	return int32(len(m.entries))
}

// resize doubles the table; both halves of a chain keep their relative order.
func (m *HashMap[K, V]) resize() {
	old := m.table
	m.table = make([]int32, 2*len(old))
	for s, head := range old {
		low, high := &m.table[s], &m.table[s+len(old)]
		for i := head; i != 0; {
			e := &m.entries[i-1]
			next := e.next
			e.next = 0
			if int(e.hash)&len(old) == 0 {
				*low = i
				low = &e.next
			} else {
				*high = i
				high = &e.next
			}
			i = next
		}
	}
}

// Remove drops k and reports whether it was there. The table never shrinks.
func (m *HashMap[K, V]) Remove(k K, h int32) bool {
	if len(m.table) == 0 {
		i := slices.IndexFunc(m.entries, func(e entry[K, V]) bool { return e.key == k })
		if i < 0 {
			return false
		}
		m.entries = slices.Delete(m.entries, i, i+1)
		m.size--
		return true
	}
	for slot := &m.table[int(spread(h))&(len(m.table)-1)]; *slot != 0; {
		i := *slot
		e := &m.entries[i-1]
		if e.key == k {
			*slot = e.next
			*e = entry[K, V]{}
			m.free = append(m.free, i)
			m.size--
			return true
		}
		slot = &e.next
	}
	return false
}

// Reset makes the map as good as new.
func (m *HashMap[K, V]) Reset() {
	m.Clear()
	m.table = m.table[:0]
}

// Clear drops all keys and keeps the size of the table.
func (m *HashMap[K, V]) Clear() {
	clear(m.table)
	clear(m.entries)
	m.entries, m.free, m.size = m.entries[:0], m.free[:0], 0
}

// All yields keys and values in Java's iteration order. The map must not be changed meanwhile.
func (m *HashMap[K, V]) All(yield func(K, V) bool) {
	if len(m.table) == 0 {
		var room [few]*entry[K, V]
		for _, e := range m.inOrder(room[:0]) {
			if !yield(e.key, e.val) {
				return
			}
		}
		return
	}
	for _, head := range m.table {
		for i := head; i != 0; i = m.entries[i-1].next {
			if !yield(m.entries[i-1].key, m.entries[i-1].val) {
				return
			}
		}
	}
}

// inOrder appends the entries of a map without a table in the order of the slots that they would have, those of one slot as they came.
func (m *HashMap[K, V]) inOrder(list []*entry[K, V]) []*entry[K, V] {
	for i := range m.entries {
		e, at := &m.entries[i], i
		list = append(list, e)
		for ; at > 0 && list[at-1].hash&(firstTable-1) > e.hash&(firstTable-1); at-- {
			list[at] = list[at-1]
		}
		list[at] = e
	}
	return list
}
