package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"replay/report/figure"
)

// floats are numbers of which those that are none are null.
type floats []float64

// MarshalJSON implements json.Marshaler. Six digits are more than a picture or a table of a page shows.
func (fs floats) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, f := range fs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, f)
	}
	return append(b, ']'), nil
}

func appendNumber(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(b, "null"...)
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return strconv.AppendInt(b, int64(f), 10)
	}
	return strconv.AppendFloat(b, f, 'g', 6, 64)
}

// embedded is what scripts read.
type embedded struct {
	EndMS  int64      `json:"end"`
	Panels []Panel    `json:"panels"`
	Lanes  []Lanes    `json:"lanes"`
	Grids  []gridJSON `json:"grids"`
}

type gridJSON struct {
	*Grid
	Cells []any `json:"cells"` // a list for each column
}

// data returns what scripts read as gzip in base64, empty where there is nothing. Names are as they are drawn.
func (p *Page) data() (string, error) {
	e := embedded{p.Over.EndMS, p.Over.Panels, p.Over.Lanes, nil}
	for _, g := range p.Grids {
		cells, err := g.columns()
		if err != nil {
			return "", err
		}
		e.Grids = append(e.Grids, gridJSON{g, cells})
	}
	if e.Panels == nil && e.Lanes == nil && e.Grids == nil {
		return "", nil
	}
	for i := range e.Lanes {
		for k, name := range e.Lanes[i].Rows {
			e.Lanes[i].Rows[k] = figure.Drawable(name)
		}
	}
	text, err := json.Marshal(e)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
