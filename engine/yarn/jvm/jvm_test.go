package jvm

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHashCodes(t *testing.T) {
	const ts = 1700000000000
	app := AppHash(ts, 7)
	attempt := AttemptHash(app, 1)
	tests := []struct {
		name      string
		got, want int32
	}{
		{"application 7", app, 1289866031},
		{"attempt 1", attempt, -1300828537},
		{"container 1", ContainerHash(attempt, 1), -1300828506},
		{"node1:45454", NodeHash("node1", 45454), -563431726},
		{"root.default", StringHash("root.default"), 497640757},
		{"surrogate pair", StringHash("😀"), 31*0xd83d + 0xde00},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: hash %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

// In the order of Java: an emoji is two surrogates, which come before U+E000.
func TestCompareStrings(t *testing.T) {
	sorted := []string{"", "*", "/rack", "h", "h1", "h10", "h1~", "h1é", "h1éa", "h1\uffee", "h2", "ha", "hb", "hé", "h😀", "h😀a", "h😁", "h\ue000", "h\uffee", "é", "éa", "ê", "\ud7ff", "😀", "\uffee"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := CompareStrings(a, b); got != cmp.Compare(i, j) {
				t.Errorf("%q against %q: %d, want %d", a, b, got, cmp.Compare(i, j))
			}
		}
	}
}

func TestHashMapOrder(t *testing.T) {
	var nodes HashMap[string, int]
	for i := 1; i <= 14; i++ {
		host := fmt.Sprintf("node%d", i)
		nodes.Put(host, NodeHash(host, 45454), i)
	}
	var got []string
	for _, i := range nodes.All {
		got = append(got, fmt.Sprint(i))
	}
	if s := strings.Join(got, " "); s != "13 2 8 14 6 3 7 4 10 1 12 9 11 5" {
		t.Errorf("node order %s", s)
	}

	var queues HashMap[string, bool]
	for _, q := range []string{"root.a", "root.b", "root.default", "root.etl", "root.adhoc.bob", "root.adhoc.alice"} {
		queues.Put(q, StringHash(q), true)
	}
	got = got[:0]
	for q := range queues.All {
		got = append(got, q)
	}
	if s := strings.Join(got, " "); s != "root.adhoc.bob root.adhoc.alice root.default root.a root.etl root.b" {
		t.Errorf("queue order %s", s)
	}

	attempt := AttemptHash(AppHash(1700000000000, 7), 1)
	var containers HashMap[int64, bool]
	for n := int64(1); n <= 20; n++ {
		containers.Put(n, ContainerHash(attempt, n), true)
	}
	got = got[:0]
	for n := range containers.All {
		got = append(got, fmt.Sprint(n))
	}
	if s := strings.Join(got, " "); s != "17 16 19 18 20 9 8 11 10 13 12 15 14 1 3 2 5 4 7 6" {
		t.Errorf("container order %s", s)
	}
}

func TestConcurrentHashMapOrder(t *testing.T) {
	var m ConcurrentHashMap[string, int]
	for _, k := range []string{"*", "/default-rack", "/rack1", "host1", "host2", "host10"} {
		m.Put(k, StringHash(k), 0)
	}
	var got []string
	for k := range m.All {
		got = append(got, k)
	}
	if s := strings.Join(got, " "); s != "host1 host2 /default-rack * /rack1 host10" {
		t.Errorf("order %s", s)
	}
}

func TestHeapOfEqualElements(t *testing.T) {
	q := NewPriorityQueue(func(a, b int) int { return 0 })
	for i := range 6 {
		q.Add(i)
	}
	var got []int
	for {
		x, ok := q.Poll()
		if !ok {
			break
		}
		got = append(got, x)
	}
	if want := []int{0, 5, 4, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("removed %v, want %v", got, want)
	}
}

// heapOf is a heap by the first letter, and the array behind it as text.
func heapOf() (q *PriorityQueue[string], array func() string) {
	q = NewPriorityQueue(func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
	return q, func() string {
		var all []string
		for x := range q.Each {
			all = append(all, x)
		}
		return strings.Join(all, " ")
	}
}

// The array is that of java.util.PriorityQueue after each call: where equal elements stand decides which comes out first.
func TestHeapArray(t *testing.T) {
	q, array := heapOf()
	for _, s := range []struct{ add, want string }{
		{"d1", "d1"},
		{"b1", "b1 d1"},
		{"d2", "b1 d1 d2"},
		{"a1", "a1 b1 d2 d1"},
		{"b2", "a1 b1 d2 d1 b2"},
		{"c1", "a1 b1 c1 d1 b2 d2"},
		{"a2", "a1 b1 a2 d1 b2 d2 c1"},
		{"b3", "a1 b1 a2 b3 b2 d2 c1 d1"},
		{"d3", "a1 b1 a2 b3 b2 d2 c1 d1 d3"},
		{"a3", "a1 a3 a2 b3 b1 d2 c1 d1 d3 b2"},
		{"c2", "a1 a3 a2 b3 b1 d2 c1 d1 d3 b2 c2"},
		{"b4", "a1 a3 a2 b3 b1 b4 c1 d1 d3 b2 c2 d2"},
	} {
		if q.Add(s.add); array() != s.want {
			t.Errorf("with %s: %s, want %s", s.add, array(), s.want)
		}
	}
	for _, s := range []struct{ head, want string }{
		{"a1", "a3 b3 a2 d2 b1 b4 c1 d1 d3 b2 c2"},
		{"a3", "a2 b3 b4 d2 b1 c2 c1 d1 d3 b2"},
		{"a2", "b2 b3 b4 d2 b1 c2 c1 d1 d3"},
		{"b2", "b3 b1 b4 d2 d3 c2 c1 d1"},
		{"b3", "b1 d1 b4 d2 d3 c2 c1"},
		{"b1", "b4 d1 c1 d2 d3 c2"},
		{"b4", "c2 d1 c1 d2 d3"},
		{"c2", "c1 d1 d3 d2"},
		{"c1", "d2 d1 d3"},
		{"d2", "d3 d1"},
		{"d3", "d1"},
		{"d1", ""},
	} {
		if head, ok := q.Poll(); !ok || head != s.head || array() != s.want {
			t.Errorf("head %s, %v before %s, want %s before %s", head, ok, array(), s.head, s.want)
		}
	}
	if head, ok := q.Poll(); ok || head != "" {
		t.Errorf("an empty heap has the head %q", head)
	}
	// Each can be left early.
	q.Add("a")
	q.Add("b")
	for x := range q.Each {
		if x == "b" {
			t.Error("the walk goes on")
		}
		break
	}
}

// Whatever the order of six different elements, they come out sorted.
func TestHeapSorts(t *testing.T) {
	var all func(rest, in string)
	all = func(rest, in string) {
		for i := range rest {
			all(rest[:i]+rest[i+1:], in+rest[i:i+1])
		}
		if rest != "" {
			return
		}
		q, _ := heapOf()
		for _, x := range in {
			q.Add(string(x))
		}
		out := ""
		for x, ok := q.Poll(); ok; x, ok = q.Poll() {
			out += x
		}
		if out != "abcdef" {
			t.Errorf("%s comes out as %s", in, out)
		}
	}
	all("abcdef", "")
}

func TestAppRankOrdersAsNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int32Range(0, 1<<31-1).Draw(t, "a"), rapid.Int32Range(0, 1<<31-1).Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			a, b = a%20000, b%20000
		}
		want := CompareStrings(AppName(1, a), AppName(1, b))
		got := 0
		if AppRank(a) < AppRank(b) {
			got = -1
		} else if AppRank(a) > AppRank(b) {
			got = 1
		}
		if got != want {
			t.Fatalf("ranks of %d and %d compare %d, names %d", a, b, got, want)
		}
	})
}

// Both maps must agree with a plain Go map whatever is put and removed.
func TestMapsHoldWhatWasPut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h HashMap[int32, int]
		var c ConcurrentHashMap[int32, int]
		want := map[int32]int{}
		for i, k := range rapid.SliceOfN(rapid.Int32Range(0, 200), 0, 300).Draw(t, "keys") {
			code := k * 16 // long chains
			if i%3 == 2 {
				_, in := want[k]
				delete(want, k)
				if h.Remove(k, code) != in || c.Remove(k, code) != in {
					t.Fatalf("removal of %d does not report %v", k, in)
				}
				continue
			}
			want[k] = i
			h.Put(k, code, i)
			c.Put(k, code, i)
		}
		for name, all := range map[string]func(func(int32, int) bool){"HashMap": h.All, "ConcurrentHashMap": c.All} {
			got := map[int32]int{}
			for k, v := range all {
				got[k] = v
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s holds %v, want %v", name, got, want)
			}
		}
	})
}

// A map that never had more than a few keys yields them as one with a table does.
func TestMapsWithoutATableAreInItsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var listed, tabled HashMap[int32, int]
		var c, tabledC ConcurrentHashMap[int32, int]
		for k := range int32(few + 1) { // of as many slots
			tabled.Put(-k-1, k, 0)
			tabledC.Put(-k-1, k, 0)
		}
		for k := range int32(few + 1) {
			tabled.Remove(-k-1, k)
			tabledC.Remove(-k-1, k)
		}
		for i, k := range rapid.SliceOfN(rapid.Int32Range(0, 12), 0, 40).Draw(t, "keys") {
			code := k * 7 % 5 // some in a slot
			switch rapid.IntRange(0, 9).Draw(t, "operation") {
			case 0:
				listed.Reset()
				tabled.Clear()
				c.Reset()
				tabledC.Clear()
			case 1, 2, 3:
				listed.Remove(k, code)
				tabled.Remove(k, code)
				c.Remove(k, code)
				tabledC.Remove(k, code)
			default:
				listed.Put(k, code, i)
				tabled.Put(k, code, i)
				c.Put(k, code, i)
				tabledC.Put(k, code, i)
			}
			if len(tabled.table) > firstTable {
				return // one that is reset is as good as new, one that is cleared is not
			}
			in := func(all func(func(int32, int) bool)) (list []string) {
				for k, v := range all {
					list = append(list, fmt.Sprint(k, "=", v))
				}
				return list
			}
			if got, want := in(listed.All), in(tabled.All); !slices.Equal(got, want) || listed.Len() != len(want) {
				t.Fatalf("HashMap is %v, want %v", got, want)
			}
			if got, want := in(c.All), in(tabledC.All); !slices.Equal(got, want) || c.Len() != len(want) {
				t.Fatalf("ConcurrentHashMap is %v, want %v", got, want)
			}
		}
	})
}

func TestTreeSetSortsUnderATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 100).Draw(t, "in")
		var set TreeSet[int]
		for _, x := range in {
			set.Add(x, func(a, b int) int { return a - b })
		}
		sort.Ints(in)
		if got, want := set.AppendTo(nil), slices.Compact(in); !slices.Equal(got, want) {
			t.Fatalf("order %v, want %v", got, want)
		}
	})
}

// An order that contradicts itself: 0 before 1, 1 before 2, 2 before 0. The numbers of the elements are those that Arrays.sort gives.
func TestSortUnderAContradiction(t *testing.T) {
	for _, tt := range []struct{ in, want []int }{
		{nil, []int{}},
		{[]int{1}, []int{0}},
		{[]int{0, 1, 2}, []int{0, 1, 2}},
		{[]int{2, 1, 0}, []int{2, 1, 0}},
		{[]int{1, 2, 0, 1, 0, 2, 2, 1}, []int{0, 7, 1, 5, 6, 2, 4, 3}},
		{[]int{0, 2, 1, 0, 2, 1, 1, 1, 0, 2}, []int{5, 4, 3, 2, 1, 0, 8, 6, 7, 9}},
	} {
		got := make([]int, len(tt.in))
		for i := range got {
			got[i] = i
		}
		Sort(got, func(a, b int) int { return []int{0, 1, -1}[(tt.in[a]-tt.in[b]+3)%3] })
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v comes out as %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestSortIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct{ key, at int }
		var list []pair
		for i, k := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 50).Draw(t, "keys") {
			list = append(list, pair{k, i})
		}
		Sort(list, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
		if !slices.IsSortedFunc(list, func(a, b pair) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) }) {
			t.Fatalf("order %v", list)
		}
	})
}
