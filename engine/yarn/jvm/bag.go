package jvm

import (
	"cmp"
	"slices"

	"replay/engine/fetch"
)

// Bag is a [HashMap] of values that know their keys: one is found by its hash code alone, among few, and Java's order is found when somebody asks for it. In a chain keys
// stand as they came, so what Java's order depends on besides is how long the table has grown. The zero value is empty.
type Bag[V any] struct {
	list  []came[V] // in no order
	turn  int32     // of the last one that came
	table int32     // how long Java's is, 0 for the first size
}

// came is a value that came, by turns, which begin again when they have no more numbers: then all that are there are of fewer turns.
type came[V any] struct {
	val        V
	hash, turn int32
}

// Len returns the number of values.
func (b *Bag[V]) Len() int { return len(b.list) }

// Fetch has fetched (package fetch) where something is about to be looked for.
func (b *Bag[V]) Fetch() { fetch.List(b.list, firstTable) }

// Next returns the place of a value of that hash code from a place on, -1 when there is none. Places hold until the bag changes.
func (b *Bag[V]) Next(h int32, from int) int {
	for i := from; i < len(b.list); i++ {
		if b.list[i].hash == h {
			return i
		}
	}
	return -1
}

// At returns the value at a place; Set gives its key another value.
func (b *Bag[V]) At(place int) V { return b.list[place].val }

// Set is described at [Bag.At].
func (b *Bag[V]) Set(place int, v V) { b.list[place].val = v }

// Put adds a value whose key is new and has the hash code h.
func (b *Bag[V]) Put(h int32, v V) {
	b.table = max(b.table, firstTable)
	if b.table < treeifyFrom && len(b.list) >= treeifyAt && b.chains(h) {
		b.table *= 2
	}
	b.turn++
	b.list = append(b.list, came[V]{v, h, b.turn})
	if len(b.list) > int(b.table)*3/4 {
		b.table *= 2
	}
}

// chains reports whether the chain of a hash code has so many keys that Java makes the table longer, or a tree of it.
func (b *Bag[V]) chains(h int32) bool {
	mask, elsewhere := b.table-1, len(b.list)-treeifyAt
	slot := spread(h) & mask
	for i := range b.list {
		if spread(b.list[i].hash)&mask != slot {
			if elsewhere--; elsewhere < 0 {
				return false
			}
		}
	}
	return true
}

func (b *Bag[V]) slot(h int32) int { return int(spread(h) & (max(b.table, firstTable) - 1)) }

// Remove drops what is at a place. The table never shrinks.
func (b *Bag[V]) Remove(place int) {
	last := len(b.list) - 1
	b.list[place] = b.list[last]
	b.list[last] = came[V]{}
	b.list = b.list[:last]
}

// All yields the values in Java's iteration order. The bag must not be changed meanwhile.
func (b *Bag[V]) All(yield func(V) bool) {
	places := make([]int, len(b.list))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, k int) int {
		x, y := &b.list[i], &b.list[k]
		return cmp.Or(cmp.Compare(b.slot(x.hash), b.slot(y.hash)), cmp.Compare(x.turn-y.turn, 0))
	})
	for _, i := range places {
		if !yield(b.list[i].val) {
			return
		}
	}
}
