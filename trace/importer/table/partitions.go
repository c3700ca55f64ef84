package table

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// partitioned is a file in folders such as queue=prod, as Hive and Spark lay out a table: a folder's name is a column of the rows below it, which the file
// itself does not have.
type partitioned struct {
	source
	own    int // columns of the file
	names  []string
	values [][]byte
	fields [][]byte
}

// noPartition is the value of rows without one.
const noPartition = "__HIVE_DEFAULT_PARTITION__"

// withPartitions adds the columns that stand in the path of a file to its own.
func withPartitions(s source, path string) source {
	p := &partitioned{source: s, own: len(s.columns())}
	for folder := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		name, value, found := strings.Cut(folder, "=")
		if !found || name == "" || slices.Contains(s.columns(), name) || slices.Contains(p.names, name) {
			continue
		}
		if plain, err := url.PathUnescape(value); err == nil { // colons and the like are escaped
			value = plain
		}
		if value == noPartition {
			value = ""
		}
		p.names, p.values = append(p.names, name), append(p.values, []byte(value))
	}
	if len(p.names) == 0 {
		return s
	}
	return p
}

func (p *partitioned) columns() []string { return slices.Concat(p.source.columns(), p.names) }

func (p *partitioned) unit(i int, of quantity) *unit {
	if i >= p.own {
		return nil
	}
	return p.source.unit(i, of)
}

func (p *partitioned) blank(i int) bool { return i < p.own && p.source.blank(i) }

func (p *partitioned) bind(places []int) error {
	b, ok := p.source.(binder)
	if !ok {
		return nil
	}
	return b.bind(slices.DeleteFunc(places, func(at int) bool { return at >= p.own }))
}

func (p *partitioned) sample() (rows [][]string) {
	for _, row := range p.source.sample() {
		row = append(slices.Clip(row), make([]string, max(0, p.own-len(row)))...)[:p.own:p.own]
		for _, v := range p.values {
			row = append(row, string(v))
		}
		rows = append(rows, row)
	}
	return rows
}

func (p *partitioned) next() ([][]byte, error) {
	fields, err := p.source.next()
	if err != nil {
		return fields, err
	}
	p.fields = append(p.fields[:0], fields[:min(len(fields), p.own)]...)
	for len(p.fields) < p.own {
		p.fields = append(p.fields, nil)
	}
	p.fields = append(p.fields, p.values...)
	return p.fields, nil
}
