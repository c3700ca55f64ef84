// Package tablefile opens Parquet files that anyone may have written, damaged or made up, and reads them in bounded
// memory.
//
// The library that decodes Parquet believes what a file says of sizes, counts and types. Here the footer and every page
// are checked first: what a footer says against the size of the file and the schema, a page's sizes and counts against
// limits and its content, each unpacked by a decoder that goes no further than the page says. The library sees a file in
// its place that holds the same pages, checked and unpacked, and no statistics, indexes or types that it would have to
// believe.
package tablefile

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"replay/input"
)

// A File is an open Parquet file whose footer has been checked.
type File struct {
	// Parquet is the schema as the library sees it. Pages can be read through [File.Pages] by several readers at the
	// same time, or by rows by one.
	Parquet *parquet.File

	footer
	r    io.ReaderAt
	size int64
	file *os.File // nil without one
	seen *whole   // by the library
}

// Open opens the file at path.
func Open(path string) (*File, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	out, err := New(f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	out.file = f
	return out, nil
}

// New opens the file of size bytes in r.
func New(r io.ReaderAt, size int64) (*File, error) {
	head, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	f := &File{footer: *head, r: r, size: size}
	// Pages are those of one row group to the library, wherever they stand: what it keeps of each of its columns is about a kilobyte.
	f.seen, f.Parquet, err = f.library(f.groups[:min(1, len(f.groups))])
	return f, err
}

// Close closes the file.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Groups are the rows of each row group.
func (f *File) Groups() []int64 { return f.groups }

// Leaves is how many leaves the file has.
func (f *File) Leaves() int { return len(f.leaves) }

// Leaf is a leaf by its place in the file.
func (f *File) Leaf(i int) *Leaf { return &f.leaves[i] }

// IsMap reports whether the column at the top called name holds a map.
func (f *File) IsMap(name string) bool { return f.maps[name] }

// Metadata returns the value of a key of the file's metadata.
func (f *File) Metadata(key string) (string, bool) {
	v, ok := f.metadata[key]
	return v, ok
}

// Budget is what a reader's pages may take together: in proportion to the file, up to 384 MB.
func (f *File) Budget() *Budget { return &Budget{most: min(64<<20+1000*f.size, 384<<20)} }

// Pages returns the pages of a leaf in a row group. Reader's budget is for all pages that it reads at the same time.
func (f *File) Pages(group, leaf int, budget *Budget) *Pages {
	s := f.stream(group, leaf, budget)
	s.looked = true
	chunk := f.Parquet.RowGroups()[0].ColumnChunks()[leaf].(*parquet.FileColumnChunk)
	return &Pages{chunk.PagesFrom(&placed{s, base(leaf)}), s}
}

func (f *File) stream(group, leaf int, budget *Budget) *stream {
	s := &stream{r: f.r, leaf: &f.leaves[leaf], chunk: f.chunks[group][leaf], rows: f.groups[group], budget: budget}
	s.begin()
	return s
}

// Pages are the pages of a leaf in a row group.
type Pages struct {
	parquet.Pages
	s *stream
}

// Close gives back what the pages took.
func (p *Pages) Close() error {
	p.s.release()
	return p.Pages.Close()
}

// Guard runs a call of the library. What it panics on, in spite of the checks, is an error.
func Guard(call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return call()
}

// A chunk stands at a place of its own in the file that the library sees, with room for whatever it unpacks to.
const room = 1 << 40

// base is where a chunk begins, by its number in the file.
func base(chunk int) int64 { return int64(chunk+1) * room }

// placed is a stream at its place.
type placed struct {
	s    *stream
	base int64
}

func (p *placed) ReadAt(b []byte, off int64) (int, error) {
	if off < p.base {
		return 0, fmt.Errorf("before the first page")
	}
	return p.s.ReadAt(b, off-p.base)
}

// whole is the file that the library sees. Its chunks are read forward, by one reader.
type whole struct {
	f      *File
	chunks int
	footer []byte
	budget *Budget
	open   map[int]*stream
}

// library returns the file that the library is to see, with the first of its row groups, and what it makes of it.
func (f *File) library(groups []int64) (w *whole, seen *parquet.File, err error) {
	m := format.FileMetaData{Version: 2, Schema: f.schema, RowGroups: make([]format.RowGroup, len(groups))}
	n := 0
	for g, rows := range groups {
		group := &m.RowGroups[g]
		group.NumRows, group.Ordinal, group.Columns = rows, int16(g), make([]format.ColumnChunk, len(f.leaves))
		m.NumRows += rows
		for i := range f.leaves {
			l := &f.leaves[i]
			group.Columns[i].MetaData = format.ColumnMetaData{
				Type: format.Type(l.Kind), Encoding: []format.Encoding{format.Plain}, PathInSchema: l.Path, NumValues: f.chunks[g][i].values,
				TotalUncompressedSize: room - 1, TotalCompressedSize: room - 1, DataPageOffset: base(n),
			}
			n++
		}
	}
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, &m)
	if err != nil {
		return nil, nil, err
	}
	var tail bytes.Buffer
	tail.Write(footer)
	tail.Write([]byte{byte(len(footer)), byte(len(footer) >> 8), byte(len(footer) >> 16), byte(len(footer) >> 24)})
	tail.WriteString(magic)
	w = &whole{f: f, chunks: n, footer: tail.Bytes(), budget: f.Budget(), open: make(map[int]*stream)}
	err = Guard(func() error {
		seen, err = parquet.OpenFile(w, base(n)+int64(len(w.footer)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
	return w, seen, err
}

func (w *whole) ReadAt(b []byte, off int64) (int, error) {
	switch {
	case off < base(0):
		if off != 0 {
			return 0, fmt.Errorf("before the first page")
		}
		return copy(b, magic), nil
	case off >= base(w.chunks):
		if off -= base(w.chunks); off > int64(len(w.footer)) {
			return 0, io.EOF
		}
		n := copy(b, w.footer[off:])
		if n < len(b) {
			return n, io.EOF
		}
		return n, nil
	}
	i := int(off/room) - 1
	s := w.open[i]
	if s == nil {
		s = w.f.stream(i/len(w.f.leaves), i%len(w.f.leaves), w.budget)
		w.open[i] = s
	}
	n, err := s.ReadAt(b, off%room)
	if err == io.EOF {
		s.release()
	} else if err != nil {
		err = fmt.Errorf("column %s: %w", s.leaf.Name(), err)
	}
	return n, err
}

// all returns the file with all its row groups.
func (f *File) all() (all *parquet.File, err error) {
	if len(f.groups) <= 1 {
		return f.Parquet, nil
	}
	f.seen, all, err = f.library(f.groups)
	return all, err
}

// Rows calls each with every row of the file, in order; the row is reused. The file must have the columns of R.
// It can be called once.
func Rows[R any](f *File, each func(row int64, r *R) error) error {
	if err := HasColumns(f, parquet.SchemaOf(new(R))); err != nil {
		return err
	}
	all, err := f.all()
	if err != nil {
		return err
	}
	if err := rows(func() *parquet.GenericReader[R] { return parquet.NewGenericReader[R](all) }, 0, all.NumRows(), each); err != nil {
		return err
	}
	return f.ended()
}

// RowsIn is [Rows] of some row groups.
func RowsIn[R any](f *File, wanted func(group int) bool, each func(row int64, r *R) error) error {
	if err := HasColumns(f, parquet.SchemaOf(new(R))); err != nil {
		return err
	}
	all, err := f.all()
	if err != nil {
		return err
	}
	first := int64(0)
	for g, n := range f.groups {
		if wanted(g) {
			group := all.RowGroups()[g]
			if err := rows(func() *parquet.GenericReader[R] { return parquet.NewGenericRowGroupReader[R](group) }, first, n, each); err != nil {
				return err
			}
		}
		first += n
	}
	return f.ended()
}

// rows calls each with all rows of a reader, of which the first has a number.
func rows[R any](open func() *parquet.GenericReader[R], first, all int64, each func(row int64, r *R) error) error {
	var r *parquet.GenericReader[R]
	if err := Guard(func() error { r = open(); return nil }); err != nil {
		return err
	}
	defer r.Close()
	rows := make([]R, min(1024, all))
	for done := int64(0); done < all; {
		rows = rows[:min(int64(len(rows)), all-done)] // at the end the library would look for each row in vain
		clear(rows)
		var n int
		err := Guard(func() (err error) { n, err = r.Read(rows); return err })
		for i := range rows[:n] {
			row := first + done + int64(i)
			if err := each(row, &rows[i]); err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
		}
		done += int64(n)
		if err != nil && err != io.EOF {
			return fmt.Errorf("row %d: %w", first+done, err)
		}
		if n == 0 {
			return fmt.Errorf("row %d: the file ends, and says that it has %d rows", first+done, first+all)
		}
	}
	return nil
}

// ended is an error unless nothing follows the last row in any column that was read.
func (f *File) ended() error {
	for i := range len(f.groups) * len(f.leaves) {
		if s := f.seen.open[i]; s != nil {
			if err := s.end(); err != nil {
				return fmt.Errorf("column %s: %w", s.leaf.Name(), err)
			}
		}
	}
	return nil
}

// HasColumns compares the columns of a file with those that are wanted. The library would read one that is missing, and nulls, as
// zeros.
func HasColumns(f *File, want *parquet.Schema) error {
	got := f.Parquet.Schema()
	for _, path := range want.Columns() {
		w, _ := want.Lookup(path...)
		kind := w.Node.Type().Kind()
		g, ok := got.Lookup(path...)
		if !ok {
			return fmt.Errorf("column %s is missing, want %s", path[0], kind)
		}
		switch l := f.Leaf(g.ColumnIndex); {
		case l.Kind != kind || l.Logical != "" || int(l.MaxRep) != w.MaxRepetitionLevel:
			return fmt.Errorf("column %s is %s, want %s", path[0], l.Describe(), kind)
		case int(l.MaxDef) > w.MaxDefinitionLevel:
			return fmt.Errorf("column %s may be null, want %s in each row", path[0], kind)
		}
	}
	return nil
}

// Describe is the type of the leaf's values.
func (l *Leaf) Describe() string {
	is := l.Kind.String()
	if l.Logical != "" {
		is = l.Logical
	}
	if l.MaxRep > 0 {
		is = "a list of " + is
	}
	return is
}
