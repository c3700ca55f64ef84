package policy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"replay/policy/autoscale"
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

// further is a policy with everything that one may say, and each of it fails.
type further struct{ mine }

func (further) Total(*Contender, *resource.Resource) bool                   { panic("total?") }
func (further) Equal(resource.Resource, *Claim, int64)                      { panic("equal?") }
func (further) Headroom(_, _, _ resource.Resource) (none resource.Resource) { panic("headroom?") }
func (further) Calculator() resource.Calculator                             { return unsure{} }
func (further) Parents() bool                                               { panic("parents?") }
func (further) Allows(Sharing) bool                                         { panic("allows?") }

// unsure is a calculator that cannot compare.
type unsure struct{ resource.DefaultCalculator }

func (unsure) Compare(_, _, _ resource.Resource, _ bool) int { panic("larger?") }

// What a policy need not say, what only more types of resources bring out, and what an autoscaler does are told in the same way.
func TestMistakesOfFurtherAnswers(t *testing.T) {
	first := func(*Contender, *Contender) int { return -1 }
	tables := &Tables{
		Sharings: []SharingEntry{{Name: "further", New: func(int) Sharing { return further{mine{compare: first, shares: func([]Claim) {}}} }},
			{Name: "two", New: func(types int) Sharing { return further{mine{shares: func([]Claim) { _ = make([]int, 2)[types] }}} }},
			{Name: "narrow", New: func(types int) Sharing { _ = make([]int, 3)[types]; return further{} }},
			{Name: "none", New: func(types int) Sharing { return (*mine)(nil) }}},
		Autoscalers: []autoscale.Entry{{Name: "settled", New: func(*autoscale.Reader, *autoscale.Fleet) autoscale.Autoscaler {
			return myScaler(func() autoscale.Change { return autoscale.Change{} })
		}},
			{Name: "lost", New: func(*autoscale.Reader, *autoscale.Fleet) autoscale.Autoscaler {
				return myScaler(func() autoscale.Change { panic("lost") })
			}},
			{Name: "greedy", New: func(*autoscale.Reader, *autoscale.Fleet) autoscale.Autoscaler {
				return myScaler(func() autoscale.Change { return autoscale.Change{Nodes: autoscale.Counts{0, math.MinInt}} })
			}},
			{Name: "hasty", New: func(*autoscale.Reader, *autoscale.Fleet) autoscale.Autoscaler {
				return myScaler(func() autoscale.Change { return autoscale.Change{PatienceMS: -1} })
			}},
			{Name: "unmade", New: func(*autoscale.Reader, *autoscale.Fleet) autoscale.Autoscaler { panic("unmade") }},
			{Name: "absent", New: func(*autoscale.Reader, *autoscale.Fleet) autoscale.Autoscaler { return myScaler(nil) }}},
	}
	if err := tables.Check(); err == nil || !strings.Contains(err.Error(), "sharing policy none: its constructor returned nil") {
		t.Errorf("check: %v", err)
	}
	asked := func(name string, ask func(*Sharer)) string {
		s, err := tables.NewSharing(name, 2)
		if err != nil {
			return err.Error()
		}
		return mistaken(func() { ask(s) })
	}
	scaler := func(name string) string {
		plan, err := tables.NewAutoscaler(name, autoscale.Settings{})
		if err != nil {
			return err.Error()
		}
		return mistaken(func() { plan.Policy.Evaluate(&autoscale.Shown{Now: 7}) })
	}
	_, narrow := tables.NewSharing("narrow", 3)
	for _, tt := range []struct{ got, want string }{
		{asked("further", func(s *Sharer) { s.Total(&Contender{}, &resource.Resource{}) }), "sharing policy further: Total panicked: total?, in replay/policy.further.Total (careful_test.go:"},
		{asked("further", func(s *Sharer) { s.Equal(resource.R(1, 1), &Claim{}, 2) }), "sharing policy further: Equal panicked: equal?, in replay/policy.further.Equal ("},
		{asked("further", func(s *Sharer) { s.Headroom(resource.R(1, 1), resource.R(1, 1), resource.R(1, 1)) }), "sharing policy further: Headroom panicked: headroom?, in "},
		{asked("further", func(s *Sharer) { s.Measure(resource.R(1, 1), resource.R(1, 1), resource.R(1, 1), true) }), "sharing policy further: Compare of its calculator panicked: larger?, in replay/policy.unsure.Compare (careful_test.go:"},
		{asked("further", func(s *Sharer) { s.Parents() }), "sharing policy further: Parents panicked: parents?, in replay/policy.further.Parents ("},
		{asked("further", func(s *Sharer) { s.nesting.Allows(nil) }), "sharing policy further: Allows panicked: allows?, in replay/policy.further.Allows ("},
		{asked("further", func(s *Sharer) { s.Compare(&Contender{Rank: 1}, &Contender{Rank: 2}, &resource.Resource{}) }), "sharing policy further: Total panicked: total?, in "},
		{asked("two", func(s *Sharer) { s.Shares(resource.R(1, 1), nil) }), "sharing policy two: Shares panicked: runtime error: index out of range [2] with length 2, in "},
		{asked("none", func(*Sharer) {}), "sharing policy none: its constructor returned nil (of 2 types of resources)"},
		{fmt.Sprint(narrow), "sharing policy narrow: its constructor panicked: runtime error: index out of range [3] with length 3, in replay/policy.TestMistakesOfFurtherAnswers"},
		{scaler("settled"), ""},
		{scaler("lost"), "autoscaling lost: Evaluate panicked: lost, in replay/policy.TestMistakesOfFurtherAnswers"},
		{scaler("greedy"), "autoscaling greedy: Evaluate returned -9223372036854775808 secondary nodes, want -1000000 to 1000000, below 0 for those that leave (shown: {Now:7 "},
		{scaler("hasty"), "autoscaling hasty: Evaluate returned a patience of -1 ms, want 0 to "},
		{scaler("unmade"), "autoscaling unmade: its constructor panicked: unmade, in replay/policy.TestMistakesOfFurtherAnswers"},
		{scaler("absent"), "autoscaling absent: Evaluate panicked: runtime error: invalid memory address or nil pointer dereference, in "},
	} {
		if tt.got != tt.want && (tt.want == "" || !strings.HasPrefix(tt.got, tt.want)) {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

type myScaler func() autoscale.Change

func (s myScaler) Evaluate(*autoscale.Shown) autoscale.Change { return s() }

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
