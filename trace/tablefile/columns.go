package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// A Reader reads the rows of a file forward by batches, each bound column from its own pages into memory that is used again.
// It holds one page a column.
type Reader struct {
	f       *File
	row     int64 // next row
	rows    int64
	columns []filler
	budget  *Budget // of the pages of all columns
}

type filler interface {
	fill(n int) error
	end() error
	close()
}

// NewReader returns a reader at the first row, without columns.
func NewReader(f *File) *Reader {
	r := &Reader{f: f, budget: f.Budget()}
	for _, n := range f.groups {
		r.rows += n
	}
	return r
}

// Row is the next row.
func (r *Reader) Row() int64 { return r.row }

// Next reads up to limit further rows into all bound columns and returns their number; 0 at the end. The error is a [*BadValue], a
// [*Damage], or one of the file system.
func (r *Reader) Next(limit int) (int, error) {
	n := int(min(int64(limit), r.rows-r.row))
	for _, c := range r.columns {
		if err := c.fill(n); err != nil {
			return 0, err
		}
	}
	r.row += int64(n)
	return n, nil
}

// End is an error unless nothing follows the last row in any bound column.
func (r *Reader) End() error {
	for _, c := range r.columns {
		if err := c.end(); err != nil {
			return err
		}
	}
	return nil
}

// Close lets go of the pages.
func (r *Reader) Close() {
	for _, c := range r.columns {
		c.close()
	}
}

// A BadValue is a value that its column may not hold.
type BadValue struct {
	Column      string
	Row         int64
	Value, Want string
}

func (e *BadValue) Error() string {
	return fmt.Sprintf("row %d: column %s is %s, want %s", e.Row, e.Column, e.Value, e.Want)
}

// Damage is a place where the pages of a file contradict it.
type Damage struct {
	Column string
	Group  int
	Row    int64
	What   string
}

func (e *Damage) Error() string {
	return fmt.Sprintf("column %s, row group %d, row %d: %s", e.Column, e.Group, e.Row, e.What)
}

// A Binding says where the values of a column are and what they may be.
type Binding struct {
	Name     string
	Leaf     int   // its place in the file, -1 when the file does not have the column
	MaxDef   byte  // definition level of a value
	Present  byte  // definition level from which a list has an element
	List     bool  // a row has any number of values
	Required bool  // nulls are errors, of a list those in place of its elements
	Whole    bool  // a null in place of a list is an error
	PerMS    int64 // units in a millisecond, of times that are not written in milliseconds
}

// pages walks the pages of one leaf over all row groups.
type pages struct {
	r     *Reader
	at    Binding
	group int
	chunk *Pages
	page  parquet.Page
	def   []byte // definition levels of the page; empty if the column can't be null
	rep   []byte // repetition levels, of lists
	n     int    // levels (or values) in the page
	used  int    // of them
	row   int64  // next row
	fresh bool   // the dictionary has changed
}

// advance goes to the next page that is not empty. It returns io.EOF after the last one.
func (p *pages) advance() error {
	for {
		if p.chunk == nil {
			if p.group >= len(p.r.f.groups) {
				return io.EOF
			}
			p.chunk = p.r.f.Pages(p.group, p.at.Leaf, p.r.budget)
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
		p.n, p.used = int(page.NumValues()), 0
		if p.at.MaxDef > 0 && len(p.def) != p.n || p.at.List && len(p.rep) != p.n {
			return p.damaged(fmt.Sprintf("%d values with %d definition and %d repetition levels", p.n, len(p.def), len(p.rep)))
		}
		if p.n > 0 {
			return nil
		}
	}
}

func (p *pages) damaged(what string) error {
	return &Damage{p.at.Name, max(p.group-1, 0), p.row, what}
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

// A Column is a bound column of a [Reader]: V holds the batch, with an absent value in place of nulls. A list column has the elements
// of row i at V[Start[i]:Start[i+1]]. What it holds is good until the next batch.
type Column[T any] struct {
	V      []T
	Start  []int32
	Set    int // values (for lists: elements) in the batch that are not null
	Absent T
	// Reserved, if it is set, returns the place of the first of some values that would be taken for null in V and that the file may not have, or -1. It is
	// not asked about lists.
	Reserved func([]T) int

	pages
	own    []T                    // memory of V where it is not that of a page
	nulls  []T                    // absent values, as many as were needed
	decode func(parquet.Page) []T // the values of a page without a dictionary; may be the page's memory
	vals   []T                    // values of the page that are not null
	next   int                    // consumed of them
	dict   []T
	looked []T  // values of the page by dictionary
	has    bool // the dictionary has a reserved value
}

// Bind adds a column to the reader. Decode gives the values of a page; they may be its memory. A column that the file does not have
// gives batches of absent values.
func Bind[T any](r *Reader, at Binding, absent T, decode func(parquet.Page) []T) *Column[T] {
	c := &Column[T]{Absent: absent, decode: decode, pages: pages{r: r, at: at}}
	if at.Leaf >= 0 {
		r.columns = append(r.columns, c)
	} else {
		r.columns = append(r.columns, (*absentColumn[T])(c))
	}
	return c
}

// absentColumn is a column that the file does not have.
type absentColumn[T any] Column[T]

func (c *absentColumn[T]) close()     {}
func (c *absentColumn[T]) end() error { return nil }
func (c *absentColumn[T]) fill(n int) error {
	c.V = (*Column[T])(c).absent(n)
	return nil
}

// load takes the next page and decodes its values; more is false after the last page.
func (c *Column[T]) load() (more bool, err error) {
	err = Guard(func() error {
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
			values = bytes.Count(c.def, []byte{c.at.MaxDef})
		}
		if len(c.vals) != values {
			return fmt.Errorf("%d values, levels for %d", len(c.vals), values)
		}
		if err := c.convert(); err != nil {
			return err
		}
		return c.reserved()
	})
	var bad *BadValue
	var damage *Damage
	if err != nil && !errors.As(err, &bad) && !errors.As(err, &damage) {
		err = c.damaged(err.Error())
	}
	return more, err
}

// convert makes milliseconds of the times of a page that are written in another unit.
func (c *Column[T]) convert() error {
	if c.at.PerMS <= 1 {
		return nil
	}
	times, ok := any(c.vals).([]int64)
	if !ok {
		return fmt.Errorf("is no column of times")
	}
	out := make([]int64, len(times))
	for i, v := range times {
		if v%c.at.PerMS != 0 {
			return &BadValue{c.at.Name, c.row + c.rowOf(i), fmt.Sprintf("%d in units of 1/%d ms", v, c.at.PerMS), "whole milliseconds"}
		}
		out[i] = v / c.at.PerMS
	}
	c.vals = any(out).([]T)
	return nil
}

// reserved refuses values of a page that would be taken for null.
func (c *Column[T]) reserved() error {
	if c.Reserved == nil || c.page.Dictionary() != nil && !c.has {
		return nil
	}
	if i := c.Reserved(c.vals); i >= 0 {
		return &BadValue{c.at.Name, c.row + c.rowOf(i), fmt.Sprint(c.vals[i]), "null where it is unknown"}
	}
	return nil
}

// rowOf returns how many rows of the page are before its i-th value, in a column that is no list.
func (c *Column[T]) rowOf(i int) int64 {
	for row, d := range c.def {
		if d == c.at.MaxDef {
			if i == 0 {
				return int64(row)
			}
			i--
		}
	}
	return int64(i)
}

func (c *Column[T]) lookUp(d parquet.Dictionary) error {
	if c.fresh {
		c.dict = append(c.dict[:0], c.decode(d.Page())...)
		c.fresh = false
		c.has = c.Reserved != nil && (c.at.PerMS > 1 || c.Reserved(c.dict) >= 0)
	}
	data := c.page.Data()
	indexes := data.Int32()
	looked, dict := slices.Grow(c.looked[:0], len(indexes))[:len(indexes)], c.dict
	for k, i := range indexes {
		if uint(i) >= uint(len(dict)) {
			return fmt.Errorf("dictionary index %d of %d", i, len(dict))
		}
		looked[k] = dict[i]
	}
	c.looked, c.vals = looked, looked
	return nil
}

// need loads a page when the last one is used up; it is an error when there is none.
func (c *Column[T]) need() error {
	if c.used < c.n {
		return nil
	}
	more, err := c.load()
	if err == nil && !more {
		err = c.damaged("ends early")
	}
	return err
}

func (c *Column[T]) fill(n int) error {
	c.V, c.Set = nil, 0
	if c.at.List {
		return c.fillList(n)
	}
	if n == 0 {
		return nil
	}
	if err := c.need(); err != nil {
		return err
	}
	if len(c.vals) == c.n && n <= c.n-c.used { // without nulls, and all in this page
		c.V, c.Set = c.vals[c.next:c.next+n], n
		c.next, c.used, c.row = c.next+n, c.used+n, c.row+int64(n)
		return nil
	}
	if len(c.vals) == 0 && !c.at.Required && n <= c.n-c.used { // nothing but nulls
		c.V = c.absent(n)
		c.used, c.row = c.used+n, c.row+int64(n)
		return nil
	}
	c.own = c.own[:0]
	for n > 0 {
		if err := c.need(); err != nil {
			return err
		}
		k := min(n, c.n-c.used)
		if err := c.some(k); err != nil {
			return err
		}
		c.used += k
		c.row += int64(k)
		n -= k
	}
	c.V = c.own
	return nil
}

// absent returns n absent values.
func (c *Column[T]) absent(n int) []T {
	if len(c.nulls) < n {
		c.nulls = slices.Repeat([]T{c.Absent}, n)
	}
	return c.nulls[:n]
}

// end is an error unless the column ends here.
func (c *Column[T]) end() error {
	if c.used < c.n {
		return c.damaged("goes on after the last row")
	}
	more, err := c.load()
	if more {
		return c.damaged("goes on after the last row")
	}
	return err
}

// some appends the next k rows of the page.
func (c *Column[T]) some(k int) error {
	switch def := c.def; {
	case len(c.vals) == c.n: // no nulls
		c.own = append(c.own, c.vals[c.next:c.next+k]...)
		c.next += k
		c.Set += k
	case c.at.Required:
		for i, d := range def[c.used : c.used+k] {
			if d < c.at.MaxDef {
				return c.null(c.row + int64(i))
			}
		}
		c.own = append(c.own, c.vals[c.next:c.next+k]...)
		c.next += k
		c.Set += k
	case len(c.vals) == 0:
		c.own = append(c.own, c.absent(k)...)
	default:
		own, vals, next := slices.Grow(c.own, k), c.vals, c.next
		for _, d := range def[c.used : c.used+k] {
			if d < c.at.MaxDef {
				own = append(own, c.Absent)
				continue
			}
			own = append(own, vals[next])
			next++
		}
		c.Set += next - c.next
		c.own, c.next = own, next
	}
	return nil
}

func (c *Column[T]) fillList(n int) error {
	c.own, c.Start = c.own[:0], append(c.Start[:0], 0)
	rows := 0
	for n > 0 {
		if c.used == c.n {
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
		var done bool
		var err error
		if len(c.vals) == c.n {
			rows, done, err = c.fullLists(rows, n)
		} else {
			rows, done, err = c.lists(rows, n)
		}
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	if rows > 0 {
		c.Start = append(c.Start, int32(len(c.own)))
	}
	c.V, c.Set = c.own, len(c.own)
	return nil
}

const listGoesOn = "a list that goes on before the first row"

// fullLists takes what the page still has of n rows, of which there are some already. Each level of the page is one of an element.
func (c *Column[T]) fullLists(rows, n int) (now int, done bool, err error) {
	rep := c.rep[c.used:]
	if rep[0] != 0 && rows == 0 {
		return rows, false, c.damaged(listGoesOn)
	}
	had, end := int32(len(c.own)), len(rep)
	before := rows
	for i, r := range rep {
		if r != 0 {
			continue
		}
		if rows == n {
			end, done = i, true
			break
		}
		if rows > 0 {
			c.Start = append(c.Start, had+int32(i))
		}
		rows++
	}
	c.own = append(c.own, c.vals[c.next:c.next+end]...)
	c.next, c.used, c.row = c.next+end, c.used+end, c.row+int64(rows-before)
	return rows, done, nil
}

// lists is fullLists where some levels are those of nulls or of lists without elements.
func (c *Column[T]) lists(rows, n int) (now int, done bool, err error) {
	rep, def := c.rep[c.used:], c.def[c.used:]
	if rep[0] != 0 && rows == 0 {
		return rows, false, c.damaged(listGoesOn)
	}
	start, next, before, end, most := slices.Grow(c.Start, n)[:n], c.next, rows, len(rep), c.at.MaxDef
	shift := len(c.own) - next
	for i, d := range def[:len(rep)] {
		if rep[i] == 0 {
			if rows == n {
				end, done = i, true
				break
			}
			start[rows] = int32(shift + next) // 0 of the first
			rows++
		}
		if d == most {
			next++
		} else if d >= c.at.Present {
			return rows, false, c.null(c.row + int64(rows-before) - 1)
		} else if c.at.Whole && d+1 < c.at.Present {
			return rows, false, &BadValue{c.at.Name, c.row + int64(rows-before) - 1, "null", "a list, which may be empty"}
		}
	}
	c.own, c.Start = append(c.own, c.vals[c.next:next]...), start[:max(rows, 1)]
	c.next, c.used, c.row = next, c.used+end, c.row+int64(rows-before)
	return rows, done, nil
}

func (c *Column[T]) null(row int64) error {
	return &BadValue{c.at.Name, row, "null", "a value"}
}

// Row returns row i of a list column, which is good until the next batch; nil if it is empty or the file has no such column.
func (c *Column[T]) Row(i int) []T {
	if c.Set == 0 || c.Start[i] == c.Start[i+1] {
		return nil
	}
	return c.V[c.Start[i]:c.Start[i+1]]
}

// List returns a copy of [Column.Row].
func (c *Column[T]) List(i int) []T { return append([]T(nil), c.Row(i)...) }
