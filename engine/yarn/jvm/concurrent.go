package jvm

// ConcurrentHashMap is java.util.concurrent.ConcurrentHashMap filled by one thread: it grows one key
// earlier than [HashMap], and growing reverses parts of a chain.
// The zero value is an empty map. Chains of nine and more in tables of 64 slots and up stay chains here.
type ConcurrentHashMap[K comparable, V any] struct {
	m HashMap[K, V]
}

// Len returns the number of keys.
func (c *ConcurrentHashMap[K, V]) Len() int { return c.m.size }

// Get returns the value of k, whose hash code is h, and whether it is there.
func (c *ConcurrentHashMap[K, V]) Get(k K, h int32) (V, bool) { return c.m.Get(k, h) }

// Ref returns the place of k's value, nil when it is not there. It is valid until the next key comes or goes.
func (c *ConcurrentHashMap[K, V]) Ref(k K, h int32) *V {
	if e := c.m.find(k, h); e != nil {
		return &e.val
	}
	return nil
}

// Put sets the value of k, whose hash code is h. A key that is there keeps its place.
func (c *ConcurrentHashMap[K, V]) Put(k K, h int32, v V) {
	m := &c.m
	length, ok := m.put(k, h, v)
	if !ok {
		return
	}
	if length >= treeifyAt && len(m.table) < treeifyFrom {
		// tryPresize(2n): its goal is the power of two above 3n, and it doubles until 3/4 of the table reach it.
		goal := 4 * len(m.table)
		for len(m.table)*3/4 < goal {
			c.transfer()
		}
	}
	for m.size >= len(m.table)*3/4 {
		c.transfer()
	}
}

// transfer doubles the table. Of each chain the longest tail that stays together keeps its order;
// the entries before it are put in front of their half one by one.
func (c *ConcurrentHashMap[K, V]) transfer() {
	m := &c.m
	old := m.table
	bit := len(old)
	m.table = make([]int32, 2*bit)
	for s, head := range old {
		if head == 0 {
			continue
		}
		tail, side := head, int(m.entries[head-1].hash)&bit
		for i := m.entries[head-1].next; i != 0; i = m.entries[i-1].next {
			if b := int(m.entries[i-1].hash) & bit; b != side {
				tail, side = i, b
			}
		}
		low, high := &m.table[s], &m.table[s+bit]
		if side == 0 {
			*low = tail
		} else {
			*high = tail
		}
		for i := head; i != tail; {
			e := &m.entries[i-1]
			next := e.next
			half := low
			if int(e.hash)&bit != 0 {
				half = high
			}
			e.next = *half
			*half = i
			i = next
		}
	}
}

// Remove drops k and reports whether it was there.
func (c *ConcurrentHashMap[K, V]) Remove(k K, h int32) bool { return c.m.Remove(k, h) }

// Reset makes the map as good as new.
func (c *ConcurrentHashMap[K, V]) Reset() { c.m.Reset() }

// Clear drops all keys and keeps the size of the table.
func (c *ConcurrentHashMap[K, V]) Clear() { c.m.Clear() }

// All yields keys and values in Java's iteration order. The map must not be changed meanwhile.
func (c *ConcurrentHashMap[K, V]) All(yield func(K, V) bool) { c.m.All(yield) }
