package tablefile

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// maxPadding is how many values may stand in bit-packed groups after the last. Groups have eight; some writers fill 32 groups.
const maxPadding = 1 << 12

// hybrid walks n values of width bits each, in runs and bit-packed groups of eight, and gives them to each with how
// often they follow. The last groups may be padded; nothing else may go beyond n, so that who decodes it again has to hold
// n values and the padding.
func hybrid(b []byte, width, n int, each func(v uint32, times int) error) error {
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
				if err := each(v, times); err != nil {
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
		packed := b[at : at+size]
		at += size
		take := min(int(groups)*8, n)
		if err := unpack(packed, width, take, each); err != nil {
			return err
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

func unpack(packed []byte, width, n int, each func(v uint32, times int) error) error {
	buf, have, at := uint64(0), 0, 0
	mask := uint64(1)<<width - 1
	last, times := uint32(0), 0
	for range n {
		for have < width {
			buf |= uint64(packed[at]) << have
			at++
			have += 8
		}
		v := uint32(buf & mask)
		buf >>= width
		have -= width
		if v == last {
			times++
			continue
		}
		if times > 0 {
			if err := each(last, times); err != nil {
				return err
			}
		}
		last, times = v, 1
	}
	if times == 0 {
		return nil
	}
	return each(last, times)
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
	if l.MaxRep > 0 {
		out.rows, out.begins = 0, false
		first := true
		err := hybrid(rep, bits.Len8(l.MaxRep), n, func(v uint32, times int) error {
			if v > uint32(l.MaxRep) {
				return fmt.Errorf("is %d, want at most %d", v, l.MaxRep)
			}
			if v == 0 {
				out.rows += times
			}
			if first {
				out.begins, first = v == 0, false
			}
			return nil
		})
		if err != nil {
			return out, fmt.Errorf("repetition levels: %w", err)
		}
	}
	if l.MaxDef > 0 {
		out.set = 0
		err := hybrid(def, bits.Len8(l.MaxDef), n, func(v uint32, times int) error {
			if v > uint32(l.MaxDef) {
				return fmt.Errorf("is %d, want at most %d", v, l.MaxDef)
			}
			if v == uint32(l.MaxDef) {
				out.set += times
			}
			return nil
		})
		if err != nil {
			return out, fmt.Errorf("definition levels: %w", err)
		}
	}
	return out, nil
}
