package tablefile

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// Whole tells whether the values are whole numbers, of 32 or 64 bits, with a sign or without.
func (l *Leaf) Whole() bool {
	return (l.Kind == parquet.Int32 || l.Kind == parquet.Int64) && (l.Logical == "" || l.Unsigned())
}

// BindWhole is [Bind] of a column of whole numbers that a leaf has in another width or without a sign. A value that T does not hold is a
// [*BadValue], and so is absent where the file may have null in its place.
func BindWhole[T int32 | int64](r *Reader, at Binding, absent T) *Column[T] {
	switch l := r.f.Leaf(at.Leaf); {
	case l.Unsigned() && l.Kind == parquet.Int64:
		return recastFrom(r, at, absent, math.MaxUint64, Uint64s)
	case l.Unsigned():
		return recastFrom(r, at, absent, math.MinInt64, Uint32s)
	case l.Kind == parquet.Int64:
		return recastFrom(r, at, absent, math.MinInt64, Int64s)
	}
	return recastFrom(r, at, absent, math.MinInt32, Int32s)
}

func recastFrom[F int32 | int64 | uint64, T int32 | int64](r *Reader, at Binding, absent T, none F, decode func(parquet.Page) []F) *Column[T] {
	from := &Column[F]{Absent: none, decode: decode, pages: pages{r: r, at: at}}
	if !at.Required {
		from.Reserved = func(values []F) int { return slices.Index(values, none) }
	}
	to := &Column[T]{Absent: absent}
	r.columns = append(r.columns, &recast[F, T]{from, to})
	return to
}

// recast fills a column with the values of another, which has them as the file does.
type recast[F int32 | int64 | uint64, T int32 | int64] struct {
	from *Column[F]
	to   *Column[T]
}

func (c *recast[F, T]) end() error { return c.from.end() }
func (c *recast[F, T]) close()     { c.from.close() }

func (c *recast[F, T]) fill(n int) error {
	first := c.from.row
	if err := c.from.fill(n); err != nil {
		return err
	}
	from, to := c.from, c.to
	to.own = slices.Grow(to.own[:0], len(from.V))[:len(from.V)]
	to.V, to.Start, to.Set = to.own, from.Start, from.Set
	for i, v := range from.V {
		x, want := T(v), ""
		switch nullable := !from.at.Required; {
		case nullable && v == from.Absent:
			x = to.Absent
		case F(x) != v || (x < 0) != (v < 0):
			want = fmt.Sprintf("a number of %d bits with a sign", sizeOf[T]())
		case nullable && x == to.Absent:
			want = "null where it is unknown"
		}
		if want != "" {
			return &BadValue{from.at.Name, first + from.rowIn(i), fmt.Sprint(v), want}
		}
		to.V[i] = x
	}
	return nil
}

// rowIn returns the row of the i-th value of the batch, counted from its first row.
func (c *Column[T]) rowIn(i int) int64 {
	if !c.at.List {
		return int64(i)
	}
	row, _ := slices.BinarySearch(c.Start, int32(i)+1) // the first that begins behind it
	return int64(row - 1)
}

func sizeOf[T int32 | int64]() int {
	var v T
	return 8 * int(unsafe.Sizeof(v))
}
