package yarn

import (
	"math/bits"

	"replay/engine/protocol"
)

// Ranks is a set of small numbers, such as the positions of nodes in the order of their heartbeats, that is searched for its
// next member.
type Ranks struct {
	n     int
	words []uint64
	any   []uint64 // a bit for each word that is not 0
}

// Reset empties the set and gives it room for the numbers below n.
func (s *Ranks) Reset(n int) {
	s.n = n
	s.words = zeroed(s.words, (n+63)/64)
	s.any = zeroed(s.any, (len(s.words)+63)/64)
}

// Void makes of s the zero value, in the memory that it has.
func (s *Ranks) Void() { *s = Ranks{words: s.words[:0], any: s.any[:0]} }

// Copy makes of s the set a.
func (s *Ranks) Copy(a *Ranks) {
	s.n = a.n
	s.words, s.any = append(s.words[:0], a.words...), append(s.any[:0], a.any...)
}

// Room returns n of [Ranks.Reset].
func (s *Ranks) Room() int { return s.n }

// Words is how many words the set is made of, which is what [Ranks.Add] and its like take time by.
func (s *Ranks) Words() int { return len(s.words) }

// Empty reports whether there is no member.
func (s *Ranks) Empty() bool {
	for _, some := range s.any {
		if some != 0 {
			return false
		}
	}
	return true
}

func zeroed(w []uint64, n int) []uint64 {
	if cap(w) < n {
		return make([]uint64, n)
	}
	w = w[:n]
	clear(w)
	return w
}

// Set puts a number in, or takes it out.
func (s *Ranks) Set(i int, in bool) {
	w := i >> 6
	if in {
		s.words[w] |= 1 << (i & 63)
		s.any[w>>6] |= 1 << (w & 63)
		return
	}
	if s.words[w] &^= 1 << (i & 63); s.words[w] == 0 {
		s.any[w>>6] &^= 1 << (w & 63)
	}
}

// Has reports whether a number is in the set.
func (s *Ranks) Has(i int) bool { return s.words[i>>6]&(1<<(i&63)) != 0 }

// Next returns the least member from i on, or n of [Ranks.Reset] when there is none.
func (s *Ranks) Next(i int) int {
	if i >= s.n {
		return s.n
	}
	w := i >> 6
	if rest := s.words[w] >> (i & 63); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	return s.from(w>>6, ^uint64(1)<<(w&63))
}

// from returns the least member in the words that are marked in word g of any, of those in mask, or in one behind it, or n.
func (s *Ranks) from(g int, mask uint64) int {
	for ; g < len(s.any); g++ {
		if some := s.any[g] & mask; some != 0 {
			w := g<<6 + bits.TrailingZeros64(some)
			return w<<6 + bits.TrailingZeros64(s.words[w])
		}
		mask = ^uint64(0)
	}
	return s.n
}

// After returns how far the next member from i on is when the numbers are taken in a circle; ok is false for an empty set.
func (s *Ranks) After(i int) (far int, ok bool) {
	if k := s.Next(i); k < s.n {
		return k - i, true
	}
	if k := s.from(0, ^uint64(0)); k < s.n {
		return s.n - i + k, true
	}
	return 0, false
}

// All yields the members, which may be taken out while it does.
func (s *Ranks) All(yield func(int) bool) {
	for g, some := range s.any {
		for ; some != 0; some &= some - 1 {
			w := g<<6 + bits.TrailingZeros64(some)
			for word := s.words[w]; word != 0; word &= word - 1 {
				if !yield(w<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// AfterBoth returns how far the next number from i on that is in both sets is, when the numbers are taken in a circle; it returns most when
// that is no nearer. Both sets have room for the same numbers, of which most is not more.
func (s *Ranks) AfterBoth(b *Ranks, i, most int) int {
	if k := s.nextBoth(b, i, min(s.n, i+most)); k < i+most && k < s.n {
		return k - i
	}
	if wrapped := i + most - s.n; wrapped > 0 {
		return s.n - i + s.nextBoth(b, 0, wrapped)
	}
	return most
}

// nextBoth returns the least number from i on that is in both sets, or end when it is not below that.
func (s *Ranks) nextBoth(b *Ranks, i, end int) int {
	from, to := i>>6, (end+63)>>6
	if from >= to {
		return end
	}
	x, y := s.words[from:to], b.words[from:to]
	if both := x[0] & y[0] & (^uint64(0) << (i & 63)); both != 0 {
		return min(end, from<<6+bits.TrailingZeros64(both))
	}
	x, y = x[1:], y[1:]
	for len(x) >= 4 && len(y) >= 4 && x[0]&y[0]|x[1]&y[1]|x[2]&y[2]|x[3]&y[3] == 0 {
		x, y = x[4:], y[4:]
	}
	for k, word := range x {
		if both := word & y[k]; both != 0 {
			return min(end, (to-len(x)+k)<<6+bits.TrailingZeros64(both))
		}
	}
	return end
}

// Within returns how often members come up from position h to before end, when the numbers are taken in a circle again and again.
func (s *Ranks) Within(h, end int64) int64 {
	n := int64(s.n)
	before := func(h int64) int64 { return h/n*s.below(s.n) + s.below(int(h%n)) }
	if first, last := int(h%n), int(h%n+end-h); last <= s.n {
		return s.between(first, last)
	}
	return before(end) - before(h)
}

func (s *Ranks) below(i int) int64 { return s.between(0, i) }

// between counts the members from i to before end.
func (s *Ranks) between(i, end int) (count int64) {
	for g := i >> 12; g<<12 < end; g++ {
		for some := s.any[g]; some != 0; some &= some - 1 {
			w := g<<6 + bits.TrailingZeros64(some)
			lo, hi := i-w<<6, end-w<<6
			if hi <= 0 {
				return count
			}
			x := s.words[w]
			switch {
			case lo >= 64:
				continue
			case lo > 0:
				x &= ^uint64(0) << lo
			}
			if hi < 64 {
				x &= 1<<hi - 1
			}
			count += int64(bits.OnesCount64(x))
		}
	}
	return count
}

// Len returns how many members there are.
func (s *Ranks) Len() (n int) {
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Add puts in what is in a, which has room for the same numbers.
func (s *Ranks) Add(a *Ranks) {
	for w, x := range a.words {
		s.addWord(w, x)
	}
}

// AddBoth puts in what is in a and in b, AddOnly what is in a and not in b. All three have room for the same numbers.
func (s *Ranks) AddBoth(a, b *Ranks) {
	for w, x := range a.words {
		s.addWord(w, x&b.words[w])
	}
}

// AddOnly is described at [Ranks.AddBoth].
func (s *Ranks) AddOnly(a, b *Ranks) {
	for w, x := range a.words {
		s.addWord(w, x&^b.words[w])
	}
}

// AddNamed puts in what a table has for each of the names, plus 1: 0, or being longer than the table, says that there is nothing. It takes time by all words.
func (s *Ranks) AddNamed(table []uint16, names []protocol.Name) {
	words := s.words
	for _, name := range names {
		if int(name) < len(table) {
			i := uint32(table[name]) - 1 // that of none is beyond all words
			if w := int(i >> 6); w < len(words) {
				words[w] |= 1 << (i & 63)
			}
		}
	}
	for g := range s.any {
		some, bit := uint64(0), uint64(1)
		for _, x := range words[g<<6 : min(g<<6+64, len(words))] {
			if x != 0 {
				some |= bit
			}
			bit <<= 1
		}
		s.any[g] = some
	}
}

// AddAllBut adds all that are no members of b, which has room for as many.
func (s *Ranks) AddAllBut(b *Ranks) {
	for w, x := range b.words {
		all := ^uint64(0)
		if left := s.n - w<<6; left < 64 {
			all >>= 64 - left
		}
		s.addWord(w, all&^x)
	}
}

// Take takes out what is in a, which has room for the same numbers.
func (s *Ranks) Take(a *Ranks) {
	for w, x := range a.words {
		if s.words[w] &^= x; s.words[w] == 0 {
			s.any[w>>6] &^= 1 << (w & 63)
		}
	}
}

// AppendTo appends the set to a list of words: a bit for each number, from the lowest of the first word on.
func (s *Ranks) AppendTo(words []uint64) []uint64 { return append(words, s.words...) }

func (s *Ranks) addWord(w int, x uint64) {
	if x != 0 {
		s.words[w] |= x
		s.any[w>>6] |= 1 << (w & 63)
	}
}
