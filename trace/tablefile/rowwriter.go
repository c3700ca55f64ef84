package tablefile

import (
	"bytes"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A RowWriter writes a table from rows through the library, and the bytes that the library writes of them. The library keeps the indexes and the footer of a file
// up to its end: it is given a file of each row group to write, of which the pages go to out. Memory holds a row group, whatever their number.
type RowWriter[T any] struct {
	out   counted
	foot  foot
	group group
	pw    *parquet.GenericWriter[T]
	most  int64 // rows of a row group
	rows  int64 // of the row group
}

// group takes the file of a row group: its pages go to out, what is behind them stays.
type group struct {
	out    *counted
	skip   int // bytes before the pages
	ended  bool
	behind bytes.Buffer
}

func (g *group) Write(p []byte) (int, error) {
	if g.ended {
		return g.behind.Write(p)
	}
	n := min(g.skip, len(p))
	g.skip -= n
	m, err := g.out.Write(p[n:])
	return n + m, err
}

// begin is before the first byte of a file.
func (g *group) begin() {
	g.skip, g.ended = magicBytes, false
	g.behind.Reset()
}

// NewRowWriter returns a writer of a table whose columns are those of T.
func NewRowWriter[T any](out io.Writer, options ...parquet.WriterOption) (*RowWriter[T], error) {
	config, err := parquet.NewWriterConfig(options...)
	if err != nil {
		return nil, err
	}
	w := &RowWriter[T]{out: counted{w: out}, foot: foot{encoder: newEncoder()}, most: config.MaxRowsPerRowGroup}
	w.group.out = &w.out
	w.group.ended = true
	w.pw = parquet.NewGenericWriter[T](&w.group, append(options[:len(options):len(options)], parquet.WriteBufferSize(0))...)
	if err := w.pw.Close(); err != nil { // a file without rows says what all of them say
		return nil, err
	}
	w.foot.meta = *w.pw.File().Metadata()
	w.next()
	_, err = io.WriteString(&w.out, magic)
	return w, err
}

// next begins the file of the next row group.
func (w *RowWriter[T]) next() {
	w.rows = 0
	w.group.begin()
	w.pw.Reset(&w.group)
}

// Write adds rows.
func (w *RowWriter[T]) Write(rows []T) error {
	for len(rows) > 0 {
		if w.rows == w.most {
			if err := w.endGroup(); err != nil {
				return err
			}
		}
		n := min(int64(len(rows)), w.most-w.rows)
		if _, err := w.pw.Write(rows[:n]); err != nil {
			return err
		}
		w.rows += n
		rows = rows[n:]
	}
	return nil
}

// endGroup writes the row group.
func (w *RowWriter[T]) endGroup() error {
	if w.rows == 0 || w.out.err != nil {
		return w.out.err
	}
	at := w.out.at
	if err := w.pw.Flush(); err != nil {
		return err
	}
	w.group.ended = true
	if err := w.pw.Close(); err != nil {
		return err
	}
	first := int64(magicBytes) // of the pages, in the file of the row group
	behind := first + w.out.at - at
	g := w.pw.File().Metadata().RowGroups[0]
	w.pw.File().Metadata().RowGroups[0] = format.RowGroup{} // Reset would empty the names of its columns, which are those of the next
	g.FileOffset += at - first
	columns, offsets := make([]format.ColumnIndex, len(g.Columns)), make([]format.OffsetIndex, len(g.Columns))
	for i := range g.Columns {
		c := &g.Columns[i]
		for _, place := range []*int64{&c.MetaData.DictionaryPageOffset, &c.MetaData.DataPageOffset} {
			if *place > 0 {
				*place += at - first
			}
		}
		if err := w.index(&columns[i], c.ColumnIndexOffset-behind, c.ColumnIndexLength); err != nil {
			return err
		}
		if err := w.index(&offsets[i], c.OffsetIndexOffset-behind, c.OffsetIndexLength); err != nil {
			return err
		}
		for k := range offsets[i].PageLocations {
			offsets[i].PageLocations[k].Offset += at - first
		}
	}
	if err := w.foot.add(&g, columns, offsets); err != nil {
		return err
	}
	w.next()
	return w.out.err
}

// index decodes an index that is behind the pages.
func (w *RowWriter[T]) index(to any, at int64, length int32) error {
	b := w.group.behind.Bytes()
	if at < 0 || at+int64(length) > int64(len(b)) {
		return fmt.Errorf("an index of %d bytes at byte %d of %d behind the pages", length, at, len(b))
	}
	return thrift.Unmarshal(new(thrift.CompactProtocol), b[at:at+int64(length)], to)
}

// Close writes what is left, the indexes and the footer.
func (w *RowWriter[T]) Close() error {
	defer w.foot.close()
	if err := w.endGroup(); err != nil {
		return err
	}
	return w.foot.write(&w.out)
}

// Discard is the other way to end: what is in out is no file.
func (w *RowWriter[T]) Discard() { w.foot.close() }
