package conform

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"replay/bench/conform/golden"
)

// DefaultMax is how many differences and reasons of each file a table and a page show where nothing else is asked for.
const DefaultMax = 3

// WriteText writes the table of the summary and, below it, the first differences of each file and the first reasons of cases that are
// not supported, most of each at most, and how many more there are.
func (s *Summary) WriteText(w io.Writer, most int) error {
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
		for _, d := range first(f.Differences, most) {
			if err := writeDifference(w, f.File, &d); err != nil {
				return err
			}
		}
		for _, why := range first(f.Reasons, most) {
			if _, err := fmt.Fprintf(w, "\n%s, not supported: %s\n", f.File, why); err != nil {
				return err
			}
		}
		if err := writeMore(w, f, most); err != nil {
			return err
		}
	}
	return nil
}

func first[T any](list []T, most int) []T { return list[:min(most, len(list))] }

// writeMore tells how many differences and reasons are not shown.
func writeMore(w io.Writer, f *golden.Results, most int) error {
	for _, more := range []struct {
		n    int
		what string
	}{{len(f.Differences) - most, "differ"}, {len(f.Reasons) - most, "are not supported"}} {
		if more.n > 0 {
			if _, err := fmt.Fprintf(w, "\n%s: %d more %s\n", f.File, more.n, more.what); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeParts writes how many of each sort of cases are equal, files that have sorts alone, and what was assumed of them.
func (s *Summary) writeParts(w io.Writer) error {
	files := slices.DeleteFunc(slices.Clone(s.Files), func(f *golden.Results) bool { return len(f.Parts) == 0 })
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
	row := func(name string, parts []golden.Part) {
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

func writeDifference(w io.Writer, file string, d *golden.Difference) error {
	_, err := fmt.Fprintf(w, "\n%s, case %s, event %d\n  expected  %s\n  got       %s\n",
		file, d.Case, d.Event, golden.Text(d.Expected), golden.Text(d.Got))
	if err == nil && d.State != nil {
		_, err = fmt.Fprintf(w, "  state     %s\n", golden.Text(d.State))
	}
	return err
}

// WriteJSON writes the summary as one JSON object.
func (s *Summary) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}
