package policy

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"replay/policy/autoscale"
	"replay/policy/resource"
)

// careful is a [Sharing] of a program of one's own. A panic of it is a [Mistake] that says where, and a comparison that is not one is found: one that reads a clock, random
// numbers or the order of a map, or that puts each of two before the other, makes results that nobody can have again.
type careful struct {
	Sharing
	name    string
	total   func(c *Contender, cluster *resource.Resource) bool
	count   int // of comparisons
	divided int // how often Shares was asked
}

const (
	// tried are the first comparisons of a policy, each of which is made again, and
	tried = 256
	// often says of how many more one is.
	often = 64
	// repeated are the first answers of other kinds that are asked for twice.
	repeated = 64
)

// own returns the policy as its constructor made it.
func own(s Sharing) Sharing {
	if c, ok := s.(*careful); ok {
		return c.Sharing
	}
	return s
}

// Shares is described at [Sharing].
func (c *careful) Shares(total resource.Resource, claims []Claim) {
	defer caught("sharing policy "+c.name, "Shares")
	if c.divided++; c.divided > repeated {
		c.Sharing.Shares(total, claims)
		return
	}
	twin := slices.Clone(claims)
	c.Sharing.Shares(total, claims)
	c.Sharing.Shares(total, twin)
	for i := range claims {
		if claims[i].Share != twin[i].Share {
			panic(&Mistake{Err: fmt.Errorf("sharing policy %s: Shares gave claim %d %v and then %v of the same total and claims, want what depends on its arguments alone: no clock, no random numbers, no order of a map", c.name, i, claims[i].Share, twin[i].Share)})
		}
	}
}

// Compare is described at [Sharing].
func (c *careful) Compare(a, b *Contender, cluster *resource.Resource) int {
	defer caught("sharing policy "+c.name, "Compare")
	first := c.Sharing.Compare(a, b, cluster)
	if c.count++; c.count > tried && c.count%often != 0 {
		return first
	}
	again, back := c.Sharing.Compare(a, b, cluster), c.Sharing.Compare(b, a, cluster)
	wrong := ""
	switch {
	case sign(again) != sign(first):
		wrong = unsteady(first, again)
	case sign(back) != -sign(first) && c.total(a, cluster) && c.total(b, cluster):
		wrong = fmt.Sprintf("Compare(a, b) returned %d and Compare(b, a) %d, want opposite signs, or 0 for both", first, back)
	default:
		return first
	}
	panic(&Mistake{Err: fmt.Errorf("sharing policy %s: %s (a: %s, b: %s)", c.name, wrong, a, b)})
}

// wrap looks at the further answers of a policy that gives them, too.
func (c *careful) wrap(s *Sharer) {
	if s.totality != nil {
		s.totality = carefulTotality{s.totality, c.name}
	}
	if s.equal != nil {
		s.equal = carefulEqual{s.equal, c.name}
	}
	if s.headroom != nil {
		s.headroom = carefulHeadroom{s.headroom, c.name}
	}
	if s.nesting != nil {
		s.nesting = carefulNesting{s.nesting, c.name}
	}
	s.calc = carefulCalculator{s.calc, c.name}
	s.Sharing, c.total = c, s.Total
}

// carefulCalculator looks at what [Sharer.Measure] asks for, and no more than that is asked.
type carefulCalculator struct {
	resource.Calculator
	name string
}

// Compare is described at [resource.Calculator].
func (c carefulCalculator) Compare(cluster, a, b resource.Resource, single bool) int {
	defer caught("sharing policy "+c.name, "Compare of its calculator")
	return c.Calculator.Compare(cluster, a, b, single)
}

type carefulNesting struct {
	WithNesting
	name string
}

// Parents is described at [WithNesting], as is Allows.
func (c carefulNesting) Parents() bool {
	defer caught("sharing policy "+c.name, "Parents")
	return c.WithNesting.Parents()
}

func (c carefulNesting) Allows(child Sharing) bool {
	defer caught("sharing policy "+c.name, "Allows")
	return c.WithNesting.Allows(child)
}

type carefulTotality struct {
	WithTotality
	name string
}

// Total is described at [WithTotality].
func (c carefulTotality) Total(x *Contender, cluster *resource.Resource) bool {
	defer caught("sharing policy "+c.name, "Total")
	return c.WithTotality.Total(x, cluster)
}

type carefulEqual struct {
	WithEqual
	name string
}

// Equal is described at [WithEqual].
func (c carefulEqual) Equal(total resource.Resource, claim *Claim, count int64) {
	defer caught("sharing policy "+c.name, "Equal")
	c.WithEqual.Equal(total, claim, count)
}

type carefulHeadroom struct {
	WithHeadroom
	name string
}

// Headroom is described at [WithHeadroom].
func (c carefulHeadroom) Headroom(fair, used, available resource.Resource) resource.Resource {
	defer caught("sharing policy "+c.name, "Headroom")
	return c.WithHeadroom.Headroom(fair, used, available)
}

// String is the contender for messages.
func (c *Contender) String() string {
	return fmt.Sprintf("usage %v, demand %v, weight %v, priority %d, start %d", c.Usage, c.Demand, c.Weight, c.Priority, c.Start)
}

func sign(x int) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// A placement of a program of one's own: what it returns is what was asked for.
type placed struct {
	Placement
	name  string
	count int
}

type placedTasks struct {
	placed
	tasks TaskPlacement
}

// carefulPlacement wraps what the constructor of a placement made. That one is a [SparsePlacement] is not made use of: Requests gives the same.
func carefulPlacement(name string, p Placement) Placement {
	plain := placed{Placement: p, name: name}
	if t, ok := p.(TaskPlacement); ok {
		return &placedTasks{plain, t}
	}
	return &plain
}

// Requests is described at [Placement].
func (p *placed) Requests(n int, hints *Hints) []Preference {
	defer caught("placement "+p.name, "Requests")
	return p.check(n, hints, func() []Preference { return p.Placement.Requests(n, hints) })
}

// TaskRequests is described at [TaskPlacement].
func (p *placedTasks) TaskRequests(n int, hints *Hints, tasks [][]int32) []Preference {
	defer caught("placement "+p.name, "TaskRequests")
	return p.check(n, hints, func() []Preference { return p.tasks.TaskRequests(n, hints, tasks) })
}

// check asks, and asks the first times twice.
func (p *placed) check(n int, hints *Hints, ask func() []Preference) []Preference {
	out := ask()
	if p.count++; p.count <= repeated {
		first := slices.Clone(out) // and the hosts, of which the memory may be used again
		for i := range first {
			first[i] = slices.Clone(first[i])
		}
		if out = ask(); !slices.EqualFunc(first, out, slices.Equal[Preference]) {
			panic(&Mistake{Err: fmt.Errorf("placement %s returned %v and then %v for the same hints, want what depends on its arguments alone: no clock, no random numbers, no order of a map", p.name, first, out)})
		}
	}
	if len(out) != max(n, 0) {
		panic(&Mistake{Err: fmt.Errorf("placement %s returned %d preferences for %d requests, want one for each, empty for anywhere", p.name, len(out), n)})
	}
	for i, hosts := range out {
		for k, host := range hosts {
			if host < 0 || int(host) >= len(hints.Tasks) || k > 0 && host <= hosts[k-1] {
				panic(&Mistake{Err: fmt.Errorf("placement %s: preference %d is %v, want positions of hosts from 0 to %d in ascending order, each once", p.name, i, hosts, len(hints.Tasks)-1)})
			}
		}
	}
	return out
}

// An order of applications of a program of one's own, looked at as [careful] looks at a sharing policy.
type ordered struct {
	LeafOrder
	name  string
	count int
}

// orderedByUsage is one that is a [WithUsage].
type orderedByUsage struct{ ordered }

// LooksAtUsage is described at [WithUsage].
func (*orderedByUsage) LooksAtUsage() {}

// carefulLeafOrder wraps what the constructor of an order made.
func carefulLeafOrder(name string, o LeafOrder) LeafOrder {
	if _, ok := o.(WithUsage); ok {
		return &orderedByUsage{ordered{LeafOrder: o, name: name}}
	}
	return &ordered{LeafOrder: o, name: name}
}

// Compare is described at [LeafOrder].
func (o *ordered) Compare(a, b *LeafApp) int {
	defer caught("order of applications "+o.name, "Compare")
	first := o.LeafOrder.Compare(a, b)
	if o.count++; o.count > tried && o.count%often != 0 || a.ID == b.ID {
		return first
	}
	again, back := o.LeafOrder.Compare(a, b), o.LeafOrder.Compare(b, a)
	wrong := ""
	switch {
	case sign(again) != sign(first):
		wrong = unsteady(first, again)
	case first == 0:
		wrong = "Compare returned 0 of two applications, want 0 only for one and the same"
	case sign(back) != -sign(first):
		wrong = fmt.Sprintf("Compare(a, b) returned %d and Compare(b, a) %d, want opposite signs", first, back)
	default:
		return first
	}
	panic(&Mistake{Err: fmt.Errorf("order of applications %s: %s (a: %+v, b: %+v)", o.name, wrong, *a, *b)})
}

// An autoscaler of a program of one's own. It may remember what it was shown, so it is asked once, and its answer is held against what a cluster can do.
type scaled struct {
	autoscale.Autoscaler
	name string
}

// mostChanged is how many nodes an answer may add or take, and mostPatience how long it may wait, ms.
const (
	mostChanged  = 1_000_000
	mostPatience = math.MaxInt64 / 2
)

// Evaluate is described at [autoscale.Autoscaler].
func (s *scaled) Evaluate(shown *autoscale.Shown) autoscale.Change {
	defer caught("autoscaling "+s.name, "Evaluate")
	c := s.Autoscaler.Evaluate(shown)
	for g, n := range c.Nodes {
		if n < -mostChanged || n > mostChanged {
			panic(&Mistake{Err: fmt.Errorf("autoscaling %s: Evaluate returned %d %s nodes, want -%d to %[4]d, below 0 for those that leave (shown: %+[5]v)", s.name, n, autoscale.Group(g), mostChanged, *shown)})
		}
	}
	if c.PatienceMS < 0 || c.PatienceMS > mostPatience {
		panic(&Mistake{Err: fmt.Errorf("autoscaling %s: Evaluate returned a patience of %d ms, want 0 to %d (shown: %+v)", s.name, c.PatienceMS, int64(mostPatience), *shown)})
	}
	return c
}

// unsteady says that a comparison changed its mind.
func unsteady(first, again int) string {
	return fmt.Sprintf("Compare returned %d and then %d of the same two, want what depends on its arguments alone: no clock, no random numbers, no order of a map", first, again)
}

// caught turns a panic of what is called who into a Mistake with the place where it came from.
func caught(who, what string) {
	p := recover()
	if p == nil {
		return
	}
	if m, ok := p.(*Mistake); ok {
		panic(m)
	}
	panic(&Mistake{Err: fmt.Errorf("%s: %s panicked: %v%s", who, what, p, origin())})
}

// origin is the first function below a panic that is not the runtime's, with its file and line.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	for panicked := false; ; {
		f, more := frames.Next()
		ofRuntime := strings.HasPrefix(f.Function, "runtime.")
		if panicked && !ofRuntime && f.Function != "" {
			return fmt.Sprintf(", in %s (%s:%d)", f.Function, f.File[strings.LastIndex(f.File, "/")+1:], f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic" || f.Function == "runtime.panicmem"
		if !more {
			return ""
		}
	}
}
