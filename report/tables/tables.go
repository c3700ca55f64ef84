// Package tables is how the tables of results are kept: Parquet files, and one as Arrow, whose rows are Go structs and whose columns say
// what they are. What the rows hold is not its business.
package tables

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"replay/input"
	"replay/trace/tablefile"
)

// batchRows is how many rows are written or read at a time.
const batchRows = 8192

// RowGroupRows is how many rows a part of a table has at most.
const RowGroupRows = 131072

// Table streams rows of type R, made of records of type S, to a Parquet file in batches.
// A row may point into its record, so records are copied and kept until their batch is written.
type Table[S, R any] struct {
	path    string
	row     func(*S) R
	file    *os.File
	buffer  *bufio.Writer
	writer  *tablefile.RowWriter[R]
	records []S
	rows    []R
	written int64
	err     error
}

// codec is shared, as its encoders are costly to make.
var codec = &zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}

// New begins a table in a file. Row makes a row of a record; it may point into the record.
func New[S, R any](path string, row func(*S) R) (*Table[S, R], error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t := &Table[S, R]{path: path, row: row, file: file, buffer: bufio.NewWriterSize(file, 1<<16)}
	if t.writer, err = tablefile.NewRowWriter[R](t.buffer, parquet.MaxRowsPerRowGroup(RowGroupRows),
		parquet.Compression(codec),
		parquet.CreatedBy("replay", "1", "0"), parquet.KeyValueMetadata("columns", Describe[R]())); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Add writes one record. The first error is kept and returned by Close.
func (t *Table[S, R]) Add(s *S) {
	t.records = append(t.records, *s)
	t.Put(t.row(&t.records[len(t.records)-1]))
}

// Put writes a row that refers to memory of its own, or to a record that is kept.
func (t *Table[S, R]) Put(r R) {
	t.rows = append(t.rows, r)
	if len(t.rows) == batchRows {
		t.flush()
	}
}

func (t *Table[S, R]) flush() {
	if t.err == nil {
		t.err = t.writer.Write(t.rows)
	}
	t.written += int64(len(t.rows))
	t.records, t.rows = t.records[:0], t.rows[:0]
}

// Close writes what is left and the footer.
func (t *Table[S, R]) Close() error {
	t.flush()
	err := cmp.Or(t.err, t.writer.Close(), t.buffer.Flush(), t.file.Close()) // those after the first fail as it did
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	return nil
}

// Abandon closes the file without finishing it.
func (t *Table[S, R]) Abandon() {
	t.writer.Discard()
	t.file.Close()
}

// Read calls each with every row of a Parquet file, in order. The row is reused.
// The file must have the columns of R, which is checked first.
func Read[R any](path string, each func(*R) error) error {
	return With(path, func(f *tablefile.File) error {
		return tablefile.Rows(f, func(_ int64, r *R) error { return each(r) })
	})
}

// With opens a Parquet file for a call. Errors have its path.
func With(path string, do func(*tablefile.File) error) error {
	f, err := tablefile.Open(path)
	if err == nil {
		defer f.Close()
		err = do(f)
	}
	var at *fs.PathError
	var not *input.NotRegular
	if err != nil && !errors.As(err, &at) && !errors.As(err, &not) { // those have the path
		err = fmt.Errorf("%s: %w", path, err)
	}
	return err
}
