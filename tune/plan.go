package tune

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replay/report/metric"
	"replay/report/target"
	"replay/sweep"
)

// Keys are those that a plan has beside a sweep's.
var Keys = []string{"goal", "limits", "baseline", "held_seeds", "held_traces"}

// A Plan is what a plan says beside its grid.
type Plan struct {
	Goal       Goal
	Limits     []Limit
	Baseline   sweep.Text // flags; empty for those of all cells
	HeldSeeds  []uint64
	HeldTraces []sweep.Text // none: those of the race, under the held seeds
}

// A Goal is a value to have as little or as much of as can be.
type Goal struct {
	Text  string
	Least bool
	of    *target.Target
	plain string // the value without its queue
}

// A Limit is a condition that a setting must keep.
type Limit struct {
	*target.Target
	Text   string
	Others bool // of the goal's value in each other queue
}

var (
	goalForm = regexp.MustCompile(`^(least|most)\s+(.+)$`)
	queue    = regexp.MustCompile(`,\s*queue\s*=[^),]*`)
	others   = regexp.MustCompile(`^others\b`)
)

// parseGoal reads "least VALUE" or "most VALUE", with a value as in a condition.
func parseGoal(text string) (Goal, error) {
	m := goalForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Goal{}, fmt.Errorf("is %q, want least or most and a value, such as least p95(wait, queue=etl)", text)
	}
	g := Goal{Text: m[0], Least: m[1] == "least", plain: queue.ReplaceAllString(m[2], "")}
	var err error
	if g.of, err = target.Parse(m[2] + noLimit); err != nil {
		return Goal{}, fmt.Errorf("is %q, want a value such as p95(wait, queue=etl) after %s", text, m[1])
	}
	return g, nil
}

// noLimit makes a condition of a value that is looked for alone: one of any unit takes it.
const noLimit = " < +0%"

// parseLimit reads a condition, or one of "others".
func (g *Goal) parseLimit(text string) (Limit, error) {
	l := Limit{Text: strings.TrimSpace(text)}
	l.Others = others.MatchString(l.Text)
	var err error
	l.Target, err = target.Parse(others.ReplaceAllLiteralString(l.Text, g.plain))
	if err != nil && l.Others {
		err = fmt.Errorf("is %q, want a change such as others <= +5%%", text)
	}
	if err == nil && l.Others && (!l.Change || !queue.MatchString(g.Text)) {
		err = fmt.Errorf("is %q, want a change, and a goal of one queue: others are the other queues", text)
	}
	return l, err
}

// Of reads what a plan says beside its grid.
func Of(p *sweep.Plan) (*Plan, error) {
	t := &Plan{HeldTraces: p.Others["held_traces"]}
	one := func(key string) (sweep.Text, error) {
		texts := p.Others[key]
		if len(texts) > 1 {
			return sweep.Text{}, p.Errorf(texts[1].Line, key, "has %d values, want one", len(texts))
		}
		if texts == nil {
			return sweep.Text{}, nil
		}
		return texts[0], nil
	}
	goal, err := one("goal")
	if err != nil {
		return nil, err
	}
	if goal.Value == "" {
		return nil, fmt.Errorf("%s: goal is missing, want one such as least p95(wait, queue=etl)", p.File)
	}
	if t.Goal, err = parseGoal(goal.Value); err != nil {
		return nil, &sweep.Error{File: p.File, Line: goal.Line, Key: "goal", Err: err}
	}
	for _, text := range p.Others["limits"] {
		l, err := t.Goal.parseLimit(text.Value)
		if err != nil {
			return nil, &sweep.Error{File: p.File, Line: text.Line, Key: "limits", Err: err}
		}
		t.Limits = append(t.Limits, l)
	}
	if t.Baseline, err = one("baseline"); err != nil {
		return nil, err
	}
	for _, text := range p.Others["held_seeds"] {
		seed, err := strconv.ParseUint(text.Value, 10, 64)
		if err != nil {
			return nil, p.Errorf(text.Line, "held_seeds", "is %q, want whole numbers of 0 or more, such as 101..110", text.Value)
		}
		if slices.Contains(p.Seeds, seed) && t.HeldTraces == nil {
			return nil, p.Errorf(text.Line, "held_seeds", "has %d, which the race has, too: it would confirm itself", seed)
		}
		t.HeldSeeds = append(t.HeldSeeds, seed)
	}
	if t.HeldSeeds == nil { // those after the race's
		for i := range max(fewestHeld, len(p.Seeds)) {
			t.HeldSeeds = append(t.HeldSeeds, slices.Max(p.Seeds)+1+uint64(i))
		}
	}
	return t, nil
}

// fewestHeld is how many seeds are held out where nobody says.
const fewestHeld = 10

// A Rule is a limit on one value.
type Rule struct {
	Limit   string // as it was written
	Value   string // name of the value
	amount  float64
	percent bool
	limit   *target.Target
}

// A Number is a value of a replay.
type Number struct {
	X      float64 // NaN where there is none, or --until decides what it is over
	N      int64   // how many things it is over
	Things string  // what they are called
	Thin   bool    // they are next to none of those there are
	Least  bool    // X is a mean that is known to be at least so much, because times go on at the end of the replay
}

// Values are those of a replay by name.
type Values map[string]Number

// ValuesOf are those of a record.
func ValuesOf(r *sweep.Record) Values {
	out := Values{}
	for i := range r.Values {
		v := &r.Values[i]
		x := Number{math.NaN(), v.N, v.Things, v.Thin, v.Least}
		if v.Number != nil && !v.Cut {
			x.X = *v.Number
		}
		out[v.Name] = x
	}
	return out
}

// A Measure says what replays are looked at for.
type Measure struct {
	Goal  sweep.Value // name, unit and direction
	Rules []Rule
	sign  float64
}

// cutOff is why a value of replays that --until ends is none to choose by.
const cutOff = "--until ends replays before all jobs are over, and decides what this is over: want a value of jobs, such as p95(wait), or replays to the end"

// Measure finds what goal and limits are about in a record of the baseline. The error says which values come near.
func (p *Plan) Measure(r *sweep.Record) (*Measure, error) {
	values := make([]metric.Value, len(r.Values))
	for i := range values {
		values[i].Name, values[i].Unit = r.Values[i].Name, r.Values[i].Unit
	}
	at, _, _, err := p.Goal.of.Find(values)
	if err != nil {
		return nil, fmt.Errorf("goal %s: %w", p.Goal.Text, cmp.Or(errors.Unwrap(err), err)) // without the condition that was made of it
	}
	if r.Values[at].Cut {
		return nil, fmt.Errorf("goal %s: %s", p.Goal.Text, cutOff)
	}
	m := &Measure{Goal: r.Values[at], sign: 1}
	if !p.Goal.Least {
		m.sign = -1
	}
	for _, l := range p.Limits {
		at, amount, percent, err := l.Find(values)
		if err != nil {
			return nil, fmt.Errorf("limit %s: %w", l.Text, err)
		}
		if r.Values[at].Cut {
			return nil, fmt.Errorf("limit %s: %s", l.Text, cutOff)
		}
		rule := Rule{l.Text, values[at].Name, amount, percent, l.Target}
		if !l.Others {
			m.Rules = append(m.Rules, rule)
			continue
		}
		for i := range values {
			if name := values[i].Name; strings.HasPrefix(name, rule.Value+"[queue=") && name != m.Goal.Name {
				r := rule
				r.Value = name
				m.Rules = append(m.Rules, r)
			}
		}
	}
	return m, nil
}

// Score holds the replays of a candidate on a unit against those of the baseline, cell by cell, and takes means.
func (m *Measure) Score(candidate, baseline []Values) Score {
	s := Score{Excess: make([]float64, len(m.Rules))}
	for i := range candidate {
		s.Goal += m.sign * number(candidate[i], m.Goal.Name) / float64(len(candidate))
	}
	for k := range m.Rules {
		r := &m.Rules[k]
		n := 0
		for i := range candidate {
			was := number(baseline[i], r.Value)
			if r.limit.Change && math.IsNaN(was) {
				continue // nothing that could get worse
			}
			x := number(candidate[i], r.Value)
			switch {
			case r.percent:
				x = target.Over(x, was+float64(r.amount*math.Abs(was)), was)
			case r.limit.Change:
				x = target.Over(x, was+r.amount, was)
			default:
				if x = target.Over(x, r.amount, x); x < 0 && candidate[i][r.Value].Least {
					x = math.NaN()
				}
			}
			if strings.HasPrefix(r.limit.Op, ">") {
				x = -x
			}
			s.Excess[k] += x
			n++
		}
		if n > 0 {
			s.Excess[k] /= float64(n)
		}
	}
	return s
}

func number(v Values, name string) float64 {
	if x, ok := v[name]; ok {
		return x.X
	}
	return math.NaN()
}
