package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/valyala/fastjson"

	"replay/trace/importer/delimited"
	"replay/trace/importer/lines"
	"replay/trace/importer/workload"
)

// readJSON reads a table that has an object in each line. Columns with a dot are fields of objects in it; a list is its elements with blanks between them.
func (t *Table) readJSON(ctx context.Context, b *workload.Builder, s *workload.Source, r io.Reader, take func(*delimited.Row) error) error {
	in := lines.NewReader(r)
	row := delimited.Row{File: s.Name, Columns: t.Columns, Fields: make([][]byte, len(t.Columns))}
	paths := make([][]string, len(t.Columns))
	for i, c := range t.Columns {
		paths[i] = strings.Split(c, ".")
	}
	var parser fastjson.Parser
	var buf []byte
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return errors.Join(ctx.Err(), s.Close())
		}
		line, _, err := in.Next()
		if err == io.EOF {
			return s.Close()
		}
		if err != nil {
			return errors.Join(b.Damaged(s.After(in.Line(), err)), s.Close())
		}
		if len(line) == 0 {
			continue
		}
		b.Counts.Read["rows_of_"+t.Name]++
		v, err := (*fastjson.Value)(nil), lines.CheckJSON(line)
		if err == nil {
			v, err = parser.ParseBytes(line)
		}
		if err != nil || v.Type() != fastjson.TypeObject {
			if err == nil {
				err = fmt.Errorf("is a JSON %s", v.Type())
			}
			err = b.Drop("rows_of_"+t.Name+"_that_are_not_readable", "%s: line %d: %.200s, want a JSON object", s.Name, in.Line(), err.Error())
		} else {
			buf = fields(buf[:0], v, paths, row.Fields)
			row.Begin(in.Line())
			var bad *delimited.BadValue
			if err = take(&row); errors.As(err, &bad) {
				err = b.Drop("rows_of_"+t.Name+"_with_a_bad_value", "%v", bad)
			}
		}
		if err != nil {
			return errors.Join(err, s.Close())
		}
	}
}

// fields writes the values at paths as text, which buf holds.
func fields(buf []byte, v *fastjson.Value, paths [][]string, to [][]byte) []byte {
	var ends [64]int
	for i, p := range paths {
		buf = text(buf, v.Get(p...))
		ends[i] = len(buf)
	}
	start := 0
	for i := range paths {
		to[i] = buf[start:ends[i]]
		start = ends[i]
	}
	return buf
}

func text(buf []byte, v *fastjson.Value) []byte {
	if v == nil {
		return buf
	}
	switch v.Type() {
	case fastjson.TypeNull, fastjson.TypeObject:
		return buf
	case fastjson.TypeString:
		return append(buf, v.GetStringBytes()...)
	case fastjson.TypeArray:
		for i, x := range v.GetArray() {
			if i > 0 {
				buf = append(buf, ' ')
			}
			if x.Type() != fastjson.TypeArray {
				buf = text(buf, x)
			}
		}
		return buf
	}
	return v.MarshalTo(buf)
}
