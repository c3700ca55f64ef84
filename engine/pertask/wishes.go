package pertask

import (
	"slices"

	"replay/engine/reuse"
)

// Wishes are the nodes that the attempts which wait or run prefer; they are a [master.Preferrer].
type Wishes struct {
	attempts map[int32]int // by node, how many attempts prefer it
	nodes    []int32       // those nodes, ascending
}

// Wish counts the nodes that an attempt prefers, by 1 when it begins and -1 when it is over.
func (w *Wishes) Wish(nodes []int32, by int) {
	if w.attempts == nil {
		w.attempts = map[int32]int{}
	}
	for _, n := range nodes {
		before := w.attempts[n]
		w.attempts[n] += by
		at, _ := slices.BinarySearch(w.nodes, n)
		switch {
		case before == 0:
			w.nodes = reuse.Insert(w.nodes, at, n)
		case w.attempts[n] == 0:
			w.nodes = slices.Delete(w.nodes, at, at+1)
			delete(w.attempts, n)
		}
	}
}

// Preferred is part of [master.Preferrer].
func (w *Wishes) Preferred() (nodes []int32, stays bool) { return w.nodes, false }

// Prefers is part of [master.Preferrer].
func (w *Wishes) Prefers(node int32) bool { return w.attempts[node] > 0 }
