// Package reuse makes lists in memory that was used before: what ends gives its lists to what begins. A place beyond the end of a list
// may hold lists of its own, whose memory is used again with it; whatever else it holds is to be overwritten.
package reuse

import (
	"math/bits"
	"slices"
)

// Longer returns a list with one more element: what its place in memory holds, or a zero one. An element that is put together elsewhere and appended is copied in wider pieces than it
// was written, and a processor waits for that until what was written has left it, some 20 cycles: what is listed often is filled in its place.
func Longer[E any](list []E) []E {
	if len(list) < cap(list) {
		return list[:len(list)+1]
	}
	var zero E
	return append(list, zero)
}

// Roomy returns a list with room for n elements.
func Roomy[E any](list []E, n int) []E {
	all := list[:cap(list)]
	return slices.Grow(all, max(n-len(all), 0))[:len(list)]
}

// Reaching returns a list of at least n elements: a shorter one has zero ones behind its own.
func Reaching[E any](list []E, n int) []E {
	if more := n - len(list); more > 0 {
		list = append(list, make([]E, more)...)
	}
	return list
}

// Insert puts an element into a list before the i-th one. [slices.Insert] allocates memory for what it is to put there.
func Insert[E any](list []E, i int, x E) []E {
	list = append(list, x)
	copy(list[i+1:], list[i:])
	list[i] = x
	return list
}

// Zeros returns a list of n zero elements in the memory of a list.
func Zeros[E any](list []E, n int) []E {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// Cut returns an empty list with room for n elements, of memory that many such lists lie in; more of it is made where it is used up.
func Cut[E any](block *[]E, n, many int) []E {
	if len(*block) < n {
		*block = make([]E, n*many)
	}
	list := (*block)[:0:n]
	*block = (*block)[n:]
	return list
}

// PerBlock is how many elements a [Block] has.
const PerBlock = 31

// Block returns zero elements beside each other, of which each begins with a line of memory if it fills some: an element that lay across the ends of its lines would be in one more. In
// front of what has pointers the allocator keeps 8 bytes.
func Block[E any]() []E {
	b := new(struct {
		_    [64 - 8]byte
		list [PerBlock]E
	})
	return b.list[:]
}

// A Pool is memory of lists that others need for a while, kept by powers of two of their room, so that a small list does not take the memory of a
// large one. The zero value is empty.
type Pool[E any] struct {
	spare [bits.UintSize + 1][][]E // lists with room for 1<<i elements or more, and less than 1<<(i+1)
}

// Take returns an empty list with room for n elements.
func (p *Pool[E]) Take(n int) []E {
	class := bits.Len(uint(max(n, 1) - 1))
	all := &p.spare[class]
	if k := len(*all); k > 0 {
		list := (*all)[k-1]
		*all = (*all)[:k-1]
		return list
	}
	return make([]E, 0, 1<<class)
}

// Give takes a list that nobody reads any more.
func (p *Pool[E]) Give(list []E) {
	if n := cap(list); n > 0 {
		all := &p.spare[bits.Len(uint(n))-1]
		*all = append(*all, list[:0])
	}
}
