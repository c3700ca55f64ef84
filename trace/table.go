package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/parquet-go/parquet-go"

	"replay/input"
	"replay/trace/tablefile"
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
	if p := (*os.PathError)(nil); errors.As(err, &p) { // the path is said
		return fmt.Sprintf("not readable (%v)", p.Err)
	}
	return err.Error()
}

// damaged is the problem of a file that is not readable as what it should be.
func damaged(path string, err any) Problem {
	return wholeFile(path, "content", fmt.Sprintf("damaged (%v)", err), "a readable Parquet file")
}

// A table is an open Parquet file whose columns have been compared with its schema.
type table struct {
	name   string // such as "tasks"
	path   string
	file   *tablefile.File
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
	required bool  // nulls are errors, of a list those in place of its elements
	whole    bool  // a null in place of a list is an error
	perMS    int64 // units in a millisecond, of times that are not written in milliseconds
	recast   bool  // whole numbers in another width than the column's, or without a sign
}

// openTable opens a table and checks its columns: every required one must be there, and each known one must
// have its type. Unknown columns are ignored. Columns may be nullable in the file where the format has no
// nulls, and the groups inside lists may have any name.
func openTable(dir, file, name string) (*table, error) {
	path := filepath.Join(dir, file)
	f, err := tablefile.Open(path)
	var not *input.NotRegular
	var at *fs.PathError
	switch {
	case errors.As(err, &not):
		return nil, wholeFile(path, "file", not.Is, "the table of "+name+" in a regular file")
	case errors.As(err, &at):
		return nil, wholeFile(path, "file", openError(err), "the table of "+name)
	case err != nil:
		return nil, damaged(path, err)
	}
	t := &table{name: name, path: path, file: f}
	if err := t.open(); err != nil {
		f.Close()
		return nil, err
	}
	return t, nil
}

func (t *table) open() error {
	row := int64(0)
	for _, n := range t.file.Groups() {
		t.starts = append(t.starts, row)
		row += n
	}
	t.starts = append(t.starts, row)
	for _, kv := range []struct{ key, want string }{
		{"replay.format", Format}, {"replay.table", t.name}, {"replay.time_unit", TimeUnit},
	} {
		if got, ok := t.file.Metadata(kv.key); ok && got != kv.want {
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
