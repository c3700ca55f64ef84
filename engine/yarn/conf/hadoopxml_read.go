package conf

import (
	"cmp"
	"slices"
	"strings"

	"replay/engine/remark"
)

// reading is what is known at a place of a configuration file. Elements count by their names, wherever they stand: a property inside of
// an unknown element is one like others.
//
// Source: Configuration.Parser.
type reading struct {
	p    *Properties
	seen map[string]string // values of the keys that the file has had

	name, value *string // of the present property, nil for none
	final       bool
	within      bool // a property
	token       strings.Builder
	taking      bool // an element whose text may count has begun

	absent   string // the file of the present include, if it is not there
	fallback bool   // a fallback has begun
	quiet    int    // elements around this place inside of which nothing is said
}

// element reads one element with all that is in it.
func (r *reading) element(n *node) error {
	tag := n.tag[strings.Index(n.tag, ":")+1:]
	silent := false
	switch tag {
	case "property":
		r.begin(n)
	case "name", "value", "final", "source", "tag":
		r.taking = true
		r.token.Reset()
	case "include":
		if err := r.include(n); err != nil {
			return err
		}
	case "fallback":
		r.fallback = true
		if r.absent != "" {
			r.p.remark(remark.NoEffect, n.line, "<"+n.tag+">", "there is no "+r.absent+", the fallback counts")
		}
	case "configuration":
	case "description":
		silent = true
	default:
		silent = true
		r.unknown(n)
	}
	if silent {
		r.quiet++
	}
	for _, c := range n.children {
		if c.tag == "" {
			if r.taking {
				r.token.WriteString(c.text)
			}
		} else if err := r.element(c); err != nil {
			return err
		}
	}
	if silent {
		r.quiet--
	}
	switch text := r.token.String(); tag {
	case "name":
		if text != "" {
			text = javaTrim(text)
			r.name = &text
		}
	case "value":
		if text != "" {
			r.value = &text
		}
	case "final":
		r.final = text == "true"
	case "include":
		if r.absent != "" && !r.fallback {
			e := refuse("IOException", "Fetch fail on include for '%s' with no fallback while loading '%s'", r.absent, r.p.within[0])
			return e.instead("the file beside it, or an xi:fallback inside the element").at(n.line, "<"+n.tag+">", r.absent)
		}
		r.absent, r.fallback = "", false
	case "property":
		r.end(n.line)
	}
	return nil
}

// unknown remarks on an element that has no meaning.
func (r *reading) unknown(n *node) {
	of := "<" + n.tag + ">"
	if r.within {
		name := ""
		if r.name != nil {
			name = *r.name
		}
		of += " of property " + name
	}
	if r.quiet == 0 {
		r.p.remark(remark.Unknown, n.line, of, "")
	}
}

// begin begins a property, which may have all it says in attributes.
func (r *reading) begin(n *node) {
	r.name, r.value, r.final, r.within = nil, nil, false, true
	for i := range n.attrs {
		switch a := &n.attrs[i]; a.Name.Local {
		case "name":
			r.name = &a.Value
		case "value":
			r.value = &a.Value
		case "final":
			r.final = a.Value == "true"
		}
	}
}

// end takes the present property in, unless it stands in a fallback that does not count.
//
// Source: Configuration.Parser.handleEndProperty, Configuration.loadProperty.
func (r *reading) end(line int) {
	p := r.p
	r.within = false
	if r.fallback && r.absent == "" {
		return
	}
	if r.name == nil || *r.name == "" {
		p.remark(remark.NoEffect, line, "<property>", "without a name it sets nothing")
		return
	}
	name := cmp.Or(p.Renamed[*r.name], *r.name)
	switch {
	case r.value == nil:
		p.remark(remark.NoEffect, line, name, "without a value it is not set")
	case p.final[name]:
		if p.raw[name] != *r.value {
			p.remark(remark.Odd, line, name, "final in a file before, the value is ignored")
		}
		return
	default:
		p.raw[name], p.places[name] = *r.value, Place{p.file(), line}
	}
	p.final[name] = p.final[name] || r.final
	value := p.raw[name]
	if before, ok := r.seen[name]; ok && before != value {
		p.remark(remark.Odd, line, name, "set more than once, the last value counts")
	}
	r.seen[name] = value
}

// unbound returns the error of the first name in an element whose prefix no xmlns declares; bound are those that are declared around it.
func (n *node) unbound(bound []string) *Error {
	bound = slices.Clip(bound)
	for _, a := range n.attrs {
		if prefix, ok := strings.CutPrefix(a.Name.Local, "xmlns:"); ok {
			bound = append(bound, prefix)
		}
	}
	names := []string{n.tag}
	for _, a := range n.attrs {
		names = append(names, a.Name.Local)
	}
	for _, name := range names {
		if prefix, _, ok := strings.Cut(name, ":"); ok && !slices.Contains(bound, prefix) {
			return xmlRefusal(n.line, "nothing says what %s: of <%s> means, want an xmlns:%s", prefix, n.tag, prefix)
		}
	}
	for c := range n.elements {
		if err := c.unbound(bound); err != nil {
			return err
		}
	}
	return nil
}
