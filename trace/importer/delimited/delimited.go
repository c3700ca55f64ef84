// Package delimited reads text of rows and fields with a character between them: CSV and its relatives.
package delimited

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"replay/trace/importer/lines"
)

// Dialect says how a row is split into fields. A field that begins with Quote ends with it, and may hold Comma, ends of lines, and Quote written
// twice.
type Dialect struct {
	Comma byte
	Quote byte // 0 = none
}

// CSV is the usual dialect.
var CSV = Dialect{',', '"'}

// maxFields and maxQuoted bound what one row may be: its fields, and the bytes of a row that goes over several lines.
const (
	maxFields = 100_000
	maxQuoted = 1 << 20
)

// Reader yields the rows of a text.
type Reader struct {
	in      *lines.Reader
	dialect Dialect
	fields  [][]byte
	quoted  []byte // the row, without its quotes
	line    int
	ended   bool // the last line that was read has an end
}

// NewReader returns a reader of the rows of r.
func NewReader(r io.Reader, d Dialect) *Reader { return &Reader{in: lines.NewReader(r), dialect: d} }

// Line is the number of the line in which the row begins that Next returned last, from 1.
func (r *Reader) Line() int { return r.line }

// Fits is the error of a row that Next returned, where the table has so many columns: one with more fields, unless they are empty, as a separator within a name moves all that
// follow; and a last one with fewer fields and no end of line, which was cut.
func (r *Reader) Fits(fields [][]byte, columns int) error {
	if len(fields) < columns && !r.ended {
		return &RowError{fmt.Sprintf("%d fields, as there are columns; the file ends within field %d", columns, len(fields))}
	}
	for i := columns; i < len(fields); i++ {
		if len(bytes.TrimSpace(fields[i])) > 0 {
			return &RowError{fmt.Sprintf("at most %d fields, as there are columns, and it has %d", columns, len(fields))}
		}
	}
	return nil
}

// RowError is the error of a row that is none. Reading may go on after it.
type RowError struct{ Want string }

func (e *RowError) Error() string { return e.Want }

// Next returns the fields of the next row that is not empty, valid until the next call. The error is io.EOF after the last row, a
// [RowError], or what broke the stream.
func (r *Reader) Next() ([][]byte, error) {
	for {
		line, ended, err := r.in.Next()
		if err != nil {
			return nil, err
		}
		r.ended = ended
		r.line = r.in.Line()
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if r.dialect.Quote != 0 && bytes.IndexByte(line, r.dialect.Quote) >= 0 {
			return r.split(line)
		}
		r.fields = r.fields[:0]
		for {
			i := bytes.IndexByte(line, r.dialect.Comma)
			if i < 0 {
				break
			}
			r.fields = append(r.fields, line[:i])
			line = line[i+1:]
			if len(r.fields) >= maxFields {
				return nil, &RowError{fmt.Sprintf("at most %d fields", maxFields)}
			}
		}
		r.fields = append(r.fields, line)
		return r.fields, nil
	}
}

// split splits a row that has a quote, which may go on in further lines.
func (r *Reader) split(line []byte) ([][]byte, error) {
	r.quoted = r.quoted[:0]
	var ends []int
	comma, quote := r.dialect.Comma, r.dialect.Quote
	for {
		if len(ends) >= maxFields {
			return nil, &RowError{fmt.Sprintf("at most %d fields", maxFields)}
		}
		if len(line) == 0 || line[0] != quote {
			i := bytes.IndexByte(line, comma)
			if i < 0 {
				r.quoted = append(r.quoted, line...)
				return r.cut(append(ends, len(r.quoted))), nil
			}
			r.quoted = append(r.quoted, line[:i]...)
			ends = append(ends, len(r.quoted))
			line = line[i+1:]
			continue
		}
		rest, err := r.closeQuote(line[1:], quote)
		if err != nil {
			return nil, err
		}
		ends = append(ends, len(r.quoted))
		if len(rest) == 0 {
			return r.cut(ends), nil
		}
		if rest[0] != comma {
			return nil, &RowError{fmt.Sprintf("a %q or the end of the line after the closing %q of field %d", comma, quote, len(ends))}
		}
		line = rest[1:]
	}
}

// closeQuote takes a field up to its closing quote, and returns what follows that.
func (r *Reader) closeQuote(line []byte, quote byte) (rest []byte, err error) {
	for {
		i := bytes.IndexByte(line, quote)
		switch {
		case i >= 0 && i+1 < len(line) && line[i+1] == quote:
			r.quoted = append(r.quoted, line[:i+1]...)
			line = line[i+2:]
			continue
		case i >= 0:
			r.quoted = append(r.quoted, line[:i]...)
			return line[i+1:], nil
		}
		r.quoted = append(append(r.quoted, line...), '\n')
		if len(r.quoted) > maxQuoted {
			return nil, &RowError{fmt.Sprintf("a closing %q within %d bytes, and %d lines had none", quote, maxQuoted, r.in.Line()-r.line+1)}
		}
		line, r.ended, err = r.in.Next()
		if errors.Is(err, io.EOF) {
			return nil, &RowError{fmt.Sprintf("a closing %q before the end of the file, and %d lines had none", quote, r.in.Line()-r.line+1)}
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *Reader) cut(ends []int) [][]byte {
	r.fields = r.fields[:0]
	start := 0
	for _, end := range ends {
		r.fields = append(r.fields, r.quoted[start:end])
		start = end
	}
	return r.fields
}
