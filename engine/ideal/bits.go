package ideal

import "math/bits"

// first returns the first node that has room for a task of this size, -1 if none has. Bit i of a level is set where word i of the
// level below is not 0; the bits of the lowest level are nodes.
func (s *size) first() int32 {
	top := len(s.words) - 1
	n := 0
	for level := top; level >= 0; level-- {
		w := uint64(0)
		if n < len(s.words[level]) {
			w = s.words[level][n]
		}
		if w == 0 {
			return -1
		}
		n = n<<6 | bits.TrailingZeros64(w)
	}
	return int32(n)
}
