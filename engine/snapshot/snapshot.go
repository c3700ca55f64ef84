// Package snapshot writes the state of a replay as bytes and reads it into a replay that was begun anew: a graph of objects, with what they share.
//
// State is what is reachable from some roots. Reading begins with the roots of a replay made from the same input, and fills them in place, so whatever refers to
// them, functions included, goes on to do so; all else is made anew. Nothing is said by type: what a type holds is found by reflection, and a [Codec] is refused,
// with the names of all fields in question, if anything could be reached that cannot be written. So a field that is added is saved, or is found by a test.
//
//   - Pointers keep what they share: two to one object, one into another object or list, lists over one array. Memory is cut into blocks, which are the
//     objects and arrays that overlap; a pointer is a block and an offset. A list has no room behind its end when it is read.
//   - What does not change, such as the configuration, is not written. It is reached from fields that are [Fixed], and a pointer into it is
//     the way from there: names of fields, places and keys.
//   - Interfaces hold one of the types that a codec is told.
//   - Maps are written in the order of their keys.
//   - Functions and channels are never written. A field that holds one stays as it is in a root ([Kept]), or is nothing.
//
// Numbers are varints, so bytes do not depend on the machine. A reader checks all that it reads: places in lists, types at offsets, and how much memory is asked for.
package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Rule is what is done with a field beside writing it.
type Rule uint8

const (
	saved Rule = iota
	// Kept: the field of a root stays what it is in the replay that was begun anew, and nothing behind it is looked at. Pointers to it are to that of the new one.
	Kept
	// Fixed: as Kept, and what is behind it is the same in each replay of this input, so pointers into it are written as the way to it.
	Fixed
	// Dropped: memory that is used again, or a remark, which may be nothing. It is empty after reading.
	Dropped
	// Unset: holds nothing where states are written; else writing fails.
	Unset
)

// Rules say what reflection cannot know.
type Rules struct {
	// Fields have a rule, by package, type and field, such as "replay/engine.sim.sink".
	Fields map[string]Rule
	// Input are values of types of the input: they are reached by pointers into what is fixed, and never written.
	Input []any
	// Aside are fields of what is fixed that are not looked at.
	Aside []string
	// Concrete are values of the types that interfaces may hold.
	Concrete []any
}

// A Codec writes and reads states of roots of certain types. It may be used by several goroutines.
type Codec struct {
	fields map[string]Rule
	aside  map[string]bool
	types  map[reflect.Type]*info
	list   []*info // in the order of their names
	hash   string
	used   map[string]bool // rules that apply to something
}

// info is a type.
type info struct {
	t        reflect.Type
	name     string
	from     string // where it was found
	number   uint64
	size     uintptr
	kind     reflect.Kind
	pointers bool // holds any
	concrete bool // may stand in an interface
	input    bool // is never written
	bad      bool // cannot be
	keyed    bool // pointers to it are keys of maps
	elem     *info
	key      *info
	n        int // of an array
	fields   []field
}

type field struct {
	name string // of the rule
	off  uintptr
	in   *info // nil unless it is saved
	t    reflect.Type
	rule Rule
}

// New returns the codec for roots, which are pointers. The error names each field that cannot be written and has no rule, and each rule without a field.
func New(rules Rules, roots ...any) (*Codec, error) {
	c := &Codec{fields: rules.Fields, aside: map[string]bool{}, types: map[reflect.Type]*info{}, used: map[string]bool{}}
	for _, name := range rules.Aside {
		c.aside[name] = true
	}
	for _, x := range rules.Input {
		t := reflect.TypeOf(x).Elem()
		c.types[t] = &info{t: t, name: nameOf(t), size: t.Size(), kind: t.Kind(), input: true}
	}
	var wrong []string
	for _, r := range roots {
		c.add(reflect.TypeOf(r), "a root", &wrong)
	}
	for _, x := range rules.Concrete {
		c.add(reflect.TypeOf(x), "a type of interfaces", &wrong).concrete = true
	}
	for name := range rules.Fields {
		if !c.used[name] {
			wrong = append(wrong, name+": has a rule and is no field of what is saved")
		}
	}
	for _, in := range c.types {
		switch k := in.key; {
		case k == nil:
		case k.kind == reflect.Pointer:
			k.elem.keyed = true
		case holdsPointers(k):
			wrong = append(wrong, fmt.Sprintf("%s: a map whose keys have no order: %s", in.from, in.name))
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return nil, fmt.Errorf("a state that cannot be written:\n%s", strings.Join(wrong, "\n"))
	}
	for _, in := range c.types {
		in.pointers = holdsPointers(in)
		c.list = append(c.list, in)
	}
	slices.SortFunc(c.list, func(a, b *info) int { return strings.Compare(a.name, b.name) })
	h := sha256.New()
	for i, in := range c.list {
		in.number = uint64(i)
		fmt.Fprintf(h, "%s %d %v %v", in.name, in.kind, in.n, in.concrete)
		for i := range in.fields {
			f := &in.fields[i]
			fmt.Fprintf(h, " %s %s %d", f.name, nameOf(f.t), f.rule)
		}
	}
	c.hash = hex.EncodeToString(h.Sum(nil))
	return c, nil
}

// Layout is a hash over all types that a state may hold: states are read by programs with the same.
func (c *Codec) Layout() string { return c.hash }

// nameOf names a type with the paths of all packages.
func nameOf(t reflect.Type) string {
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name()
		}
		return t.PkgPath() + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + nameOf(t.Elem())
	case reflect.Slice:
		return "[]" + nameOf(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), nameOf(t.Elem()))
	case reflect.Map:
		return "map[" + nameOf(t.Key()) + "]" + nameOf(t.Elem())
	case reflect.Struct:
		var b strings.Builder
		b.WriteString("struct{")
		for i := range t.NumField() {
			fmt.Fprintf(&b, "%s %s;", t.Field(i).Name, nameOf(t.Field(i).Type))
		}
		return b.String() + "}"
	}
	return t.String()
}

// add takes in a type and all that it can reach. From says how it was found.
func (c *Codec) add(t reflect.Type, from string, wrong *[]string) *info {
	if in, ok := c.types[t]; ok {
		if in.bad {
			*wrong = append(*wrong, fmt.Sprintf("%s: is a %s", from, in.name))
		}
		return in
	}
	in := &info{t: t, name: nameOf(t), from: from, size: t.Size(), kind: t.Kind()}
	c.types[t] = in
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64, reflect.String, reflect.Interface:
	case reflect.Pointer, reflect.Slice:
		in.elem = c.add(t.Elem(), from, wrong)
	case reflect.Array:
		in.n, in.elem = t.Len(), c.add(t.Elem(), from, wrong)
	case reflect.Map:
		in.key, in.elem = c.add(t.Key(), from, wrong), c.add(t.Elem(), from, wrong)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name := in.name + "." + f.Name
			x := field{name: name, off: f.Offset, t: f.Type, rule: c.fields[name]}
			c.used[name] = true
			if x.rule == saved {
				x.in = c.add(f.Type, name, wrong)
			}
			in.fields = append(in.fields, x)
		}
	default:
		in.bad = true
		*wrong = append(*wrong, fmt.Sprintf("%s: is a %s", from, in.name))
	}
	return in
}

// holdsPointers reports whether a type refers to anything, strings aside, which are values.
func holdsPointers(in *info) bool {
	switch in.kind {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	case reflect.Array:
		return holdsPointers(in.elem)
	case reflect.Struct:
		for i := range in.fields {
			f := &in.fields[i]
			if f.rule == Kept || f.rule == Unset || f.in != nil && holdsPointers(f.in) {
				return true // what is kept or unset is looked at
			}
		}
	}
	return false
}
