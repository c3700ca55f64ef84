package fetch

import "testing"

// TestFetch asks for memory of all kinds, some of which is not there: what is in it stays, and nothing else happens.
func TestFetch(t *testing.T) {
	var nothing *[3]int64
	Of(nothing)
	Head(nothing, 1000)
	list := make([][200]byte, 3)
	for i := range list {
		list[i][199] = byte(i + 1)
	}
	for i := -1; i <= len(list); i++ {
		At(list, i)
	}
	At([]int(nil), 0)
	List(list, 2)
	List(list, 100)
	List([]int(nil), 2)
	Head(&list[2], 1<<20) // far behind its end
	Of(&struct{}{})
	for i := range list {
		if list[i] != [200]byte{199: byte(i + 1)} {
			t.Errorf("element %d is %v", i, list[i])
		}
	}
}
