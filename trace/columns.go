package trace

import (
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// checkSchema finds the leaf of each column of the format. All problems are reported together.
func (t *table) checkSchema() error {
	t.leaves = make(map[string]leaf)
	var problems []error
	want := schemas[t.name]
	for _, f := range want.Fields() {
		if n := count(t.file.Parquet.Root().Columns(), f.Name()); n > 1 {
			problems = append(problems, wholeFile(t.path, f.Name(), fmt.Sprintf("there %d times", n), "one column of the name"))
		}
	}
	for _, path := range want.Columns() {
		node, _ := want.Lookup(path...)
		key, field := path[0], ""
		if len(path) == 4 { // column.list.element.field
			field = path[3]
			key += "." + field
		}
		kind := node.Node.Type().Kind()
		wanted := kind.String()
		if node.MaxRepetitionLevel == 1 {
			wanted = "a list of " + wanted
		}
		bad := func(value string) { problems = append(problems, wholeFile(t.path, key, value, wanted)) }
		top, _ := fieldOf(want, path[0])
		column := t.file.Parquet.Root().Column(path[0])
		if column == nil {
			if top.Required() {
				bad("missing")
			}
			continue
		}
		l, is := t.leafOf(column, field)
		if is == "" && (l.list != (node.MaxRepetitionLevel == 1) || l.kind != kind && !t.recasts(l, kind)) {
			is = t.file.Leaf(l.index).Describe()
		}
		if is == "" {
			is = t.unitOf(&l, kind, path[0])
		}
		if is != "" {
			bad(is)
			continue
		}
		l.required, l.whole = l.list || node.Node.Required(), l.list && top.Required()
		t.leaves[key] = l
	}
	return errors.Join(problems...)
}

// count returns how many of some columns have a name.
func count(columns []*parquet.Column, name string) (n int) {
	for _, c := range columns {
		if c.Name() == name {
			n++
		}
	}
	return n
}

func fieldOf(s *parquet.Schema, name string) (parquet.Field, bool) {
	for _, f := range s.Fields() {
		if f.Name() == name {
			return f, true
		}
	}
	return nil, false
}

// leafOf returns the leaf of a column: itself, or the elements of a list in one of the forms that writers use, whose
// groups have any name. With a field the elements are groups with it. Otherwise it says what the column is instead.
func (t *table) leafOf(c *parquet.Column, field string) (l leaf, is string) {
	down := func(c *parquet.Column) {
		if c.Optional() || c.Repeated() {
			l.maxDef++
		}
	}
	down(c)
	if t.file.IsMap(c.Name()) {
		return l, "a map"
	}
	if !c.Leaf() && !c.Repeated() { // a group around what is repeated
		if len(c.Columns()) != 1 || !c.Columns()[0].Repeated() {
			return l, "a struct"
		}
		c = c.Columns()[0]
		down(c)
	}
	if c.Repeated() {
		l.list, l.present = true, l.maxDef
		if !c.Leaf() && len(c.Columns()) == 1 && c.Columns()[0].Leaf() == (field == "") { // a group around the element
			c = c.Columns()[0]
			down(c)
			if c.Repeated() {
				return l, "a list of lists"
			}
		}
	}
	if field != "" {
		if c.Leaf() {
			return l, "without the field " + field
		}
		if c = c.Column(field); c == nil {
			return l, "without the field " + field
		}
		down(c)
	}
	if c.Repeated() && field != "" || !c.Leaf() {
		return l, "a list of groups or lists"
	}
	l.index, l.kind = c.Index(), c.Type().Kind()
	return l, ""
}

// timeSuffix ends the names of columns that are times, in milliseconds unless their type says otherwise.
const timeSuffix = "_ms"

// unitOf sets the unit of the leaf's values. It returns what they are if they do not stand for the numbers, texts or
// times of the column.
func (t *table) unitOf(l *leaf, kind parquet.Kind, column string) (is string) {
	file := t.file.Leaf(l.index)
	if l.recast = t.recasts(*l, kind) && (l.kind != kind || file.Unsigned()); l.recast {
		return ""
	}
	if file.PerMS > 0 && strings.HasSuffix(column, timeSuffix) {
		l.perMS = file.PerMS
		return ""
	}
	return file.Logical
}

// recasts tells whether a column of whole numbers of a kind may be read from a leaf: of whole numbers, in whatever width.
func (t *table) recasts(l leaf, kind parquet.Kind) bool {
	return (kind == parquet.Int32 || kind == parquet.Int64) && t.file.Leaf(l.index).Whole()
}
