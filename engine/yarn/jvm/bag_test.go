package jvm

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A bag yields what a map with the same keys yields, in its order, however they came and went and however long chains became.
func TestBagIsInTheOrderOfAMap(t *testing.T) {
	type value struct{ key, n int32 }
	rapid.Check(t, func(t *rapid.T) {
		bag := Bag[value]{turn: rapid.SampledFrom([]int32{0, math.MaxInt32 - 100}).Draw(t, "turn")}
		var want HashMap[int32, value]
		step := rapid.SampledFrom([]int32{1, 5, 16, 64}).Draw(t, "step") // of hash codes: long chains
		most := rapid.SampledFrom([]int32{9, 30, 200}).Draw(t, "keys")
		for i := range rapid.Int32Range(0, 300).Draw(t, "operations") {
			k := rapid.Int32Range(0, most).Draw(t, "key")
			code := k / 2 * step // two keys of each
			bag.Fetch()
			at := bag.Next(code, 0)
			for at >= 0 && bag.At(at).key != k {
				at = bag.Next(code, at+1)
			}
			if _, ok := want.Get(k, code); ok != (at >= 0) {
				t.Fatalf("key %d is at %d, and is there: %v", k, at, ok)
			}
			switch {
			case at >= 0 && i%3 > 0:
				bag.Remove(at)
				want.Remove(k, code)
			case at >= 0:
				bag.Set(at, value{k, i})
				want.Put(k, code, value{k, i})
			default:
				bag.Put(code, value{k, i})
				want.Put(k, code, value{k, i})
			}
		}
		var list []value
		for _, v := range want.All {
			list = append(list, v)
		}
		if got := slices.Collect(bag.All); !slices.Equal(got, list) || bag.Len() != len(list) {
			t.Fatalf("%d: %v, want %v", bag.Len(), got, list)
		}
	})
}
