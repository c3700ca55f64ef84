package tables

import "github.com/apache/arrow/go/v15/arrow/memory"

// lent is memory for Arrow that serves again when it was given back: a batch of rows takes as much as the one before it. What it gives is zero, as what the
// allocator of Go gives is, so that the same rows make the same bytes.
type lent struct {
	memory.Allocator
	back map[int][][]byte // by capacity
}

func newLent() *lent { return &lent{memory.NewGoAllocator(), map[int][][]byte{}} }

// lentUnit is what capacities are multiples of, so that there are few of them.
const lentUnit = 4096

// Allocate implements memory.Allocator.
func (l *lent) Allocate(size int) []byte {
	room := (size + lentUnit - 1) / lentUnit * lentUnit
	list := l.back[room]
	if len(list) == 0 {
		return l.Allocator.Allocate(room)[:size]
	}
	b := list[len(list)-1][:room]
	l.back[room] = list[:len(list)-1]
	clear(b)
	return b[:size]
}

// Reallocate implements memory.Allocator.
func (l *lent) Reallocate(size int, b []byte) []byte {
	if cap(b) >= size {
		return b[:size]
	}
	larger := l.Allocate(size)
	copy(larger, b)
	l.Free(b)
	return larger
}

// Free implements memory.Allocator.
func (l *lent) Free(b []byte) {
	if room := cap(b); room > 0 {
		l.back[room] = append(l.back[room], b)
	}
}
