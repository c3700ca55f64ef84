package tablefile

import (
	"math"

	"github.com/parquet-go/parquet-go"
)

// Int32s decodes a page of 32-bit integers.
func Int32s(p parquet.Page) []int32 { d := p.Data(); return d.Int32() }

// Uint32s decodes a page of 32-bit integers without a sign.
func Uint32s(p parquet.Page) []int64 {
	return mapped(Int32s(p), func(v int32) int64 { return int64(uint32(v)) })
}

// mapped returns what a function makes of each value.
func mapped[T, U any](from []T, of func(T) U) []U {
	values := make([]U, len(from))
	for i, v := range from {
		values[i] = of(v)
	}
	return values
}

// Uint64s decodes a page of 64-bit integers without a sign.
func Uint64s(p parquet.Page) []uint64 {
	return mapped(Int64s(p), func(v int64) uint64 { return uint64(v) })
}

// Int64s decodes a page of 64-bit integers.
func Int64s(p parquet.Page) []int64 { d := p.Data(); return d.Int64() }

// Int96s decodes a page of timestamps in their older form, which Spark still writes, as ms since 1970: nanoseconds of the day, and the day by Julian's count, in UTC.
//
// Source: ParquetRowConverter of Spark.
func Int96s(p parquet.Page) []int64 {
	d := p.Data()
	days := d.Int96()
	ms := make([]int64, len(days))
	for i, x := range days {
		const firstOf1970, dayMS = 2_440_588, 86_400_000
		ms[i] = (int64(x[2])-firstOf1970)*dayMS + int64(uint64(x[1])<<32|uint64(x[0]))/1_000_000
	}
	return ms
}

// Floats decodes a page of 32-bit floating-point numbers.
func Floats(p parquet.Page) []float32 { d := p.Data(); return d.Float() }

// Half tells whether the values are floating-point numbers of 16 bits.
func (l *Leaf) Half() bool { return l.Logical == "float16" && l.size == 2 }

// Halves decodes a page of such numbers, each of which a float32 holds.
func Halves(p parquet.Page) []float32 {
	return mapped(fixed(p), func(b string) float32 {
		bits := uint16(b[0]) | uint16(b[1])<<8
		fraction, exponent := float64(bits&0x3ff), int(bits>>10&0x1f)
		var v float64
		switch exponent {
		case 0:
			v = math.Ldexp(fraction, -24)
		case 0x1f:
			if v = math.Inf(1); fraction != 0 {
				v = math.NaN()
			}
		default:
			v = math.Ldexp(fraction+0x400, exponent-25)
		}
		if bits>>15 != 0 {
			v = -v
		}
		return float32(v)
	})
}

// Doubles decodes a page of 64-bit floating-point numbers.
func Doubles(p parquet.Page) []float64 { d := p.Data(); return d.Double() }

// Texts decodes a page of texts.
func Texts(p parquet.Page) []string {
	d := p.Data()
	data, offsets := d.ByteArray()
	all := string(data)
	buf := make([]string, 0, len(offsets))
	for i := 1; i < len(offsets); i++ {
		buf = append(buf, all[offsets[i-1]:offsets[i]])
	}
	return buf
}

// Bools decodes a page of truth values.
func Bools(p parquet.Page) []bool {
	d := p.Data()
	bits := d.Boolean()
	n := p.NumValues() - p.NumNulls()
	buf := make([]bool, 0, n)
	for i := range n {
		buf = append(buf, bits[i/8]>>(i%8)&1 != 0)
	}
	return buf
}
