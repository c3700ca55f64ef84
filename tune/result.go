package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"replay/outdir"
	"replay/report/dist"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/sweep"
)

// Result is an answer with what its numbers mean.
type Result struct {
	*Answer
	Plan   string   // name of its file
	Goal   string   // as it was written
	Labels []string // by candidate
	Units  string   // of the race, in words: "10 seeds"
	Held   string   // held out of it
	Values *Measure
	Row    func(candidate, unit int) []Values // replays of a candidate on a unit
	Race   *Race
	Sets   []Set // in which the winner differs from the baseline
	Own    []Own // of the keys among them that applications may set themselves
	Record *sweep.Record
	Cells  int // replays, different ones

	Lost     sweep.Outcome // of the replay of the baseline that loses most jobs; none where all succeed that should
	Warnings sweep.Warnings
	Clusters bool      // in a replay the winner does not have the nodes of the baseline
	Faster   []float64 // how many times as fast as under the baseline jobs arrive under the winner, by replay
}

// Paid is a value in which the winner differs from the baseline on the held-out units.
type Paid struct {
	Name      string
	Unit      quantity.Unit
	Was, Is   float64
	Half      float64 // of the change, of the part of the level that is this value's
	Better    bool
	Direction string
	N         int64  // how many things it is over, in the replay with the fewest
	Things    string // what they are called; empty when it is over none in particular
}

// over says how many things the value is over, and of a percentile of few that it is about the largest; empty when over none in particular.
func (p *Paid) over() string {
	v := metric.Value{Quantity: quantity.Quantity{Name: p.Name}, N: p.N, Things: p.Things}
	if few := v.Few(); few != "" {
		return v.Of() + ": " + few
	}
	return v.Of()
}

// means are a value's means over units under a candidate.
func (r *Result) means(c, from, to int, name string) (xs []float64) {
	for u := from; u < to; u++ {
		x := 0.0
		row := r.Row(c, u)
		for _, v := range row {
			x += number(v, name) / float64(len(row))
		}
		xs = append(xs, x)
	}
	return xs
}

// goal returns the mean of the goal's value under a candidate.
func (r *Result) goal(c, from, to int) float64 {
	return dist.Mean(r.means(c, from, to, r.Values.Goal.Name))
}

// words returns a value in words for people, as [metric.Words] does.
func (r *Result) words(name string) string {
	values := make([]metric.Value, len(r.Record.Values))
	at := -1
	for i := range values {
		v := &r.Record.Values[i]
		if values[i].Name, values[i].Plain = v.Name, v.Headline; v.Name == name {
			at = i
		}
	}
	if at < 0 {
		return name
	}
	return metric.Words(values, at)
}

// ofQueue are the values of a queue that people ask for.
var ofQueue = []string{"wait_job_first_task_mean_ms[queue=", "wait_job_first_task_p95_ms[queue=", "duration_job_mean_ms[queue="}

// Pays returns the values in which chance does not explain how the winner differs: headline metrics, and waits and durations of queues. Those that are
// tested together share the level. thin counts those left out that are over next to nothing in a replay.
func (r *Result) Pays() (out []Paid, thin int) {
	if r.Winner == Baseline {
		return nil, 0
	}
	type tested struct {
		v  *sweep.Value
		ds []float64
		p  Paid
	}
	var tests []tested
	from, to := r.Race.Units, r.Race.Units+r.Race.Held
	for i := range r.Record.Values {
		v := &r.Record.Values[i]
		if v.Better == "" || v.MovedBy.Moved(r.Clusters, r.arrive()) || v.Headline == "" && !slices.ContainsFunc(ofQueue, func(start string) bool { return strings.HasPrefix(v.Name, start) }) {
			continue
		}
		was, is := r.means(Baseline, from, to, v.Name), r.means(r.Winner, from, to, v.Name)
		ds := make([]float64, len(is))
		for k := range is {
			ds[k] = is[k] - was[k]
		}
		if mean := dist.Mean(ds); math.IsNaN(mean) {
			continue
		}
		n, little := r.over(from, to, v.Name)
		if little {
			thin++
			continue
		}
		tests = append(tests, tested{v, ds, Paid{Name: v.Name, Unit: v.Unit, Was: dist.Mean(was), Is: dist.Mean(is), Direction: v.Better, N: n, Things: v.Things}})
	}
	for _, t := range tests {
		e, half := estimate(t.ds, inference.Level/float64(len(tests)))
		if e.Mean-half > 0 || e.Mean+half < 0 {
			t.p.Half = half
			t.p.Better = (e.Mean > 0) == (t.v.Better == "higher")
			out = append(out, t.p)
		}
	}
	return out, thin
}

// over is the fewest things that a value is over under the baseline and the winner, and whether these are next to none in a replay.
func (r *Result) over(from, to int, name string) (n int64, thin bool) {
	n = math.MaxInt64
	for _, c := range []int{Baseline, r.Winner} {
		for u := from; u < to; u++ {
			for _, v := range r.Row(c, u) {
				n, thin = min(n, v[name].N), thin || v[name].Thin
			}
		}
	}
	return n, thin
}

// thinText says how many values are left out; empty for none.
func thinText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Left out, over next to nothing in a replay: %s.", quantity.Counted(int64(n), "values"))
}

// changed writes a goal's value under the baseline and under a candidate on the held-out units, with the change and its interval.
func (r *Result) changed() string {
	from, to := r.Race.Units, r.Race.Units+r.Race.Held
	return amounts(r.Values.Goal.Unit, r.goal(Baseline, from, to), r.goal(r.Winner, from, to), r.Answer.Goal.Half)
}

func amounts(u quantity.Unit, was, is, half float64) string {
	if math.IsNaN(is - was) {
		return "no number"
	}
	s := u.ScaleOf(was, is)
	text := fmt.Sprintf("%s → %s%s (%s", s.Number(was), s.Number(is), s.Suffix(), s.Signed(is-was))
	if !math.IsInf(half, 0) {
		text += " ±" + s.Number(half)
	}
	return text + ")"
}

// Sentence is the answer in words.
func (r *Result) Sentence() string {
	a, label := r.Answer, r.Labels[r.Answer.Winner]
	if a.Lost {
		return fmt.Sprintf("No setting is known to be better than the baseline: %s came first in the race, and on what was held out (%s) jobs fail under it that succeed under the baseline.", label, r.Held)
	}
	what := fmt.Sprintf("%s, on %s held out: %s", r.words(r.Values.Goal.Name), r.Held, r.changed())
	switch {
	case a.Winner == Baseline:
		return fmt.Sprintf("No setting came before the baseline in the race for %s.", r.Goal)
	case a.Better:
		return fmt.Sprintf("%s is better than the baseline. %s.", label, what)
	case a.Broken != nil:
		return fmt.Sprintf("No setting is known to be better than the baseline: %s came first in the race and breaks %s on what was held out. %s.", label, r.limits(a.Broken), what)
	case a.Goal.Real() && a.Goal.Mean > 0:
		return fmt.Sprintf("No setting is known to be better than the baseline: %s came first in the race by luck. %s.", label, what)
	case a.Goal.None():
		return fmt.Sprintf("No setting is known to be better than the baseline: %s came first in the race, and is equal to it in all of what was held out. %s.", label, what)
	case a.Goal.Rare > 0:
		return fmt.Sprintf("No setting is known to be better than the baseline: %s came first in the race, and differs from it in %d of %s held out alone, too rarely to know by how much. %s.", label, a.Goal.Rare, r.Held, what)
	}
	return fmt.Sprintf("No setting is known to be better than the baseline: %s came first in the race, and chance explains its gain. %s.", label, what)
}

// left says why a candidate left, and by which limits.
func (r *Result) left(x *Exit) string {
	if x.Limits == nil {
		return x.Why
	}
	return "breaks " + r.limits(x.Limits)
}

// behind says why a candidate that came to the end of the race stands behind all that keep the limits, whatever its value; empty of these.
func (r *Result) behind(c int) string {
	if limits := r.Race.over(c, r.Ran); limits != nil {
		return "exceeds " + r.limits(limits) + " by the mean"
	}
	return ""
}

// raced is the value of a candidate that came to the end of the race, of all of these in one unit.
func (r *Result) raced(c int) string {
	var all []float64
	for _, o := range r.Raced {
		all = append(all, r.goal(o, 0, r.Ran))
	}
	scale := r.Values.Goal.Unit.ScaleOf(all...)
	return scale.Number(r.goal(c, 0, r.Ran)) + scale.Suffix()
}

// unranked says that settings have a better value than the first of the race, and stand behind it for what they exceed; empty where none has.
func (r *Result) unranked() string {
	n, first := 0, r.Values.sign*r.goal(r.Winner, 0, r.Ran)
	for _, c := range r.Raced {
		if r.behind(c) != "" && r.Values.sign*r.goal(c, 0, r.Ran) < first {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("In the race %s had a better value than the first and exceeded a limit by the mean: the list says which.", settings(n))
}

func (r *Result) limits(at []int) string {
	var texts []string
	for _, k := range at {
		rule := r.Values.Rules[k]
		text := rule.Limit
		if rule.limit != nil && strings.HasPrefix(text, "others") {
			text += " in " + r.words(rule.Value)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " and ")
}

// goalText says over how many things the goal is where they are few; empty elsewhere.
func (r *Result) goalText() string {
	if r.Winner == Baseline {
		return ""
	}
	v := &r.Values.Goal
	n, thin := r.over(r.Race.Units, r.Race.Units+r.Race.Held, v.Name)
	of := metric.Value{Quantity: quantity.Quantity{Name: v.Name}, N: n, Things: v.Things}
	switch {
	case thin:
		return fmt.Sprintf("The goal is over next to nothing: %s in a replay.", of.Of())
	case of.Few() != "":
		return fmt.Sprintf("The goal is over %s: %s.", of.Of(), of.Few())
	}
	return ""
}

// lostText says how many jobs are lost whatever is chosen, and what that does to the race; empty where none are.
func (r *Result) lostText() string {
	if r.Lost.Unexpected == 0 {
		return ""
	}
	return fmt.Sprintf("In a replay of the baseline %d of %s fail, are refused or do not finish that should succeed: values are over the others, times with what those that do not finish have taken so far, and of a setting it is held that jobs fail only where it loses one that the baseline does not.",
		r.Lost.Unexpected, quantity.Counted(r.Lost.Jobs, "jobs"))
}

// arrivalsText says that jobs arrive faster or more slowly under the winner than under the baseline, so that the two have not the same work to do at a time;
// empty where they do not.
func (r *Result) arrivalsText() string {
	if r.Winner == Baseline || len(r.Faster) == 0 {
		return ""
	}
	low, high := slices.Min(r.Faster), slices.Max(r.Faster)
	if low == 1 && high == 1 {
		return ""
	}
	times := fmt.Sprintf("%.3g", low)
	if low != high {
		times = fmt.Sprintf("%.3g to %.3g", low, high)
	}
	return fmt.Sprintf("Under it jobs arrive %s times as fast as under the baseline (--load is of each cluster), which is part of each difference.", times)
}

// arrive reports whether jobs arrive faster or more slowly under the winner than under the baseline.
func (r *Result) arrive() bool {
	return slices.ContainsFunc(r.Faster, func(by float64) bool { return by != 1 })
}

// unlike says that the winner does not have the nodes or the arrivals of the baseline, and what is left out for it; empty where it has.
func (r *Result) unlike() string {
	what := map[[2]bool]string{{true, false}: "nodes", {false, true}: "arrivals", {true, true}: "nodes and arrivals"}[[2]bool{r.Clusters, r.arrive()}]
	if r.Winner == Baseline || what == "" {
		return ""
	}
	var moved []string
	for i := range r.Record.Values {
		if v := &r.Record.Values[i]; v.Headline != "" && v.Better != "" && v.MovedBy.Moved(r.Clusters, r.arrive()) {
			moved = append(moved, r.words(v.Name))
		}
	}
	text := fmt.Sprintf("It does not have the same %s as the baseline", what)
	if moved != nil {
		text += fmt.Sprintf(", and that by itself moves %s: neither better nor worse, and left out", strings.Join(moved, " and "))
	}
	return text + "."
}

// names are the labels of candidates.
func (r *Result) names(candidates []int) string {
	var names []string
	for _, c := range candidates {
		names = append(names, r.Labels[c])
	}
	return strings.Join(names, "; ")
}

// tiesText says who is equal to the winner in all of what was held out, and who is not told from it there.
func (r *Result) tiesText() (texts []string) {
	var equal, near []int
	for _, c := range r.Ties {
		if d := r.Race.change(c, r.Winner); d.None() {
			equal = append(equal, c)
		} else {
			near = append(near, c)
		}
	}
	if equal != nil {
		texts = append(texts, "Equal to it in all of what was held out: "+r.names(equal)+".")
	}
	if near != nil {
		texts = append(texts, "Not told apart from it: "+r.names(near)+".")
	}
	return texts
}

func settings(n int) string { return quantity.Counted(int64(n), "settings") }

// WriteText writes the answer for people.
func (r *Result) WriteText(w io.Writer) {
	fmt.Fprintln(w, r.Sentence())
	for _, text := range append([]string{r.unranked(), r.arrivalsText(), r.unlike(), r.lostText(), r.goalText(), r.ownText()}, r.tiesText()...) {
		if text != "" {
			fmt.Fprintln(w, text)
		}
	}
	if r.Winner != Baseline && r.Open != nil {
		fmt.Fprintf(w, "Kept by the mean, and not known beyond chance: %s.\n", r.limits(r.Open))
	}
	if r.Better {
		fmt.Fprintln(w)
		for _, s := range snippets(r.Sets) {
			fmt.Fprintf(w, "%s:\n  %s\n", s.name(), strings.ReplaceAll(strings.TrimSpace(s.Text), "\n", "\n  "))
		}
	}
	all, thin := r.Pays()
	for _, side := range []struct {
		title  string
		better bool
	}{{"What gets worse", false}, {"What gets better", true}} {
		pays := slices.DeleteFunc(slices.Clone(all), func(p Paid) bool { return p.Better != side.better })
		if r.Winner == Baseline {
			break
		}
		fmt.Fprintf(w, "\n%s with it, on what was held out:", side.title)
		if len(pays) == 0 {
			fmt.Fprintln(w, " nothing that is known beyond chance.")
			continue
		}
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, p := range pays {
			line := "  " + r.words(p.Name) + "\t" + amounts(p.Unit, p.Was, p.Is, p.Half)
			if over := p.over(); over != "" {
				line += "\tover " + over
			}
			fmt.Fprintln(t, line)
		}
		t.Flush()
	}
	if len(all) > 0 && r.Winner != Baseline {
		fmt.Fprintf(w, "\n%s\n", together)
	}
	if text := thinText(thin); text != "" {
		fmt.Fprintf(w, "\n%s\n", text)
	}
	fmt.Fprintf(w, "\nThe race: %s on %s, by twice as many each round; %s in all.\n", settings(len(r.Labels)-1), r.Units, quantity.Counted(int64(r.Cells), "replays"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, c := range r.Raced {
		line := fmt.Sprintf("  %d\t%s\t%s", i+1, r.Labels[c], r.raced(c))
		if why := r.behind(c); why != "" {
			line += "\t" + why
		}
		fmt.Fprintln(t, line)
	}
	for _, x := range slices.Backward(r.Exits) {
		fmt.Fprintf(t, "  –\t%s\t%s\n", r.Labels[x.Candidate], fmt.Sprintf("left after %d: %s", x.Units, r.left(&x)))
	}
	t.Flush()
}

// answer is the result for other programs.
type answer struct {
	Answer    string         `json:"answer"`
	Goal      string         `json:"goal"`
	Value     string         `json:"value"`
	Unit      quantity.Unit  `json:"unit"`
	Winner    string         `json:"winner"`
	Better    bool           `json:"better"`        // than the baseline, on what was held out and within the limits
	Was       float64        `json:"was"`           // mean on what was held out
	Is        *float64       `json:"is"`            // null where jobs fail that the value is over
	Half      *float64       `json:"half_interval"` // of the change
	Ties      []string       `json:"ties"`
	Broken    []string       `json:"limits_broken"`
	Open      []string       `json:"limits_open"`
	Snippets  []Snippet      `json:"snippets"`
	Own       []Own          `json:"set_by_jobs"` // keys of the snippets that jobs of the traces set themselves
	Changes   []answerChange `json:"changes"`
	Thin      int            `json:"left_out"` // values over next to nothing in a replay, of which no change is told
	Raced     []string       `json:"raced"`    // the best first, behind all that keep the limits those that exceed one by the mean
	Behind    []answerExit   `json:"behind"`   // these
	Exits     []answerExit   `json:"exits"`
	Held      string         `json:"held_out"`
	Raceunits string         `json:"race"`
	Replays   int            `json:"replays"`
	Arrivals  string         `json:"arrivals,omitempty"` // how they differ from the baseline's
	Lost      int64          `json:"jobs_lost"`          // of the replay of the baseline that loses most
	Warned    []string       `json:"warnings"`
}

type answerChange struct {
	Value  string  `json:"value"`
	Was    float64 `json:"was"`
	Is     float64 `json:"is"`
	Half   float64 `json:"half_interval"`
	Better bool    `json:"better"`
	N      int64   `json:"n"`  // of the replay that has the fewest
	Of     string  `json:"of"` // what n counts
}

type answerExit struct {
	Setting string `json:"setting"`
	Units   int    `json:"units"`
	Why     string `json:"why"`
}

// JSON is the result for other programs.
func (r *Result) JSON() ([]byte, error) {
	from, to := r.Race.Units, r.Race.Units+r.Race.Held
	a := answer{Answer: r.Sentence(), Goal: r.Goal, Value: r.Values.Goal.Name, Unit: r.Values.Goal.Unit, Winner: r.Labels[r.Winner], Better: r.Better,
		Was: r.goal(Baseline, from, to), Ties: []string{}, Broken: []string{}, Open: []string{}, Snippets: []Snippet{}, Own: []Own{}, Changes: []answerChange{},
		Behind: []answerExit{}, Exits: []answerExit{}, Held: r.Held, Raceunits: r.Units, Replays: r.Cells, Arrivals: r.arrivalsText(), Lost: r.Lost.Unexpected, Warned: append([]string{}, r.Warnings.Texts()...)}
	if is := r.goal(r.Winner, from, to); !math.IsNaN(is) {
		a.Is = &is
	}
	if half := r.Answer.Goal.Half; !math.IsInf(half, 0) && !math.IsNaN(half) {
		a.Half = &half
	}
	for _, c := range r.Ties {
		a.Ties = append(a.Ties, r.Labels[c])
	}
	for _, k := range r.Broken {
		a.Broken = append(a.Broken, r.limits([]int{k}))
	}
	for _, k := range r.Open {
		a.Open = append(a.Open, r.limits([]int{k}))
	}
	if r.Better {
		a.Snippets, a.Own = snippets(r.Sets), append(a.Own, r.Own...)
	}
	pays, thin := r.Pays()
	for _, p := range pays {
		a.Changes = append(a.Changes, answerChange{p.Name, p.Was, p.Is, p.Half, p.Better, p.N, p.Things})
	}
	a.Thin = thin
	for _, c := range r.Raced {
		a.Raced = append(a.Raced, r.Labels[c])
		if why := r.behind(c); why != "" {
			a.Behind = append(a.Behind, answerExit{r.Labels[c], r.Ran, why})
		}
	}
	for _, x := range r.Exits {
		a.Exits = append(a.Exits, answerExit{r.Labels[x.Candidate], x.Units, r.left(&x)})
	}
	text, err := json.MarshalIndent(&a, "", "  ")
	return append(text, '\n'), err
}

// Folder is where the directory of the cells has the result.
const Folder = sweep.TunedFolder

var resultFiles = []string{"tune.json", "tune.txt", "tune.html"}

// Write writes the result into the directory of the cells.
func (r *Result) Write(dir string) error {
	out, err := outdir.Kind{Mark: resultFiles[0], Files: resultFiles}.Begin(dir)
	if err != nil {
		return err
	}
	defer out.Abort()
	js, err := r.JSON()
	if err != nil {
		return err
	}
	var text strings.Builder
	r.WriteText(&text)
	html, err := r.page()
	if err != nil {
		return err
	}
	if err := errors.Join(out.WriteFile("tune.json", js), out.WriteFile("tune.txt", []byte(text.String())), out.WriteFile("tune.html", html)); err != nil {
		return err
	}
	return out.Install()
}
