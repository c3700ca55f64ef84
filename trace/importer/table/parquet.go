package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"replay/trace/importer/workload"
	"replay/trace/tablefile"
)

// parquetSource is a table as Parquet. Of its columns those are read that are asked for.
type parquetSource struct {
	path   string
	file   *tablefile.File
	reader *tablefile.Reader
	names  []string
	leaves []int            // of each column
	spans  map[string]*unit // of columns that are durations
	cells  []cell           // of each column that is read, nil of the others
	some   [][]string
	fields [][]byte
	buf    []byte
	row    int64 // of those that next has given
	at, n  int   // in the batch
}

// cell appends the value of a row of the batch as text; an absent one is empty.
type cell func(buf []byte, row int) []byte

// batchRows is how many rows are decoded at a time.
const batchRows = 4096

func openParquet(b *workload.Builder, path string) (*parquetSource, error) {
	if path == workload.Stdin {
		return nil, fmt.Errorf("standard input: a Parquet file can't be read from it, want a file")
	}
	f, err := tablefile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	schema, _ := f.Metadata(arrowSchema)
	s := &parquetSource{path: path, file: f, spans: spans(schema)}
	lists := map[string]int{}
	for i := range f.Leaves() {
		lists[f.Leaf(i).Path[0]]++
	}
	for i := range f.Leaves() {
		l := f.Leaf(i)
		if l.MaxRep > 1 || f.IsMap(l.Path[0]) {
			continue // lists of lists, and maps, have no role
		}
		name := l.Name()
		if l.MaxRep == 1 && lists[l.Path[0]] == 1 {
			name = l.Path[0]
		}
		s.names, s.leaves = append(s.names, name), append(s.leaves, i)
	}
	if len(s.names) == 0 {
		f.Close()
		return nil, fmt.Errorf("%s: has no column of values", path)
	}
	return s, b.AddSource(path)
}

func (s *parquetSource) columns() []string  { return s.names }
func (s *parquetSource) blank(i int) bool   { return s.file.Leaf(s.leaves[i]).Logical == "null" }
func (s *parquetSource) short() few         { return few{} }
func (s *parquetSource) place() string      { return "row " + strconv.FormatInt(s.row, 10) }
func (s *parquetSource) sample() [][]string { return s.some }

func (s *parquetSource) unit(i int, of quantity) *unit {
	switch l := s.file.Leaf(s.leaves[i]); {
	case of == span && l.Kind == parquet.Int64 && len(l.Path) == 1:
		return s.spans[l.Path[0]]
	case of != instant:
	case l.PerMS == 1, l.Kind == parquet.Int96:
		return instant.unit("ms")
	case l.PerMS == 1000:
		return instant.unit("us")
	case l.PerMS == 1000_000:
		return instant.unit("ns")
	case l.Logical == "date":
		return instant.unit("d")
	}
	return nil
}

func (s *parquetSource) close() error {
	if s.reader != nil {
		s.reader.Close()
	}
	return s.file.Close()
}

// bind makes the columns at some places be read, and reads the first rows for the sample.
func (s *parquetSource) bind(places []int) error {
	s.reader = tablefile.NewReader(s.file)
	s.cells = make([]cell, len(s.names))
	s.fields = make([][]byte, len(s.names))
	for _, at := range places {
		if s.cells[at] != nil {
			continue
		}
		c, err := s.cell(at)
		if err != nil {
			return err
		}
		s.cells[at] = c
	}
	if err := s.more(); err != nil {
		return err
	}
	for i := range min(s.n, 1000) {
		row := make([]string, len(s.names))
		for at, c := range s.cells {
			if c != nil {
				row[at] = string(c(nil, i))
			}
		}
		s.some = append(s.some, row)
	}
	return nil
}

// cell binds a column.
func (s *parquetSource) cell(at int) (cell, error) {
	l := s.file.Leaf(s.leaves[at])
	b := tablefile.Binding{Name: l.Name(), Leaf: s.leaves[at], MaxDef: l.MaxDef, Present: l.MaxDef, List: l.MaxRep == 1}
	refuse := func(what string) (cell, error) {
		return nil, fmt.Errorf("column %s is %s, want numbers, text, dates or timestamps", s.names[at], what)
	}
	text := func(buf []byte, v string) []byte { return append(buf, v...) }
	switch {
	case l.Decimal():
		return of(tablefile.Bind(s.reader, b, "", tablefile.Decimals(l)), text), nil
	case slices.Contains([]string{"decimal", "a time of day", "interval"}, l.Logical):
		return refuse(l.Logical)
	}
	single := func(buf []byte, v float32) []byte { return strconv.AppendFloat(buf, float64(v), 'g', -1, 32) }
	signed := func(buf []byte, v int64) []byte { return strconv.AppendInt(buf, v, 10) }
	switch {
	case l.Unsigned() && l.Kind == parquet.Int32:
		return of(tablefile.Bind(s.reader, b, math.MinInt64, tablefile.Uint32s), signed), nil
	case l.Unsigned():
		return of(tablefile.Bind(s.reader, b, math.MaxUint64, tablefile.Uint64s), func(buf []byte, v uint64) []byte { return strconv.AppendUint(buf, v, 10) }), nil
	}
	if l.Half() {
		return of(tablefile.Bind(s.reader, b, -math.MaxFloat32, tablefile.Halves), single), nil
	}
	switch l.Kind {
	case parquet.Int96:
		return of(tablefile.Bind(s.reader, b, math.MinInt64, tablefile.Int96s), signed), nil
	case parquet.Int32:
		return of(tablefile.Bind(s.reader, b, math.MinInt32, tablefile.Int32s), func(buf []byte, v int32) []byte { return strconv.AppendInt(buf, int64(v), 10) }), nil
	case parquet.Int64:
		return of(tablefile.Bind(s.reader, b, math.MinInt64, tablefile.Int64s), signed), nil
	case parquet.Float:
		return of(tablefile.Bind(s.reader, b, -math.MaxFloat32, tablefile.Floats), single), nil
	case parquet.Double:
		return of(tablefile.Bind(s.reader, b, -math.MaxFloat64, tablefile.Doubles), func(buf []byte, v float64) []byte { return strconv.AppendFloat(buf, v, 'g', -1, 64) }), nil
	case parquet.ByteArray:
		return of(tablefile.Bind(s.reader, b, "", tablefile.Texts), text), nil
	}
	return refuse(strings.ToLower(l.Kind.String()))
}

// of gives the values of a column as text, those of a list with a blank between them.
func of[T comparable](c *tablefile.Column[T], show func([]byte, T) []byte) cell {
	return func(buf []byte, row int) []byte {
		if len(c.Start) == 0 {
			if v := c.V[row]; v != c.Absent {
				return show(buf, v)
			}
			return buf
		}
		for i, v := range c.List(row) {
			if i > 0 {
				buf = append(buf, ' ')
			}
			buf = show(buf, v)
		}
		return buf
	}
}

// more reads the next batch; it has no row at the end.
func (s *parquetSource) more() (err error) {
	s.at = 0
	if s.n, err = s.reader.Next(batchRows); err == nil && s.n == 0 {
		err = s.reader.End()
	}
	return err
}

func (s *parquetSource) next() ([][]byte, error) {
	if s.at == s.n {
		if err := s.more(); err != nil {
			return nil, err
		}
		if s.n == 0 {
			return nil, io.EOF
		}
	}
	s.buf = s.buf[:0]
	ends := make([]int, len(s.cells))
	for i, c := range s.cells {
		if c != nil {
			s.buf = c(s.buf, s.at)
		}
		ends[i] = len(s.buf)
	}
	start := 0
	for i, end := range ends {
		s.fields[i] = s.buf[start:end]
		start = end
	}
	s.row = s.reader.Row() - int64(s.n) + int64(s.at)
	s.at++
	return s.fields, nil
}
