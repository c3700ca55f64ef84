package tables

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"

	"replay/engine/record"
	"replay/trace/tablefile"
)

// Columns are the columns of a table that are being read, by the names that rows give them.
type Columns struct {
	*tablefile.Reader
	leaves map[string]*tablefile.Leaf
	places map[string]int
}

// at says where a column is, which is there: the file has been compared with the rows.
func (c *Columns) at(name string) tablefile.Binding {
	l := c.leaves[name]
	return tablefile.Binding{Name: name, Leaf: c.places[name], MaxDef: l.MaxDef}
}

// Has reports whether there is a column.
func (c *Columns) Has(name string) bool { return c.leaves[name] != nil }

// Int64s binds a column of integers, [record.None] where a row has null.
func (c *Columns) Int64s(name string) *tablefile.Column[int64] {
	return tablefile.Bind(c.Reader, c.at(name), record.None, tablefile.Int64s)
}

// Int32s binds a column of small integers, [record.None] where a row has null.
func (c *Columns) Int32s(name string) *tablefile.Column[int32] {
	return tablefile.Bind(c.Reader, c.at(name), record.None, tablefile.Int32s)
}

// Texts binds a column of texts, empty where a row has null.
func (c *Columns) Texts(name string) *tablefile.Column[string] {
	return tablefile.Bind(c.Reader, c.at(name), "", tablefile.Texts)
}

// Bools binds a column of booleans.
func (c *Columns) Bools(name string) *tablefile.Column[bool] {
	return tablefile.Bind(c.Reader, c.at(name), false, tablefile.Bools)
}

// ReadColumns reads a Parquet file with the columns of R, which is checked first. Bind binds those that are wanted and returns what
// takes row i of a batch.
func ReadColumns[R any](path string, bind func(*Columns) func(i int) error) error {
	return With(path, func(f *tablefile.File) error { return EachRow[R](f, bind) })
}

// EachRow does what [ReadColumns] does with a file that is open.
func EachRow[R any](f *tablefile.File, bind func(*Columns) func(i int) error) error {
	if err := tablefile.HasColumns(f, parquet.SchemaOf(new(R))); err != nil {
		return err
	}
	c := &Columns{Reader: tablefile.NewReader(f), leaves: map[string]*tablefile.Leaf{}, places: map[string]int{}}
	for i := range f.Leaves() {
		l := f.Leaf(i)
		c.leaves[l.Name()], c.places[l.Name()] = l, i
	}
	defer c.Close()
	take := bind(c)
	for {
		row := c.Row()
		n, err := c.Next(batchRows)
		if err != nil {
			return err
		}
		if n == 0 {
			return c.End()
		}
		for i := range n {
			if err := take(i); err != nil {
				return fmt.Errorf("row %d: %w", row+int64(i), err)
			}
		}
	}
}

// Words are what texts of a column stand for.
type Words[T ~uint8] struct {
	parse func(string) (T, error)
	wrong []error // why texts stand for nothing
}

// firstWrong is the value of the first text that stands for nothing, which only counts where a row has it.
const firstWrong = 128

// Enumerated binds a column whose texts stand for values, found once for each text of a dictionary.
func Enumerated[T ~uint8](c *Columns, name string, parse func(string) (T, error)) (*tablefile.Column[T], *Words[T]) {
	w := &Words[T]{parse: parse}
	return tablefile.Bind(c.Reader, c.at(name), 0, w.values), w
}

func (w *Words[T]) values(p parquet.Page) []T {
	texts := tablefile.Texts(p)
	out := make([]T, len(texts))
	for i, text := range texts {
		v, err := w.parse(text)
		if err != nil {
			if v = firstWrong + T(len(w.wrong)); v < firstWrong {
				v = math.MaxUint8 // the reason of another one will do
			} else {
				w.wrong = append(w.wrong, err)
			}
		}
		out[i] = v
	}
	return out
}

// Err says why a value is none.
func (w *Words[T]) Err(v T) error {
	if v < firstWrong {
		return nil
	}
	return w.wrong[v-firstWrong]
}
