// Package scala has the collections of Scala 2.12 as far as their order goes: they walk over their
// entries in an order that depends on hashes, table size and history. Where Spark takes a decision in
// such an order, the replica can either use a canonical order (the default) or reproduce Spark's own
// with these types. They keep nothing but keys and their order; Hash gives the 32-bit hash of a key.
package scala

import (
	"math/bits"
	"slices"
	"unicode/utf16"
)

// HashCode is String.hashCode of s: over its UTF-16 code units.
func HashCode(s string) int32 {
	h := uint32(0)
	for _, r := range s {
		if r1, r2 := utf16.EncodeRune(r); r1 != 0xFFFD {
			h = (h*31+uint32(r1))*31 + uint32(r2)
		} else {
			h = h*31 + uint32(r)
		}
	}
	return int32(h)
}

// improve scatters a hash for the mutable tables of Scala 2.12.
//
// Source: scala.collection.mutable.HashTable.HashUtils.improve, scala.util.hashing.byteswap32.
func improve(hash int32, seed int) uint32 {
	h := bits.ReverseBytes32(uint32(hash)*0x9e3775cd) * 0x9e3775cd
	return bits.RotateLeft32(h, -seed)
}

// HashMap is the order of a scala.collection.mutable.HashMap (2.12): chained buckets, walked
// from the last slot down, new entries at the head of their chain.
type HashMap[K comparable] struct {
	Hash func(K) int32

	slots  []int32 // head of the chain + 1
	chain  []mapEntry[K]
	free   []int32
	length int
}

type mapEntry[K comparable] struct {
	key  K
	next int32 // entry + 1
}

// Len returns the number of keys.
func (m *HashMap[K]) Len() int { return m.length }

func (m *HashMap[K]) slot(k K) int {
	// The seed stays that of the first size: 4 bits.
	return int(improve(m.Hash(k), 4) >> bits.LeadingZeros32(uint32(len(m.slots)-1)))
}

// Put adds k; a key that is there keeps its place.
func (m *HashMap[K]) Put(k K) {
	if m.slots == nil {
		m.slots = make([]int32, 16)
	}
	s := m.slot(k)
	for e := m.slots[s]; e != 0; e = m.chain[e-1].next {
		if m.chain[e-1].key == k {
			return
		}
	}
	var at int32
	if n := len(m.free); n > 0 {
		at, m.free = m.free[n-1], m.free[:n-1]
		m.chain[at] = mapEntry[K]{k, m.slots[s]}
	} else {
		at = int32(len(m.chain))
		m.chain = append(m.chain, mapEntry[K]{k, m.slots[s]})
	}
	m.slots[s] = at + 1
	m.length++
	if m.length > len(m.slots)*750/1000 {
		m.grow()
	}
}

func (m *HashMap[K]) grow() {
	old := m.slots
	m.slots = make([]int32, 2*len(old))
	for i := len(old) - 1; i >= 0; i-- {
		for e := old[i]; e != 0; {
			next := m.chain[e-1].next
			s := m.slot(m.chain[e-1].key)
			m.chain[e-1].next, m.slots[s] = m.slots[s], e
			e = next
		}
	}
}

// Remove takes k out, if it is there. The table never shrinks.
func (m *HashMap[K]) Remove(k K) {
	if m.slots == nil {
		return
	}
	for at := &m.slots[m.slot(k)]; *at != 0; at = &m.chain[*at-1].next {
		if e := *at; m.chain[e-1].key == k {
			*at = m.chain[e-1].next
			m.free = append(m.free, e-1)
			m.length--
			return
		}
	}
}

// Clear takes all keys out; the table keeps its size.
func (m *HashMap[K]) Clear() {
	clear(m.slots)
	m.chain, m.free, m.length = m.chain[:0], m.free[:0], 0
}

// All yields the keys in Scala's order. The map must not change meanwhile.
func (m *HashMap[K]) All(yield func(K) bool) {
	for i := len(m.slots) - 1; i >= 0; i-- {
		for e := m.slots[i]; e != 0; e = m.chain[e-1].next {
			if !yield(m.chain[e-1].key) {
				return
			}
		}
	}
}

// HashSet is the order of a scala.collection.mutable.HashSet (2.12): open addressing, walked
// from the first slot up.
type HashSet[K comparable] struct {
	Hash func(K) int32

	slots  []setEntry[K]
	length int
}

type setEntry[K comparable] struct {
	key  K
	used bool
}

// Len returns the number of keys.
func (s *HashSet[K]) Len() int { return s.length }

func (s *HashSet[K]) slot(k K) int {
	ones := uint32(len(s.slots) - 1)
	return int(improve(s.Hash(k), bits.OnesCount32(ones)) >> bits.LeadingZeros32(ones))
}

// Add adds k, unless it is there.
func (s *HashSet[K]) Add(k K) {
	if s.slots == nil {
		s.slots = make([]setEntry[K], 32)
	}
	i := s.slot(k)
	for ; s.slots[i].used; i = (i + 1) % len(s.slots) {
		if s.slots[i].key == k {
			return
		}
	}
	s.slots[i] = setEntry[K]{k, true}
	s.length++
	if s.length >= len(s.slots)*450/1000 {
		old := s.slots
		s.slots = make([]setEntry[K], 2*len(old))
		s.length = 0
		for _, e := range old {
			if e.used {
				s.Add(e.key)
			}
		}
	}
}

// Remove takes k out, if it is there, and moves later entries of its run back.
func (s *HashSet[K]) Remove(k K) {
	n := len(s.slots)
	if n == 0 {
		return
	}
	i := s.slot(k)
	for ; s.slots[i].used; i = (i + 1) % n {
		if s.slots[i].key != k {
			continue
		}
		hole := i
		for j := (i + 1) % n; s.slots[j].used; j = (j + 1) % n {
			if want := s.slot(s.slots[j].key); want != j && s.precedes(want, hole) {
				s.slots[hole] = s.slots[j]
				hole = j
			}
		}
		s.slots[hole] = setEntry[K]{}
		s.length--
		return
	}
}

// precedes reports whether slot i comes before or at slot j in the ring, seen from the nearer side.
func (s *HashSet[K]) precedes(i, j int) bool {
	d := len(s.slots) >> 1
	if i <= j {
		return j-i < d
	}
	return i-j > d
}

// All yields the keys in Scala's order. The set must not change meanwhile.
func (s *HashSet[K]) All(yield func(K) bool) {
	for _, e := range s.slots {
		if e.used && !yield(e.key) {
			return
		}
	}
}

// Immutable is the order of an immutable Map or Set of Scala 2.12: insertion order up to four
// keys, then that of a hash trie, also after removals have made it small again.
type Immutable[K comparable] struct {
	Hash func(K) int32
	Map  bool // a Map, whose update of a key may move it

	keys []K
	trie bool
}

// Put adds k; a key that is there keeps its place, but for one of a Map that shares its 32-bit hash with others, behind which it goes.
//
// Source: scala.collection.immutable.HashMap.HashMapCollision1.updated0.
func (m *Immutable[K]) Put(k K) {
	if i := slices.Index(m.keys, k); i >= 0 {
		if m.Map && m.trie {
			m.keys = append(slices.Delete(m.keys, i, i+1), k)
		}
		return
	}
	m.keys = append(m.keys, k)
	m.trie = m.trie || len(m.keys) > 4
}

// Remove takes k out, if it is there.
func (m *Immutable[K]) Remove(k K) {
	if i := slices.Index(m.keys, k); i >= 0 {
		m.keys = slices.Delete(m.keys, i, i+1)
	}
}

// All yields the keys in Scala's order.
func (m *Immutable[K]) All(yield func(K) bool) {
	keys := m.keys
	if m.trie {
		keys = slices.Clone(keys)
		slices.SortStableFunc(keys, func(a, b K) int {
			x, y := trieKey(m.Hash(a)), trieKey(m.Hash(b))
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	}
	for _, k := range keys {
		if !yield(k) {
			return
		}
	}
}

// trieKey orders as the trie is walked: by the improved hash in groups of 5 bits, lowest first.
//
// Source: scala.collection.immutable.HashMap.improve and HashTrieMap.
func trieKey(hash int32) uint64 {
	h := uint32(hash)
	h += ^(h << 9)
	h ^= h >> 14
	h += h << 4
	h ^= h >> 10
	key := uint64(0)
	for range 7 {
		key = key<<5 | uint64(h&31)
		h >>= 5
	}
	return key
}
