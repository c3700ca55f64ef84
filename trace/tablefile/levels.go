package tablefile

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// maxPadding is how many values may stand in bit-packed groups after the last. Groups have eight; some writers fill 32 groups.
const maxPadding = 1 << 12

// hybrid walks n values of width bits each, in runs and bit-packed groups of eight. The last groups may be padded; nothing else may
// go beyond n, so that who decodes it again has to hold n values and the padding.
func hybrid(b []byte, width, n int, run func(v uint32, times int) error, packed func(packedValues) error) error {
	if width > 32 {
		return fmt.Errorf("values of %d bits", width)
	}
	for at := 0; n > 0; {
		head, k := binary.Uvarint(b[at:])
		if k <= 0 {
			return errShort
		}
		at += k
		if head&1 == 0 { // a run
			v, size := uint32(0), (width+7)/8
			if size > len(b)-at {
				return errShort
			}
			for i := range size {
				v |= uint32(b[at+i]) << (8 * i)
			}
			at += size
			if head>>1 > uint64(n) {
				return fmt.Errorf("a run of %d values, where %d are left", head>>1, n)
			}
			if times := int(head >> 1); times > 0 {
				if err := run(v, times); err != nil {
					return err
				}
				n -= times
			}
			if n == 0 && at < len(b) {
				return nothingMore(b[at:])
			}
			continue
		}
		groups := head >> 1
		if groups > uint64(n+maxPadding)/8 {
			return fmt.Errorf("%d groups of eight values, where %d values are left", groups, n)
		}
		size := int(groups) * width
		if size > len(b)-at {
			return errShort
		}
		groupsOf := b[at : at+size]
		at += size
		take := min(int(groups)*8, n)
		if take > 0 {
			if err := packed(packedValues{groupsOf, width, take}); err != nil {
				return err
			}
		}
		if n -= take; n == 0 && at < len(b) {
			return nothingMore(b[at:])
		}
	}
	return nil
}

// nothingMore is an error unless what follows the last value adds none. Some writers leave empty runs.
func nothingMore(b []byte) error {
	for _, x := range b {
		if x != 0 && x != 1 {
			return fmt.Errorf("%d bytes after the last value", len(b))
		}
	}
	return nil
}

// packedValues are n values of width bits each, one after the other.
type packedValues struct {
	b        []byte
	width, n int
}

// at is value i.
func (p *packedValues) at(i int) uint32 {
	bit := i * p.width
	from, to := bit>>3, (bit+p.width+7)>>3
	v := uint64(0)
	for k, x := range p.b[from:to] {
		v |= uint64(x) << (8 * k)
	}
	return uint32(v >> (bit & 7) & (1<<p.width - 1))
}

// whole is how many values stand where eight bytes can be read at once.
func (p *packedValues) whole() int {
	if p.width == 0 || len(p.b) < 8 {
		return 0
	}
	return min(p.n, (len(p.b)-8)*8/p.width+1)
}

// most is the largest of the values, 0 when there are none.
func (p *packedValues) most() (most uint32) {
	mask, whole := uint64(1)<<p.width-1, p.whole()
	for i, bit := 0, 0; i < whole; i, bit = i+1, bit+p.width {
		most = max(most, uint32(binary.LittleEndian.Uint64(p.b[bit>>3:])>>(bit&7)&mask))
	}
	for i := whole; i < p.n; i++ {
		most = max(most, p.at(i))
	}
	return most
}

// count returns how many of the values are v.
func (p *packedValues) count(v uint32) (n int) {
	from := 0
	if p.width > 0 && 64%p.width == 0 { // as levels mostly are: words of whole values
		from = p.n * p.width / 64 * 64 / p.width
		n = p.countInWords(v, from*p.width/64)
	}
	mask, whole := uint64(1)<<p.width-1, p.whole()
	for i, bit := from, from*p.width; i < whole; i, bit = i+1, bit+p.width {
		if uint32(binary.LittleEndian.Uint64(p.b[bit>>3:])>>(bit&7)&mask) == v {
			n++
		}
	}
	for i := max(from, whole); i < p.n; i++ {
		if p.at(i) == v {
			n++
		}
	}
	return n
}

// countInWords returns how many of the values in the first words are v, where the width divides 64.
func (p *packedValues) countInWords(v uint32, words int) (n int) {
	first := uint64(1) // bit of each value
	for w := p.width; w < 64; w *= 2 {
		first |= first << w
	}
	all := first * uint64(v)
	for i := range words {
		same := ^(binary.LittleEndian.Uint64(p.b[8*i:]) ^ all) // bits
		for w := p.width / 2; w > 0; w /= 2 {
			same &= same >> w
		}
		n += bits.OnesCount64(same & first)
	}
	return n
}

// walk checks how n values are written, whatever they are.
func walk(b []byte, width, n int) error {
	return hybrid(b, width, n, func(uint32, int) error { return nil }, func(packedValues) error { return nil })
}

// atMost is an error unless all n values are at most most.
func atMost(b []byte, width, n int, most uint32, wrong func(v uint32) error) error {
	return hybrid(b, width, n, func(v uint32, _ int) error {
		if v > most {
			return wrong(v)
		}
		return nil
	}, func(p packedValues) error {
		return p.atMost(most, wrong)
	})
}

// atMost is an error unless all of the values are at most most.
func (p *packedValues) atMost(most uint32, wrong func(v uint32) error) error {
	if uint64(most) < 1<<p.width-1 {
		if v := p.most(); v > most {
			return wrong(v)
		}
	}
	return nil
}

// countOf walks n values, all of them at most most, and tells each how often value v stands in each part of them, with the part's
// first value.
func countOf(b []byte, width, n int, most, v uint32, wrong func(v uint32) error, each func(first uint32, times int)) error {
	return hybrid(b, width, n, func(x uint32, times int) error {
		if x > most {
			return wrong(x)
		}
		if x == v {
			each(x, times)
		} else {
			each(x, 0)
		}
		return nil
	}, func(p packedValues) error {
		if err := p.atMost(most, wrong); err != nil {
			return err
		}
		each(p.at(0), p.count(v))
		return nil
	})
}

// levels are what a page says of where its values are.
type levels struct {
	values int // nulls and empty lists too
	set    int // values that are not null
	rows   int // that begin in the page
	begins bool
}

// takeLevels walks the repetition and definition levels.
func (l *Leaf) takeLevels(rep, def []byte, n int) (levels, error) {
	out := levels{values: n, set: n, rows: n, begins: true}
	beyond := func(most byte) func(uint32) error {
		return func(v uint32) error { return fmt.Errorf("is %d, want at most %d", v, most) }
	}
	if l.MaxRep > 0 {
		out.rows, out.begins = 0, false
		first := true
		err := countOf(rep, bits.Len8(l.MaxRep), n, uint32(l.MaxRep), 0, beyond(l.MaxRep), func(v uint32, rows int) {
			out.rows += rows
			if first {
				out.begins, first = v == 0, false
			}
		})
		if err != nil {
			return out, fmt.Errorf("repetition levels: %w", err)
		}
	}
	if l.MaxDef > 0 {
		out.set = 0
		err := countOf(def, bits.Len8(l.MaxDef), n, uint32(l.MaxDef), uint32(l.MaxDef), beyond(l.MaxDef), func(_ uint32, set int) { out.set += set })
		if err != nil {
			return out, fmt.Errorf("definition levels: %w", err)
		}
	}
	return out, nil
}
