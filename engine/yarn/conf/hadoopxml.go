package conf

import (
	"cmp"
	"fmt"
	"strings"

	"replay/engine/remark"
)

// Properties are the keys of Hadoop configuration files: yarn-site.xml, capacity-scheduler.xml.
// Files are added one after the other; a later value replaces an earlier one unless that is
// final.
//
// Source: org.apache.hadoop.conf.Configuration.
type Properties struct {
	raw      map[string]string
	final    map[string]bool
	places   map[string]Place
	referred map[string]bool // by other values, see Referred

	// Renamed are names that Hadoop takes for another, by the older one; nil for none.
	Renamed map[string]string

	// Include returns the file that an xi:include names and its name in messages, with [fs.ErrNotExist] if there is none. Nil
	// refuses all includes.
	Include  func(href string) (text []byte, name string, err error)
	within   []string // names of the files that are being read
	included int

	// Remarks are about elements that have no meaning and values that were not taken, with their files.
	Remarks remark.List
}

// A Place is a line of a file.
type Place struct {
	File string
	Line int // 1-based, 0 when unknown
}

// String is the place as messages have it.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s: line %d", p.File, p.Line)
}

// NewProperties returns an empty set.
func NewProperties() *Properties {
	return &Properties{raw: map[string]string{}, final: map[string]bool{}, places: map[string]Place{}, referred: map[string]bool{}}
}

// Places returns where each key stands whose value is in force.
func (p *Properties) Places() map[string]Place { return p.places }

// Referred returns the keys to which the values of others refer; it is known after [Properties.Resolve].
func (p *Properties) Referred() map[string]bool { return p.referred }

// remark adds a remark on a line of the file that is being read.
func (p *Properties) remark(k remark.Kind, line int, of, text string) {
	p.Remarks = append(p.Remarks, remark.Remark{Kind: k, File: p.file(), Line: line, Of: of, Text: text})
}

// file is the one that is being read.
func (p *Properties) file() string { return p.within[len(p.within)-1] }

// Parse adds the text of a configuration file; file is its name in messages.
func (p *Properties) Parse(file string, text []byte) error {
	p.within = append(p.within, file)
	defer func() { p.within = p.within[:len(p.within)-1] }()
	root, err := parseXML(text)
	if err != nil {
		if e := template(text); e != nil {
			err = e
		}
		return inFile(file, err)
	}
	if root.tag != "configuration" {
		return inFile(file, refuse("RuntimeException", "top-level element is <%s>, want <configuration>", root.tag).at(root.line, "<"+root.tag+">", ""))
	}
	if err := root.unbound([]string{"xml", "xmlns"}); err != nil {
		return inFile(file, err)
	}
	if root.hasPlaceholders() {
		return inFile(file, template(text))
	}
	r := &reading{p: p, seen: map[string]string{}}
	if err := r.element(root); err != nil {
		return inFile(file, err)
	}
	return nil
}

// hasPlaceholders reports whether a document has placeholders between its properties or in their names.
func (n *node) hasPlaceholders() bool {
	for _, c := range n.children {
		if c.tag == "" && remark.HasPlaceholder(c.text) || c.tag == "name" && remark.HasPlaceholder(c.allText()) ||
			(c.tag == "property" || c.tag == "configuration") && c.hasPlaceholders() {
			return true
		}
	}
	return remark.HasPlaceholder(n.attr("name"))
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
// a default) stays as it is.
func (p *Properties) Resolve() (map[string]string, error) {
	out := make(map[string]string, len(p.raw))
	for _, key := range sortedKeys(p.raw) {
		v, err := p.substitute(p.raw[key])
		if err != nil {
			return nil, inFile(p.places[key].File, err.at(p.places[key].Line, key, p.raw[key]))
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
// environment.
func (p *Properties) substitute(text string) (string, *Error) {
	eval := text
	for range maxSubstitutions {
		start, end := variable(eval)
		if start < 0 {
			return eval, nil
		}
		name := javaTrim(eval[start:end])
		name = cmp.Or(p.Renamed[name], name)
		v, ok := p.raw[name]
		if env, is := strings.CutPrefix(eval[start:end], "env."); is && env != "" {
			// ${env.NAME-default} and ${env.NAME:-default}
			if i := strings.IndexByte(env, '-'); i >= 0 {
				v, ok = env[i+1:], true
			}
		}
		if !ok {
			return eval, nil
		}
		p.referred[name] = true
		if strings.Contains(v, eval[start-2:end+1]) {
			return text, nil // refers to itself
		}
		if eval = eval[:start-2] + v + eval[end+1:]; len(eval) > maxValue {
			return "", refuse("IllegalStateException", "the value grows beyond %d bytes by its references", maxValue).byReplay()
		}
	}
	return "", refuse("IllegalStateException", "Variable substitution depth too large: %d %s", maxSubstitutions, text)
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
