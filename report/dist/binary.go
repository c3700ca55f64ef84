package dist

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

var (
	_ encoding.BinaryMarshaler   = (*Dist)(nil)
	_ encoding.BinaryUnmarshaler = (*Dist)(nil)
)

// MarshalBinary implements [encoding.BinaryMarshaler]: equal distributions give the same bytes, in whatever order their values came, and
// all of it is kept. Bytes are count, sum, minimum, maximum, 0 or 1 where values are told by buckets, and for each value, or bucket, that is
// there how much it is above the one before and how often it is there.
func (d *Dist) MarshalBinary() ([]byte, error) {
	d.Settle()
	b := make([]byte, 0, 32+4*(d.values+d.smalls))
	b = binary.AppendVarint(b, d.n)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(d.sum))
	b = binary.AppendVarint(binary.AppendVarint(b, d.min), d.max)
	last := int64(0)
	put := func(v, n int64) {
		b = binary.AppendUvarint(b, uint64(v-last))
		b = binary.AppendUvarint(b, uint64(n))
		last = v
	}
	if d.counts == nil {
		b = append(b, 0)
		for _, r := range d.sorted() {
			put(r.v, r.n)
		}
		return b, nil
	}
	b = append(b, 1)
	for i, n := range d.counts {
		if n > 0 {
			put(int64(i), n)
		}
	}
	return b, nil
}

var errBinary = errors.New("a distribution that ends early")

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. The error says what no distribution has: values that do not rise, or whose counts
// are not those of all.
func (d *Dist) UnmarshalBinary(b []byte) error {
	ok := true
	signed := func() int64 {
		v, k := binary.Varint(b)
		if k <= 0 {
			ok, b = false, nil
			return 0
		}
		b = b[k:]
		return v
	}
	*d = Dist{n: signed()}
	if len(b) < 8 {
		return errBinary
	}
	d.sum = math.Float64frombits(binary.LittleEndian.Uint64(b))
	b = b[8:]
	d.min, d.max = signed(), signed()
	if !ok || len(b) == 0 || b[0] > 1 {
		return errBinary
	}
	buckets := b[0] == 1
	b = b[1:]
	most := int64(math.MaxInt64)
	if buckets {
		most, d.counts = int64(bucketOf(math.MaxInt64)), make([]int64, 0, 1<<16)
	}
	last, all := int64(0), int64(0)
	for first := true; len(b) > 0; first = false {
		step, k := binary.Uvarint(b)
		if k <= 0 {
			return errBinary
		}
		n, l := binary.Uvarint(b[k:])
		if l <= 0 {
			return errBinary
		}
		b = b[k+l:]
		if step > uint64(most-last) || step == 0 && !first || n == 0 || n > uint64(d.n-all) {
			return fmt.Errorf("a value %d above %d, %d times of %d: want values that rise, and as many as there are", step, last, n, d.n-all)
		}
		last, all = last+int64(step), all+int64(n)
		if !buckets {
			if d.enter(last, int64(n)); d.counts != nil {
				return fmt.Errorf("more than %d values, want buckets", exactLimit)
			}
			continue
		}
		for int64(len(d.counts)) < last {
			d.counts = append(d.counts, 0)
		}
		d.counts = append(d.counts, int64(n))
	}
	if all != d.n || d.n > 0 && (d.min < 0 || d.min > d.max) || math.IsNaN(d.sum) || math.IsInf(d.sum, 0) {
		return fmt.Errorf("%d values, %d to %d, that sum to %v: want %d", all, d.min, d.max, d.sum, d.n)
	}
	return nil
}
