package figure

import (
	"encoding/json"

	"gonum.org/v1/plot"
)

// VegaLite returns a Vega-Lite 5 specification of the figure over the table at url, for those who want it in another look.
func (f *Figure) VegaLite(url string) ([]byte, error) {
	type object = map[string]any
	has := map[string]bool{}
	for _, c := range f.columns() {
		has[c.name] = true
	}
	x, y := f.axes()
	axis := func(field string, a *plot.Axis) object {
		e := object{"field": field, "type": "quantitative", "title": measured(a)}
		if _, log := a.Scale.(plot.LogScale); log {
			e["scale"] = object{"type": "log"}
		}
		if _, percent := ticksOf(a).(percentTicks); percent {
			e["title"], e["axis"] = a.Label.Text, object{"format": "~%"}
		}
		return e
	}
	encoding := object{}
	mark := object{"type": "line"}
	switch {
	case has["row"] && has["x"]: // dots with intervals
		mark = object{"type": "point", "filled": true}
		encoding["x"] = axis("x", x)
	case has["row"]:
		mark = object{"type": "bar"}
		encoding["x"], encoding["x2"] = axis("low", x), object{"field": "high"}
	default:
		encoding["x"], encoding["y"] = axis("x", x), axis("y", y)
		if f.scatter {
			mark = object{"type": "point"}
		}
	}
	if has["row"] {
		encoding["y"] = object{"field": "row", "type": "nominal", "title": nil, "sort": nil}
	}
	if has["series"] {
		of := object{"field": "series", "type": "nominal", "title": nil, "sort": nil}
		encoding["color"] = of
		switch mark["type"] {
		case "line":
			encoding["strokeDash"] = of
		case "point":
			encoding["shape"] = of
		}
	}
	spec := object{"mark": mark, "encoding": encoding}
	if has["row"] && has["x"] && has["low"] {
		rule := object{"y": encoding["y"], "x": axis("low", x), "x2": object{"field": "high"}}
		if has["series"] {
			rule["color"] = encoding["color"]
		}
		spec = object{"layer": []object{{"mark": "rule", "encoding": rule}, spec}}
	}
	out := object{
		"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "description": f.title(), "title": f.title(), "data": object{"url": url},
		"config": object{"range": object{"category": hexes()}},
	}
	if has["panel"] {
		out["facet"] = object{"row": object{"field": "panel", "type": "nominal", "title": nil, "sort": nil}}
		out["spec"] = spec
	} else {
		for k, v := range spec {
			out[k] = v
		}
	}
	b, err := json.MarshalIndent(out, "", "  ")
	return append(b, '\n'), err
}

// hexes are the colours of the palette.
func hexes() (out []string) {
	for _, c := range Palette {
		const digits = "0123456789abcdef"
		b := []byte{'#'}
		for _, v := range []uint8{c.R, c.G, c.B} {
			b = append(b, digits[v>>4], digits[v&15])
		}
		out = append(out, string(b))
	}
	return out
}
