package tablefile

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// chunkRows is after how many rows pages may end: a column whose values are as large as a page by then begins another one. It is what the library does.
const chunkRows = 64

// A Writer writes a table from columns of integers, in a fraction of the time that the library takes for rows, and writes the same bytes (but for [Sink.LongPages]): the library
// says what the schema, the footer and the options come to, and encodes and packs each page. Columns are those that [Sink] takes. Memory holds a row group, whatever their number.
//
// Rows come with [Writer.Rows]; nothing is in out for sure before Close returned nil.
type Writer struct {
	out    counted
	foot   foot
	sample format.RowGroup
	sinks  []*Sink
	most   int64 // rows of a row group
	rows   int64 // of the row group
	total  int64
	header *encoder // of pages
}

// counted is a writer that knows how much it was given. Its first error stays.
type counted struct {
	w   io.Writer
	at  int64
	err error
}

func (c *counted) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.at += int64(n)
	c.err = err
	return n, err
}

// NewWriter returns a writer of a table whose columns are those of T. It panics for a column that a Sink cannot take, which is a bug of the caller.
func NewWriter[T any](out io.Writer, options ...parquet.WriterOption) (*Writer, error) {
	config, err := parquet.NewWriterConfig(options...)
	if err != nil {
		return nil, err
	}
	if config.DataPageVersion != 1 || !config.DataPageStatistics || config.Compression == nil {
		panic("a table has packed data pages of version 1 with statistics")
	}
	// A row of nothing has the library say what does not depend on the rows.
	w := parquet.NewGenericWriter[T](io.Discard, options...)
	if _, err := w.Write(make([]T, 1)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	meta := w.File().Metadata()
	t := &Writer{
		out: counted{w: out}, foot: foot{meta: *meta, encoder: newEncoder()}, sample: meta.RowGroups[0], most: config.MaxRowsPerRowGroup, header: newEncoder(),
	}
	page := int64(float64(config.PageBufferSize) * 0.98) // as the library has it
	for i, path := range w.Schema().Columns() {
		leaf, _ := w.Schema().Lookup(path...)
		indexer := leaf.Node.Type().NewColumnIndexer(config.ColumnIndexSizeLimit(path))
		t.sinks = append(t.sinks, newSink(&t.sample.Columns[i].MetaData, leaf.MaxRepetitionLevel, leaf.MaxDefinitionLevel, config.Compression, indexer, page))
	}
	_, err = io.WriteString(&t.out, magic)
	return t, err
}

// Sink returns what takes the column of a name, which is the first of its path. It panics if there is none.
func (w *Writer) Sink(name string) *Sink {
	i := slices.IndexFunc(w.sinks, func(s *Sink) bool { return s.meta.PathInSchema[0] == name })
	if i < 0 {
		panic(fmt.Sprintf("no column %q", name))
	}
	return w.sinks[i]
}

// NumRows returns how many rows there are.
func (w *Writer) NumRows() int64 { return w.total }

// Rows adds n rows. fill gives each sink those from from up to, but without, to; it is called for a few rows at a time.
func (w *Writer) Rows(n int, fill func(from, to int)) error {
	for from := 0; from < n; {
		if w.rows == w.most {
			if err := w.endGroup(); err != nil {
				return err
			}
		}
		to := from + min(n-from, chunkRows, int(w.most-w.rows))
		fill(from, to)
		w.rows += int64(to - from)
		w.total += int64(to - from)
		from = to
		for _, s := range w.sinks {
			if s.size() >= s.most {
				if err := s.endPage(w.header); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// endGroup writes the row group.
func (w *Writer) endGroup() error {
	if w.rows == 0 {
		return nil
	}
	g := format.RowGroup{
		NumRows: w.rows, SortingColumns: w.sample.SortingColumns, FileOffset: w.out.at,
	}
	var columns []format.ColumnIndex
	var offsets []format.OffsetIndex
	for i, s := range w.sinks {
		if n := s.rows + s.pageRows; n != w.rows {
			return fmt.Errorf("column %s has %d rows of %d", strings.Join(s.meta.PathInSchema, "."), n, w.rows)
		}
		chunk, column, offset, err := s.endChunk(&w.out, w.header)
		if err != nil {
			return err
		}
		g.Columns = append(g.Columns, w.sample.Columns[i])
		g.Columns[i].MetaData = chunk
		g.TotalByteSize += chunk.TotalUncompressedSize
		g.TotalCompressedSize += chunk.TotalCompressedSize
		columns, offsets = append(columns, column), append(offsets, offset)
	}
	if err := w.foot.add(&g, columns, offsets); err != nil {
		return err
	}
	w.rows = 0
	return w.out.err
}

// Close writes what is left, the indexes and the footer.
func (w *Writer) Close() error {
	defer w.foot.close()
	if err := w.endGroup(); err != nil {
		return err
	}
	return w.foot.write(&w.out)
}

// Discard is the other way to end: what is in out is no file.
func (w *Writer) Discard() { w.foot.close() }
