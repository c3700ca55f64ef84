package tablefile

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// plainDictionary is what older writers say instead of PLAIN of a dictionary, and instead of RLE_DICTIONARY of its use.
const plainDictionary format.Encoding = 2

// checkValues checks that b holds n values in the encoding, and nothing that would make a decoder hold more.
// dictionary is the number of values of the chunk's dictionary, or -1.
func (l *Leaf) checkValues(b []byte, encoding format.Encoding, n, dictionary int) error {
	switch encoding {
	case format.Plain:
		return l.checkPlain(b, n)
	case format.RLEDictionary, plainDictionary:
		if dictionary < 0 {
			return fmt.Errorf("values by dictionary, and no dictionary before them")
		}
		if n == 0 {
			return nil
		}
		if len(b) == 0 {
			return errShort
		}
		width := int(b[0])
		if width < 32 && 1<<width <= dictionary { // no index can be beyond it
			return walk(b[1:], width, n)
		}
		beyond := func(v uint32) error { return fmt.Errorf("value %d of a dictionary of %d", v, dictionary) }
		if dictionary == 0 {
			return beyond(0)
		}
		return atMost(b[1:], width, n, uint32(dictionary-1), beyond)
	case format.RLE:
		if l.Kind != parquet.Boolean {
			break
		}
		if n == 0 && len(b) == 0 {
			return nil
		}
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return errShort
		}
		return walk(b[4:4+binary.LittleEndian.Uint32(b)], 1, n)
	case format.DeltaBinaryPacked:
		if l.Kind != parquet.Int32 && l.Kind != parquet.Int64 {
			break
		}
		return checkDelta(b, n)
	case format.DeltaLengthByteArray:
		if l.Kind != parquet.ByteArray {
			break
		}
		return checkLengths(b, n)
	case format.ByteStreamSplit:
		if l.size < 4 {
			break
		}
		return exactly(len(b), n*l.size)
	}
	return fmt.Errorf("%v values are encoded as %v, which is not read here: write it as PLAIN, by dictionary, or DELTA_BINARY_PACKED", l.Kind, encoding)
}

// runsOfBits returns n truth values, which checkValues has checked, as a bit each. A run's value is its lowest bit: writers of runs of eight make a byte of eight of it.
func runsOfBits(b []byte, n int) []byte {
	bits, at := make([]byte, (n+7)/8), 0
	if n == 0 {
		return bits
	}
	set := func(v uint32) {
		bits[at>>3] |= byte(v&1) << (at & 7)
		at++
	}
	_ = hybrid(b[4:4+binary.LittleEndian.Uint32(b)], 1, n, func(v uint32, times int) error {
		for range times {
			set(v)
		}
		return nil
	}, func(p packedValues) error {
		for i := range p.n {
			set(p.at(i))
		}
		return nil
	})
	return bits
}

func (l *Leaf) checkPlain(b []byte, n int) error {
	switch {
	case l.Kind == parquet.Boolean:
		return exactly(len(b), (n+7)/8)
	case l.Kind != parquet.ByteArray:
		return exactly(len(b), n*l.size)
	}
	for range n {
		if len(b) < 4 {
			return errShort
		}
		size := binary.LittleEndian.Uint32(b)
		if uint64(size) > uint64(len(b)-4) {
			return errShort
		}
		b = b[4+size:]
	}
	return exactly(len(b), 0)
}

func exactly(have, want int) error {
	if have != want {
		return fmt.Errorf("values take %d bytes more than there should be", have-want)
	}
	return nil
}

// checkDelta checks the number at the head of delta-encoded integers; the library checks the blocks.
func checkDelta(b []byte, n int) error {
	for i := range 3 { // values in a block, parts of a block, values
		v, k := binary.Uvarint(b)
		if k <= 0 {
			if n == 0 {
				return nil
			}
			return errShort
		}
		if b = b[k:]; i == 2 && v != uint64(n) {
			return fmt.Errorf("%d delta-encoded values, want %d", v, n)
		}
	}
	return nil
}

// checkLengths checks texts whose lengths stand before all of them.
func checkLengths(b []byte, n int) error {
	if err := checkDelta(b, n); err != nil || n == 0 {
		return err
	}
	lengths, err := parquet.DeltaBinaryPacked.DecodeInt32(nil, b)
	if err != nil {
		return err
	}
	all := int64(0)
	for _, x := range lengths {
		if x < 0 {
			return fmt.Errorf("a text of %d bytes", x)
		}
		all += int64(x)
	}
	if all > int64(len(b)) || all > math.MaxInt32 {
		return errShort
	}
	return nil
}
