package tables

import "testing"

// Memory that was given back serves again, and is zero then.
func TestLentAgain(t *testing.T) {
	l := newLent()
	a := l.Allocate(5000)
	for i := range a {
		a[i] = 1
	}
	first := &a[0]
	a = l.Reallocate(100, a) // which stays where it is
	if &a[0] != first || len(a) != 100 {
		t.Fatalf("%d bytes elsewhere, want 100 in the same place", len(a))
	}
	b := l.Allocate(5000)
	if &b[0] == first {
		t.Fatal("memory is lent twice")
	}
	l.Free(a)
	c := l.Allocate(6000)
	if &c[0] != first {
		t.Error("what was given back does not serve again")
	}
	for i, x := range c[:cap(c)] {
		if x != 0 {
			t.Fatalf("byte %d is %d, want 0", i, x)
		}
	}
	c[0] = 7
	d := l.Reallocate(10_000, c)
	if len(d) != 10_000 || d[0] != 7 || d[6000] != 0 {
		t.Errorf("%d bytes, %d first and %d behind what was there, want 10000, 7 and 0", len(d), d[0], d[6000])
	}
	if e := l.Allocate(8000); &e[0] != first {
		t.Error("what grew elsewhere does not give its place back")
	}
}
