package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Problem is a place where a trace breaks a rule of the format. It is an error.
type Problem struct {
	File   string // path of the file
	Group  int    // row group, or -1
	Row    int64  // row of the file from 0, or -1 for the file as a whole
	Column string
	Value  string
	Want   string
}

func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	b.WriteString(": ")
	switch {
	case p.Row >= 0 && p.Group >= 0:
		fmt.Fprintf(&b, "row group %d, row %d: ", p.Group, p.Row)
	case p.Row >= 0:
		fmt.Fprintf(&b, "row %d: ", p.Row)
	}
	fmt.Fprintf(&b, "%s is %s, want %s", p.Column, p.Value, p.Want)
	return b.String()
}

// wholeFile is a problem of a file that is not one of a row.
func wholeFile(path, column, value, want string) Problem {
	return Problem{File: path, Group: -1, Row: -1, Column: column, Value: value, Want: want}
}

func openError(err error) string {
	if errors.Is(err, os.ErrNotExist) {
		return "missing"
	}
	return err.Error()
}

// damaged is the problem of a file that is not readable as what it should be.
func damaged(path string, err any) Problem {
	return wholeFile(path, "content", fmt.Sprintf("damaged (%v)", err), "a readable Parquet file")
}

// parquetCall runs a call of the Parquet library on bytes of the file at path. The library panics on
// some malformed input; here that becomes an error like every other.
func parquetCall(path string, call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = damaged(path, r)
		}
	}()
	if err := call(); err != nil {
		return damaged(path, err)
	}
	return nil
}

// A table is an open Parquet file whose columns have been compared with its schema.
type table struct {
	name   string // such as "tasks"
	path   string
	file   *os.File
	pf     *parquet.File
	starts []int64         // first row of each row group, and the number of rows
	leaves map[string]leaf // by column, or "column.field" for lists of structs; absent columns are not in it
}

// leaf is where the values of a column are.
type leaf struct {
	index    int // of the leaf in the file
	kind     parquet.Kind
	maxDef   byte // definition level of a value
	present  byte // definition level from which a list has an element; 0 if not a list
	list     bool
	required bool // nulls are errors
}

// openTable opens a table and checks its columns: every required one must be there, and each known one must
// have its type. Unknown columns are ignored. Columns may be nullable in the file where the format has no
// nulls, and the groups inside lists may have any name.
func openTable(dir, file, name string) (*table, error) {
	path := filepath.Join(dir, file)
	f, err := os.Open(path)
	if err != nil {
		return nil, wholeFile(path, "file", openError(err), "the table of "+name)
	}
	t := &table{name: name, path: path, file: f}
	if err := t.open(); err != nil {
		f.Close()
		return nil, err
	}
	return t, nil
}

func (t *table) open() error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	err = parquetCall(t.path, func() (err error) {
		t.pf, err = parquet.OpenFile(t.file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
	if err != nil {
		return err
	}
	row := int64(0)
	for g, group := range t.pf.Metadata().RowGroups {
		t.starts = append(t.starts, row)
		if group.NumRows < 0 || len(group.Columns) != len(t.pf.Schema().Columns()) {
			return damaged(t.path, fmt.Sprintf("row group %d has %d rows and %d columns", g, group.NumRows, len(group.Columns)))
		}
		row += group.NumRows
	}
	t.starts = append(t.starts, row)
	if row != t.pf.NumRows() {
		return damaged(t.path, fmt.Sprintf("%d rows in row groups, %d in the footer", row, t.pf.NumRows()))
	}
	for _, kv := range []struct{ key, want string }{
		{"replay.format", Format}, {"replay.table", t.name}, {"replay.time_unit", TimeUnit},
	} {
		if got, ok := t.pf.Lookup(kv.key); ok && got != kv.want {
			return wholeFile(t.path, "metadata "+kv.key, show(got), show(kv.want))
		}
	}
	return t.checkSchema()
}

func (t *table) rows() int64 { return t.starts[len(t.starts)-1] }

// group returns the row group of a row.
func (t *table) group(row int64) int {
	return sort.Search(len(t.starts)-1, func(g int) bool { return t.starts[g+1] > row })
}

func (t *table) close() error { return t.file.Close() }

// checkSchema finds the leaf of each column of the format. All problems are reported together.
func (t *table) checkSchema() error {
	t.leaves = make(map[string]leaf)
	var problems []error
	bad := func(column, value, want string) {
		problems = append(problems, wholeFile(t.path, column, value, want))
	}
	want := schemas[t.name]
	for _, path := range want.Columns() {
		node, _ := want.Lookup(path...)
		key, field := path[0], ""
		if len(path) == 4 { // column.list.element.field
			field = path[3]
			key += "." + field
		}
		isList := node.MaxRepetitionLevel == 1
		kind := node.Node.Type().Kind()
		wanted := kind.String()
		if isList {
			wanted = "a list of " + wanted
		}
		column := t.pf.Root().Column(path[0])
		if column == nil {
			if top, _ := fieldOf(want, path[0]); top.Required() {
				bad(key, "missing", wanted)
			}
			continue
		}
		var found []leaf
		collectLeaves(column, leaf{}, field, 0, &found)
		if len(found) != 1 || found[0].list != isList || found[0].kind != kind {
			bad(key, describe(found, column), wanted)
			continue
		}
		found[0].required = isList || node.Node.Required()
		t.leaves[key] = found[0]
	}
	return errors.Join(problems...)
}

func fieldOf(s *parquet.Schema, name string) (parquet.Field, bool) {
	for _, f := range s.Fields() {
		if f.Name() == name {
			return f, true
		}
	}
	return nil, false
}

// collectLeaves appends the leaves below c that belong to field, or all if field is empty.
// A leaf that is repeated more than once gets kind -1, so it matches nothing.
func collectLeaves(c *parquet.Column, l leaf, field string, repeated int, found *[]leaf) {
	if c.Optional() || c.Repeated() {
		l.maxDef++
	}
	if c.Repeated() {
		repeated++
		l.list = true
		l.present = l.maxDef
	}
	if c.Leaf() {
		if field != "" && c.Name() != field {
			return
		}
		l.index, l.kind = c.Index(), c.Type().Kind()
		if repeated > 1 {
			l.kind = -1
		}
		*found = append(*found, l)
		return
	}
	for _, child := range c.Columns() {
		collectLeaves(child, l, field, repeated, found)
	}
}

func describe(found []leaf, c *parquet.Column) string {
	switch {
	case len(found) == 0:
		return "missing"
	case len(found) > 1 || found[0].kind < 0:
		return "a nested group"
	case found[0].list:
		return "a list of " + found[0].kind.String()
	}
	return found[0].kind.String()
}
