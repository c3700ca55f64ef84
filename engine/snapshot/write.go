package snapshot

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"unsafe"
)

// Write writes the state of the roots, which are of the codec's types in their order. The error says what cannot be written.
func (c *Codec) Write(to io.Writer, roots ...any) error {
	x := c.fixedOf(roots)
	g, err := c.graphOf(roots, x)
	if err != nil {
		return err
	}
	w := writer{g: g, to: to, ways: map[int32]uint64{}, texts: map[string]uint64{}}
	w.fixed64(x.hash.Sum64())
	w.number(uint64(len(g.blocks)))
	for i := range g.blocks {
		b := &g.blocks[i]
		w.number(b.in.number)
		w.number(uint64(b.n))
	}
	w.number(uint64(len(g.maps)))
	for _, m := range g.maps {
		w.number(c.types[m.Type()].number)
	}
	for i := range g.blocks {
		b := &g.blocks[i]
		w.values(b.in, b.at, b.n, b.root)
	}
	for _, m := range g.maps {
		in := c.types[m.Type()]
		list := g.entries(in, m)
		w.number(uint64(len(list)))
		for _, e := range list {
			w.value(in.key, e.key, false)
			w.value(in.elem, e.value, false)
		}
	}
	w.flush(0)
	return w.err
}

// writer writes values.
type writer struct {
	g     *graph
	to    io.Writer
	out   []byte
	texts map[string]uint64 // by content, where they stand in the order of those that are written
	ways  map[int32]uint64  // of fixed memory, by step
	err   error
}

// most is how many bytes are kept before they are written.
const most = 1 << 16

func (w *writer) flush(above int) {
	if len(w.out) > above && w.to != nil && w.err == nil {
		_, w.err = w.to.Write(w.out)
		w.out = w.out[:0]
	}
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *writer) number(n uint64)  { w.out = binary.AppendUvarint(w.out, n) }
func (w *writer) fixed64(n uint64) { w.out = binary.LittleEndian.AppendUint64(w.out, n) }
func (w *writer) signed(n int64)   { w.out = binary.AppendVarint(w.out, n) }

// text writes a text, or which of those before it it is.
func (w *writer) text(s string) {
	if s == "" {
		w.number(0)
		return
	}
	if n, ok := w.texts[s]; ok {
		w.number(n)
		return
	}
	if w.texts != nil {
		w.texts[s] = uint64(len(w.texts)) + 2
	}
	w.number(1)
	w.number(uint64(len(s)))
	w.out = append(w.out, s...)
}

// plain writes a value that refers to nothing.
func (w *writer) plain(in *info, p unsafe.Pointer) {
	switch in.kind {
	case reflect.Bool:
		w.out = append(w.out, *(*byte)(p))
	case reflect.Int:
		w.signed(int64(*(*int)(p)))
	case reflect.Int8:
		w.signed(int64(*(*int8)(p)))
	case reflect.Int16:
		w.signed(int64(*(*int16)(p)))
	case reflect.Int32:
		w.signed(int64(*(*int32)(p)))
	case reflect.Int64:
		w.signed(*(*int64)(p))
	case reflect.Uint:
		w.number(uint64(*(*uint)(p)))
	case reflect.Uint8:
		w.out = append(w.out, *(*byte)(p))
	case reflect.Uint16:
		w.number(uint64(*(*uint16)(p)))
	case reflect.Uint32:
		w.number(uint64(*(*uint32)(p)))
	case reflect.Uint64:
		w.number(*(*uint64)(p))
	case reflect.Float32:
		w.number(uint64(math.Float32bits(*(*float32)(p))))
	case reflect.Float64:
		w.fixed64(math.Float64bits(*(*float64)(p)))
	case reflect.String:
		w.text(*(*string)(p))
	case reflect.Array, reflect.Struct:
		w.value(in, p, false)
	}
}

// values writes n values that lie behind each other.
func (w *writer) values(in *info, p unsafe.Pointer, n int, root bool) {
	for i := range n {
		w.value(in, unsafe.Add(p, uintptr(i)*in.size), root)
		w.flush(most)
	}
}

func (w *writer) value(in *info, p unsafe.Pointer, root bool) {
	switch in.kind {
	case reflect.Pointer:
		q := *(*unsafe.Pointer)(p)
		switch {
		case q == nil:
			w.number(refNil)
		case in.elem.size == 0:
			w.number(refEmpty)
		default:
			w.ref(in.elem, q, 1)
		}
	case reflect.Slice:
		h := (*sliceHeader)(p)
		switch {
		case h.at == nil:
			w.number(0)
			return
		default:
			w.number(uint64(h.n) + 1)
			if h.n > 0 && in.elem.size > 0 {
				w.ref(in.elem, h.at, h.n)
			}
		}
	case reflect.Array:
		w.values(in.elem, p, in.n, root)
	case reflect.Struct:
		for i := range in.fields {
			f := &in.fields[i]
			switch f.rule {
			case saved:
				w.value(f.in, unsafe.Add(p, f.off), root)
			case Kept, Fixed:
				if !root && !reflect.NewAt(f.t, unsafe.Add(p, f.off)).Elem().IsZero() {
					w.fail("%s is set outside of a root", f.name)
				}
			}
		}
	case reflect.Map:
		v := reflect.NewAt(in.t, p).Elem()
		if v.IsNil() {
			w.number(refNil)
			return
		}
		at := v.UnsafePointer()
		if s, is := w.g.fixed.maps[at]; is {
			w.way(s)
			return
		}
		w.number(refFirst + uint64(w.g.mapAt[at]))
	case reflect.Interface:
		v := reflect.NewAt(in.t, p).Elem()
		if v.IsNil() {
			w.number(0)
			return
		}
		e, q, err := w.g.c.content(v.Elem())
		if err != nil {
			w.fail("%w", err)
			return
		}
		w.number(e.number + 1)
		w.value(e, q, false)
	default:
		w.plain(in, p)
	}
}

// Kinds of references, and the number of the first block.
const (
	refNil = iota
	refEmpty
	refFixed
	refNewWay
	refFirst
)

// ref writes where something lies: a block and an offset, or the way to what is fixed and an offset.
func (w *writer) ref(in *info, q unsafe.Pointer, n int) {
	at := uintptr(q)
	if i, is := w.g.roots[spotKey{q, in}]; is {
		w.number(refFirst + uint64(i))
		w.number(0)
		return
	}
	if s := w.g.fixed.find(at); s != nil {
		if at+in.size*uintptr(n) > s.to {
			w.fail("a list of %s begins in what is fixed and ends outside", in.name)
		}
		w.way(s.step)
		w.number(uint64(at - s.from))
		return
	}
	b := w.g.blockOf(at)
	w.number(refFirst + uint64(b))
	w.number(uint64(at - w.g.blocks[b].from()))
}

// way writes the way to what is fixed, or which of those before it it is.
func (w *writer) way(step int32) {
	if n, ok := w.ways[step]; ok {
		w.number(refFixed)
		w.number(n)
		return
	}
	w.ways[step] = uint64(len(w.ways))
	w.number(refNewWay)
	w.text(w.g.fixed.way(step))
}
