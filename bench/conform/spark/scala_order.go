package spark

import (
	"fmt"
	"iter"
	"slices"

	"replay/bench/conform/golden"
	"replay/engine/spark/scala"
)

// scalaOrder is the order in which Scala 2.12.18 walks over its collections.
var scalaOrder = golden.Kind{
	Name: "scala_order",
	Of:   golden.AnswersOf("Scala 2.12 collections"),
	Match: func(_ string, first golden.Shape) bool {
		return first.Has("ops", "mutable_hashmap_string", "immutable_map_string")
	},
	Run: golden.Cases(runScalaOrder),
}

type scalaOrderCase struct {
	ID        string      `json:"id"`
	Ops       [][2]string `json:"ops"`
	HashMap   []string    `json:"mutable_hashmap_string"`
	HashSet   []string    `json:"mutable_hashset_string"`
	Map       []string    `json:"immutable_map_string"`
	Set       []string    `json:"immutable_set_string"`
	ToMap     []string    `json:"mutable_hashmap_to_map"`
	Ints      []int32     `json:"int_keys_put"`
	IntMap    []int32     `json:"mutable_hashmap_int"`
	IntTrie   []int32     `json:"immutable_map_int"`
	LongTable []int32     `json:"mutable_hashset_long"`
}

func runScalaOrder(c *scalaOrderCase, out *golden.Results) {
	table := scala.HashMap[string]{Hash: scala.HashCode}
	set := scala.HashSet[string]{Hash: scala.HashCode}
	trie := scala.Immutable[string]{Hash: scala.HashCode, Map: true}
	fixed := scala.Immutable[string]{Hash: scala.HashCode}
	for i, op := range c.Ops {
		switch op[0] {
		case "put":
			table.Put(op[1])
			set.Add(op[1])
			trie.Put(op[1])
			fixed.Put(op[1])
		case "remove":
			table.Remove(op[1])
			set.Remove(op[1])
			trie.Remove(op[1])
			fixed.Remove(op[1])
		default:
			out.AddUnsupported(c.ID, fmt.Sprintf("operation %d is %q", i, op[0]))
			return
		}
	}
	toMap := scala.Immutable[string]{Hash: scala.HashCode}
	for k := range table.All {
		toMap.Put(k)
	}
	same := func(i int32) int32 { return i }
	ints := scala.HashMap[int32]{Hash: same}
	intTrie := scala.Immutable[int32]{Hash: same}
	longs := scala.HashSet[int32]{Hash: same}
	for _, k := range c.Ints {
		ints.Put(k)
		intTrie.Put(k)
		longs.Add(k)
	}
	d := golden.FirstOther(c.ID,
		sameWalk("mutable_hashmap_string", c.HashMap, table.All),
		sameWalk("mutable_hashset_string", c.HashSet, set.All),
		sameWalk("immutable_map_string", c.Map, trie.All),
		sameWalk("immutable_set_string", c.Set, fixed.All),
		sameWalk("mutable_hashmap_to_map", c.ToMap, toMap.All),
		sameWalk("mutable_hashmap_int", c.IntMap, ints.All),
		sameWalk("immutable_map_int", c.IntTrie, intTrie.All),
		sameWalk("mutable_hashset_long", c.LongTable, longs.All),
	)
	if d != nil {
		out.AddDifferent(*d)
		return
	}
	out.AddEqual()
}

// sameWalk compares one walk with the recorded one; it returns nil when they are equal.
func sameWalk[K comparable](name string, want []K, got iter.Seq[K]) *golden.Difference {
	return golden.SameList(name, want, slices.Collect(got))
}
