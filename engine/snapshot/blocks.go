package snapshot

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"unsafe"
)

// A block is memory that is written as a whole: an object, or a list's array.
type block struct {
	at   unsafe.Pointer
	in   *info // of each of
	n    int   // elements
	root bool
}

func (b *block) from() uintptr { return uintptr(b.at) }

// holds reports whether n elements of a type lie at an offset of a block.
func (b *block) holds(off uintptr, t *info, n int) bool {
	in, count := b.in, b.n
	for {
		if in.t == t.t {
			return off%in.size == 0 && off/in.size+uintptr(n) <= uintptr(count)
		}
		if off >= in.size*uintptr(count) {
			return false
		}
		off %= in.size
		switch in.kind {
		case reflect.Array:
			in, count = in.elem, in.n
		case reflect.Struct:
			i := sort.Search(len(in.fields), func(i int) bool { return in.fields[i].off > off }) - 1
			for i >= 0 && in.fields[i].t.Size() == 0 { // before another field at the same place
				i--
			}
			if i < 0 || in.fields[i].in == nil {
				return false
			}
			f := &in.fields[i]
			in, count, off = f.in, 1, off-f.off
			if in.size == 0 {
				return false
			}
		default:
			return false
		}
	}
}

// graph is what is reachable from the roots and not fixed.
type graph struct {
	c      *Codec
	fixed  *fixed
	spots  []spot
	most   map[spotKey]int // elements that were taken in
	first  map[spotKey]int // which spot took in first what is a key of a map
	todo   []int           // spots that are to be looked through, from an element on
	later  []reflect.Value // maps by pointers, which are looked through when all else was
	blocks []block
	starts []int           // blocks by address
	roots  map[spotKey]int // their blocks
	maps   []reflect.Value
	mapAt  map[unsafe.Pointer]int
	err    error
}

// spot is memory to which something refers.
type spot struct {
	at   unsafe.Pointer
	in   *info
	n    int
	seen int // elements that were looked through before
	root bool
}

type spotKey struct {
	at unsafe.Pointer
	in *info
}

// graphOf finds all that is reachable, in an order that does not depend on addresses.
func (c *Codec) graphOf(roots []any, x *fixed) (*graph, error) {
	g := &graph{c: c, fixed: x, most: map[spotKey]int{}, first: map[spotKey]int{}, mapAt: map[unsafe.Pointer]int{}, roots: map[spotKey]int{}}
	for i, r := range roots {
		k := spotKey{reflect.ValueOf(r).UnsafePointer(), c.types[reflect.TypeOf(r).Elem()]}
		g.roots[k], g.most[k], g.first[k] = i, 1, i
		g.spots = append(g.spots, spot{at: k.at, in: k.in, n: 1, root: true})
	}
	for i := range roots {
		g.todo = append(g.todo, len(roots)-1-i)
	}
	for g.err == nil && (len(g.todo) > 0 || len(g.later) > 0) {
		if n := len(g.todo) - 1; n >= 0 {
			s := g.spots[g.todo[n]]
			g.todo = g.todo[:n]
			for i := s.seen; i < s.n; i++ {
				g.scan(s.in, unsafe.Add(s.at, uintptr(i)*s.in.size))
			}
			continue
		}
		m := g.later[0]
		g.later = g.later[1:]
		in := c.types[m.Type()]
		for _, e := range g.entries(in, m) {
			g.scan(in.elem, e.value)
		}
	}
	if g.err == nil {
		g.cut()
	}
	return g, g.err
}

func (g *graph) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// spot takes in memory that something refers to, unless it is fixed.
func (g *graph) spot(in *info, at unsafe.Pointer, n int) {
	if n == 0 || in.size == 0 {
		return
	}
	k := spotKey{at, in}
	if _, is := g.roots[k]; is || g.fixed.find(uintptr(at)) != nil {
		return
	}
	most := g.most[k]
	if n <= most {
		return
	}
	if in.input {
		g.fail("a %s is written that is none of the input", in.name)
		return
	}
	if most == 0 && in.keyed {
		g.first[k] = len(g.spots)
	}
	g.most[k] = n
	g.spots = append(g.spots, spot{at, in, n, most, false})
	if in.pointers {
		g.todo = append(g.todo, len(g.spots)-1)
	}
}

// scan looks for what a value refers to.
func (g *graph) scan(in *info, p unsafe.Pointer) {
	if !in.pointers {
		return
	}
	switch in.kind {
	case reflect.Pointer:
		if q := *(*unsafe.Pointer)(p); q != nil {
			g.spot(in.elem, q, 1)
		}
	case reflect.Slice:
		h := (*sliceHeader)(p)
		g.spot(in.elem, h.at, h.n)
	case reflect.Array:
		for i := range in.n {
			g.scan(in.elem, unsafe.Add(p, uintptr(i)*in.elem.size))
		}
	case reflect.Struct:
		for i := range in.fields {
			f := &in.fields[i]
			switch f.rule {
			case saved:
				g.scan(f.in, unsafe.Add(p, f.off))
			case Unset:
				if v := reflect.NewAt(f.t, unsafe.Add(p, f.off)).Elem(); !v.IsZero() {
					g.fail("%s is set", f.name)
				}
			}
		}
	case reflect.Map:
		g.table(in, p)
	case reflect.Interface:
		v := reflect.NewAt(in.t, p).Elem()
		if v.IsNil() {
			return
		}
		e, q, err := g.c.content(v.Elem())
		if err != nil {
			g.fail("%w", err)
			return
		}
		g.scan(e, q)
	}
}

// content returns the type of what an interface holds, and memory with a copy of it.
func (c *Codec) content(v reflect.Value) (*info, unsafe.Pointer, error) {
	in := c.types[v.Type()]
	if in == nil || !in.concrete {
		return nil, nil, fmt.Errorf("an interface holds a %s, which is none of the types that it may hold", nameOf(v.Type()))
	}
	e := reflect.New(v.Type())
	e.Elem().Set(v)
	return in, e.UnsafePointer(), nil
}

// table takes in a map.
func (g *graph) table(in *info, p unsafe.Pointer) {
	v := reflect.NewAt(in.t, p).Elem()
	if v.IsNil() {
		return
	}
	at := v.UnsafePointer()
	if _, known := g.mapAt[at]; known {
		return
	}
	if _, is := g.fixed.maps[at]; is {
		return
	}
	g.mapAt[at] = len(g.maps)
	g.maps = append(g.maps, v)
	switch {
	case in.key.kind == reflect.Pointer:
		g.later = append(g.later, v)
	case in.elem.pointers:
		for _, e := range g.entries(in, v) {
			g.scan(in.elem, e.value)
		}
	}
}

// entry is an entry of a map, with copies of key and value.
type entry struct {
	text       []byte // the key as it is written
	key, value unsafe.Pointer
}

// entries are those of a map in the order of their keys; of pointers that in which their objects were found, by another way than the map.
func (g *graph) entries(in *info, v reflect.Value) []entry {
	list := make([]entry, 0, v.Len())
	var w writer
	for it := v.MapRange(); it.Next(); {
		k, e := reflect.New(in.key.t), reflect.New(in.elem.t)
		k.Elem().SetIterKey(it)
		e.Elem().SetIterValue(it)
		w.out = nil
		if in.key.kind == reflect.Pointer {
			at, known := g.first[spotKey{k.Elem().UnsafePointer(), in.key.elem}]
			if !known {
				g.fail("a key of a %s is reached by nothing else", in.name)
			}
			w.out = binary.BigEndian.AppendUint64(nil, uint64(at))
		} else {
			w.plain(in.key, k.UnsafePointer())
		}
		list = append(list, entry{w.out, k.UnsafePointer(), e.UnsafePointer()})
	}
	slices.SortFunc(list, func(a, b entry) int { return slices.Compare(a.text, b.text) })
	return list
}

// cut makes blocks of the spots: each of those that overlap.
func (g *graph) cut() {
	order := make([]int, len(g.spots))
	for i := range order {
		order[i] = i
	}
	end := func(s *spot) uintptr { return uintptr(s.at) + s.in.size*uintptr(s.n) }
	slices.SortFunc(order, func(a, b int) int {
		x, y := &g.spots[a], &g.spots[b]
		return cmp.Or(cmp.Compare(uintptr(x.at), uintptr(y.at)), cmp.Compare(end(y), end(x)), cmp.Compare(a, b))
	})
	type found struct {
		block
		first int // visit
	}
	var blocks []found
	for i := 0; i < len(order); {
		first := &g.spots[order[i]]
		b := found{block{first.at, first.in, first.n, first.root}, order[i]}
		to, j := end(first), i+1
		for ; j < len(order); j++ {
			s := &g.spots[order[j]]
			if uintptr(s.at) >= to {
				break
			}
			b.first = min(b.first, order[j])
			if s.root && (s.at != b.at || s.in != b.in) {
				g.fail("a root of type %s lies in a %s", s.in.name, b.in.name)
			}
			b.root = b.root || s.root
			if e := end(s); e > to { // it goes on behind: lists of one kind over one array
				if s.in != b.in || (uintptr(s.at)-uintptr(b.at))%b.in.size != 0 {
					g.fail("a %s and a %s share memory", b.in.name, s.in.name)
					return
				}
				to = e
				b.n = int((to - uintptr(b.at)) / b.in.size)
			}
		}
		for k := i; k < j; k++ {
			s := &g.spots[order[k]]
			if !b.holds(uintptr(s.at)-b.from(), s.in, s.n) {
				g.fail("a %s lies in a %s and is none of its parts", s.in.name, b.in.name)
				return
			}
		}
		blocks = append(blocks, b)
		i = j
	}
	slices.SortFunc(blocks, func(a, b found) int { return cmp.Compare(a.first, b.first) })
	g.starts = make([]int, len(blocks))
	for i := range blocks {
		g.blocks = append(g.blocks, blocks[i].block)
		g.starts[i] = i
	}
	slices.SortFunc(g.starts, func(a, b int) int { return cmp.Compare(g.blocks[a].from(), g.blocks[b].from()) })
}

// blockOf returns the number of the block that holds an address.
func (g *graph) blockOf(at uintptr) int {
	i := sort.Search(len(g.starts), func(i int) bool { return g.blocks[g.starts[i]].from() > at }) - 1
	return g.starts[i]
}

// sliceHeader is how a list begins: where its array is, and how long it is.
type sliceHeader struct {
	at unsafe.Pointer
	n  int
}
