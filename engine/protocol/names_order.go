package protocol

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Rank returns the place of a name in the order of Java's String.compareTo among all names that
// are interned now: Rank(a) < Rank(b) exactly when a sorts first. Interning moves ranks.
func (n *Names) Rank(id Name) int32 {
	if len(n.rank) != len(n.text) {
		n.rerank()
	}
	return n.rank[id]
}

func (n *Names) rerank() {
	order := make([]Name, len(n.text))
	for i := range order {
		order[i] = Name(i)
	}
	slices.SortFunc(order, func(a, b Name) int { return compareJava(n.text[a], n.text[b]) })
	n.rank = slices.Grow(n.rank[:0], len(order))[:len(order)]
	for i, id := range order {
		n.rank[id] = int32(i)
	}
}

// compareJava compares by UTF-16 code unit, then by length.
func compareJava(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i])) {
		i--
	}
	ra, _ := utf8.DecodeRuneInString(a[i:])
	rb, _ := utf8.DecodeRuneInString(b[i:])
	// Above the basic plane a character is two surrogates, which sort before U+E000.
	if i < len(a) && i < len(b) && (ra >= 0x10000) != (rb >= 0x10000) {
		if ra >= 0x10000 {
			ra = 0xd800
		} else {
			rb = 0xd800
		}
		return int(ra) - int(rb)
	}
	return strings.Compare(a[i:], b[i:])
}

// once starts a pass over names in which first tells repeated ones apart.
func (n *Names) once() {
	n.pass++
	if n.pass == 0 { // wrapped
		clear(n.seen)
		n.pass = 1
	}
	if len(n.seen) < len(n.text) {
		n.seen = append(n.seen, make([]uint32, len(n.text)-len(n.seen))...)
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
