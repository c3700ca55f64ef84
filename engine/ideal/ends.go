package ideal

import "math/bits"

// An end is that of an attempt on a node.
type end struct {
	at   int64
	slot int32 // in [runs]; below 0 it is ^slot in [stages], and the attempt was written when it began
	node int32
}

// ends is a radix heap: ends by the highest bit in which their time differs from the last one taken. Times never go back, so an end
// moves to a lower bucket a few times and is never compared with another one. Ends of one time come in the order in which they
// were pushed: they are always in the same bucket, and moves keep their order.
//
// Source: Ahuja, Mehlhorn, Orlin, Tarjan, Faster algorithms for the shortest path problem, Journal of the ACM 37 (1990).
type ends struct {
	buckets [65][]end // 0: at the last time; b: it differs in bit b-1 and not above
	least   [65]int64 // time in a bucket
	filled  uint64    // bit b-1: bucket b is not empty, from 1 on
	head    int       // first of bucket 0 that is left
	last    int64     // no end is before it
}

// next is the time of the earliest, [never] if there is none.
func (h *ends) next() int64 {
	switch {
	case h.head < len(h.buckets[0]):
		return h.last
	case h.filled == 0:
		return never
	}
	return h.least[bits.TrailingZeros64(h.filled)+1]
}

// push adds an end at the time of the one taken last or later.
func (h *ends) push(e end) {
	b := bits.Len64(uint64(e.at ^ h.last))
	if b > 0 {
		if bit := uint64(1) << (b - 1); h.filled&bit == 0 {
			h.filled |= bit
			h.least[b] = e.at
		} else {
			h.least[b] = min(h.least[b], e.at)
		}
	}
	h.buckets[b] = append(h.buckets[b], e)
}

// pop removes the earliest; there must be one.
func (h *ends) pop() end {
	if h.head == len(h.buckets[0]) {
		h.buckets[0], h.head = h.buckets[0][:0], 0
		b := bits.TrailingZeros64(h.filled) + 1
		h.filled &^= 1 << (b - 1)
		h.last = h.least[b]
		moved := h.buckets[b]
		h.buckets[b] = moved[:0]
		for _, e := range moved { // all of them to lower buckets
			h.push(e)
		}
	}
	e := h.buckets[0][h.head]
	h.head++
	return e
}
