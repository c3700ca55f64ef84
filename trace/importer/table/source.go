package table

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"replay/counted"
	"replay/trace/importer/delimited"
	"replay/trace/importer/workload"
)

// source is a table while it is read.
type source interface {
	columns() []string
	unit(i int, of quantity) *unit // of a column whose type says it, or nil
	blank(i int) bool              // the type of a column says that it has no value
	place() string                 // such as "line 7"
	sample() [][]string
	next() ([][]byte, error) // valid until the next call; a *delimited.RowError may be passed over
	short() few              // rows so far that end before a column that is read
	close() error
}

// binder is a source that reads only the columns at some places, and has its sample from then on.
type binder interface {
	bind(places []int) error
}

// csvSource is a table as delimited text.
type csvSource struct {
	in   *workload.Source
	rows *delimited.Reader
	head []string
	some [][]string
	want []int // places of the columns that are read, in order
	few  few
}

const sniffBytes = 64 << 10

// errNoRow is the error of a file of nothing, as writers of many parts leave among others.
var errNoRow = errors.New("has no row, want a table with a header")

// openCSV finds the dialect of a text, and whether it begins with a header.
func openCSV(b *workload.Builder, path string) (*csvSource, string, error) {
	in, err := b.Open(path)
	if err != nil {
		return nil, "", err
	}
	s, said, err := sniff(b, in)
	if err != nil {
		return nil, "", errors.Join(err, in.Close())
	}
	return s, said, nil
}

func sniff(b *workload.Builder, in *workload.Source) (s *csvSource, said string, err error) {
	buf := bufio.NewReaderSize(in.Unnamed(), sniffBytes)
	head, err := buf.Peek(sniffBytes)
	if err != nil && err != io.EOF && len(head) == 0 { // else it comes again behind what can be read
		return nil, "", fmt.Errorf("%s: %w", in.Name, err)
	}
	if bytes.HasPrefix(head, []byte("PAR1")) {
		return nil, "", fmt.Errorf("%s: is a Parquet file: import it with the format parquet", in.Name)
	}
	if err := delimited.Text(head); err != nil {
		return nil, "", fmt.Errorf("%s: %w", in.Name, err)
	}
	comments, head := skipComments(head)
	dialect, rows := delimited.Sniff(head, err == io.EOF)
	if text := b.Param("delimiter"); text != "auto" {
		comma, ok := delimited.ParseComma(text)
		if !ok {
			return nil, "", b.ParamError("delimiter", "auto, tab, or one character that is no letter or quote")
		}
		dialect.Comma = comma
		rows = delimited.Sample(head, err == io.EOF, dialect)
	}
	switch text := bytes.TrimSpace(head); {
	case len(text) == 0:
		return nil, "", fmt.Errorf("%s: %w", in.Name, errNoRow)
	case len(rows) == 0:
		hint := ""
		if text[0] == '{' || text[0] == '[' {
			hint = ", as JSON does, of which jq -r '[.ID, .START]|@csv' or the like makes one"
		}
		return nil, "", fmt.Errorf("%s: want a table with a header, and no row can be read; it begins with %.40q%s", in.Name, text, hint)
	}
	has, err := b.ParamOneOf("header", "auto", "yes", "no")
	if err != nil {
		return nil, "", err
	}
	s = &csvSource{in: in, rows: delimited.NewReader(buf, dialect), some: rows}
	for range comments {
		if _, err := s.rows.Next(); err != nil {
			return nil, "", fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	said = "a header"
	if has == "yes" || has == "auto" && isHeader(rows[0]) {
		if _, err := s.rows.Next(); err != nil {
			return nil, "", fmt.Errorf("%s: %w", in.Name, err)
		}
		s.head, s.some = unique(names(rows[0])), rows[1:]
	} else {
		said = "no header"
		s.head = unique(make([]string, len(rows[0])))
	}
	if comments > 0 {
		said += fmt.Sprintf(" after lines of comments (%d)", comments)
	}
	return s, fmt.Sprintf("%s: %s between fields, %s, %s", filepath.Base(in.Name), dialect, said, counted.Of(len(s.head), "columns")), nil
}

// skipComments returns head without the lines before a table that begin with #, and their number. A last one with as many fields as the row after it is the
// header.
func skipComments(head []byte) (n int, rest []byte) {
	rest = head
	for bytes.HasPrefix(rest, []byte("#")) {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if !found || len(bytes.TrimSpace(after)) == 0 {
			break
		}
		if next, _, _ := bytes.Cut(after, []byte("\n")); !bytes.HasPrefix(next, []byte("#")) {
			dialect, rows := delimited.Sniff(append(bytes.Clone(line), append([]byte("\n"), next...)...), true)
			if len(rows) == 2 && len(rows[0]) > 1 && len(rows[0]) == len(rows[1]) && dialect.Comma != 0 && isHeader(rows[0]) && !isHeader(rows[1]) {
				break
			}
		}
		rest = after
		n++
	}
	return n, rest
}

// names are the fields of a header, whose first may have the # of a comment before it.
func names(row []string) []string {
	row = slices.Clone(row)
	row[0] = strings.TrimLeft(row[0], "# ")
	return row
}

// isHeader tells whether a first row has names: none of its fields is a number, date or duration.
func isHeader(row []string) bool {
	for _, f := range row {
		var layout int
		_, isNumber := number(f)
		_, isDate := timestamp(f, &layout)
		_, isSpan := duration(f)
		if isNumber || isDate || isSpan {
			return false
		}
	}
	return true
}

// unique gives columns without a name one by their place, and numbers the same ones.
func unique(names []string) []string {
	out := make([]string, len(names))
	seen := map[string]int{}
	for i, n := range names {
		n = cmp.Or(string(bytes.TrimSpace([]byte(n))), "column"+strconv.Itoa(i))
		if k := seen[n]; k > 0 {
			seen[n]++
			n += "_" + strconv.Itoa(k)
		} else {
			seen[n] = 1
		}
		out[i] = n
	}
	return out
}

func (s *csvSource) columns() []string        { return s.head }
func (s *csvSource) unit(int, quantity) *unit { return nil }
func (s *csvSource) blank(int) bool           { return false }
func (s *csvSource) place() string            { return "line " + strconv.Itoa(s.rows.Line()) }
func (s *csvSource) sample() [][]string       { return s.some }
func (s *csvSource) short() few               { return s.few }
func (s *csvSource) close() error             { return s.in.Close() }

func (s *csvSource) bind(places []int) error {
	s.want = slices.Clone(places)
	slices.Sort(s.want)
	return nil
}

func (s *csvSource) next() ([][]byte, error) {
	fields, err := s.rows.Next()
	if err == nil {
		err = s.rows.Fits(fields, len(s.head))
	}
	if n := len(s.want); err == nil && n > 0 && len(fields) <= s.want[n-1] {
		s.few.add(s.in.Name, s, s.lacks(len(fields)))
	}
	return fields, err
}

// lacks says what a row with so many fields ends before.
func (s *csvSource) lacks(fields int) string {
	var names []string
	for _, at := range s.want {
		if at >= fields {
			names = append(names, s.head[at])
		}
	}
	return fmt.Sprintf("%s and no %s", counted.Of(fields, "fields"), strings.Join(names, ", "))
}
