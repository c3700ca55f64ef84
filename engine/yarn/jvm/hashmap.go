package jvm

// entry is a slot of a table's chain. Chains are linked by index, so a table is two slices.
type entry[K comparable, V any] struct {
	key  K
	val  V
	hash int32 // spread
	next int32 // index+1, 0 ends the chain
}

// HashMap is java.util.HashMap: iteration by slot, then by chain.
// The zero value is an empty map. Chains of nine and more, which Java turns into trees once the table
// has 64 slots, stay chains here.
type HashMap[K comparable, V any] struct {
	table   []int32 // index+1 of the first entry
	entries []entry[K, V]
	free    []int32
	size    int
}

const (
	firstTable  = 16
	treeifyAt   = 8
	treeifyFrom = 64
)

func spread(h int32) int32 { return h ^ int32(uint32(h)>>16) }

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
	if m.size == 0 {
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
	if e := m.find(k, h); e != nil {
		e.val = v
		return
	}
	if m.table == nil {
		m.table = make([]int32, firstTable)
	}
	n := m.add(entry[K, V]{key: k, val: v, hash: spread(h)})
	slot := &m.table[int(spread(h))&(len(m.table)-1)]
	length := 0
	for *slot != 0 {
		slot = &m.entries[*slot-1].next
		length++
	}
	*slot = n
	if length >= treeifyAt && len(m.table) < treeifyFrom {
		m.resize()
	}
	m.size++
	if m.size > len(m.table)*3/4 {
		m.resize()
	}
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
	if m.size == 0 {
		return false
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

// Reset makes the map as good as new, with a table of the first size.
func (m *HashMap[K, V]) Reset() {
	if len(m.table) > firstTable {
		m.table = m.table[:firstTable]
	}
	m.Clear()
}

// Clear drops all keys and keeps the size of the table.
func (m *HashMap[K, V]) Clear() {
	clear(m.table)
	clear(m.entries)
	m.entries, m.free, m.size = m.entries[:0], m.free[:0], 0
}

// All yields keys and values in Java's iteration order. The map must not be changed meanwhile.
func (m *HashMap[K, V]) All(yield func(K, V) bool) {
	for _, head := range m.table {
		for i := head; i != 0; i = m.entries[i-1].next {
			if !yield(m.entries[i-1].key, m.entries[i-1].val) {
				return
			}
		}
	}
}
