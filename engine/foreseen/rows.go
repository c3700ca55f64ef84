// Package foreseen keeps rows of task attempts that were made ahead of their time, until that.
package foreseen

import (
	"replay/engine/fetch"
	"replay/engine/record"
)

// Rows are rows that come at the places of events in their order: a time, a place among the events of it, and of one event the order in which they were put. They are taken one after the
// other, and new ones are put behind those that were. The zero value holds none.
//
// Most come much later, so it is only said of them in which span of time they do, until that begins. Those of the one at hand are a binary heap, which is short.
type Rows struct {
	rows []record.Task
	free []int32 // of rows

	near  []place   // binary heap: in the span at hand, or before it
	span  int64     // the one at hand
	later [][]place // by span behind it, from first on, around
	first int
	n     int // of those in later
	seq   uint64
}

// spanBits is how long a span is: 8.2 s.
const spanBits = 13

// place is where a row comes.
type place struct {
	at  int64
	ord uint64
	seq uint64
	row int32
}

func (p *place) before(o *place) bool {
	if p.at != o.at {
		return p.at < o.at
	}
	if p.ord != o.ord {
		return p.ord < o.ord
	}
	return p.seq < o.seq
}

// Len returns how many rows are kept.
func (r *Rows) Len() int { return r.n + len(r.near) }

// Put keeps a copy of a row until a time, ms, and a place among the events of that.
func (r *Rows) Put(at int64, ord uint64, row *record.Task) {
	i := int32(len(r.rows))
	if n := len(r.free); n > 0 {
		i = r.free[n-1]
		r.free = r.free[:n-1]
		r.rows[i] = *row
	} else {
		r.rows = append(r.rows, *row)
	}
	r.seq++
	p := place{at: at, ord: ord, seq: r.seq, row: i}
	behind := at>>spanBits - r.span
	if behind <= 0 {
		r.push(p)
		return
	}
	if behind > int64(len(r.later)) {
		r.widen(int(behind))
	}
	list := &r.later[(r.first+int(behind)-1)%len(r.later)]
	*list = append(*list, p)
	r.n++
}

// widen makes room for so many spans behind the one at hand.
func (r *Rows) widen(spans int) {
	wider := make([][]place, max(spans, 2*len(r.later)))
	n := copy(wider, r.later[r.first:])
	copy(wider[n:], r.later[:r.first])
	r.later, r.first = wider, 0
}

// Before takes the first row that comes before a time, ms, and a place among the events of that, or returns nil. It holds until the next one is put.
func (r *Rows) Before(at int64, ord uint64) *record.Task {
	for len(r.near) == 0 {
		span := at >> spanBits
		if r.span >= span {
			return nil
		}
		if r.n == 0 {
			r.span = span
			return nil
		}
		r.next()
	}
	if p := &r.near[0]; p.at > at || p.at == at && p.ord >= ord {
		return nil
	}
	row := r.near[0].row
	r.pop()
	if len(r.near) > 0 { // it is likely the next one that is taken
		fetch.Of(&r.rows[r.near[0].row])
	}
	r.free = append(r.free, row)
	return &r.rows[row]
}

// next goes on to the next span. None are left in the one at hand.
func (r *Rows) next() {
	list := &r.later[r.first]
	r.near, *list = *list, r.near[:0]
	r.n -= len(r.near)
	for i := len(r.near)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	r.first = (r.first + 1) % len(r.later)
	r.span++
}

func (r *Rows) push(p place) {
	r.near = append(r.near, p)
	i := len(r.near) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !p.before(&r.near[up]) {
			break
		}
		r.near[i] = r.near[up]
		i = up
	}
	r.near[i] = p
}

func (r *Rows) pop() {
	n := len(r.near) - 1
	r.near[0] = r.near[n]
	r.near = r.near[:n]
	if n > 0 {
		r.sink(0)
	}
}

// sink has what is at a place of the heap go down to where it belongs.
func (r *Rows) sink(i int) {
	near := r.near
	p := near[i]
	for c := 2*i + 1; c < len(near); c = 2*i + 1 {
		if c+1 < len(near) && near[c+1].before(&near[c]) {
			c++
		}
		if !near[c].before(&p) {
			break
		}
		near[i] = near[c]
		i = c
	}
	near[i] = p
}
