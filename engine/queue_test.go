package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueueIsTotalOrder compares the queue with a sorted list for any mixture of pushes and pops.
func TestQueueIsTotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var model []event
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			if len(model) > 0 && rapid.Bool().Draw(t, "pop") {
				slices.SortFunc(model, func(a, b event) int {
					if a.before(&b) {
						return -1
					}
					return 1
				})
				if got := q.pop(); got != model[0] {
					t.Fatalf("popped %+v, want %+v", got, model[0])
				}
				model = model[1:]
				continue
			}
			at := rapid.Int64Range(0, 5).Draw(t, "at")
			ord := order(class(rapid.IntRange(1, 3).Draw(t, "class")), rapid.Int64Range(0, 1).Draw(t, "app"), evSample, rapid.Int64Range(0, 2).Draw(t, "number"))
			q.push(at, ord, evSample, 0, int64(len(model)))
			model = append(model, event{at: at, ord: ord, seq: q.seq, kind: evSample, arg: int64(len(model))})
		}
		if q.len() != len(model) {
			t.Fatalf("queue has %d events, want %d", q.len(), len(model))
		}
	})
}
