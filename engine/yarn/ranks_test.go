package yarn

import (
	"testing"

	"pgregory.net/rapid"
)

// TestRanks compares the set with a plain one.
func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 5, 63, 64, 65, 200, 4095, 4096, 4097, 9000}).Draw(t, "n")
		var s Ranks
		s.Reset(rapid.IntRange(1, 10_000).Draw(t, "before"))
		s.Set(0, true)
		s.Reset(n)
		plain := map[int]bool{}
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			i, in := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.Bool().Draw(t, "in")
			s.Set(i, in)
			if in {
				plain[i] = true
			} else {
				delete(plain, i)
			}
		}
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		h, within := rapid.Int64Range(0, 1e6).Draw(t, "h"), int64(0)
		end := h + rapid.Int64Range(0, 3*int64(n)).Draw(t, "heartbeats")
		for k := h; k < end; k++ {
			if plain[int(k%int64(n))] {
				within++
			}
		}
		if got := s.Within(h, end); got != within {
			t.Fatalf("%d within %d to %d, want %d", got, h, end, within)
		}
		next, far := n, -1
		for k := range n {
			if plain[k] && k >= from && next == n {
				next = k
			}
			if plain[(from+k)%n] && far < 0 {
				far = k
			}
			if s.Has(k) != plain[k] {
				t.Fatalf("has %d: %t, want %t", k, s.Has(k), plain[k])
			}
		}
		if got := s.Next(from); got != next {
			t.Fatalf("next from %d is %d, want %d", from, got, next)
		}
		if got, ok := s.After(from); ok != (far >= 0) || ok && got != far {
			t.Fatalf("after %d comes %d (%t), want %d", from, got, ok, far)
		}
	})
}

// TestRanksInBoth compares the next number that is in two sets with a plain search.
func TestRanksInBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 5, 63, 64, 65, 200, 9000}).Draw(t, "n")
		members := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 30)
		var a, b Ranks
		a.Reset(n)
		b.Reset(n)
		for _, i := range members.Draw(t, "a") {
			a.Set(i, true)
			b.Set(i, rapid.Bool().Draw(t, "both"))
		}
		for _, i := range members.Draw(t, "b") {
			b.Set(i, true)
		}
		from, most := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n).Draw(t, "most")
		want := 0
		for want < most && !(a.Has((from+want)%n) && b.Has((from+want)%n)) {
			want++
		}
		if got := a.AfterBoth(&b, from, most); got != want {
			t.Fatalf("after %d the next in both is %d on, want %d, at most %d", from, got, want, most)
		}
	})
}

// TestRanksTogether compares what sets make of one another with a plain count, and a search of the result with what it has.
func TestRanksTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 5, 63, 64, 65, 200, 9000}).Draw(t, "n")
		members := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 30)
		set := func(name string) (s Ranks) {
			s.Reset(n)
			for _, i := range members.Draw(t, name) {
				s.Set(i, true)
			}
			return s
		}
		s, a, b := set("s"), set("a"), set("b")
		makes := map[string]struct {
			make func(s *Ranks)
			want func(s, a, b bool) bool
		}{
			"copy":     {func(s *Ranks) { s.Copy(&a) }, func(s, a, b bool) bool { return a }},
			"add":      {func(s *Ranks) { s.Add(&a) }, func(s, a, b bool) bool { return s || a }},
			"add both": {func(s *Ranks) { s.AddBoth(&a, &b) }, func(s, a, b bool) bool { return s || a && b }},
			"add only": {func(s *Ranks) { s.AddOnly(&a, &b) }, func(s, a, b bool) bool { return s || a && !b }},
			"add all":  {func(s *Ranks) { s.AddAllBut(&b) }, func(s, a, b bool) bool { return s || !b }},
			"take":     {func(s *Ranks) { s.Take(&a) }, func(s, a, b bool) bool { return s && !a }},
		}
		was, c := set("none"), makes[rapid.SampledFrom([]string{"copy", "add", "add both", "add only", "add all", "take"}).Draw(t, "makes")]
		was.Reset(n)
		was.Add(&s)
		c.make(&s)
		count, first := 0, n
		for i := range n {
			want := c.want(was.Has(i), a.Has(i), b.Has(i))
			if s.Has(i) != want {
				t.Fatalf("has %d: %t, want %t", i, s.Has(i), want)
			}
			if want {
				count++
				first = min(first, i)
			}
		}
		if s.Len() != count || s.Next(0) != first || s.Empty() != (count == 0) {
			t.Fatalf("%d members, the first %d, none: %t; want %d and %d", s.Len(), s.Next(0), s.Empty(), count, first)
		}
	})
}
