package scala

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestHashCode(t *testing.T) {
	for text, want := range map[string]int32{"": 0, "a": 97, "hello": 99162322, "polygenelubricants": -2147483648, "é": 233, "😀": 1772899} {
		if got := HashCode(text); got != want {
			t.Errorf("HashCode(%q) = %d, want %d", text, got, want)
		}
	}
}

// The tables hold the keys that a map would hold, through growth, collisions and removal, and walk
// over each once.
func TestTablesHoldTheirKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		mask := rapid.SampledFrom([]int32{1, 7, -1}).Draw(rt, "hash mask") // few hashes: long chains
		hash := func(k int32) int32 { return k & mask }
		table := HashMap[int32]{Hash: hash}
		set := HashSet[int32]{Hash: hash}
		trie := Immutable[int32]{Hash: hash}
		want := map[int32]bool{}
		for range rapid.IntRange(0, 200).Draw(rt, "operations") {
			k := int32(rapid.IntRange(0, 60).Draw(rt, "key"))
			if rapid.IntRange(0, 2).Draw(rt, "remove") == 0 {
				table.Remove(k)
				set.Remove(k)
				trie.Remove(k)
				delete(want, k)
			} else {
				table.Put(k)
				set.Add(k)
				trie.Put(k)
				want[k] = true
			}
		}
		if table.Len() != len(want) || set.Len() != len(want) {
			rt.Fatalf("lengths %d and %d, want %d", table.Len(), set.Len(), len(want))
		}
		for _, got := range [][]int32{slices.Collect(table.All), slices.Collect(set.All), slices.Collect(trie.All)} {
			if len(got) != len(want) {
				rt.Fatalf("walked over %v, want the %d keys of %v", got, len(want), want)
			}
			for _, k := range got {
				if !want[k] {
					rt.Fatalf("walked over %d, which is not there", k)
				}
			}
		}
	})
}
