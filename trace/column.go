package trace

import (
	"errors"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"replay/trace/tablefile"
)

// column is a bound column of a rowReader: V holds the batch, with Absent in place of nulls.
type column[T any] = tablefile.Column[T]

// A rowReader reads a table forward by batches of rows.
type rowReader struct {
	*tablefile.Reader
	t    *table
	only []string // columns that are read; nil for all. The others are absent.
}

func newRowReader(t *table, only []string) *rowReader {
	return &rowReader{tablefile.NewReader(t.file), t, only}
}

// next reads up to limit further rows into all bound columns and returns their number; 0 at the end. The error is a [Problem] where
// the file is what is wrong.
func (r *rowReader) next(limit int) (int, error) {
	n, err := r.Next(limit)
	var bad *tablefile.BadValue
	var damage *tablefile.Damage
	switch {
	case errors.As(err, &bad):
		err = Problem{File: r.t.path, Group: r.t.group(bad.Row), Row: bad.Row, Column: bad.Column, Value: bad.Value, Want: bad.Want}
	case errors.As(err, &damage):
		err = damaged(r.t.path, damage)
	}
	return n, err
}

// bind adds column name of the table to the reader. A column that the file does not have gives batches of absent values.
func bind[T any](r *rowReader, name string, absent T, decode func(parquet.Page) []T) *column[T] {
	return tablefile.Bind(r.Reader, r.binding(name), absent, decode)
}

// binding says where column name is in the file.
func (r *rowReader) binding(name string) tablefile.Binding {
	if l, ok := r.t.leaves[name]; ok && (r.only == nil || slices.Contains(r.only, name)) {
		return tablefile.Binding{Name: name, Leaf: l.index, MaxDef: l.maxDef, Present: l.present, List: l.list, Required: l.required, Whole: l.whole, PerMS: l.perMS}
	}
	return tablefile.Binding{Name: name, Leaf: -1}
}

// bindNumber is bind of numbers, of which the file may not have the one that is read in place of null.
func bindNumber[T int32 | int64 | float32 | float64](r *rowReader, name string, absent T, decode func(parquet.Page) []T) *column[T] {
	c := bind(r, name, absent, decode)
	if l, ok := r.t.leaves[name]; ok && !l.required {
		c.Reserved = func(values []T) int { return slices.Index(values, absent) }
		if isNaN := func(v T) bool { return math.IsNaN(float64(v)) }; isNaN(absent) {
			c.Reserved = func(values []T) int { return slices.IndexFunc(values, isNaN) }
		}
	}
	return c
}

// bindWhole is bindNumber of whole numbers, in whatever width the file has them.
func bindWhole[T int32 | int64](r *rowReader, name string, decode func(parquet.Page) []T) *column[T] {
	at := r.binding(name)
	if at.Leaf < 0 || !r.t.leaves[name].recast {
		return bindNumber(r, name, Unset, decode)
	}
	return tablefile.BindWhole(r.Reader, at, T(Unset))
}

func bindInt32(r *rowReader, name string) *column[int32] {
	return bindWhole(r, name, tablefile.Int32s)
}

func bindInt64(r *rowReader, name string) *column[int64] {
	return bindWhole(r, name, tablefile.Int64s)
}

func bindFloat(r *rowReader, name string) *column[float32] {
	return bindNumber(r, name, Unset, tablefile.Floats)
}

func bindDouble(r *rowReader, name string) *column[float64] {
	return bindNumber(r, name, math.NaN(), tablefile.Doubles)
}

func bindString(r *rowReader, name string) *column[string] { return bind(r, name, "", tablefile.Texts) }

func bindBool(r *rowReader, name string) *column[bool] { return bind(r, name, false, tablefile.Bools) }
