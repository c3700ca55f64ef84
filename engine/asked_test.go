package engine

import "testing"

// A container is asked for since the oldest ask of its priority, of however many priorities there are.
func TestAskedAtOfManyPriorities(t *testing.T) {
	a := &app{}
	const many = 5 * fewAsks
	for p := range int32(many) {
		a.outstandingAt(many-p).set(2, int64(p))
	}
	for p := range int32(many) {
		a.outstandingAt(many-p).set(3, 1000+int64(p))
	}
	if len(a.asks) != many || len(a.asksAt) != many-fewAsks {
		t.Errorf("%d priorities are kept, and the places of %d, want %d and %d", len(a.asks), len(a.asksAt), many, many-fewAsks)
	}
	for _, want := range []int64{0, 0, 1000} {
		for p := range int32(many) {
			if at := a.askedAt(many - p); at != want+int64(p) {
				t.Fatalf("a container of priority %d was asked for at %d, want %d", many-p, at, want+int64(p))
			}
		}
	}
}
