package jvm

import (
	"cmp"
	"slices"

	"replay/engine/fetch"
)

// Bag is a [HashMap] of values that know their keys: one is found by its hash code alone, among few, and Java's order is found when somebody asks for it. In a chain keys
// stand as they came, so what Java's order depends on besides is how long the table has grown. The zero value is empty.
type Bag[V any] struct {
	hashes []int32
	values []came[V] // beside them, in no order
	turn   int64     // of the last one that came
	table  int       // how long Java's is, 0 for the first size
}

type came[V any] struct {
	val  V
	turn int64
}

// Len returns the number of values.
func (b *Bag[V]) Len() int { return len(b.hashes) }

// Fetch has fetched (package fetch) where something is about to be looked for.
func (b *Bag[V]) Fetch() {
	fetch.List(b.hashes, firstTable)
	fetch.List(b.values, firstTable)
}

// Next returns the place of a value of that hash code from a place on, -1 when there is none. Places hold until the bag changes.
func (b *Bag[V]) Next(h int32, from int) int {
	for i := from; i < len(b.hashes); i++ {
		if b.hashes[i] == h {
			return i
		}
	}
	return -1
}

// At returns the value at a place; Set gives its key another value.
func (b *Bag[V]) At(place int) V { return b.values[place].val }

// Set is described at [Bag.At].
func (b *Bag[V]) Set(place int, v V) { b.values[place].val = v }

// Put adds a value whose key is new and has the hash code h.
func (b *Bag[V]) Put(h int32, v V) {
	b.table = max(b.table, firstTable)
	if b.table < treeifyFrom && len(b.hashes) >= treeifyAt && b.chains(h) {
		b.table *= 2
	}
	b.turn++
	b.hashes, b.values = append(b.hashes, h), append(b.values, came[V]{v, b.turn})
	if len(b.hashes) > b.table*3/4 {
		b.table *= 2
	}
}

// chains reports whether the chain of a hash code has so many keys that Java makes the table longer, or a tree of it.
func (b *Bag[V]) chains(h int32) bool {
	mask, elsewhere := int32(b.table-1), len(b.hashes)-treeifyAt
	slot := spread(h) & mask
	for _, o := range b.hashes {
		if spread(o)&mask != slot {
			if elsewhere--; elsewhere < 0 {
				return false
			}
		}
	}
	return true
}

func (b *Bag[V]) slot(h int32) int { return int(spread(h)) & (max(b.table, firstTable) - 1) }

// Remove drops what is at a place. The table never shrinks.
func (b *Bag[V]) Remove(place int) {
	last := len(b.hashes) - 1
	b.hashes[place], b.values[place] = b.hashes[last], b.values[last]
	b.values[last] = came[V]{}
	b.hashes, b.values = b.hashes[:last], b.values[:last]
}

// All yields the values in Java's iteration order. The bag must not be changed meanwhile.
func (b *Bag[V]) All(yield func(V) bool) {
	places := make([]int, len(b.hashes))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, k int) int {
		return cmp.Or(cmp.Compare(b.slot(b.hashes[i]), b.slot(b.hashes[k])), cmp.Compare(b.values[i].turn, b.values[k].turn))
	})
	for _, i := range places {
		if !yield(b.values[i].val) {
			return
		}
	}
}
