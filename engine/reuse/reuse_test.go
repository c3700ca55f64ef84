package reuse

import (
	"slices"
	"testing"
	"unsafe"
)

func TestPlacesKeepTheirLists(t *testing.T) {
	a := [][]int{{1, 2}, {3}}
	short := a[:0]
	one := Longer(short)
	if len(one) != 1 || cap(one[0]) != cap(a[0]) {
		t.Errorf("the first place has room for %d, want that of the list before it, %d", cap(one[0]), cap(a[0]))
	}
	if full := Longer(a[:2:2]); len(full) != 3 || full[2] != nil || !slices.Equal(full[0], []int{1, 2}) {
		t.Errorf("a full list becomes %v, want one more, nil", full)
	}
	room := Roomy(short, 9)
	if len(room) != 0 || cap(room) < 9 {
		t.Errorf("length %d and room for %d, want 0 and 9 or more", len(room), cap(room))
	}
	if again := room[:2]; !slices.Equal(again[1], []int{3}) {
		t.Errorf("the second place holds %v, want what it held before, [3]", again[1])
	}
}

func TestZeros(t *testing.T) {
	used := []int{1, 2, 3}
	if got := Zeros(used, 2); !slices.Equal(got, []int{0, 0}) || &got[0] != &used[0] {
		t.Errorf("Zeros(%v, 2) = %v, want zeros in its memory", used, got)
	}
	if got := Zeros(used, 5); !slices.Equal(got, make([]int, 5)) {
		t.Errorf("Zeros of 5 = %v", got)
	}
}

func TestListsLieInOneBlock(t *testing.T) {
	var block []int
	a, b := Cut(&block, 2, 2), Cut(&block, 2, 2)
	a, b = append(a, 1, 2), append(b, 3)
	if c := Cut(&block, 2, 2); !slices.Equal(a, []int{1, 2}) || !slices.Equal(b, []int{3}) || len(c) != 0 || cap(c) != 2 {
		t.Errorf("lists %v, %v and one with room for %d, want [1 2], [3] and room for 2", a, b, cap(c))
	}
	if longer := append(a, 9); !slices.Equal(longer, []int{1, 2, 9}) || !slices.Equal(b, []int{3}) {
		t.Errorf("a list that outgrows its room is %v and its neighbour %v, want [1 2 9] and [3]", longer, b)
	}
}

func TestPoolGivesRoomyLists(t *testing.T) {
	var p Pool[int]
	seven := append(p.Take(7), 1)
	if cap(seven) < 7 {
		t.Errorf("a list for 7 has room for %d", cap(seven))
	}
	p.Give(seven)
	p.Give(make([]int, 3)) // room for 2, which is a power of two
	p.Give(nil)
	for _, n := range []int{9, 3, 0, 1, 100} {
		if list := p.Take(n); len(list) != 0 || cap(list) < n || cap(list) > 0 && &list[:1][0] == &seven[0] {
			t.Errorf("Take(%d) has length %d and room for %d, want an empty list of other memory than that for 7", n, len(list), cap(list))
		}
	}
	if list := p.Take(5); len(list) != 0 || &list[:1][0] != &seven[0] {
		t.Error("Take(5) is not the list for 7 that was given back")
	}
	if list := p.Take(2); cap(list) != 3 {
		t.Errorf("Take(2) has room for %d, want the list with room for 3 that was given", cap(list))
	}
}

func TestReaching(t *testing.T) {
	list := append(make([]int32, 0, 8), 1, 2)
	list[:3][2] = 7 // of whoever had the memory before
	if got := Reaching(list, 4); !slices.Equal(got, []int32{1, 2, 0, 0}) {
		t.Errorf("two elements reach for four as %v", got)
	}
	if got := Reaching(list, 1); !slices.Equal(got, []int32{1, 2}) {
		t.Errorf("two elements reach for one as %v", got)
	}
}

func TestInsert(t *testing.T) {
	for i := range 4 {
		want := slices.Insert([]int{1, 2, 3}, i, 9)
		if got := Insert([]int{1, 2, 3}, i, 9); !slices.Equal(got, want) {
			t.Errorf("9 put in at %d makes %v, want %v", i, got, want)
		}
	}
	list := make([]int, 0, 200)
	if n := testing.AllocsPerRun(100, func() { list = Insert(list, len(list)/2, 5) }); n != 0 {
		t.Errorf("putting an element into a list with room allocates %v times", n)
	}
}

// TestBlock: elements of whole lines begin with a line.
func TestBlock(t *testing.T) {
	type element struct {
		p *int
		_ [120]byte
	}
	for range 3 {
		b := Block[element]()
		for i := range b {
			if at := uintptr(unsafe.Pointer(&b[i])); at%64 != 0 || b[i].p != nil {
				t.Errorf("element %d of a block lies at %#x and has %v", i, at, b[i].p)
			}
		}
		if len(b) != PerBlock {
			t.Errorf("a block has %d elements", len(b))
		}
		kept = b
	}
}

var kept any // so that a block is not on a stack
