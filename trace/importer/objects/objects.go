// Package objects reads JSON objects that follow each other in one text with nothing but space between them, as programs of Hadoop write
// them: an object by its members, and an array by its elements, so that memory holds one of these at a time.
package objects

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// mostBytes is how long one value may be that is read as a whole.
const mostBytes = 64 << 20

// What is read at once: a buffer that a read has filled is doubled, up to mostBuffer and to the longest value.
const (
	firstBuffer = 4 << 10
	mostBuffer  = 1 << 18
)

// Reader reads the objects of a text.
type Reader struct {
	in      io.Reader
	buf     []byte // what was read and not used is buf[at:end]
	at, end int
	line    int   // of buf[at], from 1
	err     error // of in
	open    bool  // an object was begun
	first   bool  // none of its members was read
	most    int   // bytes of a value
}

// NewReader returns a reader of the objects of in.
func NewReader(in io.Reader) *Reader {
	return &Reader{in: in, buf: make([]byte, firstBuffer), line: 1, most: mostBytes}
}

// Line is the number of the line at which reading stands, from 1.
func (r *Reader) Line() int { return r.line }

// SyntaxError is the error of a text that is not as JSON is. It has no file.
type SyntaxError struct {
	Line int
	Text string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

func (r *Reader) bad(format string, args ...any) error {
	return &SyntaxError{r.line, fmt.Sprintf(format, args...)}
}

// fill reads more behind what is there, from keep on, which moves to the beginning. It is io.EOF at the end of the text.
func (r *Reader) fill(keep int) error {
	if r.err != nil {
		return r.err
	}
	rest, room := r.buf[keep:r.end], len(r.buf)
	if r.end == room && (room < mostBuffer || len(rest) == room) {
		r.buf = make([]byte, 2*room)
	}
	copy(r.buf, rest)
	r.at, r.end = r.at-keep, r.end-keep
	for range 100 {
		n, err := r.in.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// peek returns the next byte that is no space. It is io.EOF at the end of the text.
func (r *Reader) peek() (byte, error) {
	for {
		for r.at < r.end {
			switch c := r.buf[r.at]; c {
			case '\n':
				r.line++
				r.at++
			case ' ', '\t', '\r':
				r.at++
			case '/':
				return 0, r.bad("want JSON, found /: for comments there is --json-comments")
			default:
				return c, nil
			}
		}
		if err := r.fill(r.at); err != nil {
			return 0, err
		}
	}
}

// pass takes n bytes as read.
func (r *Reader) pass(n int) {
	r.line += bytes.Count(r.buf[r.at:r.at+n], []byte{'\n'})
	r.at += n
}

// ended is err, as the end of the text within an object where it is that.
func (r *Reader) ended(err error) error {
	if err == io.EOF {
		return r.bad("the text ends within an object")
	}
	return err
}

// want passes over the byte c.
func (r *Reader) want(c byte, what string) error {
	got, err := r.peek()
	if err != nil {
		return r.ended(err)
	}
	if got != c {
		return r.bad("want %s, found %s", what, r.shown())
	}
	r.at++
	return nil
}

// shown is the next character for a message.
func (r *Reader) shown() string {
	for !utf8.FullRune(r.buf[r.at:r.end]) && r.fill(r.at) == nil {
	}
	c, _ := utf8.DecodeRune(r.buf[r.at:r.end])
	return fmt.Sprintf("%q", c)
}

// Next begins the next object, of which all members must have been read. At the end of the text it is io.EOF.
func (r *Reader) Next() error {
	if r.open {
		return errors.New("objects: the object before is not read to its end")
	}
	c, err := r.peek()
	if err != nil {
		return err
	}
	switch c {
	case ',':
		return r.bad("objects follow each other with a comma, want none")
	case '[':
		return r.bad("want an object, found an array: jq -c '.[]' FILE makes objects of it")
	}
	if err := r.want('{', "an object"); err != nil {
		return err
	}
	r.open, r.first = true, true
	return nil
}

// Member returns the name of the object's next member, whose value is to be read next; ok is false at the end of the object.
func (r *Reader) Member() (name string, ok bool, err error) {
	c, err := r.peek()
	if err != nil {
		return "", false, r.ended(err)
	}
	if c == '}' {
		r.at++
		r.open = false
		return "", false, nil
	}
	if !r.first {
		if err := r.want(',', "a comma or }"); err != nil {
			return "", false, err
		}
		if c, err = r.peek(); err != nil {
			return "", false, r.ended(err)
		}
	}
	r.first = false
	if c != '"' {
		return "", false, r.bad("want the name of a member, found %s", r.shown())
	}
	raw, err := r.Value()
	if err != nil {
		return "", false, err
	}
	name = string(raw[1 : len(raw)-1]) // names with escapes are none that anybody asks for
	return name, true, r.want(':', "a colon")
}

// Value returns the text of the next value, which is valid until the next call. It need not be JSON within.
func (r *Reader) Value() ([]byte, error) {
	c, err := r.peek()
	if err != nil {
		return nil, r.ended(err)
	}
	n := 0 // of the value, from r.at on
	more := func() error {
		if n > r.most {
			return r.bad("a value is longer than %d bytes", r.most)
		}
		return r.ended(r.fill(r.at))
	}
	switch c {
	case '"', '{', '[':
		depth := 0
		for {
			if r.at+n == r.end {
				if err := more(); err != nil {
					return nil, err
				}
			}
			c := r.buf[r.at+n]
			n++
			switch c {
			case '"':
				for closed := false; !closed; {
					rest := r.buf[r.at+n : r.end]
					i := bytes.IndexByte(rest, '"')
					part := rest
					if i >= 0 {
						part = rest[:i]
					}
					j := bytes.IndexByte(part, '\\')
					switch {
					case j >= 0 && j+1 < len(rest):
						n += j + 2 // with what is escaped
					case j < 0 && i >= 0:
						n += i + 1
						closed = true
					default:
						n += len(part)
						if j >= 0 {
							n = n - len(part) + j // the escaped one is not read yet
						}
						if err := more(); err != nil {
							return nil, err
						}
					}
				}
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			if depth == 0 {
				return r.take(n), nil
			}
			if depth < 0 {
				return nil, r.bad("want a value, found %q", c)
			}
		}
	case '}', ']', ',', ':':
		return nil, r.bad("want a value, found %q", c)
	}
	for {
		if r.at+n == r.end {
			if err := r.fill(r.at); err != nil {
				return nil, r.ended(err)
			}
		}
		switch r.buf[r.at+n] {
		case ' ', '\t', '\r', '\n', ',', '}', ']', '/', ':', '"', '{', '[':
			return r.take(n), nil
		}
		if n++; n > 1000 {
			return nil, r.bad("want a value, found %.20q", r.buf[r.at:r.at+n])
		}
	}
}

func (r *Reader) take(n int) []byte {
	v := r.buf[r.at : r.at+n]
	r.pass(n)
	return v
}

// Elements gives each element of the next value, which must be an array or null, to f: the line on which it begins and its text, which is valid until f returns.
func (r *Reader) Elements(f func(line int, text []byte) error) error {
	c, err := r.peek()
	if err != nil {
		return r.ended(err)
	}
	if c == 'n' {
		v, err := r.Value()
		if err == nil && string(v) != "null" {
			err = r.bad("want an array, found %.20q", v)
		}
		return err
	}
	if err := r.want('[', "an array"); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := r.peek()
		if err != nil {
			return r.ended(err)
		}
		if c == ']' {
			r.at++
			return nil
		}
		if !first {
			if err := r.want(',', "a comma or ]"); err != nil {
				return err
			}
			if _, err := r.peek(); err != nil {
				return r.ended(err)
			}
		}
		line := r.line
		v, err := r.Value()
		if err != nil {
			return err
		}
		if err := f(line, v); err != nil {
			return err
		}
	}
}

// Skip passes over the next value, however long.
func (r *Reader) Skip() error {
	c, err := r.peek()
	if err != nil {
		return r.ended(err)
	}
	if c == '[' {
		return r.Elements(func(int, []byte) error { return nil })
	}
	_, err = r.Value()
	return err
}
