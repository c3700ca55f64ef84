package conf

import (
	"fmt"
	"strings"
)

// Properties are the keys of Hadoop configuration files: yarn-site.xml, capacity-scheduler.xml.
// Files are added one after the other; a later value replaces an earlier one unless that is
// final.
//
// Source: org.apache.hadoop.conf.Configuration.
type Properties struct {
	raw   map[string]string
	final map[string]bool

	// Warnings names every element that has no meaning, and every value that was not taken.
	Warnings []string
}

// NewProperties returns an empty set.
func NewProperties() *Properties {
	return &Properties{raw: map[string]string{}, final: map[string]bool{}}
}

// Parse adds the text of a configuration file; file is its name in messages.
func (p *Properties) Parse(file string, text []byte) error {
	root, err := parseXML(text)
	if err != nil {
		return inFile(file, err)
	}
	if root.tag != "configuration" {
		return inFile(file, refuse("RuntimeException", "top-level element is <%s>, want <configuration>", root.tag).at(root.line, "<"+root.tag+">", ""))
	}
	if err := p.configuration(file, root); err != nil {
		return inFile(file, err)
	}
	return nil
}

func (p *Properties) warn(file string, n *node, format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf("%s: line %d: ", file, n.line)+fmt.Sprintf(format, args...))
}

func (p *Properties) configuration(file string, n *node) *Error {
	seen := map[string]bool{}
	for c := range n.elements {
		switch tag := c.tag[strings.Index(c.tag, ":")+1:]; tag {
		case "configuration":
			if err := p.configuration(file, c); err != nil {
				return err
			}
		case "property":
			key, err := p.property(file, c)
			if err != nil {
				return err
			}
			if seen[key] {
				p.warn(file, c, "%s is set more than once, the last value counts", key)
			}
			seen[key] = true
		case "include":
			return refuse("RuntimeException", "another file is included, want all properties in one file").at(c.line, "<"+c.tag+">", c.attr("href"))
		default:
			p.warn(file, c, "unknown element <%s> is ignored", c.tag)
		}
	}
	return nil
}

// property reads one property and returns its name.
func (p *Properties) property(file string, n *node) (string, *Error) {
	name, value, final := n.attr("name"), n.attr("value"), n.attr("final")
	for c := range n.elements {
		text := c.allText()
		switch c.tag {
		case "name":
			if text != "" {
				name = javaTrim(text)
			}
		case "value":
			if text != "" {
				value = text
			}
		case "final":
			final = text
		case "description", "source", "tag":
		default:
			p.warn(file, c, "unknown element <%s> of property %s is ignored", c.tag, name)
		}
	}
	switch {
	case name == "":
		return "", refuse("RuntimeException", "a property without a name").at(n.line, "<property>", "")
	case value == "":
		p.warn(file, n, "%s has no value and is ignored", name)
	case p.final[name]:
		if p.raw[name] != value {
			p.warn(file, n, "%s is final in a file before, the value %q is ignored", name, value)
		}
		return name, nil
	default:
		p.raw[name] = value
	}
	if final == "true" {
		p.final[name] = true
	}
	return name, nil
}

// allText returns the text of an element and of those inside it.
func (n *node) allText() string {
	if n.tag == "" {
		return n.text
	}
	if len(n.children) == 1 {
		return n.children[0].allText()
	}
	var b strings.Builder
	for _, c := range n.children {
		b.WriteString(c.allText())
	}
	return b.String()
}

// Resolve returns all values with their references ${key} replaced by the values of those keys.
// A reference to what no file defines (a Java system property, an environment variable without
// a default) stays as it is and is added to Warnings.
func (p *Properties) Resolve() (map[string]string, error) {
	out := make(map[string]string, len(p.raw))
	for _, key := range sortedKeys(p.raw) {
		v, open, err := p.substitute(p.raw[key])
		if err != nil {
			return nil, err.at(0, key, p.raw[key])
		}
		if open != "" {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s: ${%s} is not defined and stays as it is", key, open))
		}
		out[key] = v
	}
	return out, nil
}

// maxSubstitutions is Configuration.MAX_SUBST; maxValue bounds what references can blow up to.
const (
	maxSubstitutions = 20
	maxValue         = 1 << 20
)

// substitute is Configuration.substituteVars without Java's system properties and an empty
// environment. open is the first reference that is left.
func (p *Properties) substitute(text string) (value, open string, _ *Error) {
	eval := text
	for range maxSubstitutions {
		start, end := variable(eval)
		if start < 0 {
			return eval, "", nil
		}
		name := eval[start:end]
		v, ok := p.raw[name]
		if env, is := strings.CutPrefix(name, "env."); is && env != "" {
			// ${env.NAME-default} and ${env.NAME:-default}
			if i := strings.IndexByte(env, '-'); i >= 0 {
				v, ok = env[i+1:], true
			}
		}
		if !ok {
			return eval, name, nil
		}
		if strings.Contains(v, eval[start-2:end+1]) {
			return text, name, nil // refers to itself
		}
		if eval = eval[:start-2] + v + eval[end+1:]; len(eval) > maxValue {
			return "", "", refuse("IllegalStateException", "the value grows beyond %d bytes by its references", maxValue)
		}
	}
	return "", "", refuse("IllegalStateException", "Variable substitution depth too large: %d %s", maxSubstitutions, text)
}

// variable finds the first reference ${name} whose name has no space, $ or }; start is -1 when
// there is none.
func variable(s string) (start, end int) {
	for from := 1; ; {
		if from > len(s) {
			return -1, -1
		}
		brace := strings.IndexByte(s[from:], '{')
		if brace < 0 {
			return -1, -1
		}
		brace += from
		if brace+2 >= len(s) {
			return -1, -1
		}
		if s[brace-1] != '$' {
			from = brace + 1
			continue
		}
		i := brace + 1
		for i < len(s) && s[i] != '}' && s[i] != ' ' && s[i] != '$' {
			i++
		}
		switch {
		case i == len(s):
			return -1, -1
		case s[i] == '}' && i > brace+1:
			return brace + 1, i
		}
		from = i + 1
	}
}
