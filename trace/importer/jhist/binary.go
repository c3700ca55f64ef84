package jhist

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// What an event may hold: bytes of the JSON that it is written as, values, and levels. Lists of nothing take no byte of a file.
const (
	mostJSON   = 64 << 20
	mostValues = 1_000_000
	mostLevels = 100
)

// schema is a type of Avro.
//
// Source: the specification of Avro 1.9.
type schema struct {
	kind    string // of the specification: "long", "record", ...; "union"
	name    string // of a named one with its namespace, else the kind
	fields  []field
	symbols []string
	parts   []*schema // of a union; the items of an array, the values of a map
	size    int64     // of fixed
}

type field struct {
	name string
	of   *schema
}

// names are the named types of a schema so far.
type names map[string]*schema

// parse reads a type; namespace is that around it.
func (n names) parse(text json.RawMessage, namespace string, level int) (*schema, error) {
	if level > mostLevels {
		return nil, fmt.Errorf("its schema is nested more than %d deep", mostLevels)
	}
	var ref string
	if json.Unmarshal(text, &ref) == nil {
		return n.called(ref, namespace)
	}
	var union []json.RawMessage
	if json.Unmarshal(text, &union) == nil {
		s := &schema{kind: "union", name: "union"}
		for _, part := range union {
			p, err := n.parse(part, namespace, level+1)
			if err != nil {
				return nil, err
			}
			s.parts = append(s.parts, p)
		}
		return s, nil
	}
	var is struct {
		Type            json.RawMessage
		Name, Namespace string
		Symbols         []string
		Items, Values   json.RawMessage
		Size            int64
		Fields          []struct {
			Name string
			Type json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return nil, fmt.Errorf("its schema has %.60q, want a type of Avro", text)
	}
	s := &schema{symbols: is.Symbols, size: is.Size}
	if json.Unmarshal(is.Type, &s.kind) != nil {
		return n.parse(is.Type, namespace, level+1)
	}
	s.name = s.kind
	one := func(of json.RawMessage) error {
		p, err := n.parse(of, namespace, level+1)
		s.parts = []*schema{p}
		return err
	}
	switch s.kind {
	case "array":
		return s, one(is.Items)
	case "map":
		return s, one(is.Values)
	case "record", "enum", "fixed":
	default:
		return n.called(s.kind, namespace)
	}
	if is.Namespace != "" {
		namespace = is.Namespace
	}
	if s.name = is.Name; !strings.Contains(s.name, ".") && namespace != "" {
		s.name = namespace + "." + is.Name
	} else if i := strings.LastIndexByte(s.name, '.'); i > 0 {
		namespace = s.name[:i]
	}
	n[s.name] = s
	for _, f := range is.Fields {
		of, err := n.parse(f.Type, namespace, level+1)
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, field{f.Name, of})
	}
	return s, nil
}

// called is the type of a name.
func (n names) called(name, namespace string) (*schema, error) {
	switch name {
	case "null", "boolean", "int", "long", "float", "double", "bytes", "string":
		return &schema{kind: name, name: name}, nil
	}
	if s := n[namespace+"."+name]; s != nil && !strings.Contains(name, ".") {
		return s, nil
	}
	if s := n[name]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("its schema names the type %q before it says what that is", name)
}

// events reads the events of a history in binary form, as the lines of JSON that the other form has.
type events struct {
	in     *bufio.Reader
	schema *schema
	out    []byte
	values int
	took   bool // a byte of the file
}

// newEvents reads the schema, which is the second line.
func newEvents(in *bufio.Reader) (*events, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		if text = append(text, part...); err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			return nil, fmt.Errorf("the schema in line 2: %w", noEOF(err))
		}
		if len(text) > 1<<20 {
			return nil, fmt.Errorf("the schema in line 2 is longer than %d bytes", 1<<20)
		}
	}
	s, err := names{}.parse(text, "", 0)
	if err != nil {
		return nil, err
	}
	return &events{in: in, schema: s}, nil
}

// noEOF is err, where the end of the file is within something.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// next returns the next event as JSON, valid until the next call. It is io.EOF after the last, and io.ErrUnexpectedEOF where the file ends within one.
func (e *events) next() ([]byte, error) {
	if _, err := e.in.Peek(1); err != nil {
		return nil, err
	}
	e.out, e.values, e.took = e.out[:0], 0, false
	if err := e.value(e.schema, 0); err != nil {
		return nil, noEOF(err)
	}
	if !e.took {
		return nil, errors.New("an event of no bytes, want one of some type")
	}
	return e.out, nil
}

// long reads a whole number: seven bits a byte, the lowest first, with the sign in the lowest bit.
func (e *events) long() (int64, error) {
	e.took = true
	v, err := binary.ReadVarint(e.in)
	return v, noEOF(err)
}

// text appends a text.
func (e *events) text(n int64) error {
	if n < 0 || n > mostJSON-int64(len(e.out)) {
		return fmt.Errorf("a text of %d bytes, want at most %d", n, mostJSON)
	}
	e.out = append(e.out, '"')
	for range n {
		c, err := e.in.ReadByte()
		switch {
		case err != nil:
			return noEOF(err)
		case c == '"' || c == '\\':
			e.out = append(e.out, '\\', c)
		case c < ' ':
			e.out = fmt.Appendf(e.out, `\u%04x`, c)
		default:
			e.out = append(e.out, c)
		}
	}
	e.out = append(e.out, '"')
	return nil
}

// blocks reads the items of an array or map, which stand in blocks with their number; a negative one has the block's bytes after it.
func (e *events) blocks(item func() error) error {
	for first := true; ; {
		n, err := e.long()
		if err != nil || n == 0 {
			return err
		}
		if n < 0 {
			if _, err := e.long(); err != nil {
				return err
			}
			if n = -n; n < 0 {
				return errors.New("a list of too many values")
			}
		}
		for ; n > 0; n-- {
			if !first {
				e.out = append(e.out, ',')
			}
			first = false
			if err := item(); err != nil {
				return err
			}
		}
	}
}

// value appends a value.
func (e *events) value(s *schema, level int) error {
	if e.values++; e.values > mostValues || level > mostLevels || len(e.out) > mostJSON {
		return fmt.Errorf("an event of more than %d values, %d levels or %d bytes", mostValues, mostLevels, mostJSON)
	}
	switch s.kind {
	case "null":
		e.out = append(e.out, "null"...)
	case "boolean":
		e.took = true
		c, err := e.in.ReadByte()
		e.out = strconv.AppendBool(e.out, c != 0)
		return noEOF(err)
	case "int", "long":
		v, err := e.long()
		e.out = strconv.AppendInt(e.out, v, 10)
		return err
	case "float", "double":
		return e.number(s.kind)
	case "string", "bytes":
		n, err := e.long()
		if err != nil {
			return err
		}
		return e.text(n)
	case "fixed":
		e.took = e.took || s.size > 0
		return e.text(s.size)
	case "enum":
		i, err := e.long()
		if err != nil {
			return err
		}
		if i < 0 || i >= int64(len(s.symbols)) {
			return fmt.Errorf("value %d of %s, which has %d", i, s.name, len(s.symbols))
		}
		e.out = strconv.AppendQuote(e.out, s.symbols[i])
	case "union":
		return e.union(s, level)
	case "array":
		e.out = append(e.out, '[')
		err := e.blocks(func() error { return e.value(s.parts[0], level+1) })
		e.out = append(e.out, ']')
		return err
	case "map":
		e.out = append(e.out, '{')
		err := e.blocks(func() error {
			n, err := e.long()
			if err == nil {
				err = e.text(n)
			}
			if err != nil {
				return err
			}
			e.out = append(e.out, ':')
			return e.value(s.parts[0], level+1)
		})
		e.out = append(e.out, '}')
		return err
	case "record":
		for i, f := range s.fields {
			e.out = append(e.out, "{,"[min(i, 1)])
			e.out = append(strconv.AppendQuote(e.out, f.name), ':')
			if err := e.value(f.of, level+1); err != nil {
				return err
			}
		}
		if len(s.fields) == 0 {
			e.out = append(e.out, '{')
		}
		e.out = append(e.out, '}')
	}
	return nil
}

// union appends a value of one of several types, in an object with the name of its type but for null.
func (e *events) union(s *schema, level int) error {
	i, err := e.long()
	if err != nil {
		return err
	}
	if i < 0 || i >= int64(len(s.parts)) {
		return fmt.Errorf("type %d of a union of %d", i, len(s.parts))
	}
	part := s.parts[i]
	if part.kind == "null" {
		return e.value(part, level+1)
	}
	e.out = append(strconv.AppendQuote(append(e.out, '{'), part.name), ':')
	err = e.value(part, level+1)
	e.out = append(e.out, '}')
	return err
}

// number appends a floating-point number; what JSON has not is null.
func (e *events) number(kind string) error {
	size, bits := 8, 64
	if kind == "float" {
		size, bits = 4, 32
	}
	e.took = true
	var b [8]byte
	if _, err := io.ReadFull(e.in, b[:size]); err != nil {
		return noEOF(err)
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	if size == 4 {
		v = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[:])))
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		e.out = append(e.out, "null"...)
		return nil
	}
	e.out = strconv.AppendFloat(e.out, v, 'g', -1, bits)
	return nil
}
