package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"replay/report/quantity"
)

// advice says where to look when the targets hold at neither end, or at both; empty where the answer lies between. It goes by the target that is missed by most
// where that is missed least, at either end.
func (p *Plan) advice() string {
	if n, number := p.number(0); p.All && number {
		where := "above " + p.Labels[len(p.Labels)-1]
		if n > 0 && !p.least(0) {
			where = "below " + p.Labels[0] + " or " + where
		}
		return "Where it ceases to hold lies beyond: look " + where + "."
	}
	if p.Best >= 0 || len(p.Points) < 2 {
		return ""
	}
	first, last := &p.Points[0], &p.Points[len(p.Points)-1]
	lost, lostLast := p.Lost[first.Value], p.Lost[last.Value]
	if lost.Jobs > 0 && lostLast.Jobs > 0 {
		return fmt.Sprintf("Of jobs that should succeed %s are lost at %s = %s, and %s at %s: %s. Change what they are lost by, or leave them out (--change 'without job N').",
			lost.text(), p.Setting, p.Labels[first.Value], lostLast.text(), p.Labels[last.Value], lostLast.Why)
	}
	if p.numberless() {
		text := "Nothing is known of what is beyond."
		for i, m := range p.Metrics {
			if same := func(o Metric) bool { return o.Name == m.Name }; m.Absent != "" && !slices.ContainsFunc(p.Metrics[:i], same) {
				text += fmt.Sprintf(" Without a number: %s (%s).", m.Words, m.Absent)
			}
		}
		return text
	}
	for i, pt := range []*Point{first, last} {
		other := []*Point{last, first}[i]
		if lost := p.Lost[pt.Value]; lost.Jobs > 0 {
			return fmt.Sprintf("Of jobs that should succeed %s are lost at %s = %s, and at %s the targets are missed: %s. %s.", lost.text(), p.Setting, p.Labels[pt.Value], p.Labels[other.Value], p.awayFrom(pt, other), lost.Why)
		}
		if pt.numberless() {
			return fmt.Sprintf("At %s = %s a value has no number, and at %s the targets are missed: %s.", p.Setting, p.Labels[pt.Value], p.Labels[other.Value], p.awayFrom(pt, other))
		}
	}
	worst, excess := 0, math.Inf(-1)
	for t := range p.Metrics {
		if x := min(p.missed(first, t), p.missed(last, t)); x > excess {
			worst, excess = t, x
		}
	}
	measured := fmt.Sprintf("%s is %s at %s = %s", p.Metrics[worst].Words, p.cell(first, worst), p.Setting, p.Labels[first.Value])
	var middle *Point
	if len(p.Points) == 3 {
		middle = &p.Points[1]
		measured += fmt.Sprintf(", %s at %s", p.cell(middle, worst), p.Labels[middle.Value])
	}
	measured += fmt.Sprintf(" and %s at %s", p.cell(last, worst), p.Labels[last.Value])
	a, halfA := p.value(first, worst)
	b, halfB := p.value(last, worst)
	near := last
	if p.missed(first, worst) < p.missed(last, worst) {
		near = first
	}
	if !(math.Abs(a-b) > math.Hypot(halfA, halfB)) {
		return fmt.Sprintf("%s, no difference that chance does not explain: vary something else. replay explain RESULT --all says what jobs wait for.", measured)
	}
	if _, number := p.number(near.Value); !number {
		return fmt.Sprintf("%s: %s comes nearer. Try other values, or vary something else.", measured, p.Labels[near.Value])
	}
	if middle != nil && p.saturates(middle, near, worst) {
		return fmt.Sprintf("%s: from %s to %s it hardly comes nearer, so values beyond cannot be expected to do. Vary something else; replay explain RESULT --all says what jobs wait for.", measured, p.Labels[middle.Value], p.Labels[near.Value])
	}
	if p.least(near.Value) {
		return fmt.Sprintf("%s: %s comes nearer, and nothing is below it. Vary something else.", measured, p.Labels[near.Value])
	}
	return fmt.Sprintf("%s: look beyond %s.", measured, p.Labels[near.Value])
}

// awayFrom says where to look when nothing can be said of one end and the other misses the targets: beyond that, unless what lies in the middle says that it is not known
// to come nearer there than on the way to the first.
func (p *Plan) awayFrom(gone, end *Point) string {
	beyond := "look on the other side of " + p.Labels[end.Value]
	if len(p.Points) != 3 || p.Points[1].numberless() || p.Lost[p.Points[1].Value].Jobs > 0 {
		return beyond
	}
	middle, worst := &p.Points[1], 0
	for t := range p.Metrics {
		if p.missed(end, t) > p.missed(end, worst) {
			worst = t
		}
	}
	a, halfA := p.value(middle, worst)
	b, halfB := p.value(end, worst)
	if p.missed(end, worst) < p.missed(middle, worst) && math.Abs(a-b) > math.Hypot(halfA, halfB) {
		return beyond
	}
	return fmt.Sprintf("as %s is %s at %s and %s there, nothing says that it comes nearer beyond: look between %s and %s", p.Metrics[worst].Words, p.cell(middle, worst), p.Labels[middle.Value], p.cell(end, worst),
		p.Labels[min(gone.Value, middle.Value)], p.Labels[max(gone.Value, middle.Value)])
}

// saturates reports whether the second half of the way to the better end brought so little that as much again some times over would not do.
func (p *Plan) saturates(middle, near *Point, t int) bool {
	const times = 4
	return (p.missed(middle, t)-p.missed(near, t))*times < p.missed(near, t)
}

// least reports whether no smaller value can be tried: a cluster has a node, and of other settings nothing below 0 is looked at.
func (p *Plan) least(value int) bool {
	n, number := p.number(value)
	return number && value == 0 && (n <= 0 || p.Setting == "nodes" && n <= 1)
}

// missed is by how much the mean of a target's value is on the wrong side of its limit, as a part of the limit where that is not 0.
func (p *Plan) missed(pt *Point, t int) float64 {
	mean, _ := p.value(pt, t)
	x := mean - p.Metrics[t].Limit
	if p.Targets[t].Holds(-1) { // below the limit
		x = -x
	}
	return quantity.Over(-x, cmp.Or(math.Abs(p.Metrics[t].Limit), 1))
}
