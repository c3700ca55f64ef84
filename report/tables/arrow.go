package tables

import (
	"cmp"
	"fmt"
	"os"
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/parquet-go/parquet-go"
)

// Arrow streams rows of type R to an Arrow IPC file, with the columns that a [Table] of them has.
// Arrow is used for IPC only; Parquet files are parquet-go's.
type Arrow[R any] struct {
	path   string
	file   *os.File
	writer *ipc.FileWriter
	build  *array.RecordBuilder
	rows   int
	err    error
}

// NewArrow begins a table in a file. It fails for a row with other columns than integers and texts, either of which may be optional if it is an integer.
func NewArrow[R any](path string) (*Arrow[R], error) {
	columns := parquet.SchemaOf(new(R))
	var fields []arrow.Field
	for _, c := range columns.Fields() {
		f := arrow.Field{Name: c.Name(), Nullable: c.Optional()}
		switch kind := c.Type().Kind(); kind {
		case parquet.Int64:
			f.Type = arrow.PrimitiveTypes.Int64
		case parquet.ByteArray:
			f.Type = arrow.BinaryTypes.String
		default:
			return nil, fmt.Errorf("%s: column %s is of kind %s, want integers or text", path, c.Name(), kind)
		}
		fields = append(fields, f)
	}
	schema := arrow.NewSchema(fields, nil)
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w, err := ipc.NewFileWriter(file, ipc.WithSchema(schema), ipc.WithZstd())
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Arrow[R]{path: path, file: file, writer: w, build: array.NewRecordBuilder(memory.NewGoAllocator(), schema)}, nil
}

// Put writes one row.
func (a *Arrow[R]) Put(row *R) {
	fields := reflect.ValueOf(row).Elem()
	for i := range fields.NumField() {
		v, null := fields.Field(i), false
		if v.Kind() == reflect.Pointer {
			v, null = v.Elem(), v.IsNil()
		}
		switch b := a.build.Field(i).(type) {
		case *array.Int64Builder:
			if null {
				b.AppendNull()
			} else {
				b.Append(v.Int())
			}
		case *array.StringBuilder:
			b.Append(v.String())
		}
	}
	if a.rows++; a.rows == batchRows {
		a.flush()
	}
}

func (a *Arrow[R]) flush() {
	batch := a.build.NewRecord()
	defer batch.Release()
	if a.err == nil && batch.NumRows() > 0 {
		a.err = a.writer.Write(batch)
	}
	a.rows = 0
}

// Close writes what is left and the footer.
func (a *Arrow[R]) Close() error {
	a.flush()
	a.build.Release()
	if err := cmp.Or(a.err, a.writer.Close(), a.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", a.path, err)
	}
	return nil
}

// Abandon closes the file without finishing it.
func (a *Arrow[R]) Abandon() { a.file.Close() }
