package conf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"replay/input"
)

// node is an element or a piece of text of a document, as the DOM that YARN walks has it:
// comments are dropped and text on both sides of one is one piece, a CDATA section is a piece of
// its own, also an empty one.
type node struct {
	tag      string // "" for text
	attrs    []xml.Attr
	children []*node
	text     string
	cdata    bool
	line     int

	instruction bool // a processing instruction, which is neither text nor an element; what it says is left out
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
	if c := n.children[0]; c.tag != "" || c.instruction {
		e := &Error{Class: "ClassCastException", NoMsg: true}
		e.Text = fmt.Sprintf("element <%s> where a value is wanted", c.tag)
		if c.instruction {
			e.Text = "a processing instruction where a value is wanted"
		}
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

// declaration matches what a document begins with, if it has one.
var declaration = regexp.MustCompile(`^<\?xml\s+version\s*=\s*("1\.[01]"|'1\.[01]')(\s+encoding\s*=\s*("[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?(\s+standalone\s*=\s*("(yes|no)"|'(yes|no)'))?\s*\?>`)

// instructs reports whether a text begins with a processing instruction as XML has it, which is the declaration at the beginning of a document alone.
// A text in another encoding than UTF-8 is taken as it is.
func instructs(text []byte, target string, first bool) bool {
	rest, plain := bytes.CutPrefix(text, []byte("<?"+target))
	switch {
	case !plain:
		return true
	case strings.EqualFold(target, "xml"):
		return first && declaration.Match(text)
	}
	return bytes.HasPrefix(rest, []byte("?>")) || len(rest) > 0 && strings.IndexByte(" \t\r\n", rest[0]) >= 0
}

// forbidden is a character that is in no document, not even in a comment.
func forbidden(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}

// parseXML reads a document into its root element. Document type declarations, and with them
// entities other than the five of XML, are refused, as in Hadoop's XMLUtils.
func parseXML(text []byte) (*node, *Error) {
	d, err := input.XML(text)
	if err != nil {
		return nil, xmlRefusal(0, "%v", err)
	}
	if at := bytes.IndexFunc(text, forbidden); at >= 0 && utf8.Valid(text) {
		return nil, xmlRefusal(1+bytes.Count(text[:at], []byte("\n")), "malformed XML: a character that no document may have")
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
			var unread *input.EncodingError
			if errors.As(err, &unread) {
				return nil, xmlRefusal(line, "%v", unread).byReplay()
			}
			e := xmlRefusal(line, "malformed XML: %v", err)
			if byteError := (*input.ASCIIError)(nil); errors.As(err, &byteError) {
				e.Cause = refuse("MalformedByteSequenceException", "Byte \"%d\" is not a member of the (7-bit) ASCII character set.", byteError.Byte)
			}
			return nil, e
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
			switch tag := qualified(t.Name); {
			case len(stack) == 1:
				return nil, xmlRefusal(line, "malformed XML: </%s> closes nothing that is open", tag)
			case top.tag != tag:
				return nil, xmlRefusal(line, "malformed XML: </%s> stands where <%s> of line %d is open, want </%[2]s> first", tag, top.tag, top.line)
			}
			stack = stack[:len(stack)-1]
		case xml.CharData:
			cdata := bytes.HasPrefix(text[min(int(start), len(text)):], []byte("<![CDATA["))
			if len(stack) == 1 {
				outside := string(t)
				if start == 0 {
					outside = strings.TrimPrefix(outside, "\ufeff")
				}
				end := d.InputOffset()
				refers := end-start != int64(len(t)) && bytes.IndexByte(text[min(int(start), len(text)):min(int(end), len(text))], '&') >= 0
				if cdata || refers || strings.Trim(outside, " \t\r\n") != "" {
					return nil, xmlRefusal(line, "malformed XML: text outside of the root element")
				}
				continue
			}
			if len(t) == 0 && !cdata {
				continue
			}
			if k := len(top.children); !cdata && k > 0 && top.children[k-1].tag == "" && !top.children[k-1].cdata && !top.children[k-1].instruction {
				top.children[k-1].text += string(t)
				continue
			}
			top.children = append(top.children, &node{text: string(t), cdata: cdata, line: line})
		case xml.ProcInst:
			if before := text[:min(int(start), len(text))]; !instructs(text[len(before):], t.Target, len(bytes.TrimPrefix(before, []byte("\ufeff"))) == 0) {
				return nil, xmlRefusal(line, "malformed XML: <?%s is no processing instruction, or no declaration where the text begins", t.Target)
			}
			if len(stack) > 1 {
				top.children = append(top.children, &node{instruction: true, line: line})
			}
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
