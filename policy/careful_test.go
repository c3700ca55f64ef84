package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/policy/resource"
)

// mine is a policy as somebody writes it for the first time.
type mine struct {
	Sharing
	compare func(a, b *Contender) int
	shares  func(claims []Claim)
}

func (m mine) Compare(a, b *Contender, _ *resource.Resource) int { return m.compare(a, b) }

func (m mine) Shares(_ resource.Resource, claims []Claim) { m.shares(claims) }

// partly is one whose comparison may contradict itself.
type partly struct{ mine }

func (partly) Total(*Contender, *resource.Resource) bool { return false }

type myPlacement func(n int, hints *Hints) []Preference

func (p myPlacement) Requests(n int, hints *Hints) []Preference { return p(n, hints) }

type myTasks struct{ myPlacement }

func (p myTasks) TaskRequests(n int, hints *Hints, _ [][]int32) []Preference {
	return p.myPlacement(n, hints)
}

type myOrder func(a, b *LeafApp) int

func (o myOrder) Compare(a, b *LeafApp) int { return o(a, b) }

// mistaken returns the mistake that ends what is done, empty where none does.
func mistaken(do func()) (text string) {
	defer func() {
		if m, ok := recover().(*Mistake); ok {
			text = m.Error()
		}
	}()
	do()
	return ""
}

// The mistakes that a policy in Go is written with end the replay as what they are, and say where; none gives an answer.
func TestMistakesOfPolicies(t *testing.T) {
	calls := 0
	changing := func() int { calls++; return calls%2*2 - 1 }
	byStart := func(a, b *Contender) int { return int(a.Start - b.Start) }
	nothing := func([]Claim) {}
	var none map[string]int
	compare := func(s Sharing) func() {
		sharer, err := (&Tables{Sharings: []SharingEntry{{Name: "mine", New: func(int) Sharing { return s }}}}).NewSharing("mine", 2)
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			sharer.Shares(resource.R(1024, 1), make([]Claim, 2))
			sharer.Compare(&Contender{Start: 1, Rank: 1}, &Contender{Start: 2, Rank: 2}, &resource.Resource{})
		}
	}
	place := func(p Placement) func() {
		made, err := (&Tables{Placements: []PlacementEntry{{"mine", func() Placement { return p }}}}).NewPlacement("mine")
		if err != nil {
			t.Fatal(err)
		}
		return func() { Requests(made, 2, &Hints{Tasks: make([]int, 3)}, make([][]int32, 2)) }
	}
	order := func(o LeafOrder) func() {
		made, err := (&Tables{LeafOrders: []LeafOrderEntry{{"mine", "", func(LeafOrderSettings) LeafOrder { return o }}}}).NewLeafOrder("mine", LeafOrderSettings{})
		if err != nil {
			t.Fatal(err)
		}
		return func() { made.Compare(&LeafApp{ID: 1}, &LeafApp{ID: 2}) }
	}
	for _, tt := range []struct {
		name string
		do   func()
		want string
	}{
		{"good", compare(mine{compare: byStart, shares: nothing}), ""},
		{"indifferent", compare(mine{compare: func(*Contender, *Contender) int { return 0 }, shares: nothing}), ""},
		{"random", compare(mine{compare: func(*Contender, *Contender) int { return changing() }, shares: nothing}), "sharing policy mine: Compare returned 1 and then -1 of the same two, want what depends on its arguments alone"},
		{"each first", compare(mine{compare: func(*Contender, *Contender) int { return -1 }, shares: nothing}), "Compare(a, b) returned -1 and Compare(b, a) -1, want opposite signs, or 0 for both (a: usage "},
		{"may contradict itself", compare(partly{mine{compare: func(*Contender, *Contender) int { return -1 }, shares: nothing}}), ""},
		{"map", compare(mine{compare: func(*Contender, *Contender) int { none["a"]++; return 0 }, shares: nothing}), "sharing policy mine: Compare panicked: assignment to entry in nil map, in replay/policy.TestMistakesOfPolicies."},
		{"embeds nothing", compare(struct{ Sharing }{}), "sharing policy mine: Shares panicked: runtime error: invalid memory address or nil pointer dereference, in "},
		{"random shares", compare(mine{compare: byStart, shares: func(claims []Claim) { claims[1].Share[0] = int64(changing()) }}), "Shares gave claim 1 "},
		{"mistake of its own", compare(mine{compare: func(*Contender, *Contender) int { panic(&Mistake{Err: fmt.Errorf("no")}) }, shares: nothing}), "no"},
		{"none asked for", place(myPlacement(func(int, *Hints) []Preference { return nil })), "placement mine returned 0 preferences for 2 requests"},
		{"anywhere", place(myPlacement(func(n int, _ *Hints) []Preference { return make([]Preference, n) })), ""},
		{"in order", place(myPlacement(func(n int, _ *Hints) []Preference { return slices.Repeat([]Preference{{0, 2}}, n) })), ""},
		{"beyond", place(myPlacement(func(n int, _ *Hints) []Preference { return slices.Repeat([]Preference{{3}}, n) })), "preference 0 is [3], want positions of hosts from 0 to 2 in ascending order, each once"},
		{"below", place(myPlacement(func(n int, _ *Hints) []Preference { return slices.Repeat([]Preference{{-1}}, n) })), "preference 0 is [-1]"},
		{"twice", place(myTasks{func(n int, _ *Hints) []Preference { return []Preference{{1}, {1, 1}} }}), "preference 1 is [1 1]"},
		{"panics of tasks", place(myTasks{func(n int, _ *Hints) []Preference { panic("oh") }}), "placement mine: TaskRequests panicked: oh, in replay/policy."},
		{"random hosts", place(myPlacement(func(n int, _ *Hints) []Preference { return slices.Repeat([]Preference{{int32(changing() + 1)}}, n) })), "placement mine returned [[2] [2]] and then [[0] [0]] for the same hints"},
		{"good order", order(myOrder(func(a, b *LeafApp) int { return int(a.ID - b.ID) })), ""},
		{"indifferent order", order(myOrder(func(a, b *LeafApp) int { return 0 })), "order of applications mine: Compare returned 0 of two applications"},
		{"order of each first", order(myOrder(func(a, b *LeafApp) int { return 1 })), "Compare(a, b) returned 1 and Compare(b, a) 1, want opposite signs"},
		{"random order", order(myOrder(func(a, b *LeafApp) int { return changing() })), "Compare returned 1 and then -1 of the same two"},
		{"order that panics", order(myOrder(func(a, b *LeafApp) int { none["a"]++; return 0 })), "order of applications mine: Compare panicked: "},
	} {
		calls = 0
		if got := mistaken(tt.do); got != tt.want && (tt.want == "" || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// After the first comparisons one of many is still made again, so what turns out late is found too; and one that looks at usage still does.
func TestMistakesThatComeLate(t *testing.T) {
	late := 0
	o := carefulLeafOrder("mine", myOrder(func(a, b *LeafApp) int {
		if late++; late > 5000 {
			return 1
		}
		return int(a.ID - b.ID)
	}))
	if got := mistaken(func() {
		for range 10_000 {
			o.Compare(&LeafApp{ID: 1}, &LeafApp{ID: 2})
		}
	}); !strings.Contains(got, "want opposite signs") || late > 5000+2*often {
		t.Errorf("%q after %d", got, late)
	}
	if _, ok := o.(WithUsage); ok {
		t.Error("an order that does not look at usage does")
	}
	if _, ok := carefulLeafOrder("mine", newLeafFair(LeafOrderSettings{})).(WithUsage); !ok {
		t.Error("an order that looks at usage does not")
	}
}
