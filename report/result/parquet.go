package result

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"replay/input"
	"replay/trace/tablefile"
)

const (
	batchRows    = 8192
	rowGroupRows = 131072
)

// table streams rows of type R, made of records of type S, to a Parquet file in batches.
// A row may point into its record, so records are copied and kept until their batch is written.
type table[S, R any] struct {
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

func newTable[S, R any](path string, row func(*S) R) (*table[S, R], error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t := &table[S, R]{path: path, row: row, file: file, buffer: bufio.NewWriterSize(file, 1<<16)}
	if t.writer, err = tablefile.NewRowWriter[R](t.buffer, parquet.MaxRowsPerRowGroup(rowGroupRows),
		parquet.Compression(codec),
		parquet.CreatedBy("replay", "1", "0"), parquet.KeyValueMetadata("columns", describe[R]())); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// add writes one record. The first error is kept and returned by Close.
func (t *table[S, R]) add(s *S) {
	t.records = append(t.records, *s)
	t.put(t.row(&t.records[len(t.records)-1]))
}

// put writes a row that refers to memory of its own, or to a record that is kept.
func (t *table[S, R]) put(r R) {
	t.rows = append(t.rows, r)
	if len(t.rows) == batchRows {
		t.flush()
	}
}

func (t *table[S, R]) flush() {
	if t.err == nil {
		t.err = t.writer.Write(t.rows)
	}
	t.written += int64(len(t.rows))
	t.records, t.rows = t.records[:0], t.rows[:0]
}

// Close writes what is left and the footer.
func (t *table[S, R]) Close() error {
	t.flush()
	err := errors.Join(t.err, t.writer.Close(), t.buffer.Flush(), t.file.Close())
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	return nil
}

// abandon closes the file without finishing it.
func (t *table[S, R]) abandon() {
	t.writer.Discard()
	t.file.Close()
}

// readTable calls each with every row of a Parquet file, in order. The row is reused.
// The file must have the columns of R, which is checked first.
func readTable[R any](path string, each func(*R) error) error {
	return withTable(path, func(f *tablefile.File) error {
		return tablefile.Rows(f, func(_ int64, r *R) error { return each(r) })
	})
}

// withTable opens a Parquet file for a call. Errors have its path.
func withTable(path string, do func(*tablefile.File) error) error {
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
