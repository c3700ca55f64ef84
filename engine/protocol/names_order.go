package protocol

import (
	"cmp"
	"slices"

	"replay/engine/yarn/jvm"
)

// Rank returns the place of a name in the order of Java's String.compareTo among all names that
// are interned now: Rank(a) < Rank(b) exactly when a sorts first. Interning moves ranks.
func (n *Names) Rank(id Name) int32 { return n.Ranks()[id] }

// Ranks returns the ranks of all names, by name. It is valid until another one is interned and must not be changed.
func (n *Names) Ranks() []int32 {
	if len(n.rank) != len(n.text) {
		n.rerank()
	}
	return n.rank
}

// InternInOrder interns all of them, those that are new in the order of their texts: lists by number are then lists by rank.
func (n *Names) InternInOrder(all []string) {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, jvm.CompareStrings)
	for _, s := range sorted {
		n.Intern(s)
	}
}

func (n *Names) rerank() {
	order := make([]Name, len(n.text))
	for i := range order {
		order[i] = Name(i)
	}
	slices.SortFunc(order, func(a, b Name) int {
		return cmp.Or(jvm.CompareStrings(n.text[a], n.text[b]), cmp.Compare(a, b)) // texts that are no UTF-8 may be the same to Java
	})
	n.rank = slices.Grow(n.rank[:0], len(order))[:len(order)]
	for i, id := range order {
		n.rank[id] = int32(i)
	}
}

// once starts a pass over names in which first tells repeated ones apart.
func (n *Names) once() {
	n.pass++
	if n.pass == 0 { // wrapped
		clear(n.seen)
		n.pass = 1
	}
}

// first reports whether id is met for the first time in this pass.
func (n *Names) first(id Name) bool {
	if int(id) >= len(n.seen) {
		n.seen = append(n.seen, make([]uint32, len(n.text)-len(n.seen))...)
	}
	if n.seen[id] == n.pass {
		return false
	}
	n.seen[id] = n.pass
	return true
}
