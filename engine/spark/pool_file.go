package spark

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"replay/input"
)

// element is a node of an XML document: its children in order, and all text below it.
type element struct {
	label    string
	attr     []xml.Attr
	children []*element
	text     strings.Builder
}

// ParsePools reads fairscheduler.xml. Every element called pool, at any depth, is one pool, in
// document order; there is no nesting. What is missing or not understood in a pool gets Spark's
// default: FIFO, weight 1, minShare 0, and one warning that names the pool, element and value. So are elements
// warned of that Spark does not look at, pools of no name or of one name, and a file without a pool.
//
// Path names the file in errors (malformed XML), which give the line. The result is not nil.
//
// Source: FairSchedulableBuilder.buildFairSchedulerPool.
func ParsePools(path string, r io.Reader) (pools []Pool, warnings []string, err error) {
	root, err := parseXML(path, r)
	if err != nil {
		return nil, nil, err
	}
	pools = []Pool{}
	names := map[string]bool{}
	var walk func(*element)
	walk = func(e *element) {
		at := ""
		if e.label == "pool" {
			p := Pool{Mode: FIFO, Weight: 1}
			for _, a := range e.attr {
				if a.Name.Local == "name" && a.Name.Space == "" {
					p.Name = a.Value
				}
			}
			warn := func(element, value string, def any) {
				if value != "" {
					warnings = append(warnings, fmt.Sprintf("%s: pool %q: %s is %q, %v is used", path, p.Name, element, value, def))
				}
			}
			switch mode := trim(e.child("schedulingMode")); strings.ToUpper(mode) {
			case "FAIR":
				p.Mode = FAIR
			case "FIFO":
			default:
				warn("schedulingMode", mode, FIFO)
			}
			for _, n := range []struct {
				name  string
				value *int32
			}{{"minShare", &p.MinShare}, {"weight", &p.Weight}} {
				text := trim(e.child(n.name))
				if v, err := strconv.ParseInt(text, 10, 32); err == nil {
					*n.value = int32(v)
				} else {
					warn(n.name, text, *n.value)
				}
			}
			at = fmt.Sprintf(" of pool %q", p.Name)
			switch {
			case p.Name == "":
				warnings = append(warnings, fmt.Sprintf("%s: a pool has no name, so jobs do not find it", path))
			case names[p.Name]:
				warnings = append(warnings, fmt.Sprintf("%s: pool %q is there more than once: jobs are in the last of them", path, p.Name))
			}
			names[p.Name] = true
			pools = append(pools, p)
		}
		for _, c := range e.children {
			if known := ofPools(e.label); !slices.Contains(known, c.label) && !c.has("pool") {
				warnings = append(warnings, fmt.Sprintf("%s: <%s>%s has no effect, Spark looks at %s", path, c.label, at, strings.Join(known, ", ")))
				continue
			}
			walk(c)
		}
	}
	walk(root)
	if len(pools) == 0 {
		warnings = append(warnings, fmt.Sprintf("%s: has no <pool>, so all pools have their defaults", path))
	}
	return pools, warnings, nil
}

// ofPools are the elements that Spark looks at in one of that label.
func ofPools(label string) []string {
	if label == "pool" {
		return []string{"schedulingMode", "minShare", "weight", "pool"}
	}
	return []string{"pool"}
}

// has tells whether an element of that label is below this one.
func (e *element) has(label string) bool {
	return slices.ContainsFunc(e.children, func(c *element) bool { return c.label == label || c.has(label) })
}

// trim is String.trim, to which a no-break space is none.
func trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
}

// child is the text of all children with that label, joined.
func (e *element) child(label string) string {
	var b strings.Builder
	for _, c := range e.children {
		if c.label == label {
			b.WriteString(c.text.String())
		}
	}
	return b.String()
}

// parseXML reads one document. Entities that XML does not define are an error, so nothing expands.
func parseXML(path string, r io.Reader) (*element, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d, err := input.XML(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var root *element
	var open []*element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && root != nil && len(open) == 0 {
			return root, nil
		}
		if errors.Is(err, io.EOF) {
			err = errors.New("no root element")
		}
		if err != nil {
			line, _ := d.InputPos()
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{label: t.Name.Local, attr: t.Attr}
			switch {
			case len(open) > 0:
				parent := open[len(open)-1]
				parent.children = append(parent.children, e)
			case root == nil:
				root = e
			default:
				line, _ := d.InputPos()
				return nil, fmt.Errorf("%s:%d: second root element <%s>", path, line, e.label)
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, e := range open {
				e.text.Write(t)
			}
		}
	}
}
