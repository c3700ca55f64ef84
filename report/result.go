package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Result is one replay's answer: its data and the values of all metrics.
type Result struct {
	*Data
	Values []Value // in the order of Metrics
	groups []group
	byName map[string]int
}

// group is a metric with its values.
type group struct {
	Name, Title string
	Values      []Value
}

func newResult(d *Data) *Result {
	r := &Result{Data: d, byName: map[string]int{}}
	for _, m := range Metrics {
		vs := m.Values(d)
		r.groups = append(r.groups, group{m.Name, m.Title, vs})
		r.Values = append(r.Values, vs...)
	}
	for i, v := range r.Values {
		if _, twice := r.byName[v.Name]; twice {
			panic("report: two values are called " + v.Name)
		}
		r.byName[v.Name] = i
	}
	return r
}

// Value returns the value called name; false when there is none of that name.
func (r *Result) Value(name string) (Value, bool) {
	i, ok := r.byName[name]
	if !ok {
		return Value{}, false
	}
	return r.Values[i], true
}

// write writes everything that follows from the data: summary, plots and page.
func (r *Result) write(dir string, o Options) error {
	if err := os.WriteFile(filepath.Join(dir, "summary.json"), r.SummaryJSON(), 0o644); err != nil {
		return err
	}
	var text bytes.Buffer
	r.WriteText(&text, true)
	if err := os.WriteFile(filepath.Join(dir, "summary.txt"), text.Bytes(), 0o644); err != nil {
		return err
	}
	return r.writePictures(dir, o)
}

// Rewrite writes summary, plots and page anew: into a result directory, whose tables stay as
// they are, or into a new or empty one. Each file and the plots appear whole or not at all.
func (r *Result) Rewrite(dir string, o Options) error {
	if err := replaceable(dir, "summary.json", resultFiles); err != nil {
		return err
	}
	temp, err := beside(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := r.write(temp, o); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	for _, e := range entries {
		from, to := filepath.Join(temp, e.Name()), filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = install(from, to)
		} else {
			err = os.Rename(from, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// SummaryJSON returns summary.json: an object of flat metric names and numbers in the order of
// Metrics. A value that could not be computed is null, and its reason stands under "absent".
func (r *Result) SummaryJSON() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	for _, v := range r.Values {
		fmt.Fprintf(&b, "  %s: %s,\n", quote(v.Name), number(v))
	}
	b.WriteString("  \"absent\": {")
	sep := "\n"
	for _, v := range r.Values {
		if v.Absent != "" {
			fmt.Fprintf(&b, "%s    %s: %s", sep, quote(v.Name), quote(v.Absent))
			sep = ",\n"
		}
	}
	if sep != "\n" {
		b.WriteString("\n  ")
	}
	b.WriteString("}\n}\n")
	return b.Bytes()
}

// number returns a value as JSON, null when absent.
func number(v Value) string {
	if v.Absent != "" {
		return "null"
	}
	return strconv.FormatFloat(v.Number, 'g', -1, 64)
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(b)
}
