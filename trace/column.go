package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"

	"replay/trace/tablefile"
)

// A rowReader reads a table forward by batches of rows, each bound column from its own pages.
// It holds one page a column.
type rowReader struct {
	t       *table
	row     int64 // next row
	columns []batchColumn
	budget  *tablefile.Budget // of the pages of all columns
}

type batchColumn interface {
	fill(n int) error
	close()
}

// next reads up to limit further rows into all bound columns and returns their number; 0 at the end.
func (r *rowReader) next(limit int) (int, error) {
	n := int(min(int64(limit), r.t.rows()-r.row))
	for _, c := range r.columns {
		if err := c.fill(n); err != nil {
			return 0, err
		}
	}
	r.row += int64(n)
	return n, nil
}

func (r *rowReader) close() {
	for _, c := range r.columns {
		c.close()
	}
}

// pages walks the pages of one leaf over all row groups.
type pages struct {
	t     *table
	r     *rowReader
	name  string
	leaf  leaf
	group int
	chunk *tablefile.Pages
	page  parquet.Page
	def   []byte // definition levels of the page; empty if the column can't be null
	rep   []byte // repetition levels, of lists
	n     int    // levels (or values) in the page
	at    int    // consumed of them
	row   int64  // next row
	fresh bool   // the dictionary has changed
}

// advance goes to the next page that is not empty. It returns io.EOF after the last one.
func (p *pages) advance() error {
	for {
		if p.chunk == nil {
			if p.group >= len(p.t.starts)-1 {
				return io.EOF
			}
			if p.r.budget == nil {
				p.r.budget = p.t.file.Budget()
			}
			p.chunk = p.t.file.Pages(p.group, p.leaf.index, p.r.budget)
			p.fresh = true
			p.group++
		}
		p.release()
		page, err := p.chunk.ReadPage()
		if err == io.EOF {
			if err := p.chunk.Close(); err != nil {
				return err
			}
			p.chunk = nil
			continue
		}
		if err != nil {
			return err
		}
		p.page = page
		p.def, p.rep = page.DefinitionLevels(), page.RepetitionLevels()
		p.n, p.at = int(page.NumValues()), 0
		if p.leaf.maxDef > 0 && len(p.def) != p.n || p.leaf.list && len(p.rep) != p.n {
			return p.damaged(fmt.Sprintf("%d values with %d definition and %d repetition levels", p.n, len(p.def), len(p.rep)))
		}
		if p.n > 0 {
			return nil
		}
	}
}

func (p *pages) damaged(what string) error {
	return damaged(p.t.path, fmt.Sprintf("column %s, row group %d, row %d: %s", p.name, max(p.group-1, 0), p.row, what))
}

func (p *pages) release() {
	if p.page != nil {
		parquet.Release(p.page)
		p.page = nil
	}
}

func (p *pages) close() {
	p.release()
	if p.chunk != nil {
		p.chunk.Close() // nothing was written; an error here says nothing about what was read
		p.chunk = nil
	}
}

// A column is a bound column of a rowReader: v holds the batch, with absent in place of nulls.
// A list column has the elements of row i at v[start[i]:start[i+1]].
type column[T any] struct {
	pages
	v      []T
	start  []int32
	set    int // values (for lists: elements) in the batch that are not null
	absent T
	decode func(parquet.Page) []T // the values of a page without a dictionary; may be the page's memory
	vals   []T                    // values of the page that are not null
	next   int                    // consumed of them
	dict   []T
	looked []T // values of the page by dictionary
}

// bind adds column name of the table to the reader. A column that the file does not have gives batches of absent values.
func bind[T any](r *rowReader, name string, absent T, decode func(parquet.Page) []T) *column[T] {
	c := &column[T]{absent: absent, decode: decode}
	l, ok := r.t.leaves[name]
	c.pages = pages{t: r.t, r: r, name: name, leaf: l}
	if ok {
		r.columns = append(r.columns, c)
	} else {
		r.columns = append(r.columns, (*absentColumn[T])(c))
	}
	return c
}

// absentColumn is a column that the file does not have.
type absentColumn[T any] column[T]

func (c *absentColumn[T]) close() {}
func (c *absentColumn[T]) fill(n int) error {
	for len(c.v) < n {
		c.v = append(c.v, c.absent)
	}
	c.v = c.v[:n]
	return nil
}

func bindInt32(r *rowReader, name string) *column[int32] {
	return bind(r, name, Unset, func(p parquet.Page) []int32 { d := p.Data(); return d.Int32() })
}

func bindInt64(r *rowReader, name string) *column[int64] {
	return bind(r, name, Unset, func(p parquet.Page) []int64 { d := p.Data(); return d.Int64() })
}

func bindFloat(r *rowReader, name string) *column[float32] {
	return bind(r, name, Unset, func(p parquet.Page) []float32 { d := p.Data(); return d.Float() })
}

func bindDouble(r *rowReader, name string) *column[float64] {
	return bind(r, name, math.NaN(), func(p parquet.Page) []float64 { d := p.Data(); return d.Double() })
}

func bindString(r *rowReader, name string) *column[string] {
	return bind(r, name, "", func(p parquet.Page) []string {
		d := p.Data()
		data, offsets := d.ByteArray()
		all := string(data)
		buf := make([]string, 0, len(offsets))
		for i := 1; i < len(offsets); i++ {
			buf = append(buf, all[offsets[i-1]:offsets[i]])
		}
		return buf
	})
}

func bindBool(r *rowReader, name string) *column[bool] {
	return bind(r, name, false, func(p parquet.Page) []bool {
		d := p.Data()
		bits := d.Boolean()
		n := p.NumValues() - p.NumNulls()
		buf := make([]bool, 0, n)
		for i := range n {
			buf = append(buf, bits[i/8]>>(i%8)&1 != 0)
		}
		return buf
	})
}

// load takes the next page and decodes its values; more is false after the last page.
func (c *column[T]) load() (more bool, err error) {
	err = tablefile.Guard(func() error {
		err := c.advance()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		more = true
		c.next = 0
		if d := c.page.Dictionary(); d == nil {
			c.vals = c.decode(c.page)
		} else if err := c.lookUp(d); err != nil {
			return err
		}
		values := c.n
		if len(c.def) > 0 {
			values = bytes.Count(c.def, []byte{c.leaf.maxDef})
		}
		if len(c.vals) != values {
			return fmt.Errorf("%d values, levels for %d", len(c.vals), values)
		}
		return c.convert()
	})
	var problem Problem
	if err != nil && !errors.As(err, &problem) {
		err = c.damaged(err.Error())
	}
	return more, err
}

// convert makes milliseconds of the times of a page that are written in another unit.
func (c *column[T]) convert() error {
	if c.leaf.perMS <= 1 {
		return nil
	}
	times, ok := any(c.vals).([]int64)
	if !ok {
		return fmt.Errorf("is no column of times")
	}
	out := make([]int64, len(times))
	for i, v := range times {
		if v%c.leaf.perMS != 0 {
			row := c.row + c.rowOf(i)
			return Problem{File: c.t.path, Group: c.t.group(row), Row: row, Column: c.name,
				Value: fmt.Sprintf("%d in units of 1/%d ms", v, c.leaf.perMS), Want: "whole milliseconds"}
		}
		out[i] = v / c.leaf.perMS
	}
	c.vals = any(out).([]T)
	return nil
}

// rowOf returns how many rows of the page are before its i-th value, in a column that is no list.
func (c *column[T]) rowOf(i int) int64 {
	for row, d := range c.def {
		if d == c.leaf.maxDef {
			if i == 0 {
				return int64(row)
			}
			i--
		}
	}
	return int64(i)
}

func (c *column[T]) lookUp(d parquet.Dictionary) error {
	if c.fresh {
		c.dict = append(c.dict[:0], c.decode(d.Page())...)
		c.fresh = false
	}
	data := c.page.Data()
	c.looked = c.looked[:0]
	for _, i := range data.Int32() {
		if uint(i) >= uint(len(c.dict)) {
			return fmt.Errorf("dictionary index %d of %d", i, len(c.dict))
		}
		c.looked = append(c.looked, c.dict[i])
	}
	c.vals = c.looked
	return nil
}

func (c *column[T]) fill(n int) error {
	c.v, c.set = c.v[:0], 0
	if c.leaf.list {
		return c.fillList(n)
	}
	for n > 0 {
		if c.at == c.n {
			more, err := c.load()
			if err != nil {
				return err
			}
			if !more {
				return c.damaged("ends early")
			}
		}
		k := min(n, c.n-c.at)
		switch {
		case len(c.vals) == c.n: // no nulls
			c.v = append(c.v, c.vals[c.next:c.next+k]...)
			c.next += k
			c.set += k
		case c.leaf.required:
			for i, d := range c.def[c.at : c.at+k] {
				if d < c.leaf.maxDef {
					return c.null(c.row + int64(i))
				}
				c.v = append(c.v, c.vals[c.next])
				c.next++
			}
			c.set += k
		case len(c.vals) == 0:
			for range k {
				c.v = append(c.v, c.absent)
			}
		default:
			for _, d := range c.def[c.at : c.at+k] {
				if d < c.leaf.maxDef {
					c.v = append(c.v, c.absent)
					continue
				}
				c.v = append(c.v, c.vals[c.next])
				c.next++
				c.set++
			}
		}
		c.at += k
		c.row += int64(k)
		n -= k
	}
	return nil
}

func (c *column[T]) fillList(n int) error {
	c.start = append(c.start[:0], 0)
	rows := 0
	for n > 0 {
		if c.at == c.n {
			more, err := c.load()
			if err != nil {
				return err
			}
			if !more && rows == n {
				break
			}
			if !more {
				return c.damaged("ends early")
			}
		}
		if c.rep[c.at] == 0 {
			if rows == n {
				break
			}
			if rows > 0 {
				c.start = append(c.start, int32(len(c.v)))
			}
			rows++
			c.row++
		} else if rows == 0 {
			return c.damaged("a list that goes on before the first row")
		}
		switch d := c.def[c.at]; {
		case d == c.leaf.maxDef:
			c.v = append(c.v, c.vals[c.next])
			c.next++
		case d >= c.leaf.present:
			return c.null(c.row - 1)
		}
		c.at++
	}
	if rows > 0 {
		c.start = append(c.start, int32(len(c.v)))
	}
	c.set = len(c.v)
	return nil
}

func (c *column[T]) null(row int64) error {
	return Problem{File: c.t.path, Group: c.t.group(row), Row: row, Column: c.name, Value: "null", Want: "a value"}
}

// list returns a copy of row i of a list column; nil if it is empty or the file has no such column.
func (c *column[T]) list(i int) []T {
	if c.set == 0 || c.start[i] == c.start[i+1] {
		return nil
	}
	return append([]T(nil), c.v[c.start[i]:c.start[i+1]]...)
}
