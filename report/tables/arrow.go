package tables

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/parquet-go/parquet-go"
)

// Arrow streams rows of type R to an Arrow IPC file, with the columns that a [Table] of them has.
// Arrow is used for IPC only; Parquet files are parquet-go's.
type Arrow[R any] struct {
	path    string
	file    *os.File
	writer  *ipc.FileWriter
	build   *array.RecordBuilder
	columns []arrowColumn
	rows    int
	err     error
}

// arrowColumn is a field of rows with what it has of those that are to be written next: the builder takes many values at a time at a fraction of the cost.
type arrowColumn struct {
	at    uintptr // of the field in a row
	kind  reflect.Kind
	ints  []int64
	there []bool // of a pointer: the column is optional
	texts []string
}

// arrowColumns are the fields of a row, which are of type int64, *int64 and string.
func arrowColumns(row reflect.Type) (list []arrowColumn, err error) {
	for i := range row.NumField() {
		switch f := row.Field(i); f.Type {
		case reflect.TypeFor[int64](), reflect.TypeFor[*int64](), reflect.TypeFor[string]():
			list = append(list, arrowColumn{at: f.Offset, kind: f.Type.Kind()})
		default:
			return nil, fmt.Errorf("field %s is of type %v, want int64, *int64 or string", f.Name, f.Type)
		}
	}
	return list, nil
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
	fieldsOf, err := arrowColumns(reflect.TypeFor[R]())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	schema := arrow.NewSchema(fields, nil)
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	mem := newLent()
	w, err := ipc.NewFileWriter(file, ipc.WithSchema(schema), ipc.WithZstd(), ipc.WithAllocator(mem))
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Arrow[R]{path: path, file: file, writer: w, build: array.NewRecordBuilder(mem, schema), columns: fieldsOf}, nil
}

// Put writes one row.
func (a *Arrow[R]) Put(row *R) {
	for i := range a.columns {
		c := &a.columns[i]
		switch at := unsafe.Add(unsafe.Pointer(row), c.at); c.kind { // which is the type of the field
		case reflect.String:
			c.texts = append(c.texts, *(*string)(at))
		case reflect.Pointer:
			n, p := int64(0), *(**int64)(at)
			if p != nil {
				n = *p
			}
			c.ints, c.there = append(c.ints, n), append(c.there, p != nil)
		default:
			c.ints = append(c.ints, *(*int64)(at))
		}
	}
	if a.rows++; a.rows == batchRows {
		a.flush()
	}
}

func (a *Arrow[R]) flush() {
	for i := range a.columns {
		c := &a.columns[i]
		switch b := a.build.Field(i).(type) {
		case *array.Int64Builder:
			b.AppendValues(c.ints, c.there)
		case *array.StringBuilder:
			b.AppendValues(c.texts, nil)
		}
		c.ints, c.there, c.texts = c.ints[:0], c.there[:0], c.texts[:0]
	}
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
