package figure

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/plot"

	"replay/shown"
)

// Datum is one thing that a figure draws: a point of a line, a bar, a block, a dot with its interval. What a figure has none of is NaN
// or empty in all of its data, and no column of its tables.
type Datum struct {
	Panel, Series, Row string
	X, Y, Low, High    float64
}

// At is a point of a line.
func At(panel, series string, x, y float64) Datum {
	return Datum{panel, series, "", x, y, math.NaN(), math.NaN()}
}

// between is a bar or block of a row, from low to high.
func between(row, series string, low, high float64) Datum {
	return Datum{"", series, row, math.NaN(), math.NaN(), low, high}
}

// Record keeps what is drawn by other means than lines, for the tables of the figure.
func (f *Figure) Record(data ...Datum) { f.data = append(f.data, data...) }

// Data is how many rows the tables of the figure have.
func (f *Figure) Data() int { return len(f.data) }

// column of the data of a figure: texts or numbers, one for each datum.
type column struct {
	name, about string
	text        func(*Datum) string
	number      func(*Datum) float64
}

// columns are those of which any datum has something.
func (f *Figure) columns() (out []column) {
	along, up := f.axes()
	x, y := measured(along), measured(up)
	for _, c := range []column{
		{"panel", "part of the figure", func(d *Datum) string { return d.Panel }, nil},
		{"series", "line, part or variant, as in the legend", func(d *Datum) string { return d.Series }, nil},
		{"row", "row of the figure", func(d *Datum) string { return d.Row }, nil},
		{"x", x, nil, func(d *Datum) float64 { return d.X }},
		{"y", y, nil, func(d *Datum) float64 { return d.Y }},
		{"low", "from: " + x, nil, func(d *Datum) float64 { return d.Low }},
		{"high", "to: " + x, nil, func(d *Datum) float64 { return d.High }},
	} {
		for i := range f.data {
			if c.text != nil && c.text(&f.data[i]) != "" || c.number != nil && !math.IsNaN(c.number(&f.data[i])) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// axes are those that the data are along; panels share the first and have the second of the first of them.
func (f *Figure) axes() (x, y *plot.Axis) {
	if len(f.panels) > 0 {
		return &f.panels[len(f.panels)-1].X, &f.panels[0].Y
	}
	return &f.X, &f.Y
}

// ticksOf are the ticks of an axis, also where another panel has their names.
func ticksOf(a *plot.Axis) plot.Ticker {
	if u, ok := a.Tick.Marker.(unnamed); ok {
		return u.Ticker
	}
	return a.Tick.Marker
}

// measured is the label of an axis with the unit of the data along it, which ticks with units of their own leave out of the label.
func measured(a *plot.Axis) string {
	switch ticksOf(a).(type) {
	case logTimeTicks:
		return a.Label.Text + ", ms"
	case percentTicks:
		return a.Label.Text + ", 1 is 100 %"
	}
	return a.Label.Text
}

// Column is what a column of the data of a figure holds, with its unit.
type Column struct{ Name, About string }

// Columns are those of the tables of the figure, in order.
func (f *Figure) Columns() (out []Column) {
	for _, c := range f.columns() {
		out = append(out, Column{c.name, c.about})
	}
	return out
}

// CSV returns the data of the figure as a table.
func (f *Figure) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	columns := f.columns()
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	w.Write(line)
	for i := range f.data {
		for k, c := range columns {
			if c.text != nil {
				line[k] = shown.Cell(c.text(&f.data[i]))
			} else if x := c.number(&f.data[i]); math.IsNaN(x) {
				line[k] = ""
			} else {
				line[k] = strconv.FormatFloat(x, 'g', -1, 64)
			}
		}
		w.Write(line)
	}
	w.Flush() // to memory, which does not fail
	return b.Bytes()
}

// Parquet returns the data of the figure as a table whose metadata says what its columns are.
func (f *Figure) Parquet() ([]byte, error) {
	columns := f.columns()
	group := parquet.Group{}
	abouts := map[string]string{}
	for _, c := range columns {
		if c.text != nil {
			group[c.name] = parquet.String()
		} else {
			group[c.name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
		abouts[c.name] = c.about
	}
	about, err := json.Marshal(abouts)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	schema := parquet.NewSchema("figure", group)
	w := parquet.NewWriter(&b, schema, parquet.CreatedBy("replay", "1", "0"), parquet.KeyValueMetadata("columns", string(about)), parquet.KeyValueMetadata("title", f.title()))
	place := map[string]int{}
	for i, path := range schema.Columns() {
		place[path[0]] = i
	}
	rows := make([]parquet.Row, 1)
	for i := range f.data {
		row := make(parquet.Row, len(columns))
		for _, c := range columns {
			at, v := place[c.name], parquet.NullValue().Level(0, 0, place[c.name])
			if c.text != nil {
				v = parquet.ByteArrayValue([]byte(c.text(&f.data[i]))).Level(0, 0, at)
			} else if x := c.number(&f.data[i]); !math.IsNaN(x) {
				v = parquet.DoubleValue(x).Level(0, 1, at)
			}
			row[at] = v
		}
		rows[0] = row
		if _, err := w.WriteRows(rows); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (f *Figure) title() string { return f.Title.Text }
