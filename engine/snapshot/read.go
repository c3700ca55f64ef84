package snapshot

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// Read gives the roots, which were begun anew from the same input, the state that was written. The error says where the bytes are none that
// this codec can have written; then the roots are of no use. With same, what is fixed must be as it was, to the last value; without, what is referred to must be
// there.
func (c *Codec) Read(data []byte, same bool, roots ...any) (err error) {
	x := c.fixedOf(roots)
	r := &reader{c: c, data: data, whole: len(data), plain: map[reflect.Type]*info{}}
	r.spans, r.tables = x.ways()
	defer func() {
		switch p := recover().(type) {
		case nil:
		case malformed:
			err = fmt.Errorf("byte %d of the state: %s", r.whole-len(r.data), string(p))
		default:
			panic(p)
		}
	}()
	if hash := r.fixed64(); same && hash != x.hash.Sum64() {
		return fmt.Errorf("the configuration is another one")
	}
	r.blocksAndMaps(roots)
	for i := range r.blocks {
		b := &r.blocks[i]
		r.values(b.in, b.at, b.n)
	}
	for i := range r.maps {
		m := &r.maps[i]
		for range r.count(1) {
			k, e := reflect.New(m.in.key.t), reflect.New(m.in.elem.t)
			r.value(m.in.key, k.UnsafePointer())
			r.value(m.in.elem, e.UnsafePointer())
			m.value.SetMapIndex(k.Elem(), e.Elem())
		}
	}
	if len(r.data) > 0 {
		r.bad("%d bytes too many", len(r.data))
	}
	return nil
}

type reader struct {
	c      *Codec
	data   []byte
	whole  int
	blocks []block
	maps   []readMap
	texts  []string
	ways   []string
	spans  map[string]*span
	tables map[string]reflect.Value
	plain  map[reflect.Type]*info
	depth  int // of interfaces that hold interfaces
}

// deepest is how far interfaces may lie within each other.
const deepest = 100

// describe returns what a type that is not written holds in place.
func (r *reader) describe(t reflect.Type) *info {
	if in := r.plain[t]; in != nil {
		return in
	}
	in := &info{t: t, name: nameOf(t), size: t.Size(), kind: t.Kind()}
	switch t.Kind() {
	case reflect.Array:
		in.n, in.elem = t.Len(), r.describe(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			in.fields = append(in.fields, field{off: f.Offset, t: f.Type, in: r.describe(f.Type)})
		}
	}
	r.plain[t] = in
	return in
}

type readMap struct {
	in    *info
	value reflect.Value
}

// malformed is what is wrong with the bytes.
type malformed string

func (r *reader) bad(format string, args ...any) { panic(malformed(fmt.Sprintf(format, args...))) }

// blocksAndMaps makes all blocks and maps, empty.
func (r *reader) blocksAndMaps(roots []any) {
	n := r.count(2)
	if n < len(roots) {
		r.bad("%d blocks, want %d roots and more", n, len(roots))
	}
	left := r.whole // each element takes a byte at least
	for i := range n {
		in := r.typ()
		b := block{in: in, n: int(r.number())}
		if b.n < 1 || b.n > left || in.size == 0 {
			r.bad("a block of %d %s", b.n, in.name)
		}
		left -= b.n
		if i < len(roots) {
			v := reflect.ValueOf(roots[i])
			if v.Type().Elem() != in.t || b.n != 1 {
				r.bad("root %d is a %s, want a %s", i, in.name, nameOf(v.Type().Elem()))
			}
			b.at, b.root = v.UnsafePointer(), true
		} else {
			b.at = reflect.MakeSlice(reflect.SliceOf(in.t), b.n, b.n).UnsafePointer()
		}
		r.blocks = append(r.blocks, b)
	}
	for range r.count(1) {
		in := r.typ()
		if in.kind != reflect.Map {
			r.bad("a map that is a %s", in.name)
		}
		r.maps = append(r.maps, readMap{in, reflect.MakeMap(in.t)})
	}
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.bad("no number")
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.bad("no number")
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) fixed64() uint64 {
	b := r.bytes(8)
	return binary.LittleEndian.Uint64(b)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.data) {
		r.bad("ends %d bytes too early", n-len(r.data))
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// count reads how many things of so many bytes or more follow.
func (r *reader) count(least int) int {
	n := r.number()
	if n > uint64(len(r.data)/least) {
		r.bad("%d things in %d bytes", n, len(r.data))
	}
	return int(n)
}

func (r *reader) typ() *info {
	n := r.number()
	if n >= uint64(len(r.c.list)) {
		r.bad("type %d of %d", n, len(r.c.list))
	}
	return r.c.list[n]
}

func (r *reader) text() string {
	switch n := r.number(); n {
	case 0:
		return ""
	case 1:
		s := string(r.bytes(r.count(1)))
		r.texts = append(r.texts, s)
		return s
	default:
		if n-2 >= uint64(len(r.texts)) {
			r.bad("text %d of %d", n-2, len(r.texts))
		}
		return r.texts[n-2]
	}
}

func (r *reader) values(in *info, p unsafe.Pointer, n int) {
	for i := range n {
		r.value(in, unsafe.Add(p, uintptr(i)*in.size))
	}
}

func (r *reader) value(in *info, p unsafe.Pointer) {
	switch in.kind {
	case reflect.Bool:
		b := r.bytes(1)[0]
		if b > 1 {
			r.bad("%d is neither true nor false", b)
		}
		*(*bool)(p) = b == 1
	case reflect.Int:
		*(*int)(p) = int(r.signed())
	case reflect.Int8:
		*(*int8)(p) = int8(r.ranged(math.MinInt8, math.MaxInt8))
	case reflect.Int16:
		*(*int16)(p) = int16(r.ranged(math.MinInt16, math.MaxInt16))
	case reflect.Int32:
		*(*int32)(p) = int32(r.ranged(math.MinInt32, math.MaxInt32))
	case reflect.Int64:
		*(*int64)(p) = r.signed()
	case reflect.Uint:
		*(*uint)(p) = uint(r.number())
	case reflect.Uint8:
		*(*byte)(p) = r.bytes(1)[0]
	case reflect.Uint16:
		*(*uint16)(p) = uint16(r.upTo(math.MaxUint16))
	case reflect.Uint32:
		*(*uint32)(p) = uint32(r.upTo(math.MaxUint32))
	case reflect.Uint64:
		*(*uint64)(p) = r.number()
	case reflect.Float32:
		*(*float32)(p) = math.Float32frombits(uint32(r.upTo(math.MaxUint32)))
	case reflect.Float64:
		*(*float64)(p) = math.Float64frombits(r.fixed64())
	case reflect.String:
		*(*string)(p) = r.text()
	case reflect.Array:
		r.values(in.elem, p, in.n)
	case reflect.Struct:
		for i := range in.fields {
			if f := &in.fields[i]; f.rule == saved {
				r.value(f.in, unsafe.Add(p, f.off))
			} else if f.rule == Dropped {
				reflect.NewAt(f.t, unsafe.Add(p, f.off)).Elem().SetZero()
			}
		}
	case reflect.Pointer:
		*(*unsafe.Pointer)(p) = r.pointer(in)
	case reflect.Slice:
		r.list(in, reflect.NewAt(in.t, p).Elem())
	case reflect.Map:
		r.table(in, p)
	case reflect.Interface:
		r.dynamic(in, p)
	}
}

func (r *reader) ranged(least, most int64) int64 {
	n := r.signed()
	if n < least || n > most {
		r.bad("%d, want %d to %d", n, least, most)
	}
	return n
}

func (r *reader) upTo(most uint64) uint64 {
	n := r.number()
	if n > most {
		r.bad("%d, want %d or less", n, most)
	}
	return n
}

func (r *reader) pointer(in *info) unsafe.Pointer {
	switch n := r.number(); n {
	case refNil:
		return nil
	case refEmpty:
		if in.elem.size > 0 {
			r.bad("a pointer to nothing, want one to a %s", in.elem.name)
		}
		return reflect.New(in.elem.t).UnsafePointer()
	default:
		return r.ref(n, in.elem, 1)
	}
}

// ref reads where n elements of a type lie.
func (r *reader) ref(kind uint64, in *info, n int) unsafe.Pointer {
	var b block
	if way, is := r.way(kind); is {
		s := r.spans[way]
		if s == nil {
			r.bad("there is no %s in the configuration", way)
		}
		b = block{at: s.at, in: r.describe(s.t), n: s.n}
	} else {
		if kind-refFirst >= uint64(len(r.blocks)) {
			r.bad("block %d of %d", kind-refFirst, len(r.blocks))
		}
		b = r.blocks[kind-refFirst]
	}
	off := r.number()
	if off > uint64(b.in.size)*uint64(b.n) || !b.holds(uintptr(off), in, n) {
		r.bad("no %d %s are at %d of a block of %d %s", n, in.name, off, b.n, b.in.name)
	}
	return unsafe.Add(b.at, off)
}

// way reads a way to what is fixed, if this kind of reference is one.
func (r *reader) way(kind uint64) (string, bool) {
	switch kind {
	case refFixed:
		n := r.number()
		if n >= uint64(len(r.ways)) {
			r.bad("way %d of %d", n, len(r.ways))
		}
		return r.ways[n], true
	case refNewWay:
		r.ways = append(r.ways, r.text())
		return r.ways[len(r.ways)-1], true
	}
	return "", false
}

func (r *reader) list(in *info, to reflect.Value) {
	n := r.number()
	if n == 0 {
		to.SetZero()
		return
	}
	n--
	switch {
	case n > math.MaxInt32:
		r.bad("a list of %d", n)
	case n == 0 || in.elem.size == 0:
		to.Set(reflect.MakeSlice(in.t, int(n), int(n)))
	default:
		kind := r.number()
		if kind == refNil || kind == refEmpty {
			r.bad("a list of %d that lies nowhere", n)
		}
		to.Set(reflect.SliceAt(in.elem.t, r.ref(kind, in.elem, int(n)), int(n)))
	}
}

func (r *reader) table(in *info, p unsafe.Pointer) {
	to := reflect.NewAt(in.t, p).Elem()
	kind := r.number()
	if kind == refNil {
		to.SetZero()
		return
	}
	if way, is := r.way(kind); is {
		m, ok := r.tables[way]
		if !ok || m.Type() != in.t {
			r.bad("there is no %s %s in the configuration", in.name, way)
		}
		to.Set(m)
		return
	}
	if kind < refFirst || kind-refFirst >= uint64(len(r.maps)) || r.maps[kind-refFirst].in != in {
		r.bad("map %d of %d is no %s", int64(kind)-refFirst, len(r.maps), in.name)
	}
	to.Set(r.maps[kind-refFirst].value)
}

func (r *reader) dynamic(in *info, p unsafe.Pointer) {
	to := reflect.NewAt(in.t, p).Elem()
	n := r.number()
	if n == 0 {
		to.SetZero()
		return
	}
	if n > uint64(len(r.c.list)) {
		r.bad("type %d of %d", n-1, len(r.c.list))
	}
	e := r.c.list[n-1]
	if !e.concrete || !e.t.Implements(in.t) {
		r.bad("a %s in a %s", e.name, in.name)
	}
	if r.depth++; r.depth > deepest {
		r.bad("interfaces within interfaces")
	}
	v := reflect.New(e.t)
	r.value(e, v.UnsafePointer())
	r.depth--
	to.Set(v.Elem())
}
