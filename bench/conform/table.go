package conform

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// WriteText writes the table of the summary and, below it, the first differences of each file.
func (s *Summary) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(file, kind string, n ...any) {
		fmt.Fprintf(t, "%s\t%s\t%9v %9v %9v %13v\n", append([]any{file, kind}, n...)...)
	}
	row("file", "kind", "cases", "equal", "different", "not supported")
	for _, f := range s.Files {
		row(f.File, f.Kind, f.Cases, f.Equal, f.Different, f.Unsupported)
	}
	n := s.Totals
	row("total", "", n.Cases, n.Equal, n.Different, n.Unsupported)
	if err := t.Flush(); err != nil {
		return err
	}
	if err := s.writeParts(w); err != nil {
		return err
	}
	for _, f := range s.Files {
		for _, d := range f.Differences {
			if err := d.writeText(w, f.File); err != nil {
				return err
			}
		}
		for _, why := range f.Reasons {
			if _, err := fmt.Fprintf(w, "\n%s, not supported: %s\n", f.File, why); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeParts writes how many of each sort of cases are equal, files that have sorts alone, and what was assumed of them.
func (s *Summary) writeParts(w io.Writer) error {
	files := slices.DeleteFunc(slices.Clone(s.Files), func(f *Results) bool { return len(f.Parts) == 0 })
	if len(files) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\nequal of")
	total := slices.Clone(files[0].Parts)
	for i, p := range total {
		fmt.Fprintf(t, "\t%s", p.Name)
		total[i].Cases, total[i].Equal = 0, 0
	}
	row := func(name string, parts []Part) {
		fmt.Fprint(t, "\n", name)
		for i, p := range parts {
			fmt.Fprintf(t, "\t%d/%d", p.Equal, p.Cases)
			if i == 0 && p.Cases > 0 {
				fmt.Fprintf(t, " %.2f %%", 100*float64(p.Equal)/float64(p.Cases))
			}
		}
	}
	for _, f := range files {
		row(f.File, f.Parts)
		for i, p := range f.Parts {
			total[i].Cases += p.Cases
			total[i].Equal += p.Equal
		}
	}
	row("total", total)
	fmt.Fprintln(t)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range files {
		for _, note := range f.Notes {
			if _, err := fmt.Fprintf(w, "%s: %s\n", f.File, note); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Difference) writeText(w io.Writer, file string) error {
	_, err := fmt.Fprintf(w, "\n%s, case %s, event %d\n  expected  %s\n  got       %s\n",
		file, d.Case, d.Event, compact(d.Expected), compact(d.Got))
	if err == nil && d.State != nil {
		_, err = fmt.Fprintf(w, "  state     %s\n", compact(d.State))
	}
	return err
}

// WriteJSON writes the summary as one JSON object.
func (s *Summary) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// compact is v as text: strings as they are, everything else as JSON.
func compact(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(b)
}

// sameList compares a part of a case; it returns nil when the lists are equal.
func sameList[T comparable](name string, want, got []T) *Difference {
	if slices.Equal(want, got) {
		return nil
	}
	return &Difference{Expected: want, Got: got, State: name}
}

// firstOther returns the first difference of case id, numbered by its position.
func firstOther(id string, parts ...*Difference) *Difference {
	for i, d := range parts {
		if d != nil {
			d.Case, d.Event = id, i
			return d
		}
	}
	return nil
}
