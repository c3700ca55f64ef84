package protocol

import (
	"fmt"
	"math"
	"testing"
)

// A name is met for the first time once in each pass, whether it was interned before the pass or in it, and also when
// the number of the pass wraps.
func TestFirstInAPass(t *testing.T) {
	names := NewNames()
	early, once := names.Intern("early"), names.Intern("once")
	for _, start := range []uint32{0, 7, math.MaxUint32 - 1} {
		names.pass = start
		for pass := range 3 {
			names.once()
			late := names.Intern(fmt.Sprint(start, pass))
			for _, id := range []Name{late, early, Any} {
				if !names.first(id) || names.first(id) {
					t.Errorf("pass %d from %d: %s is not met for the first time once", pass, start, names.Text(id))
				}
			}
			if names.pass == 1 && (!names.first(once) || names.first(once)) { // and in no other pass
				t.Errorf("pass %d from %d: what the first pass met is met already", pass, start)
			}
		}
	}
}
