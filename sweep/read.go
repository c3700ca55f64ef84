package sweep

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"replay/input"
	"replay/input/yamltext"
)

// keys of a plan.
var keys = []string{"traces", "flags", "variants", "seeds", "loads", "grid", "zip", "exclude"}

// keyed are the flags whose values have keys of their own.
var keyed = []string{"conf", "model"}

// Name is what variants are called, and Names says it.
var Name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$`)

const Names = "1 to 40 letters from a to z, digits and . _ + -, with a letter or digit first"

// Read reads the text of a plan. Errors say file, line, key, value and what was wanted. others are keys with one value or a list that the caller
// knows: they come back as [Plan.Others].
func Read(file string, text []byte, others ...string) (*Plan, error) {
	p := &Plan{File: file, Others: map[string][]Text{}}
	body, err := yamltext.Parse(input.Unmarked(text), "traces and what to vary")
	var at *yamltext.Error
	switch {
	case errors.As(err, &at) && at.Near != "":
		return nil, &Error{file, at.Line, at.Near, at.Err}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := p.read(body, others); err != nil {
		return nil, err
	}
	switch {
	case p.Traces == nil:
		return nil, fmt.Errorf("%s: traces is missing, want a list of trace folders", file)
	case p.Variants == nil:
		p.Variants = []Variant{{}}
	}
	if p.Seeds == nil {
		p.Seeds = []uint64{1}
	}
	seen := map[string]bool{}
	for i := range p.Axes {
		for _, s := range p.Axes[i].Settings {
			if seen[s.String()] {
				return nil, p.Errorf(p.Axes[i].Rows[0][0].Line, s.String(), "stands in two places, want one")
			}
			seen[s.String()] = true
		}
	}
	return p, nil
}

func (p *Plan) read(body ast.Node, others []string) error {
	fields, err := p.fields("plan", body)
	if err != nil {
		return err
	}
	for _, f := range fields {
		switch f.key {
		case "traces":
			if p.Traces, err = p.texts(f.key, f.value); err == nil && slices.ContainsFunc(p.Traces, func(t Text) bool { return t.Value == "" }) {
				err = p.Errorf(f.line, f.key, "has one without a name, want trace folders")
			}
		case "flags":
			p.Flags, err = p.text(f.key, f.value)
		case "variants":
			err = p.readVariants(f)
		case "seeds":
			err = p.readSeeds(f)
		case "loads":
			var rows []Text
			if rows, err = p.values(f.key, f.value); err == nil {
				p.Axes = append(p.Axes, single(Setting{Flag: "load"}, rows))
			}
		case "grid":
			err = p.readGrid(f)
		case "zip":
			err = p.readZip(f)
		case "exclude":
			err = p.readExclude(f)
		default:
			if !slices.Contains(others, f.key) {
				return p.Errorf(f.line, f.key, "is no key of a plan, want one of %s", strings.Join(slices.Concat(keys, others), ", "))
			}
			p.Others[f.key], err = p.values(f.key, f.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// field is a key of a mapping with its value.
type field struct {
	key   string
	line  int
	value ast.Node
}

// line is where a node stands.
func line(n ast.Node) int { return n.GetToken().Position.Line }

// fields returns the keys of a mapping in their order. The parser refuses one that stands twice.
func (p *Plan) fields(key string, n ast.Node) (out []field, err error) {
	m, ok := n.(ast.MapNode)
	if !ok {
		return nil, p.Errorf(line(n), key, "is %q, want keys with values", said(n))
	}
	for it := m.MapRange(); it.Next(); {
		k, v := it.Key(), it.Value()
		name, ok := k.(ast.ScalarNode)
		if _, merge := k.(*ast.MergeKeyNode); !ok || merge {
			return nil, p.Errorf(line(k), key, "%q is no plain key", said(k))
		}
		out = append(out, field{name.GetToken().Value, line(k), v})
	}
	return out, nil
}

// said is a node in a message.
func said(n ast.Node) string {
	text, _, cut := strings.Cut(strings.TrimSpace(n.String()), "\n")
	if cut {
		text += " …"
	}
	return text
}

// text returns a single value.
func (p *Plan) text(key string, n ast.Node) (Text, error) {
	t := Text{Line: line(n)}
	switch x := n.(type) {
	case *ast.NullNode:
		t.Unset = true
	case *ast.LiteralNode:
		t.Value = x.Value.Value
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		t.Value = n.GetToken().Value // as it is written: 1.0 stays 1.0
	default:
		return t, p.Errorf(t.Line, key, "is %q, want a single value", said(n))
	}
	return t, nil
}

// texts returns one value or a list of them.
func (p *Plan) texts(key string, n ast.Node) (out []Text, err error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		t, err := p.text(key, n)
		if err == nil && n.GetToken().Type == token.ImplicitNullType {
			err = p.Errorf(t.Line, key, "has no value, want one or a list")
		}
		return []Text{t}, err
	}
	for i, x := range list.Values {
		t, err := p.text(fmt.Sprintf("%s[%d]", key, i+1), x)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	if out == nil {
		return nil, p.Errorf(line(n), key, "is an empty list, want one value or more")
	}
	return out, nil
}

// ofNumbers are the keys whose values can be nothing but numbers: a range in quotes, as programs write texts, is one there.
var ofNumbers = []string{"seeds", "loads", "held_seeds"}

// values is texts with the ranges among them written out. What stands in quotes is no range, but of ofNumbers.
func (p *Plan) values(key string, n ast.Node) (out []Text, err error) {
	list := []ast.Node{n}
	if s, ok := n.(*ast.SequenceNode); ok {
		list = s.Values
	}
	texts, err := p.texts(key, n)
	if err != nil {
		return nil, err
	}
	for i, t := range texts {
		from, rest, ok := strings.Cut(t.Value, "..")
		kind := list[i].GetToken().Type
		if quoted := kind == token.SingleQuoteType || kind == token.DoubleQuoteType; !ok || quoted && !slices.Contains(ofNumbers, key) {
			out = append(out, t)
			continue
		}
		to, step, _ := strings.Cut(rest, " step ")
		if from[max(0, len(from)-1):] == "." || !number.MatchString(strings.TrimSpace(from)) {
			out = append(out, t) // a path such as ../conf
			continue
		}
		labels, err := Steps(strings.TrimSpace(from), strings.TrimSpace(to), strings.TrimSpace(step))
		if err != nil {
			return nil, p.Errorf(t.Line, key, "is %q: %w; a range is FROM..TO or FROM..TO step STEP", t.Value, err)
		}
		for _, label := range labels {
			out = append(out, Text{Value: label, Line: t.Line})
		}
	}
	seen := make(map[Text]bool, len(out))
	for _, t := range out {
		same := Text{Value: t.Value, Unset: t.Unset}
		if seen[same] {
			return nil, p.Errorf(t.Line, key, "has %q twice", t.Value)
		}
		seen[same] = true
	}
	return out, nil
}

var number = regexp.MustCompile(`^[0-9]*\.?[0-9]+[a-zA-Z%]*$`)

func single(s Setting, values []Text) Axis {
	a := Axis{Settings: []Setting{s}}
	for _, v := range values {
		a.Rows = append(a.Rows, []Text{v})
	}
	return a
}

func (p *Plan) readVariants(f field) error {
	fields, err := p.fields(f.key, f.value)
	if err != nil {
		return err
	}
	for _, v := range fields {
		key := f.key + "." + v.key
		if !Name.MatchString(v.key) {
			return p.Errorf(v.line, key, "is no name, want %s", Names)
		}
		if slices.ContainsFunc(p.Variants, func(o Variant) bool { return strings.EqualFold(o.Name, v.key) }) {
			return p.Errorf(v.line, key, "is given twice, in capitals or not")
		}
		flags, err := p.text(key, v.value)
		if err != nil {
			return err
		}
		p.Variants = append(p.Variants, Variant{v.key, flags})
	}
	if p.Variants == nil {
		return p.Errorf(f.line, f.key, "is empty, want NAME: flags")
	}
	return nil
}

func (p *Plan) readSeeds(f field) error {
	values, err := p.values(f.key, f.value)
	if err != nil {
		return err
	}
	for _, v := range values {
		seed, err := strconv.ParseUint(v.Value, 10, 64)
		if err != nil {
			return p.Errorf(v.Line, f.key, "is %q, want whole numbers of 0 or more, such as 1..8", v.Value)
		}
		p.Seeds = append(p.Seeds, seed)
	}
	if _, list := f.value.(*ast.SequenceNode); !list && len(p.Seeds) == 1 && p.Seeds[0] > 1 && p.Seeds[0] <= 1000 {
		p.Doubts = append(p.Doubts, p.Errorf(values[0].Line, f.key, "is %d, which is one replay of each cell with the seed %d: %d of them are 1..%d (and [%d] is the one seed)", p.Seeds[0], p.Seeds[0], p.Seeds[0], p.Seeds[0], p.Seeds[0]))
	}
	return nil
}

// settings calls each with every setting below a mapping of grid, zip or exclude.
func (p *Plan) settings(key string, n ast.Node, each func(key string, s Setting, f field) error) error {
	fields, err := p.fields(key, n)
	if err != nil {
		return err
	}
	for _, f := range fields {
		below := []field{f}
		if of, name, _ := strings.Cut(f.key, " "); slices.Contains(keyed, of) && name != "" {
			return p.Errorf(f.line, key+"."+f.key, "is no flag, want %s: {%s: VALUES}", of, name)
		} else if strings.Contains(f.key, ".") {
			return p.Errorf(f.line, key+"."+f.key, "is no flag; a key of Spark or YARN stands below conf, as in conf: {%s: VALUES}", f.key)
		}
		if slices.Contains(keyed, f.key) {
			if below, err = p.fields(key+"."+f.key, f.value); err != nil {
				return err
			}
		}
		for _, b := range below {
			s := Setting{Flag: f.key}
			name := key + "." + f.key
			if slices.Contains(keyed, f.key) {
				s.Key = b.key
				name += "." + b.key
			}
			if err := each(name, s, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Plan) readGrid(f field) error {
	return p.settings(f.key, f.value, func(key string, s Setting, f field) error {
		values, err := p.values(key, f.value)
		if err != nil {
			return err
		}
		p.Axes = append(p.Axes, single(s, values))
		return nil
	})
}

// readZip reads settings whose values go together: a mapping of lists that are equally long, or a list of such mappings.
func (p *Plan) readZip(f field) error {
	groups := []ast.Node{f.value}
	if list, ok := f.value.(*ast.SequenceNode); ok {
		groups = list.Values
	}
	for _, g := range groups {
		var a Axis
		err := p.settings(f.key, g, func(key string, s Setting, f field) error {
			values, err := p.values(key, f.value)
			if err != nil {
				return err
			}
			if a.Settings == nil {
				a.Rows = make([][]Text, len(values))
			}
			if len(values) != len(a.Rows) {
				return p.Errorf(f.line, key, "has %d values, want %d as %s has: they go together", len(values), len(a.Rows), a.Settings[0])
			}
			a.Settings = append(a.Settings, s)
			for i, v := range values {
				a.Rows[i] = append(a.Rows[i], v)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(a.Settings) < 2 {
			return p.Errorf(line(g), f.key, "has %d settings, want two or more whose values go together", len(a.Settings))
		}
		p.Axes = append(p.Axes, a)
	}
	return nil
}

func (p *Plan) readExclude(f field) error {
	list, ok := f.value.(*ast.SequenceNode)
	if !ok {
		return p.Errorf(f.line, f.key, "is %q, want a list of what to leave out", said(f.value))
	}
	for _, n := range list.Values {
		x := Exclusion{Line: line(n)}
		err := p.settings(f.key, n, func(key string, s Setting, f field) error {
			values, err := p.values(key, f.value)
			x.Parts = append(x.Parts, Part{s.String(), values})
			return err
		})
		if err != nil {
			return err
		}
		if x.Parts == nil {
			return p.Errorf(x.Line, f.key, "names nothing, and would leave out every cell")
		}
		p.Exclude = append(p.Exclude, x)
	}
	return nil
}
