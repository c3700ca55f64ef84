// Package columns reads columns of Parquet files by their names, whatever type and order they have: as writers of one format
// differ in both.
package columns

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"replay/trace"
	"replay/trace/importer/workload"
	"replay/trace/tablefile"
)

// batchRows is how many rows are decoded at a time.
const batchRows = 4096

// File is a Parquet file whose bound columns are read by batches.
type File struct {
	Path   string
	file   *tablefile.File
	reader *tablefile.Reader
	n      int // rows of the batch
}

// Open opens a file and names it as a source of the trace.
func Open(b *workload.Builder, path string) (*File, error) {
	if path == workload.Stdin {
		return nil, fmt.Errorf("standard input: a Parquet file can't be read from it, want a file")
	}
	f, err := Peek(path)
	if err != nil {
		return nil, err
	}
	if err := b.AddSource(path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Peek opens a file to look at its columns.
func Peek(path string) (*File, error) {
	f, err := tablefile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{Path: path, file: f, reader: tablefile.NewReader(f)}, nil
}

// Parts lists the inputs that are files, and of directories those whose names end with .parquet.
func Parts(b *workload.Builder, inputs []string) ([]string, error) {
	return b.Parts(inputs, func(path string, given bool) bool { return given || strings.HasSuffix(path, ".parquet") })
}

// Close closes the file.
func (f *File) Close() error {
	f.reader.Close()
	return f.file.Close()
}

// Rows is how many rows the footer promises.
func (f *File) Rows() (n int64) {
	for _, g := range f.file.Groups() {
		n += g
	}
	return n
}

// names are the columns at the top, without those of maps.
func (f *File) names() (names []string) {
	for i := range f.file.Leaves() {
		if name := f.file.Leaf(i).Path[0]; !slices.Contains(names, name) && !f.file.IsMap(name) {
			names = append(names, name)
		}
	}
	return names
}

// Has tells whether the file has a column of one of the names.
func (f *File) Has(names ...string) bool {
	all := f.names()
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(all, n) })
}

// BadValue is a value of a row that is not what was wanted.
type BadValue struct {
	File        string
	Row         int64
	Column      string
	Value, Want string
}

func (e *BadValue) Error() string {
	return fmt.Sprintf("%s: row %d: %s is %s, want %s", e.File, e.Row, e.Column, e.Value, e.Want)
}

// Column is a column of the batch, or one that the file does not have, of which all values are absent.
type Column struct {
	Name string
	f    *File

	ints   *tablefile.Column[int64]
	small  *tablefile.Column[int32]
	large  *tablefile.Column[uint64]
	double *tablefile.Column[float64]
	single *tablefile.Column[float32]
	text   *tablefile.Column[string]
	list   bool
}

// bind binds the column that has one of the names. One that is required and missing, or of a type that is neither number nor text, is an
// error.
func (f *File) bind(required bool, names ...string) (*Column, error) {
	c := &Column{Name: names[0], f: f}
	for i := range f.file.Leaves() {
		l := f.file.Leaf(i)
		if !slices.Contains(names, l.Path[0]) || f.file.IsMap(l.Path[0]) {
			continue
		}
		c.Name, c.list = l.Path[0], l.MaxRep == 1
		b := tablefile.Binding{Name: l.Path[0], Leaf: i, MaxDef: l.MaxDef, Present: l.MaxDef, List: c.list, PerMS: l.PerMS}
		switch {
		case l.MaxRep > 1 || slices.Contains([]string{"decimal", "a time of day", "interval", "date"}, l.Logical):
		case l.Unsigned() && l.Kind == parquet.Int32:
			c.ints = tablefile.Bind(f.reader, b, math.MinInt64, tablefile.Uint32s)
			return c, nil
		case l.Unsigned():
			c.large = tablefile.Bind(f.reader, b, math.MaxUint64, tablefile.Uint64s)
			return c, nil
		case l.Kind == parquet.Int64:
			c.ints = tablefile.Bind(f.reader, b, math.MinInt64, tablefile.Int64s)
			return c, nil
		case l.Kind == parquet.Int32:
			c.small = tablefile.Bind(f.reader, b, math.MinInt32, tablefile.Int32s)
			return c, nil
		case l.Kind == parquet.Double:
			c.double = tablefile.Bind(f.reader, b, -math.MaxFloat64, tablefile.Doubles)
			return c, nil
		case l.Kind == parquet.Float:
			c.single = tablefile.Bind(f.reader, b, -math.MaxFloat32, tablefile.Floats)
			return c, nil
		case l.Kind == parquet.ByteArray:
			c.text = tablefile.Bind(f.reader, b, noText, tablefile.Texts)
			return c, nil
		}
		return nil, fmt.Errorf("%s: column %s is %s, want numbers or text", f.Path, l.Path[0], l.Describe())
	}
	if required {
		return nil, fmt.Errorf("%s: has no column %s, want one; it has %s", f.Path, strings.Join(names, " or "), strings.Join(f.names(), ", "))
	}
	return c, nil
}

// noText stands for an absent text, which no text of a file is.
const noText = "\xff\xfe absent"

// Next reads the next rows and returns their number, 0 at the end.
func (f *File) Next() (int, error) {
	n, err := f.reader.Next(batchRows)
	if err == nil && n == 0 {
		err = f.reader.End()
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.Path, err)
	}
	f.n = n
	return n, nil
}

// Row is the number of row i of the batch in the file, from 0.
func (f *File) Row(i int) int64 { return f.reader.Row() - int64(f.n) + int64(i) }

func (c *Column) bad(i int, value any, want string) error {
	return &BadValue{c.f.Path, c.f.Row(i), c.Name, fmt.Sprint(value), want}
}

// Int is the whole number in row i; absent if there is none. The error is a [BadValue] for another number or text.
func (c *Column) Int(i int, absent int64) (int64, error) {
	switch {
	case c.list:
		return absent, c.bad(i, "a list", "a number")
	case c.ints != nil:
		if v := c.ints.V[i]; v != c.ints.Absent {
			return v, nil
		}
	case c.small != nil:
		if v := c.small.V[i]; v != c.small.Absent {
			return int64(v), nil
		}
	case c.large != nil:
		if v := c.large.V[i]; v != c.large.Absent {
			if v > math.MaxInt64 {
				return absent, c.bad(i, v, fmt.Sprintf("at most %d", int64(math.MaxInt64)))
			}
			return int64(v), nil
		}
	case c.text != nil:
		if v := c.text.V[i]; v != noText {
			n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
			if err != nil {
				return absent, c.bad(i, fmt.Sprintf("%q", v), "a whole number")
			}
			return n, nil
		}
	default:
		v, err := c.Float(i, math.NaN())
		if err != nil || math.IsNaN(v) {
			return absent, err
		}
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return absent, c.bad(i, v, "a whole number")
		}
		return int64(v), nil
	}
	return absent, nil
}

// Float is the finite number in row i; absent if there is none.
func (c *Column) Float(i int, absent float64) (float64, error) {
	v := math.NaN()
	switch {
	case c.list:
		return absent, c.bad(i, "a list", "a number")
	case c.double != nil && c.double.V[i] != c.double.Absent:
		v = c.double.V[i]
	case c.single != nil && c.single.V[i] != c.single.Absent:
		v = float64(c.single.V[i])
	case c.ints != nil || c.small != nil || c.large != nil:
		n, err := c.Int(i, math.MinInt64)
		if err != nil || n == math.MinInt64 {
			return absent, err
		}
		v = float64(n)
	case c.text != nil && c.text.V[i] != noText:
		n, err := strconv.ParseFloat(strings.TrimSpace(c.text.V[i]), 64)
		if err != nil {
			return absent, c.bad(i, fmt.Sprintf("%q", c.text.V[i]), "a number")
		}
		v = n
	}
	if math.IsNaN(v) { // as tables are written for none
		return absent, nil
	}
	if math.IsInf(v, 0) {
		return absent, c.bad(i, v, "a finite number")
	}
	return v, nil
}

// Text is row i as text, a number in digits; "" if there is none. It may be no UTF-8.
func (c *Column) Text(i int) (string, error) {
	switch {
	case c.list:
	case c.text != nil:
		if v := c.text.V[i]; v != noText {
			return v, nil
		}
		return "", nil
	case c.large != nil:
		if v := c.large.V[i]; v != c.large.Absent {
			return strconv.FormatUint(v, 10), nil
		}
		return "", nil
	}
	n, err := c.Int(i, math.MinInt64)
	if err != nil || n == math.MinInt64 {
		return "", err
	}
	return strconv.FormatInt(n, 10), nil
}

// Texts are the elements of the list in row i, numbers in digits; a text or number that is no list is one.
func (c *Column) Texts(i int) (all []string, err error) {
	switch {
	case !c.list:
		v, err := c.Text(i)
		if err != nil || v == "" {
			return nil, err
		}
		return []string{v}, nil
	case c.ints != nil:
		for _, v := range c.ints.List(i) {
			if v != c.ints.Absent {
				all = append(all, strconv.FormatInt(v, 10))
			}
		}
	case c.small != nil:
		for _, v := range c.small.List(i) {
			if v != c.small.Absent {
				all = append(all, strconv.FormatInt(int64(v), 10))
			}
		}
	case c.large != nil:
		for _, v := range c.large.List(i) {
			if v != c.large.Absent {
				all = append(all, strconv.FormatUint(v, 10))
			}
		}
	case c.double != nil:
		for _, v := range c.double.List(i) {
			if v == c.double.Absent || math.IsNaN(v) {
				continue
			}
			if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
				return nil, c.bad(i, v, "whole numbers")
			}
			all = append(all, strconv.FormatInt(int64(v), 10))
		}
	case c.text != nil:
		for _, v := range c.text.List(i) {
			if v != noText {
				all = append(all, v)
			}
		}
	default:
		return nil, c.bad(i, "a list of floating-point numbers", "a list of whole numbers or texts")
	}
	return all, nil
}

// IntIn is Int from least to most; trace.Unset if there is none.
func (c *Column) IntIn(i int, least, most int64) (int64, error) {
	v, err := c.Int(i, trace.Unset)
	if err == nil && v != trace.Unset && (v < least || v > most) {
		err = c.bad(i, v, fmt.Sprintf("%d to %d", least, most))
	}
	return v, err
}

// Row is a row of the batch whose first value that is not what was wanted is its error; numbers are read after it all the same.
type Row struct {
	At  int
	Err error
}

func (r *Row) keep(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

// Int is the number in a column, from least to most or trace.Unset.
func (r *Row) Int(c *Column, least, most int64) int64 {
	v, err := c.IntIn(r.At, least, most)
	r.keep(err)
	return v
}

// Float is the number in a column, -1 if there is none.
func (r *Row) Float(c *Column) float64 {
	v, err := c.Float(r.At, -1)
	r.keep(err)
	return v
}

// Text is the text in a column.
func (r *Row) Text(c *Column) string {
	v, err := c.Text(r.At)
	r.keep(err)
	return v
}

// Texts is the list in a column.
func (r *Row) Texts(c *Column) []string {
	v, err := c.Texts(r.At)
	r.keep(err)
	return v
}

// A Want is a column that a format needs, or would take, by the names that it has.
type Want struct {
	To       **Column
	Required bool
	Names    []string
}

// BindAll binds columns.
func (f *File) BindAll(wanted []Want) (err error) {
	for _, w := range wanted {
		if *w.To, err = f.bind(w.Required, w.Names...); err != nil {
			return err
		}
	}
	return nil
}

// Each calls take for each row of the file with its number in the batch. What breaks off the file is an error, see
// [workload.Builder.Damaged].
func (f *File) Each(ctx context.Context, b *workload.Builder, take func(i int) error) error {
	for {
		n, err := f.Next()
		if err != nil {
			return b.Damaged(err)
		}
		if n == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range n {
			if err := take(i); err != nil {
				return err
			}
		}
	}
}
