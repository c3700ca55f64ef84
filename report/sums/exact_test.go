package sums

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// A sum is the same in whatever order, and parts, its numbers come: that of whole numbers of any size.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.Int64Range(0, math.MaxInt64)).Draw(t, "numbers")
		whole := new(big.Int)
		var forward, backward, first, second Exact
		for i, a := range numbers {
			b := numbers[len(numbers)-1-i]
			whole.Add(whole, new(big.Int).Mul(big.NewInt(a), big.NewInt(a/3)))
			forward.Add(a, a/3)
			backward.Add(b/3, b)
			if i < len(numbers)/2 {
				first.Add(a, a/3)
			} else {
				second.Add(a, a/3)
			}
		}
		if first.Plus(second); forward != backward || forward != first {
			t.Fatalf("%v forward, %v backward, %v in two parts", forward, backward, first)
		}
		want, _ := new(big.Float).SetInt(whole).Float64()
		if got := forward.Float(); got < math.Nextafter(want, 0) || got > math.Nextafter(want, math.Inf(1)) {
			t.Fatalf("%v, want %v or the number beside it", got, want)
		}
	})
}
