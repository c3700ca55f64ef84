package conf

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// node is an element or a piece of text of a document, as the DOM that YARN walks has it:
// comments and processing instructions are dropped and text on both sides of a comment is one
// piece, a CDATA section is a piece of its own, also an empty one.
type node struct {
	tag      string // "" for text
	attrs    []xml.Attr
	children []*node
	text     string
	cdata    bool
	line     int
}

// maxDepth bounds the nesting of elements, so that no input exhausts the stack.
const maxDepth = 1000

// attr returns the value of an attribute, "" when absent, as Element.getAttribute.
func (n *node) attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// elements calls yield for each child that is an element.
func (n *node) elements(yield func(*node) bool) {
	for _, c := range n.children {
		if c.tag != "" && !yield(c) {
			return
		}
	}
}

// firstText is what YARN's parsers read: the data of the first child, which must be text. An
// element without any child, or with another element first, makes them fail.
func (n *node) firstText() (string, *Error) {
	if len(n.children) == 0 {
		e := &Error{Class: "NullPointerException", NoMsg: true}
		e.Text, e.Instead = "the element is empty, want a value", "a value, or leave the element out"
		return "", e
	}
	if c := n.children[0]; c.tag != "" {
		e := &Error{Class: "ClassCastException", NoMsg: true}
		e.Text = fmt.Sprintf("element <%s> where a value is wanted", c.tag)
		return "", e
	}
	return n.children[0].text, nil
}

// xmlRefusal is an error of the XML parser; the text is ours.
func xmlRefusal(line int, format string, args ...any) *Error {
	e := refuse("SAXParseException", format, args...)
	e.NoMsg = true
	e.Line = line
	return e
}

// parseXML reads a document into its root element. Document type declarations, and with them
// entities other than the five of XML, are refused, as in Hadoop's XMLUtils.
func parseXML(text []byte) (*node, *Error) {
	text, wide := fromUTF16(text)
	if !utf8.Valid(text) && !declaresEncoding(text) {
		return nil, xmlRefusal(0, "the text is not UTF-8")
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(charset string, r io.Reader) (io.Reader, error) {
		if wide && strings.HasPrefix(strings.ToLower(charset), "utf-16") {
			return r, nil
		}
		return latin1Reader(charset, r)
	}
	root := &node{}
	stack := []*node{root}
	for {
		start := d.InputOffset()
		tok, err := d.RawToken()
		line, _ := d.InputPos()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var s *xml.SyntaxError
			if errors.As(err, &s) {
				return nil, xmlRefusal(s.Line, "malformed XML: %s", s.Msg)
			}
			var unread *encodingError
			if errors.As(err, &unread) {
				return nil, xmlRefusal(line, "%v", unread).byReplay()
			}
			return nil, xmlRefusal(line, "malformed XML: %v", err)
		}
		top := stack[len(stack)-1]
		switch t := tok.(type) {
		case xml.StartElement:
			if len(stack) == 1 && len(root.children) > 0 {
				return nil, xmlRefusal(line, "malformed XML: element <%s> after the root element", qualified(t.Name))
			}
			if len(stack) > maxDepth {
				return nil, xmlRefusal(line, "elements are nested more than %d deep", maxDepth)
			}
			n := &node{tag: qualified(t.Name), line: line}
			for _, a := range t.Attr {
				a.Name.Local = qualified(a.Name)
				if n.has(a.Name.Local) {
					return nil, xmlRefusal(line, "malformed XML: attribute %s of <%s> is given twice", a.Name.Local, n.tag)
				}
				a.Value = strings.Map(func(r rune) rune {
					if r == '\n' || r == '\t' || r == '\r' {
						return ' '
					}
					return r
				}, a.Value)
				n.attrs = append(n.attrs, a)
			}
			top.children = append(top.children, n)
			stack = append(stack, n)
		case xml.EndElement:
			if len(stack) == 1 || top.tag != qualified(t.Name) {
				return nil, xmlRefusal(line, "malformed XML: </%s> closes nothing that is open", qualified(t.Name))
			}
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) == 1 {
				if strings.Trim(string(t), " \t\r\n\ufeff") != "" {
					return nil, xmlRefusal(line, "malformed XML: text outside of the root element")
				}
				continue
			}
			cdata := bytes.HasPrefix(text[min(int(start), len(text)):], []byte("<![CDATA["))
			if len(t) == 0 && !cdata {
				continue
			}
			if k := len(top.children); !cdata && k > 0 && top.children[k-1].tag == "" && !top.children[k-1].cdata {
				top.children[k-1].text += string(t)
				continue
			}
			top.children = append(top.children, &node{text: string(t), cdata: cdata, line: line})
		case xml.Directive:
			return nil, xmlRefusal(line, "a document type declaration (and the entities it would define) is not allowed")
		}
	}
	if len(stack) > 1 {
		return nil, xmlRefusal(stack[len(stack)-1].line, "malformed XML: <%s> is not closed", stack[len(stack)-1].tag)
	}
	if len(root.children) == 0 {
		return nil, xmlRefusal(0, "malformed XML: there is no element")
	}
	return root.children[0], nil
}

func (n *node) has(attr string) bool {
	for _, a := range n.attrs {
		if a.Name.Local == attr {
			return true
		}
	}
	return false
}

func qualified(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

// fromUTF16 turns a text with the byte order mark of UTF-16 into UTF-8, as Java's parsers do; wide tells that it was one.
func fromUTF16(text []byte) (out []byte, wide bool) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return text, false
	}
	var units []uint16
	for rest := text[2:]; len(rest) >= 2; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out, true
}

// encodingError names an encoding that Java reads and this program does not.
type encodingError struct{ charset string }

func (e *encodingError) Error() string {
	return fmt.Sprintf("encoding %s is not read here, want UTF-8, UTF-16, US-ASCII or ISO-8859-1", e.charset)
}

func declaresEncoding(text []byte) bool {
	head := text[:min(len(text), 200)]
	return bytes.HasPrefix(head, []byte("<?xml")) && bytes.Contains(head, []byte("encoding"))
}

// latin1Reader supports the encodings besides UTF-8 that configuration files declare.
func latin1Reader(charset string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "us-ascii", "ascii", "iso-8859-1", "latin1":
	default:
		return nil, &encodingError{charset}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(b))
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return bytes.NewReader(out), nil
}
