package ideal

import "math/bits"

// An end is that of an attempt on a node.
type end struct {
	at   int64
	slot int32 // in [runs]; below 0 it is ^slot in [stages], and the attempt was written when it began
	node int32
}

// ends is a radix heap: ends by the highest digit in which their time differs from the last one taken, and by that digit. Times never
// go back, so an end moves to a lower digit a few times and is never compared with another one. Ends of one time come in the order in
// which they were pushed: they are always in the same bucket, and moves keep their order. The lowest digit is wide: most of its buckets
// hold one end or none.
//
// Source: Ahuja, Mehlhorn, Orlin, Tarjan, Faster algorithms for the shortest path problem, Journal of the ACM 37 (1990).
type ends struct {
	soon    wheel
	later   [(64 - low + digit - 1) / digit][1 << digit][]end
	filled  [(64 - low + digit - 1) / digit]uint64  // buckets that are not empty
	spare   [(64 - low + digit - 1) / digit][][]end // memory of buckets that are
	last    int64                                   // no end is before it
	soonest int64                                   // the earliest time, [never] if there is none
}

const low, digit = 12, 6 // bits of the lowest digit, and of others

// next is the time of the earliest, [never] if there is none.
func (h *ends) next() int64 { return h.soonest }

// push adds an end at the time of the one taken last or later.
func (h *ends) push(e end) {
	h.soonest = min(h.soonest, e.at)
	h.put(e)
}

func (h *ends) put(e end) {
	if (e.at^h.last)>>low == 0 {
		h.soon.push(e)
		return
	}
	level, d := h.place(e.at)
	b := &h.later[level][d]
	if len(*b) == 0 {
		h.filled[level] |= 1 << d
		if spare := &h.spare[level]; len(*spare) > 0 {
			k := len(*spare) - 1
			*b, *spare = (*spare)[k], (*spare)[:k]
		}
	}
	*b = append(*b, e)
}

// place is the bucket of a time that differs in more than the lowest digit.
func (h *ends) place(at int64) (level, d uint) {
	level = uint(bits.Len64(uint64(at^h.last)>>low)-1) / digit
	return level, uint(at>>(low+level*digit)) % (1 << digit)
}

// pop removes the earliest; there must be one.
func (h *ends) pop() end {
	if (h.soonest^h.last)>>low != 0 {
		level, d := h.place(h.soonest)
		h.last = h.soonest
		b := &h.later[level][d]
		for _, e := range *b { // all of them to lower digits
			h.put(e)
		}
		h.filled[level] &^= 1 << d
		h.spare[level] = append(h.spare[level], (*b)[:0])
		*b = nil
	}
	h.last = h.soonest
	e, more := h.soon.pop(h.last)
	if !more {
		h.soonest = h.find()
	}
	return e
}

// find returns the earliest time.
func (h *ends) find() int64 {
	if d := h.soon.first(); d >= 0 {
		return h.last>>low<<low | int64(d)
	}
	at := int64(never)
	for level, w := range h.filled {
		if w != 0 {
			for _, e := range h.later[level][bits.TrailingZeros64(w)] {
				at = min(at, e.at)
			}
			break
		}
	}
	return at
}

// A wheel holds ends by the lowest digit of their time.
type wheel struct {
	slots  [1 << low]slot
	words  [1 << low / 64]uint64 // slots that are not empty
	filled uint64                // words that are not 0
	list   []linked
	free   int32 // first that is free of the list, and one more; 0 = none
}

// A slot has the first and last of its ends in the list, and one more; 0 = none.
type slot struct{ first, last int32 }

type linked struct {
	end
	next int32 // as first
}

func (w *wheel) push(e end) {
	if w.free == 0 {
		w.list = append(w.list, linked{})
		w.free = int32(len(w.list))
	}
	i := w.free
	x := &w.list[i-1]
	w.free = x.next
	*x = linked{end: e}
	d := uint(e.at) % (1 << low)
	s := &w.slots[d]
	if s.first == 0 {
		s.first = i
		w.words[d/64] |= 1 << (d % 64)
		w.filled |= 1 << (d / 64)
	} else {
		w.list[s.last-1].next = i
	}
	s.last = i
}

// pop removes the first of a time. There are more at that time, or not.
func (w *wheel) pop(at int64) (e end, more bool) {
	d := uint(at) % (1 << low)
	s := &w.slots[d]
	i := s.first
	x := &w.list[i-1]
	s.first, x.next, w.free = x.next, w.free, i
	if s.first == 0 {
		if w.words[d/64] &^= 1 << (d % 64); w.words[d/64] == 0 {
			w.filled &^= 1 << (d / 64)
		}
	}
	return x.end, s.first != 0
}

// first is the lowest digit that there is, -1 without any.
func (w *wheel) first() int {
	if w.filled == 0 {
		return -1
	}
	k := bits.TrailingZeros64(w.filled)
	return k<<6 | bits.TrailingZeros64(w.words[k])
}
