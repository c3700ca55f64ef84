package delimited

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// Row is a row with the names of its fields. The first field that is not what was wanted is its error; numbers are read
// after it as 0.
type Row struct {
	File    string
	Line    int
	Columns []string
	Fields  [][]byte
	err     *BadValue
}

// BadValue is a field that is not what was wanted.
type BadValue struct {
	File        string
	Line        int
	Column      string
	Value, Want string
}

func (e *BadValue) Error() string {
	return fmt.Sprintf("%s: line %d: %s is %s, want %s", e.File, e.Line, e.Column, e.Value, e.Want)
}

// Begin says that the row is that of a line; its errors are its own.
func (r *Row) Begin(line int) { r.Line, r.err = line, nil }

// Err is the first field that was not what was wanted, or nil.
func (r *Row) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Bad says of field i that it is not what was wanted.
func (r *Row) Bad(i int, want string) error {
	if r.err == nil {
		r.err = &BadValue{r.File, r.Line, r.Columns[i], shown(r.field(i)), want}
	}
	return r.err
}

// shown is a value for messages.
func shown(v []byte) string {
	const most = 60
	if len(v) > most {
		return fmt.Sprintf("%q…", v[:most])
	}
	return fmt.Sprintf("%q", v)
}

// field is field i without blanks around it; of a word that tools write for none, such as Hive's \N and pandas' NaN, nothing is left.
func (r *Row) field(i int) []byte {
	if i < 0 || i >= len(r.Fields) {
		return nil
	}
	f := r.Fields[i]
	for len(f) > 0 && (f[0] == ' ' || f[0] == '\t') {
		f = f[1:]
	}
	for len(f) > 0 && (f[len(f)-1] == ' ' || f[len(f)-1] == '\t' || f[len(f)-1] == '\r') {
		f = f[:len(f)-1]
	}
	if len(f) > 1 && len(f) < 5 {
		switch string(f) {
		case `\N`, "NaN", "nan", "null", "NULL", "None", "<NA>":
			return nil
		}
	}
	return f
}

// Empty tells whether field i is empty or not there.
func (r *Row) Empty(i int) bool { return len(r.field(i)) == 0 }

// Bytes returns field i without blanks around it, as long as the row is valid. A field that is not there is empty.
func (r *Row) Bytes(i int) []byte { return r.field(i) }

// Text returns field i, which may be no UTF-8: what makes names of such texts keeps different ones different.
func (r *Row) Text(i int) string { return string(r.field(i)) }

// Number returns field i as the text of an id that is a number: 12.0, as tables are written that had empty fields, is 12.
func (r *Row) Number(i int) string {
	f := r.field(i)
	if digits, ok := bytes.CutSuffix(f, []byte(".0")); ok {
		if _, ok := parseInt(digits); ok {
			f = digits
		}
	}
	return string(f)
}

// Name returns field i, which must not be empty.
func (r *Row) Name(i int) string {
	if r.Empty(i) {
		r.Bad(i, "a name")
	}
	return r.Text(i)
}

// Int returns field i as a whole number from least to most.
func (r *Row) Int(i int, least, most int64) int64 {
	f := r.field(i)
	v, ok := parseInt(f)
	if !ok { // such as 12.0, as tables are written that had empty fields
		x, err := strconv.ParseFloat(string(f), 64)
		if ok = err == nil && x == math.Trunc(x) && math.Abs(x) < 1<<53; ok {
			v = int64(x)
		}
	}
	if !ok || v < least || v > most {
		r.Bad(i, "a whole number from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
		return 0
	}
	return v
}

// IntOr is Int, or absent if the field is empty.
func (r *Row) IntOr(i int, absent, least, most int64) int64 {
	if r.Empty(i) {
		return absent
	}
	return r.Int(i, least, most)
}

// Float returns field i as a finite number from least to most.
func (r *Row) Float(i int, least, most float64) float64 {
	v, err := strconv.ParseFloat(string(r.field(i)), 64)
	if err != nil || !(v >= least && v <= most) {
		r.Bad(i, fmt.Sprintf("a number from %v to %v", least, most))
		return 0
	}
	return v
}

// FloatOr is Float, or absent if the field is empty.
func (r *Row) FloatOr(i int, absent, least, most float64) float64 {
	if r.Empty(i) {
		return absent
	}
	return r.Float(i, least, most)
}

// parseInt reads a whole number of digits with a sign.
func parseInt(b []byte) (v int64, ok bool) {
	neg := len(b) > 0 && b[0] == '-'
	if neg || len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := int64(c - '0')
		if v > (math.MaxInt64-d)/10 {
			return 0, false
		}
		v = v*10 + d
	}
	if neg {
		v = -v
	}
	return v, true
}
