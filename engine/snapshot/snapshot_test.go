package snapshot

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// input is what does not change.
type input struct {
	names  []string
	limits map[string]int
	parts  []part
}

type part [2]int64

// world is a state with everything that one may hold.
type world struct {
	in      *input
	now     int64
	call    func() int
	things  []*thing
	first   *thing // shared
	field   *int64 // into a thing
	part    *part  // into the input
	limits  map[string]int
	own     map[key]*thing
	by      map[*thing]int
	list    []int32
	middle  []int32 // of list
	empty   []int32
	room    []int32 // with room behind its end
	shape   shape
	nothing shape
	none    *struct{}
	flags   [3]bool
	texts   []string
	f       float64
	small   float32
	bytes   []byte
	self    *world
	memory  []int // dropped
}

type key struct {
	name string
	n    [2]uint16
}

type thing struct {
	id   int64
	next *thing
	in   *world
}

type shape interface{ area() int }

type square struct {
	side int
	of   *thing
}

func (s square) area() int { return s.side * s.side }

type circle struct{ r int }

func (c *circle) area() int { return 3 * c.r * c.r }

var worldRules = Rules{
	Fields:   map[string]Rule{"replay/engine/snapshot.world.in": Fixed, "replay/engine/snapshot.world.call": Kept, "replay/engine/snapshot.world.memory": Dropped},
	Concrete: []any{square{}, (*circle)(nil)},
}

func newInput() *input {
	return &input{names: []string{"a", "b"}, limits: map[string]int{"x": 1, "y": 2}, parts: make([]part, 5)}
}

func newWorld() *world {
	w := &world{in: newInput(), own: map[key]*thing{}, by: map[*thing]int{}, flags: [3]bool{true, false, true}, f: 0.1, small: 2.5}
	w.self = w
	w.call = func() int { return int(w.now) }
	for i := range int64(40) {
		t := &thing{id: i * i * 1000, in: w}
		if i > 0 {
			t.next = w.things[i-1]
		}
		w.things = append(w.things, t)
		w.own[key{"k", [2]uint16{uint16(i % 7), uint16(i)}}] = t
		w.by[t] = int(i)
		w.texts = append(w.texts, strings.Repeat("t", int(i%5)))
	}
	w.things[0].next = w.things[39] // a circle
	w.first, w.field, w.part, w.limits = w.things[7], &w.things[9].id, &w.in.parts[3], w.in.limits
	w.list = []int32{5, -6, 7, 1 << 30, 9}
	w.middle, w.empty, w.room = w.list[1:3], w.list[:0], append(make([]int32, 0, 100), 1, 2)
	w.shape, w.none, w.bytes, w.memory = square{4, w.things[3]}, &struct{}{}, []byte("bytes"), []int{1}
	return w
}

func worldCodec(t testing.TB) *Codec {
	c, err := New(worldRules, (*world)(nil))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func stateOf(t testing.TB, c *Codec, w *world) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b, w); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhatIsSharedStaysShared(t *testing.T) {
	c := worldCodec(t)
	was := newWorld()
	was.now = 77
	state := stateOf(t, c, was)
	w := &world{in: newInput()}
	w.call = func() int { return int(w.now) }
	if err := c.Read(state, true, w); err != nil {
		t.Fatal(err)
	}
	for what, ok := range map[string]bool{
		"a value": w.now == 77 && w.f == 0.1 && w.small == 2.5 && w.flags == was.flags && string(w.bytes) == "bytes",
		"a function of the root, which sees what was read": w.call() == 77,
		"the input, which is the new one":                  w.in != was.in && w.part == &w.in.parts[3] && reflect.ValueOf(w.limits).UnsafePointer() == reflect.ValueOf(w.in.limits).UnsafePointer(),
		"a pointer that is shared":                         w.first == w.things[7] && w.things[8].next == w.first,
		"a circle":                                         w.things[0].next == w.things[39],
		"a pointer into an object":                         w.field == &w.things[9].id && *w.field == 81000,
		"a pointer to the root":                            w.self == w && w.things[3].in == w,
		"lists over one array":                             &w.list[1] == &w.middle[0] && len(w.middle) == 2 && reflect.DeepEqual(w.list, was.list),
		"an empty list":                                    w.empty != nil && len(w.empty) == 0 && w.memory == nil,
		"a list with room":                                 len(w.room) == 2,
		"a map by structs":                                 len(w.own) == 40 && w.own[key{"k", [2]uint16{3, 10}}] == w.things[10],
		"a map by pointers":                                len(w.by) == 40 && w.by[w.things[11]] == 11,
		"an interface":                                     w.shape == square{4, w.things[3]} && w.nothing == nil && w.none != nil,
		"texts":                                            reflect.DeepEqual(w.texts, was.texts),
	} {
		if !ok {
			t.Errorf("%s is not what it was", what)
		}
	}
	if again := stateOf(t, c, w); !bytes.Equal(again, state) {
		t.Error("the state that was read is written as other bytes")
	}
}

func TestOneStateIsOneSequenceOfBytes(t *testing.T) {
	c := worldCodec(t)
	want := stateOf(t, c, newWorld())
	for range 20 {
		if got := stateOf(t, c, newWorld()); !bytes.Equal(got, want) {
			t.Fatal("two equal states are written as different bytes")
		}
	}
}

func TestAnotherInputIsRefused(t *testing.T) {
	c := worldCodec(t)
	state := stateOf(t, c, newWorld())
	w := newWorld()
	w.in.limits["y"]++
	if err := c.Read(state, true, w); err == nil || !strings.Contains(err.Error(), "configuration") {
		t.Errorf("with another limit: %v", err)
	}
	if err := c.Read(state, false, w); err != nil {
		t.Errorf("with another limit that is said to be: %v", err)
	}
	w = newWorld()
	w.in.parts = w.in.parts[:2]
	if err := c.Read(state, false, w); err == nil {
		t.Error("a pointer to a part that is no more is read")
	}
}

func TestWhatCannotBeWrittenIsRefused(t *testing.T) {
	type holder struct {
		f    func()
		c    chan int
		deep struct{ m map[*holder][]func() }
		u    uintptr
	}
	var h holder
	_, _, _, _ = h.f, h.c, h.deep.m, h.u // nothing else uses them
	_, err := New(Rules{Fields: map[string]Rule{"replay/engine/snapshot.stray.field": Kept}}, &h)
	for _, want := range []string{"holder.f:", "holder.c:", "}.m:", "holder.u", "stray.field"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want it to name %s", err, want)
		}
	}

	c := worldCodec(t)
	var out bytes.Buffer
	w := newWorld()
	w.shape = other{}
	if err := c.Write(&out, w); err == nil || !strings.Contains(err.Error(), "snapshot.other") {
		t.Errorf("a type that an interface may not hold: %v", err)
	}
	w = newWorld()
	w.by = map[*thing]int{{}: 1}
	if err := c.Write(&out, w); err == nil {
		t.Error("a key that nothing else leads to is written")
	}
	w = newWorld()
	w.things[0].in = newWorld() // whose input and function are not those of a root
	if err := c.Write(&out, w); err == nil || !strings.Contains(err.Error(), "outside of a root") {
		t.Errorf("fields of roots outside of roots: %v", err)
	}
}

type other struct{}

func (other) area() int { return 0 }

// FuzzRead: bytes are read or refused, whatever they are.
func FuzzRead(f *testing.F) {
	c := worldCodec(f)
	state := stateOf(f, c, newWorld())
	f.Add(state)
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := bytes.Clone(state)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		f.Add(b[:r.IntN(len(b)+1)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWorld()
		if c.Read(data, false, w) == nil {
			w.in = newInput()
			var out bytes.Buffer
			_ = c.Write(&out, w) // all that was read can be looked at
		}
	})
}
