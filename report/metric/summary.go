package metric

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"replay/report/result"
)

// Summary is one replay's answer: its data and the values of all metrics.
type Summary struct {
	*result.Data
	Values []Value // in the order of Metrics
	Groups []Group

	outcome *Outcome
	byName  map[string]int
}

// Group is a metric with its values.
type Group struct {
	Name, Title string
	Values      []Value
}

// Of computes all metrics.
func Of(d *result.Data) *Summary { return of(d, Metrics) }

func of(d *result.Data, metrics []Metric) *Summary {
	s := &Summary{Data: d, outcome: newOutcome()}
	p := newPass(d)
	counted := s.outcome.add(p)
	n := 0
	var values []func() []Value // of metrics that share the pass
	for i := range metrics {
		values = append(values, metrics[i].values(p))
		if !p.keeps && i+1 < len(metrics) {
			continue
		}
		p.run()
		for _, of := range values {
			m := &metrics[len(s.Groups)]
			g := Group{m.Name, m.Title, of()}
			s.Groups = append(s.Groups, g)
			n += len(g.Values)
		}
		p, values = newPass(d), nil
	}
	counted()
	s.Values, s.byName = make([]Value, 0, n), make(map[string]int, n) // of 500 queues there are 11,000
	for i := range s.Groups {
		s.Values = append(s.Values, s.Groups[i].Values...)
	}
	for i := range s.Values {
		name := s.Values[i].Name
		if _, twice := s.byName[name]; twice {
			panic("metric: two values are called " + name)
		}
		s.byName[name] = i
	}
	return s
}

// Value returns the value called name; false when there is none of that name.
func (s *Summary) Value(name string) (Value, bool) {
	i, ok := s.byName[name]
	if !ok {
		return Value{}, false
	}
	return s.Values[i], true
}

// JSON returns summary.json: an object of what became of the jobs under "outcome", and flat metric names and numbers in
// the order of Metrics. What values are over stands under "over": n of how many things, and how many
// of n are open, which means that they count with at least the time so far. A value that could not be computed
// is null, and its reason stands under "absent".
func (s *Summary) JSON() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"outcome\": %s,\n", indented(s.Outcome()))
	for _, v := range s.Values {
		fmt.Fprintf(&b, "  %s: %s,\n", quote(v.Name), number(v))
	}
	b.WriteString("  \"over\": {")
	sep := "\n"
	for _, v := range s.Values {
		if v.Things != "" && v.Absent == "" {
			open := ""
			if v.Open > 0 {
				open = fmt.Sprintf(", \"open\": %d", v.Open)
			}
			fmt.Fprintf(&b, "%s    %s: {\"n\": %d%s, \"of\": %d, \"things\": %s}", sep, quote(v.Name), v.N, open, max(v.N, v.Whole), quote(v.Things))
			sep = ",\n"
		}
	}
	if sep != "\n" {
		b.WriteString("\n  ")
	}
	b.WriteString("},\n  \"absent\": {")
	sep = "\n"
	for _, v := range s.Values {
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

// indented returns the outcome as JSON for a place within an object.
func indented(o *Outcome) string {
	b, err := json.MarshalIndent(o, "  ", "  ")
	if err != nil {
		panic(err) // numbers and strings always have a JSON form
	}
	return string(b)
}
