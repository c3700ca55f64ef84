package snapshot

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unsafe"
)

// fixed is what does not change: all that is reachable from the fields of the roots that are [Fixed].
type fixed struct {
	c     *Codec
	spans []span
	maps  map[unsafe.Pointer]int32 // steps, by map
	steps []step
	seen  map[seen]bool
	hash  hasher
}

type hasher interface {
	Write([]byte) (int, error)
	Sum64() uint64
}

// span is memory that was reached at the end of steps.
type span struct {
	from, to uintptr
	at       unsafe.Pointer
	step     int32
	t        reflect.Type // of so many elements
	n        int
}

// step is one step of the way to an object.
type step struct {
	before int32 // -1 for a root
	name   string
	value  reflect.Value // of a map
}

type seen struct {
	at unsafe.Pointer
	t  reflect.Type
}

// fixedOf walks what is fixed.
func (c *Codec) fixedOf(roots []any) *fixed {
	x := &fixed{c: c, maps: map[unsafe.Pointer]int32{}, seen: map[seen]bool{}, hash: fnv.New64a()}
	for i, r := range roots {
		x.root(c.types[reflect.TypeOf(r).Elem()], reflect.ValueOf(r).UnsafePointer(), x.step(-1, fmt.Sprint(i)))
	}
	slices.SortFunc(x.spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	kept := x.spans[:0]
	for _, s := range x.spans { // those within others go
		if n := len(kept); n == 0 || s.to > kept[n-1].to {
			kept = append(kept, s)
		}
	}
	x.spans = kept
	return x
}

// root looks for fixed fields of a root, and of what lies in it.
func (x *fixed) root(in *info, p unsafe.Pointer, at int32) {
	switch in.kind {
	case reflect.Struct:
		for i := range in.fields {
			f := &in.fields[i]
			q := unsafe.Add(p, f.off)
			switch {
			case f.rule == Kept || f.rule == Fixed:
				s := x.step(at, f.name)
				x.span(q, f.t, 1, s)
				if f.rule == Fixed {
					x.walk(reflect.NewAt(f.t, q).Elem(), s)
				}
			case f.in != nil && f.in.kind == reflect.Struct:
				x.root(f.in, q, x.step(at, f.name))
			}
		}
	}
}

func (x *fixed) step(before int32, name string) int32 {
	x.steps = append(x.steps, step{before: before, name: name})
	return int32(len(x.steps) - 1)
}

// way is the text of a step and those before it.
func (x *fixed) way(at int32) string {
	var names []string
	for ; at >= 0; at = x.steps[at].before {
		names = append(names, x.steps[at].name)
	}
	slices.Reverse(names)
	return strings.Join(names, "/")
}

func (x *fixed) span(p unsafe.Pointer, t reflect.Type, n int, at int32) {
	if size := t.Size() * uintptr(n); size > 0 {
		x.spans = append(x.spans, span{uintptr(p), uintptr(p) + size, p, at, t, n})
	}
}

// walk goes through all that a value refers to, in an order that depends on the values alone.
func (x *fixed) walk(v reflect.Value, at int32) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsNil() || !ours(t.Elem()) || !x.first(v.UnsafePointer(), t) {
			return
		}
		s := x.step(at, "*")
		x.span(v.UnsafePointer(), t.Elem(), 1, s)
		x.walk(reflect.NewAt(t.Elem(), v.UnsafePointer()).Elem(), s)
	case reflect.Slice:
		x.note(int64(v.Len()))
		if v.Len() == 0 || !x.first(v.UnsafePointer(), reflect.ArrayOf(v.Len(), t.Elem())) {
			return
		}
		s := x.step(at, "[]")
		x.span(v.UnsafePointer(), t.Elem(), v.Len(), s)
		x.elements(v, s)
	case reflect.Array:
		x.elements(v, at)
	case reflect.Map:
		x.note(int64(v.Len()))
		if v.IsNil() || !x.first(v.UnsafePointer(), t) {
			return
		}
		s := x.step(at, "{}")
		x.steps[s].value = v
		x.maps[v.UnsafePointer()] = s
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(keyText(a), keyText(b)) })
		for _, k := range keys {
			fmt.Fprint(x.hash, keyText(k))
			e := reflect.New(t.Elem()).Elem()
			e.Set(v.MapIndex(k))
			x.walk(e, x.step(s, keyText(k)))
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		e := v.Elem()
		fmt.Fprint(x.hash, e.Type())
		if e.Kind() != reflect.Pointer { // no one points into what is in an interface
			c := reflect.New(e.Type()).Elem()
			c.Set(e)
			e = c
		}
		x.walk(e, x.step(at, "i"))
	case reflect.Struct:
		if !ours(t) {
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			if x.c.aside[nameOf(t)+"."+f.Name] {
				continue
			}
			e := reflect.NewAt(f.Type, unsafe.Add(v.Addr().UnsafePointer(), f.Offset)).Elem()
			x.walk(e, x.step(at, f.Name))
		}
	case reflect.String:
		x.note(int64(v.Len()))
		fmt.Fprint(x.hash, v.String())
	case reflect.Bool:
		if v.Bool() {
			x.note(1)
		} else {
			x.note(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x.note(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x.note(int64(v.Uint()))
	case reflect.Float32, reflect.Float64:
		fmt.Fprint(x.hash, v.Float())
	}
}

func (x *fixed) elements(v reflect.Value, at int32) {
	if k := v.Type().Elem().Kind(); k == reflect.Uint8 {
		fmt.Fprint(x.hash, v.Bytes())
		return
	}
	for i := range v.Len() {
		s := at
		if !flat(v.Type().Elem()) {
			s = x.step(at, fmt.Sprint(i))
		}
		x.walk(v.Index(i), s)
	}
}

// flat reports whether a type is a single number.
func flat(t reflect.Type) bool { return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 }

// first reports whether an object has not been walked.
func (x *fixed) first(p unsafe.Pointer, t reflect.Type) bool {
	k := seen{p, t}
	if x.seen[k] {
		return false
	}
	x.seen[k] = true
	return true
}

func (x *fixed) note(n int64) {
	var b [8]byte
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	x.hash.Write(b[:])
}

// ours reports whether what is in a type may be looked at: it has no name, or one of this program.
func ours(t reflect.Type) bool { return t.PkgPath() == "" || strings.HasPrefix(t.PkgPath(), "replay/") }

func keyText(k reflect.Value) string { return fmt.Sprint(k) }

// find returns the fixed memory that holds an address, nil for none.
func (x *fixed) find(at uintptr) *span {
	i := sort.Search(len(x.spans), func(i int) bool { return x.spans[i].from > at }) - 1
	if i < 0 || at >= x.spans[i].to {
		return nil
	}
	return &x.spans[i]
}

// ways are the spans and maps by the text of their ways.
func (x *fixed) ways() (spans map[string]*span, tables map[string]reflect.Value) {
	spans, tables = make(map[string]*span, len(x.spans)), make(map[string]reflect.Value, len(x.maps))
	for i := range x.spans {
		spans[x.way(x.spans[i].step)] = &x.spans[i]
	}
	for _, s := range x.maps {
		tables[x.way(s)] = x.steps[s].value
	}
	return spans, tables
}
