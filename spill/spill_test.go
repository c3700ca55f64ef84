package spill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// grouped gives n records of some keys to groups and returns what comes back: the records of each key, and the keys
// in the order of groups.
func grouped(t *testing.T, g *Groups, n, keys int) (got map[string][]string, order []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	want := map[string][]string{}
	for i := range n {
		key := "k" + strconv.Itoa(r.IntN(keys))
		record := fmt.Sprint(i, strings.Repeat("x", r.IntN(30)))
		want[key] = append(want[key], record)
		if err := g.Add([]byte(key), []byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	got = map[string][]string{}
	err := g.Each(t.Context(), func(key []byte, records [][]byte) error {
		if got[string(key)] != nil {
			t.Errorf("key %s comes twice", key)
		}
		for _, x := range records {
			got[string(key)] = append(got[string(key)], string(x))
		}
		order = append(order, string(key))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("%d groups, want %d", len(got), len(want))
	}
	for k := range want {
		if !slices.Equal(got[k], want[k]) {
			t.Errorf("key %s has %d records, or in another order; want %d", k, len(got[k]), len(want[k]))
		}
	}
	return got, order
}

// All records of a key come together and in order, in memory, from the file, and where parts are parted again; also
// where one key has more than a part should.
func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		n, keys int
		whole   int64
	}{{0, 1, 1 << 20}, {1, 1, 1 << 20}, {5000, 700, 1 << 20}, {60_000, 3000, 1 << 20}, {60_000, 3000, 4 << 10}, {60_000, 2, 4 << 10}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			var first []string
			for range 2 {
				g := NewGroups("job")
				g.whole = tt.whole
				_, order := grouped(t, g, tt.n, tt.keys)
				if first == nil {
					first = order
				}
				if !slices.Equal(order, first) {
					t.Error("the order of groups differs from the first time")
				}
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Memory holds a part of the records at a time, whatever their number.
func TestGroupsInMemory(t *testing.T) {
	g := NewGroups("job")
	defer g.Close()
	record := bytes.Repeat([]byte("x"), 1000)
	for i := range 20_000 {
		if err := g.Add([]byte(strconv.Itoa(i%1000)), record); err != nil {
			t.Fatal(err)
		}
	}
	held := 0
	for i := range g.parts {
		held += cap(g.parts[i].buf)
	}
	if most := parts * 2 * chunkBytes; held > most {
		t.Errorf("%d bytes in memory of %d, want at most %d", held, g.bytes, most)
	}
}

func TestGroupsStop(t *testing.T) {
	g := NewGroups("job")
	defer g.Close()
	for i := range 10 {
		if err := g.Add([]byte{byte(i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	stop, n := errors.New("stop"), 0
	if err := g.Each(t.Context(), func([]byte, [][]byte) error { n++; return stop }); err != stop || n != 1 {
		t.Errorf("%v after %d groups, want the error of the first", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Each(ctx, func([]byte, [][]byte) error { return nil }); err != context.Canceled {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

// Records come in the order of their bytes, each as often as it was added, as often as one asks.
func TestSorter(t *testing.T) {
	for _, n := range []int{0, 1, 10, 10_000} {
		for _, most := range []int{100, 4 << 10, 8 << 20} {
			s := NewSorter()
			s.most = most
			r := rand.New(rand.NewPCG(3, uint64(n)))
			var want []string
			for range n {
				x := strconv.Itoa(r.IntN(n))
				want = append(want, x)
				if err := s.Add([]byte(x)); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(want)
			for range 2 {
				var got []string
				for x, err := range s.All() {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, string(x))
				}
				if !slices.Equal(got, want) || s.Len() != int64(n) {
					t.Errorf("%d records in runs of %d bytes: %d came, or in another order", n, most, len(got))
				}
			}
			for range s.All() {
				break
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Runs that are read together take a megabyte, or a kilobyte each.
func TestSorterReadsLittleAhead(t *testing.T) {
	s := NewSorter()
	defer s.Close()
	s.most = 100
	for i := range 12_000 {
		if err := s.Add([]byte(strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) < 2000 {
		t.Fatalf("%d runs, want 2000 or more", len(s.runs))
	}
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	runtime.ReadMemStats(&now)
	if each, most := int(now.TotalAlloc-before.TotalAlloc)/len(s.runs), 2*leastAhead; each > most {
		t.Errorf("%d bytes of each of %d runs, want at most %d", each, len(s.runs), most)
	}
}

// A text is the same whether it is given out again or made, also where more differ than are kept, and does not change with what it was made of.
func TestTexts(t *testing.T) {
	var x Texts
	b := []byte("abc")
	first := x.Of(b)
	b[0] = 'z'
	if first != "abc" || x.Of(b) != "zbc" || x.Of(nil) != "" {
		t.Errorf("%q, %q", first, x.Of(b))
	}
	long := strings.Repeat("x", mostOfText+1)
	for i := range 3 * mostTexts {
		if want := strconv.Itoa(i % (mostTexts + 1)); x.Of([]byte(want)) != want || x.Of([]byte(long)) != long {
			t.Fatalf("%s is given out as another text", want)
		}
		if len(x.known) > mostTexts {
			t.Fatalf("%d texts are kept, want at most %d", len(x.known), mostTexts)
		}
	}
	if n := testing.AllocsPerRun(10, func() { x.Of(b) }); n > 0 {
		t.Errorf("a text that is known is made again: %v allocations", n)
	}
}
