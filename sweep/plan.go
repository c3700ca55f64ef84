// Package sweep replays the cells of a plan: every trace, variant, value of a setting and seed that it names. A cell is called by
// the hash of all that decides its bytes, so that a second run does what is missing or has changed and nothing else, on whatever
// machines the cells were replayed. What the cells found is merged to one table and one page.
package sweep

import (
	"fmt"
	"slices"
	"strings"
)

// Plan is a plan as it was read: which cells there are, by what stands in the file. Nothing in it has been looked at for what it means to
// a replay.
type Plan struct {
	File     string // for messages
	Traces   []Text // folders, or patterns of them
	Flags    Text   // of all cells
	Seeds    []uint64
	Variants []Variant
	Axes     []Axis // in the order of the file
	Exclude  []Exclusion
	Others   map[string][]Text // by key, those that [Read] was told of
	Doubts   []error           // what stands in it and may be meant otherwise
}

// Text is a word of the plan with its place.
type Text struct {
	Value string
	Line  int
	Unset bool // null: the setting is left as it is
}

// Variant is a name for flags.
type Variant struct {
	Name  string
	Flags Text
}

// A Setting is a flag, or a key of --conf or --model.
type Setting struct {
	Flag string
	Key  string // of conf and model
}

// String returns the setting as it is called in tables: "nodes", "conf spark.locality.wait".
func (s Setting) String() string { return strings.TrimSpace(s.Flag + " " + s.Key) }

// Words are the flags that give the setting a value; none for a value that is unset.
func (s Setting) Words(v Text) []string {
	switch {
	case v.Unset:
		return nil
	case s.Key != "":
		return []string{"--" + s.Flag + "=" + s.Key + "=" + v.Value}
	}
	return []string{"--" + s.Flag + "=" + v.Value}
}

// An Axis is a setting with its values, or several settings whose values go together.
type Axis struct {
	Settings []Setting
	Rows     [][]Text // by value, by setting
}

// An Exclusion leaves out the cells that agree with all of its parts.
type Exclusion struct {
	Line  int
	Parts []Part
}

// Part is what one thing of a cell must be: one of the values.
type Part struct {
	What   string // trace, variant, seed or the name of a setting
	Values []Text
}

// A Point is a cell without its trace and seed.
type Point struct {
	Variant  Variant
	Settings []Setting
	Values   []Text // by setting
}

// Shown is the value of a setting in tables, empty for one that is unset.
func (t Text) Shown() string {
	if t.Unset {
		return ""
	}
	return t.Value
}

// Settings are those of all axes, in order.
func (p *Plan) Settings() (out []Setting) {
	for i := range p.Axes {
		out = append(out, p.Axes[i].Settings...)
	}
	return out
}

// Most is how many cells a plan may have.
const Most = 1_000_000

// Points are the variants with all values of all axes, in the order of the file, the last axis fastest.
func (p *Plan) Points() ([]Point, error) {
	n := len(p.Variants)
	for i := range p.Axes {
		if n *= len(p.Axes[i].Rows); n > Most {
			return nil, fmt.Errorf("%s: more than %d cells, want fewer values", p.File, Most)
		}
	}
	settings := p.Settings()
	out := make([]Point, 0, n)
	for _, v := range p.Variants {
		rows := [][]Text{nil}
		for i := range p.Axes {
			var next [][]Text
			for _, before := range rows {
				for _, row := range p.Axes[i].Rows {
					next = append(next, append(slices.Clip(before), row...))
				}
			}
			rows = next
		}
		for _, row := range rows {
			out = append(out, Point{v, settings, row})
		}
	}
	return out, nil
}

// Excluded reports whether the plan leaves the cell out.
func (p *Plan) Excluded(trace string, pt *Point, seed uint64) bool {
	return slices.ContainsFunc(p.Exclude, func(x Exclusion) bool {
		return !slices.ContainsFunc(x.Parts, func(part Part) bool {
			return !slices.ContainsFunc(part.Values, func(v Text) bool { return v.Shown() == pt.part(part.What, trace, seed) })
		})
	})
}

// part is what a cell is in the word of an exclusion.
func (pt *Point) part(what, trace string, seed uint64) string {
	switch what {
	case "trace":
		return trace
	case "variant":
		return pt.Variant.Name
	case "seed":
		return fmt.Sprint(seed)
	}
	for i, s := range pt.Settings {
		if s.String() == what {
			return pt.Values[i].Shown()
		}
	}
	return ""
}

// CheckExclude returns the error of an exclusion with a value that no cell has: it was meant to leave something out.
func (p *Plan) CheckExclude(traces []string) error {
	known := map[string][]string{"trace": traces}
	for _, v := range p.Variants {
		known["variant"] = append(known["variant"], v.Name)
	}
	for _, s := range p.Seeds {
		known["seed"] = append(known["seed"], fmt.Sprint(s))
	}
	for i := range p.Axes {
		for k, s := range p.Axes[i].Settings {
			for _, row := range p.Axes[i].Rows {
				known[s.String()] = append(known[s.String()], row[k].Shown())
			}
		}
	}
	for _, x := range p.Exclude {
		for _, part := range x.Parts {
			has, ok := known[part.What]
			if !ok {
				return p.Errorf(x.Line, "exclude", "names %s, want trace, variant, seed or a setting of grid or zip", part.What)
			}
			for _, v := range part.Values {
				if !slices.Contains(has, v.Shown()) {
					return p.Errorf(v.Line, "exclude."+part.What, "is %q, want one of %s", v.Value, strings.Join(slices.Compact(has), ", "))
				}
			}
		}
	}
	return nil
}

// Errorf is an error about a key of the plan.
func (p *Plan) Errorf(line int, key, format string, args ...any) error {
	return &Error{p.File, line, key, fmt.Errorf(format, args...)}
}

// An Error says where in a plan something is wrong.
type Error struct {
	File string
	Line int
	Key  string
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: line %d: %s: %v", e.File, e.Line, e.Key, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
