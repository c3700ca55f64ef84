// Package parting finds the first decision in which two replays part, and what stood behind it.
package parting

import (
	"iter"

	"replay/engine/record"
)

// A Parting is where two replays part.
type Parting struct {
	At     int64               // number of the decision, from 1; 0 when they do not part
	Sides  [2]*record.Decision // nil for a replay that has ended
	Before Books               // what the decisions before it, which are equal, come to
	Last   []record.Decision   // the last of them
	Kinds  [2]map[string]int64 // decisions by kind, of all of each replay
	All    [2]int64
}

// lastKept is how many equal decisions before the parting are kept.
const lastKept = 5

// Sum is what is held, by containers.
type Sum struct {
	Containers     int64
	MemMiB, VCores int64
}

func (s *Sum) add(d *record.Decision, sign int64) {
	s.Containers += sign
	s.MemMiB += sign * d.MemMiB
	s.VCores += sign * d.VCores
}

// Books are what the containers hold that were allocated and have not ended. Sizes are those of the allocation.
type Books struct {
	ByJob  map[int64]Sum
	ByNode map[int32]Sum
	held   map[id]record.Decision
}

type id struct{ job, attempt, container int64 }

// NewBooks returns the books of a replay that begins.
func NewBooks() Books {
	return Books{ByJob: map[int64]Sum{}, ByNode: map[int32]Sum{}, held: map[id]record.Decision{}}
}

// Take enters a decision. Of kinds other than "allocate" and "complete" there is nothing to enter.
func (b *Books) Take(d *record.Decision) {
	key := id{d.Job, d.AMAttempt, d.Container}
	move := func(d *record.Decision, sign int64) {
		job, node := b.ByJob[d.Job], b.ByNode[d.Node]
		job.add(d, sign)
		node.add(d, sign)
		b.ByJob[d.Job], b.ByNode[d.Node] = job, node
	}
	switch d.Kind {
	case "allocate":
		b.held[key] = *d
		move(d, 1)
	case "complete":
		if was, ok := b.held[key]; ok {
			delete(b.held, key)
			move(&was, -1)
		}
	}
}

// hold enters a container that was allocated before.
func (b *Books) hold(d record.Decision) {
	d.Kind = "allocate"
	b.Take(&d)
}

// Held is the kind of decisions that both replays go on with: containers that were allocated before the first decision. They are no decisions of theirs.
const Held = "held"

// Find reads the decisions of two replays to their ends. Both may begin with what is [Held] where they go on from one state.
func Find(a, b iter.Seq[record.Decision]) *Parting {
	p := &Parting{Before: NewBooks(), Kinds: [2]map[string]int64{{}, {}}}
	var next [2]func() (record.Decision, bool)
	for i, seq := range []iter.Seq[record.Decision]{a, b} {
		pull, stop := iter.Pull(seq)
		defer stop()
		next[i] = func() (record.Decision, bool) {
			d, ok := pull()
			for ; ok && d.Kind == Held; d, ok = pull() {
				if i == 0 {
					p.Before.hold(d)
				}
			}
			if ok {
				p.All[i]++
				p.Kinds[i][d.Kind]++
			}
			return d, ok
		}
	}
	for n := int64(1); ; n++ {
		x, xok := next[0]()
		y, yok := next[1]()
		if !xok && !yok {
			return p
		}
		if x, y := x, y; xok && yok {
			x.Seq, y.Seq = 0, 0
			if x == y {
				p.Before.Take(&x)
				if len(p.Last) == lastKept {
					p.Last = append(p.Last[:0], p.Last[1:]...)
				}
				p.Last = append(p.Last, x)
				continue
			}
		}
		p.At = n
		if xok {
			p.Sides[0] = &x
		}
		if yok {
			p.Sides[1] = &y
		}
		for i := range next { // what follows is counted
			for ok := p.Sides[i] != nil; ok; {
				_, ok = next[i]()
			}
		}
		return p
	}
}
