package sweep

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"replay/outdir"
	"replay/report/quantity"
)

const tableName = "values"

// table writes a row for each metric of each cell, as CSV and as Parquet. CSV has the columns in the order in which people read them,
// Parquet by name.
type table struct {
	columns []column
	csv     *csv.Writer
	parquet *parquet.GenericWriter[any]
	place   []int // by column: its place in Parquet
	rows    []parquet.Row
	text    []string
	files   []*os.File
	buffers []*bufio.Writer
}

// column is one of the table. What is empty is null but for the first ones.
type column struct {
	name string
	node parquet.Node
}

func text() parquet.Node     { return parquet.Encoded(parquet.String(), &parquet.RLEDictionary) }
func optional() parquet.Node { return parquet.Optional(text()) }

func newTable(dir *outdir.Partial, settings []string) (*table, error) {
	t := &table{columns: []column{{"run", text()}, {"trace", text()}, {"variant", optional()}, {"seed", parquet.Uint(64)}}}
	for _, s := range settings {
		t.columns = append(t.columns, column{s, optional()})
	}
	t.columns = append(t.columns, column{"metric", text()}, column{"unit", text()}, column{"better", optional()}, column{"value", parquet.Optional(parquet.Leaf(parquet.DoubleType))},
		column{"n", parquet.Int(64)}, column{"things", optional()}, column{"absent", optional()})
	group := parquet.Group{}
	for _, c := range t.columns {
		if group[c.name] != nil {
			return nil, fmt.Errorf("two columns are called %q", c.name)
		}
		group[c.name] = c.node
	}
	schema := parquet.NewSchema(tableName, group)
	for _, c := range t.columns {
		leaf, _ := schema.Lookup(c.name)
		t.place = append(t.place, leaf.ColumnIndex)
	}
	for _, ending := range []string{".csv", ".parquet"} {
		f, err := os.Create(dir.Path(tableName + ending))
		if err != nil {
			t.abandon()
			return nil, err
		}
		t.files, t.buffers = append(t.files, f), append(t.buffers, bufio.NewWriterSize(f, 1<<20))
	}
	t.csv = csv.NewWriter(t.buffers[0])
	t.parquet = parquet.NewGenericWriter[any](t.buffers[1], schema, parquet.MaxRowsPerRowGroup(131072), parquet.CreatedBy("replay", "1", "0"),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}))
	for _, c := range t.columns {
		t.text = append(t.text, c.name)
	}
	return t, t.csv.Write(t.text)
}

// add writes the rows of a cell.
func (t *table) add(w *Sweep, c *Cell, r *Record) error {
	count := func(name string, n int64) Value {
		x := float64(n)
		return Value{Name: name, Unit: quantity.Count, Number: &x, N: r.Outcome.Jobs, Things: "jobs"}
	}
	outcome := []Value{count("jobs", r.Outcome.Jobs), count("jobs_succeeded", r.Outcome.Succeeded), count("jobs_unexpected", r.Outcome.Unexpected)}
	for _, v := range slices.Concat(outcome, r.Values) {
		number := ""
		if v.Number != nil {
			number = strconv.FormatFloat(*v.Number, 'g', -1, 64)
		}
		t.text = append(t.text[:0], c.ID, w.Traces[c.Trace].Name, c.Variant, strconv.FormatUint(c.Seed, 10))
		t.text = append(t.text, c.Values...)
		t.text = append(t.text, v.Name, string(v.Unit), v.Better, number, strconv.FormatInt(v.N, 10), v.Things, v.Absent)
		if err := t.csv.Write(t.text); err != nil {
			return err
		}
		row := make(parquet.Row, len(t.columns))
		for i, c := range t.columns {
			x := parquet.ByteArrayValue([]byte(t.text[i]))
			switch c.name {
			case "seed":
				n, _ := strconv.ParseUint(t.text[i], 10, 64)
				x = parquet.Int64Value(int64(n))
			case "n":
				x = parquet.Int64Value(v.N)
			case "value":
				if v.Number != nil {
					x = parquet.DoubleValue(*v.Number)
				}
			}
			level := 0
			if c.node.Optional() {
				if level = 1; t.text[i] == "" {
					x, level = parquet.NullValue(), 0
				}
			}
			row[t.place[i]] = x.Level(0, level, t.place[i])
		}
		if t.rows = append(t.rows, row); len(t.rows) == 4096 {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *table) flush() error {
	_, err := t.parquet.WriteRows(t.rows)
	t.rows = t.rows[:0]
	return err
}

func (t *table) close() error {
	t.csv.Flush()
	err := errors.Join(t.csv.Error(), t.flush(), t.parquet.Close())
	for i, f := range t.files {
		err = errors.Join(err, t.buffers[i].Flush(), f.Close())
	}
	t.files = nil
	return err
}

// abandon closes the files as they are. After close it does nothing.
func (t *table) abandon() {
	for _, f := range t.files {
		f.Close()
	}
}
