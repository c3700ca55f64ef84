// Package rows reads the tables of published traces: text files that are known by their names, with columns that are known by their places.
package rows

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"replay/trace/importer/delimited"
	"replay/trace/importer/workload"
)

// Find sorts the files among inputs by the tables that they are parts of: a table's name stands in the name of the file, or of the folder that it is in.
// A file that has the name of several tables is of the longest. One that has the name of none is of the table that its first row shows, if no file has the name of that, which is noted.
// Files of tables in unused, and of no table, are not read, which is noted, too.
func Find(b *workload.Builder, inputs []string, tables []*Table, unused []string) (map[string][]string, error) {
	files, err := b.Parts(inputs, nil)
	if err != nil {
		return nil, err
	}
	names := slices.Clone(unused)
	for _, t := range tables {
		names = append(names, t.Name)
	}
	found, other := map[string][]string{}, []string(nil)
	var unnamed []string
	for _, f := range files {
		switch table := tableOf(f, names); {
		case table == "":
			unnamed = append(unnamed, f)
		case slices.Contains(unused, table):
			other = append(other, filepath.Base(f))
		default:
			found[table] = append(found[table], f)
		}
	}
	named := maps.Clone(found)
	for _, f := range unnamed {
		table, how := shownBy(b, f, tables)
		if table == "" || len(named[table]) > 0 {
			other = append(other, nameOf(f))
			continue
		}
		b.Note("%s: taken as %s, by %s", nameOf(f), table, how)
		found[table] = append(found[table], f)
	}
	for _, parts := range found {
		slices.SortStableFunc(parts, workload.Natural) // in whatever order they were given
	}
	b.PassOver("not read, as an import needs nothing of it", other)
	if len(found) == 0 {
		if slices.Contains(inputs, workload.Stdin) {
			return nil, fmt.Errorf("standard input: no table of this format by its first row, want one of %s", strings.Join(names[len(unused):], ", "))
		}
		return nil, fmt.Errorf("%s: no table of this format, want files or folders with one of these in their names: %s", strings.Join(inputs, ", "), strings.Join(names[len(unused):], ", "))
	}
	return found, nil
}

// nameOf is an input in messages.
func nameOf(path string) string {
	if path == workload.Stdin {
		return "standard input"
	}
	return path
}

// shownBy is the one table that the first row of a file shows, and how: by the names of its columns, else by their number. It is "" if there is no such table, or several.
func shownBy(b *workload.Builder, path string, tables []*Table) (table, how string) {
	head, err := b.Head(path)
	if err != nil {
		return "", ""
	}
	n := len(delimited.First(head))
	for _, is := range []func(t *Table) string{
		func(t *Table) string { return t.Named(head) },
		func(t *Table) string {
			if t.Header || n != len(t.Columns) {
				return ""
			}
			return fmt.Sprintf("its %d fields", n)
		},
	} {
		var all []*Table
		for _, t := range tables {
			if is(t) != "" {
				all = append(all, t)
			}
		}
		if len(all) == 1 {
			return all[0].Name, is(all[0])
		}
	}
	return "", ""
}

// plainFile is the name of a file as far as it tells tables apart: task-events.csv is of task_events.
func plainFile(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }

// tableOf is the table that a file is a part of by its name, or "".
func tableOf(path string, tables []string) (table string) {
	for _, name := range []string{filepath.Base(path), filepath.Base(filepath.Dir(path))} {
		for _, t := range tables {
			if len(t) > len(table) && strings.Contains(plainFile(name), t) {
				table = t
			}
		}
		if table != "" {
			break
		}
	}
	return table
}

// Table is a table whose columns are known by their places. A first row without a number in the column Number is a header: if it has the names of the columns that each row
// has, they are known by them, else it is passed over. With Header there must be a header with the names. Columns known by their names may stand in any order, between others; upper case,
// and blanks for underscores, make no other name.
type Table struct {
	Name    string
	Columns []string
	Least   int // fields that a row has at least, unless it is known by names
	Number  int
	Header  bool
	Absent  []string            // columns that a header need not have
	Also    map[string][]string // other names of columns in a header
	JSON    bool                // a file may have an object in each line in place of rows
}

// Read gives the rows of files to take. A row is dropped that has too few fields, or for which take returns the error of a value.
func (t *Table) Read(ctx context.Context, b *workload.Builder, files []string, take func(*delimited.Row) error) error {
	for i, f := range files {
		if err := t.read(ctx, b, f, take); err != nil {
			return err
		}
		b.Progress(i+1, len(files), "files of "+t.Name)
	}
	return nil
}

func (t *Table) read(ctx context.Context, b *workload.Builder, path string, take func(*delimited.Row) error) error {
	s, err := b.Open(path)
	if err != nil {
		return err
	}
	buf := bufio.NewReader(s)
	head, err := buf.Peek(buf.Size())
	wrong := delimited.Text(head)
	switch {
	case len(head) == 0 && err == io.EOF: // an empty part
		return s.Close()
	case wrong != nil:
		return errors.Join(fmt.Errorf("%s: %w", s.Name, wrong), s.Close())
	case t.JSON && len(head) > 0 && head[0] == '{':
		return t.readJSON(ctx, b, s, buf, take)
	}
	in := delimited.NewReader(buf, delimited.CSV)
	row := delimited.Row{File: s.Name, Columns: t.Columns}
	var places []int // of the columns in a row, if they are known by their names
	width := 0       // fields of the first row
	if t.Header {
		head, err := in.Next()
		if err != nil {
			return errors.Join(fmt.Errorf("%s: no header (%w), want %s", s.Name, err, strings.Join(t.Columns, ",")), s.Close())
		}
		var missing string
		width = len(head)
		if places, missing = t.places(names(head)); missing != "" {
			return errors.Join(fmt.Errorf("%s: line %d: no column %s, want %s", s.Name, in.Line(), missing, strings.Join(t.Columns, ",")), s.Close())
		}
	}
	ordered := make([][]byte, len(t.Columns))
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return errors.Join(ctx.Err(), s.Close())
		}
		row.Fields, err = in.Next()
		if err == io.EOF {
			return s.Close()
		}
		if width == 0 {
			width = len(row.Fields)
		}
		var none *delimited.RowError
		var bad *delimited.BadValue
		if err == nil {
			err = in.Fits(row.Fields, width)
		}
		switch {
		case errors.As(err, &none):
			err = b.Drop("rows_of_"+t.Name+"_that_are_not_readable", "%s: line %d: want %s", s.Name, in.Line(), none.Want)
		case err != nil:
			return errors.Join(b.Damaged(s.After(in.Line(), err)), s.Close())
		case n == 0 && !t.Header && t.isHeader(&row):
			at, missing := t.places(names(row.Fields))
			if missing == "" {
				places = at
			} else {
				b.Note("%s: the header has no column %s: columns are taken by their places, as %s", filepath.Base(s.Name), missing, strings.Join(t.Columns, ", "))
			}
		default:
			b.Counts.Read["rows_of_"+t.Name]++
			row.Begin(in.Line())
			if places != nil {
				row.Fields = arrange(ordered, row.Fields, places)
			}
			if len(row.Fields) < t.Least {
				err = b.Drop("rows_of_"+t.Name+"_that_are_not_readable", "%s: line %d: has %d fields, want %d or more: %s", s.Name, in.Line(), len(row.Fields), t.Least, strings.Join(t.Columns, ", "))
			} else if err = take(&row); errors.As(err, &bad) {
				err = b.Drop("rows_of_"+t.Name+"_with_a_bad_value", "%v", bad)
			}
		}
		if err != nil {
			return errors.Join(err, s.Close())
		}
	}
}

// names are the fields of a header as columns have them.
func names(head [][]byte) (has []string) {
	for _, f := range head {
		has = append(has, plainName(string(f)))
	}
	return has
}

// plainName is a name as far as it tells columns apart.
func plainName(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "_")
}

// places finds the columns among the names of a header; -1 is one that it does not have. missing is one that it must have.
func (t *Table) places(has []string) (places []int, missing string) {
	places = make([]int, len(t.Columns))
	for i, c := range t.Columns {
		places[i] = slices.Index(has, plainName(c))
		for _, other := range t.Also[c] {
			if places[i] < 0 {
				places[i] = slices.Index(has, plainName(other))
			}
		}
		if needed := t.Header && !slices.Contains(t.Absent, c) || !t.Header && i < t.Least; needed && places[i] < 0 && missing == "" {
			missing = c
		}
	}
	return places, missing
}

// Named says that the first row of a file has the names of the columns, or "".
func (t *Table) Named(head []byte) string {
	first := delimited.First(head)
	for i, f := range first {
		first[i] = plainName(f)
	}
	if _, missing := t.places(first); missing != "" {
		return ""
	}
	return "a header with the columns of " + t.Name
}

// Seen says how a file's name and beginning show that it is of a table whose columns are known by their places, or "".
func (t *Table) Seen(name string, head []byte) string {
	if n := len(delimited.First(head)); !strings.Contains(plainFile(name), t.Name) || n != len(t.Columns) {
		return ""
	}
	return fmt.Sprintf("%s with %d fields", t.Name, len(t.Columns))
}

// arrange puts fields at places into the order of to.
func arrange(to, fields [][]byte, places []int) [][]byte {
	for i, p := range places {
		to[i] = nil
		if p >= 0 && p < len(fields) {
			to[i] = fields[p]
		}
	}
	return to
}

// isHeader tells whether a first row has names.
func (t *Table) isHeader(r *delimited.Row) bool {
	f := strings.TrimLeft(r.Text(t.Number), "-")
	return f != "" && (f[0] < '0' || f[0] > '9')
}
