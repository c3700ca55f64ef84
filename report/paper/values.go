package paper

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"replay/shown"
)

// valueRow is a value of a metric in a run: the long table that statistics programs read.
type valueRow struct {
	Run     string   `parquet:"run,dict"`
	Variant string   `parquet:"variant,dict"`
	Seed    int64    `parquet:"seed,dict"`
	Metric  string   `parquet:"metric,dict"`
	Unit    string   `parquet:"unit,dict"`
	Value   *float64 `parquet:"value"`
}

// abouts say what the columns of the long table are.
var abouts = map[string]string{
	"run": "replay, by its variant and place", "variant": "as it was named", "seed": "of the random streams", "metric": "name in docs/metrics.md",
	"unit": "of the value: ms, share (0 to 1), count, ratio, index, …", "value": "null where the metric has none",
}

func (p *Paper) values() (rows []valueRow) {
	for _, r := range p.Runs {
		for i := range r.Values {
			v := &r.Values[i]
			row := valueRow{r.Name, r.Variant, int64(r.Manifest.Seed), v.Name, string(v.Unit), nil}
			if v.Absent == "" && !math.IsNaN(v.Number) {
				row.Value = &v.Number
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func (p *Paper) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"run", "variant", "seed", "metric", "unit", "value"})
	for _, r := range p.values() {
		value := ""
		if r.Value != nil {
			value = strconv.FormatFloat(*r.Value, 'g', -1, 64)
		}
		w.Write([]string{shown.Cell(r.Run), shown.Cell(r.Variant), strconv.FormatInt(r.Seed, 10), shown.Cell(r.Metric), r.Unit, value})
	}
	w.Flush() // to memory, which does not fail
	return b.Bytes()
}

func (p *Paper) parquet() ([]byte, error) {
	about, err := json.Marshal(abouts)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[valueRow](&b, parquet.CreatedBy("replay", "1", "0"), parquet.KeyValueMetadata("columns", string(about)))
	if _, err := w.Write(p.values()); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
