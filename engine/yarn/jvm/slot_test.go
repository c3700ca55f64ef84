package jvm

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
)

// The slots of keys give the order of a map that has grown.
func TestSlot(t *testing.T) {
	hash := func(k int) int32 { return StringHash(fmt.Sprint("key", k)) << 16 }
	for _, n := range []int{1, 12, 13, 24, 25, 500} {
		var m HashMap[int, bool]
		var keys, got []int
		for k := range n {
			keys = append(keys, k)
			m.Put(k, hash(k), true)
		}
		slices.SortStableFunc(keys, func(a, b int) int { return cmp.Compare(Slot(hash(a), n), Slot(hash(b), n)) })
		for k := range m.All {
			got = append(got, k)
		}
		if !slices.Equal(got, keys) {
			t.Errorf("%d keys: the map has %v, the slots %v", n, got, keys)
		}
	}
}
