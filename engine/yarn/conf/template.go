package conf

import (
	"bytes"

	"replay/engine/remark"
)

// CheckFilledIn refuses a setting whose value is still a placeholder. It is for keys that are followed: in others
// braces can stand for the environment of a container.
func CheckFilledIn(key, value string) error {
	if !remark.HasPlaceholder(value) {
		return nil
	}
	return refuse("", remark.NotFilledIn).at(0, key, value)
}

// CheckTemplate refuses an allocation file with placeholders, outside of comments unless it is no XML.
func CheckTemplate(text []byte) error {
	root, err := parseXML(text)
	if err != nil {
		if e := template(text); e != nil {
			return e
		}
		return nil // what is wrong with it is not said here
	}
	if root.tag != "allocations" {
		return nil // as above: another file, which has values of its own
	}
	if e := root.checkFilledIn(); e != nil {
		return e
	}
	return nil
}

// template returns the error of a text that is no XML because it is a template, with the line of the first
// placeholder; nil for other texts.
func template(text []byte) *Error {
	at := remark.Placeholder(text)
	if at < 0 {
		return nil
	}
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		end = at + n
	}
	return refuse("", remark.NotFilledIn).at(1+bytes.Count(text[:at], []byte("\n")), string(bytes.TrimSpace(text[start:end])), "")
}

// checkFilledIn refuses a document with placeholders between its elements, in attributes or in values.
func (n *node) checkFilledIn() *Error {
	for _, a := range n.attrs {
		if remark.HasPlaceholder(a.Value) {
			return refuse("", remark.NotFilledIn).at(n.line, a.Name.Local+" of <"+n.tag+">", a.Value)
		}
	}
	for _, c := range n.children {
		if c.tag == "" {
			if remark.HasPlaceholder(c.text) {
				return refuse("", remark.NotFilledIn).at(n.line, "<"+n.tag+">", javaTrim(c.text))
			}
			continue
		}
		if e := c.checkFilledIn(); e != nil {
			return e
		}
	}
	return nil
}
