// Package jsontext parses one JSON text after another in one pass each, checks it as strictly as encoding/json does, and takes no memory for its values: they are places in the text.
// It is for text of which most is passed over; github.com/valyala/fastjson, which the importers of smaller texts use, wants a pass to check and another to parse.
package jsontext

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// What a text may hold. A value takes 16 bytes beside it, a level takes stack.
const (
	maxValues = 1_000_000
	maxDepth  = 300
)

// Kind is what a value is.
type Kind uint8

// The kinds of JSON.
const (
	Null Kind = iota
	True
	False
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "true", "false", "number", "string", "array", "object"}[k]
}

type node struct {
	begin, end uint32 // its text; that of a string without quotes
	next       uint32 // the node after it and what is in it
	kind       Kind
	escaped    bool // a string with escapes
}

// Parser parses texts. It is not safe for concurrent use.
type Parser struct {
	// Unread tells of a key that nothing in the list or object which follows it without blanks is wanted: that is read as an empty one, and it is looked at no further than where it ends.
	Unread func(key []byte) bool

	text   []byte
	nodes  []node
	commas int
	high   uint64 // all bytes of strings that were looked at, over each other
	err    error
}

// Value is a value of the text that was parsed last, good until the next is.
type Value struct {
	p *Parser
	i uint32
}

// Parse returns the value that text is. It keeps text.
func (p *Parser) Parse(text []byte) (Value, error) {
	p.text, p.nodes, p.commas, p.high, p.err = text, p.nodes[:0], 0, 0, nil
	i := p.value(p.blanks(0), 0)
	if p.err == nil {
		if i = p.blanks(i); i < len(text) {
			p.fail(i, "the end")
		}
	}
	return Value{p, 0}, p.err
}

// UTF8 tells whether the strings of the text that was parsed last are UTF-8.
func (p *Parser) UTF8() bool {
	if p.high&highBits == 0 {
		return true
	}
	for _, n := range p.nodes {
		if n.kind == String && !utf8.Valid(p.text[n.begin:n.end]) {
			return false
		}
	}
	return true
}

// fail keeps the first error.
func (p *Parser) fail(i int, want string) int {
	if p.err == nil {
		if i >= len(p.text) {
			p.err = fmt.Errorf("ends at byte %d, want %s", i, want)
		} else {
			p.err = fmt.Errorf("%q at byte %d, want %s", p.text[i:min(i+10, len(p.text))], i, want)
		}
	}
	return len(p.text)
}

// at returns a byte, 0 after the last: no text of JSON has one.
func (p *Parser) at(i int) byte {
	if i < len(p.text) {
		return p.text[i]
	}
	return 0
}

func (p *Parser) blanks(i int) int {
	for i < len(p.text) && p.text[i] <= ' ' {
		if c := p.text[i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			break
		}
		i++
	}
	return i
}

func (p *Parser) add(kind Kind, begin, end int) {
	p.nodes = append(p.nodes, node{begin: uint32(begin), end: uint32(end), next: uint32(len(p.nodes) + 1), kind: kind})
}

// value reads the value that begins at i, and returns where it ends.
func (p *Parser) value(i, depth int) int {
	switch c := p.at(i); c {
	case '"':
		return p.str(i)
	case '{', '[':
		if depth == maxDepth {
			if p.err == nil {
				p.err = fmt.Errorf("has more than %d objects and arrays within each other at byte %d", maxDepth, i)
			}
			return len(p.text)
		}
		n := len(p.nodes)
		if c == '{' {
			p.add(Object, i, i)
			i = p.members(i+1, depth+1)
		} else {
			p.add(Array, i, i)
			i = p.elements(i+1, depth+1)
		}
		p.nodes[n].end, p.nodes[n].next = uint32(i), uint32(len(p.nodes))
		return i
	case 't':
		return p.word(i, "true", True)
	case 'f':
		return p.word(i, "false", False)
	case 'n':
		return p.word(i, "null", Null)
	default:
		return p.number(i)
	}
}

func (p *Parser) members(i, depth int) int {
	if i = p.blanks(i); p.at(i) == '}' {
		return i + 1
	}
	for {
		if p.at(i) != '"' {
			return p.fail(i, "a key in quotes")
		}
		key := len(p.nodes)
		i = p.str(i)
		if p.at(i) != ':' {
			if i = p.blanks(i); p.at(i) != ':' {
				return p.fail(i, "a colon")
			}
		}
		i++
		switch c := p.at(i); {
		case (c == '[' || c == '{') && p.Unread != nil && p.Unread(p.text[p.nodes[key].begin:p.nodes[key].end]):
			n := inside(p.text[i+1:], c)
			if n < 0 {
				return p.fail(len(p.text), "the end of "+string(p.text[p.nodes[key].begin:p.nodes[key].end]))
			}
			kind := Object
			if c == '[' {
				kind = Array
			}
			p.add(kind, i, i+n+2)
			i += n + 2
		case c <= ' ':
			i = p.value(p.blanks(i), depth)
		default:
			i = p.value(i, depth)
		}
		if p.at(i) <= ' ' {
			i = p.blanks(i)
		}
		switch p.at(i) {
		case ',':
			if i = p.blanks(i + 1); !p.count() {
				return len(p.text)
			}
		case '}':
			return i + 1
		default:
			return p.fail(i, "a comma or }")
		}
	}
}

func (p *Parser) elements(i, depth int) int {
	if i = p.blanks(i); p.at(i) == ']' {
		return i + 1
	}
	for {
		if i = p.blanks(p.value(i, depth)); p.at(i) == ']' {
			return i + 1
		}
		if p.at(i) != ',' {
			return p.fail(i, "a comma or ]")
		}
		if i = p.blanks(i + 1); !p.count() {
			return len(p.text)
		}
	}
}

// count counts a comma, and tells whether there may be as many.
func (p *Parser) count() bool {
	if p.commas++; p.commas > maxValues && p.err == nil {
		p.err = fmt.Errorf("%d commas, want at most %d in one line", bytes.Count(p.text, []byte{','}), maxValues)
	}
	return p.err == nil
}

func (p *Parser) word(i int, word string, kind Kind) int {
	if end := i + len(word); end <= len(p.text) && string(p.text[i:end]) == word {
		p.add(kind, i, end)
		return end
	}
	return p.fail(i, word)
}

func (p *Parser) number(begin int) int {
	i := begin
	digits := func() bool {
		from := i
		for i < len(p.text) && p.text[i]-'0' <= 9 {
			i++
		}
		return i > from
	}
	if p.at(i) == '-' {
		i++
	}
	if p.at(i) == '0' {
		i++
	} else if !digits() {
		return p.fail(begin, "a value")
	}
	if p.at(i) == '.' {
		if i++; !digits() {
			return p.fail(begin, "a number")
		}
	}
	if c := p.at(i); c == 'e' || c == 'E' {
		if i++; p.at(i) == '-' || p.at(i) == '+' {
			i++
		}
		if !digits() {
			return p.fail(begin, "a number")
		}
	}
	p.add(Number, begin, i)
	return i
}

// Eight bytes at a time: the lowest of them that is what is looked for has its high bit set, and none below it has.
const (
	each      = 0x0101010101010101
	highBits  = 0x80 * each
	quotes    = '"' * each
	slashes   = '\\' * each
	blankBits = ' ' * each
)

// str reads the string that begins at i.
func (p *Parser) str(i int) int {
	begin, escaped, high, text := i+1, false, uint64(0), p.text
	for i = begin; ; {
		for i+8 <= len(text) {
			w := binary.LittleEndian.Uint64(text[i:])
			q, s := w^quotes, w^slashes
			found := ((q-each)&^q | (s-each)&^s | (w-blankBits)&^w) & highBits
			if found == 0 {
				high |= w
				i += 8
				continue
			}
			n := bits.TrailingZeros64(found) &^ 7
			high |= w & (1<<n - 1)
			i += n / 8
			break
		}
		switch c := p.at(i); {
		case c == '"':
			p.high |= high
			p.add(String, begin, i)
			p.nodes[len(p.nodes)-1].escaped = escaped
			return i + 1
		case c == '\\':
			n := escape(text[i:])
			if n == 0 {
				return p.fail(i, "an escape of JSON")
			}
			escaped = true
			i += n
		case c < ' ':
			return p.fail(i, "the end of a text without control characters")
		default: // one of the last bytes
			high |= uint64(c)
			i++
		}
	}
}

// escape returns how long the escape is with which text begins, 0 if that is none.
func escape(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), text[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(text) < 6 {
		return 0
	}
	for _, c := range text[2:6] {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return 0
		}
	}
	return 6
}

// inside returns how many bytes of text stand before the bracket that closes open, which was opened before it; -1 if none does.
func inside(text []byte, open byte) int {
	// Most lists hold no list and no escape, and most objects no object: then the first bracket that closes is the one, if it is in no string.
	if n := bytes.IndexByte(text, open+2); n >= 0 && bytes.IndexByte(text[:n], open) < 0 && bytes.IndexByte(text[:n], '\\') < 0 && bytes.Count(text[:n], []byte{'"'})%2 == 0 {
		return n
	}
	depth := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (v Value) node() *node { return &v.p.nodes[v.i] }

// Kind is what the value is.
func (v Value) Kind() Kind { return v.node().kind }

// Written is the value as it is written, in quotes if it is a string.
func (v Value) Written() string {
	n := v.node()
	if n.kind == String {
		return string(v.p.text[n.begin-1 : n.end+1])
	}
	return string(v.p.text[n.begin:n.end])
}

// Bytes is what a string says, and nil of what is none. It may be part of the text.
func (v Value) Bytes() []byte {
	n := v.node()
	switch {
	case n.kind != String:
		return nil
	case !n.escaped:
		return v.p.text[n.begin:n.end]
	}
	var s string
	_ = json.Unmarshal(v.p.text[n.begin-1:n.end+1], &s) // the parser has checked it
	return []byte(s)
}

// Int returns a whole number of 64 bits that is written as one.
func (v Value) Int() (int64, bool) {
	at := v.node()
	if at.kind != Number {
		return 0, false
	}
	text := v.p.text[at.begin:at.end]
	if len(text) < 19 {
		n, digits := int64(0), text
		if text[0] == '-' {
			digits = text[1:]
		}
		for _, c := range digits {
			if c -= '0'; c > 9 {
				return 0, false
			}
			n = n*10 + int64(c)
		}
		if text[0] == '-' {
			n = -n
		}
		return n, true
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil
}

// Float returns a number.
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Written(), 64)
	return f, err == nil
}

// Members calls f for the members of an object in their order, a key that is there twice with both of its values. Of another value there are none.
func (v Value) Members(f func(key []byte, v Value)) {
	n := v.node()
	if n.kind != Object {
		return
	}
	for i := v.i + 1; i < n.next; {
		key, value := Value{v.p, i}, Value{v.p, i + 1}
		i = value.node().next
		f(key.Bytes(), value)
	}
}

// Elements are those of an array. Another value has none.
func (v Value) Elements(yield func(Value) bool) {
	n := v.node()
	if n.kind != Array {
		return
	}
	for i := v.i + 1; i < n.next; i = v.p.nodes[i].next {
		if !yield(Value{v.p, i}) {
			return
		}
	}
}
