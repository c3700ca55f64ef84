package plan

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/outdir"
	"replay/report/dist"
	"replay/report/figure"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/target"
	"replay/shown"
)

// A Plan is an answer with what its numbers mean.
type Plan struct {
	*Answer
	Setting   string   // what was varied: nodes
	Labels    []string // its values
	Subject   string   // what was replayed
	About     string   // on which other cluster manager it was recorded, empty for none; a sentence without its period
	Targets   []*target.Target
	Metrics   []Metric      // by target
	Lost      []Loss        // by value: of the replay that loses most
	Open      []int64       // by value: jobs whose times go on where a replay ends, of that with most of them; nil where there are none
	Costs     []float64     // an hour of the nodes, by value, of those that were replayed; nil when nobody says prices
	In        string        // currency of the costs, empty when nobody says
	Bands     []record.Band // how far predicted times were off, as a model file says
	Durations string        // of tasks, from where the trace has them
	Made      *record.Made  // nil when it is not known
	// Warnings are those of all replays: what is not modelled, and what else limits the answer.
	Warnings []string
	Caveat   string // what the answer is not an answer to, a sentence; empty for nothing
}

// Metric is what a target is about.
type Metric struct {
	Name  string
	Words string // its name for people
	Unit  quantity.Unit
	Limit float64 // in the unit
	Few   string  // that the metric is over so few things that it is about the largest of them, empty where it is not

	Absent string // why a replay has no number of it, empty where each has one
}

// Loss is how many jobs a replay loses that should succeed.
type Loss struct {
	Jobs, Of int64
	Why      string // what became of most of them, empty where none is lost
}

func (l Loss) text() string {
	return quantity.Thousands(l.Jobs) + " of " + quantity.Counted(l.Of, "jobs")
}

// value returns the mean of a target's value over the seeds of a point, and half the interval around it; NaN where a replay has none.
func (p *Plan) value(pt *Point, t int) (mean, half float64) {
	xs := make([]float64, len(pt.Excess))
	for k := range xs {
		xs[k] = pt.Excess[k][t]
	}
	mean, half = dist.Mean(xs)+p.Metrics[t].Limit, math.NaN()
	if !math.IsNaN(mean) && len(xs) >= inference.Fewest {
		half = inference.Independent(xs).Half(inference.Level)
	}
	return mean, half
}

func (p *Plan) targets() string {
	var texts []string
	for _, t := range p.Targets {
		texts = append(texts, t.Text)
	}
	return strings.Join(texts, " and ")
}

// Sentence is the answer in words.
func (p *Plan) Sentence() string {
	first, last := p.Labels[0], p.Labels[len(p.Labels)-1]
	within := fmt.Sprintf("%s from %s to %s", p.Setting, first, last)
	switch {
	case p.Best < 0 && p.Lost[0].Jobs > 0 && p.Lost[len(p.Lost)-1].Jobs > 0:
		return fmt.Sprintf("%s is not known with %s: jobs are lost at both ends, and where jobs are lost nothing holds.", p.targets(), within)
	case p.Best < 0 && p.numberless():
		return fmt.Sprintf("%s is not known with %s: a value has no number at either end.", p.targets(), within)
	case p.Best < 0 && p.untried():
		return fmt.Sprintf("%s holds neither at %s = %s; what lies between was not tried.", p.targets(), p.Setting, p.tried(" nor at "))
	case p.Best < 0:
		return fmt.Sprintf("%s does not hold with %s: neither at %s.", p.targets(), within, p.tried(" nor at "))
	case p.All && p.Low == p.High:
		return fmt.Sprintf("%s holds with %s at both ends: already at %s.", p.targets(), within, first)
	case p.All:
		return fmt.Sprintf("%s holds with %s at both ends by the means of all seeds, which chance may explain at %s.", p.targets(), within, first)
	}
	which := map[bool]string{true: "the smallest", false: "the largest"}[p.Rising]
	if _, number := p.number(p.Best); !number {
		which = map[bool]string{true: "the first", false: "the last"}[p.Rising]
	}
	text := fmt.Sprintf("%s = %s is %s from %s to %s at which %s", p.Setting, p.Labels[p.Best], which, first, last, p.targets())
	border := ""
	if p.untried() {
		border = ", if there is one border between failing and holding"
	}
	if p.Low == p.High {
		return text + " (known with 95 % confidence" + border + ")."
	}
	return fmt.Sprintf("%s (from %s to %s with 95 %% confidence%s).", text, p.Labels[p.Low], p.Labels[p.High], border)
}

// tried are the values that were replayed, joined.
func (p *Plan) tried(by string) string {
	var labels []string
	for i := range p.Points {
		labels = append(labels, p.Labels[p.Points[i].Value])
	}
	return strings.Join(labels, by)
}

// untried reports whether some values were not replayed, of which the answer goes by their neighbours.
func (p *Plan) untried() bool { return len(p.Points) < len(p.Labels) }

// numberless reports whether a value has no number at either end, so that nothing is known there or beyond.
func (p *Plan) numberless() bool {
	return len(p.Points) > 1 && p.Points[0].numberless() && p.Points[len(p.Points)-1].numberless()
}

func (pt *Point) numberless() bool {
	return slices.ContainsFunc(pt.Excess, func(xs []float64) bool { return slices.ContainsFunc(xs, math.IsNaN) })
}

// number is the number that a value of the setting begins with.
func (p *Plan) number(value int) (n float64, ok bool) {
	_, err := fmt.Sscan(p.Labels[value], &n)
	return n, err == nil
}

// brokenText says where more is not better; empty where it is as far as was looked.
func (p *Plan) brokenText() string {
	if p.Broken == nil {
		return ""
	}
	b := p.Broken[0]
	return fmt.Sprintf("Not all the way: what holds at %s = %s and what holds at %s contradict each other, so that there may be further borders between them.", p.Setting, p.Labels[b[0]], p.Labels[b[1]])
}

// WriteText writes the answer, and each value that was replayed.
func (p *Plan) WriteText(w io.Writer) {
	shown.Paragraph(w, p.Sentence(), "")
	for _, text := range []string{p.Caveat, p.advice(), p.brokenText()} {
		if text != "" {
			shown.Paragraph(w, text, "")
		}
	}
	fmt.Fprintf(w, "%s of %s at %d of %d values.\n\n", quantity.Counted(int64(p.Replays), "replays"), p.Subject, len(p.Points), len(p.Labels))
	t, paint := &shown.Table{}, shown.Paint(w)
	head := []string{p.Setting, "seeds"}
	for _, m := range p.Metrics {
		head = append(head, m.Words)
	}
	if p.Costs != nil {
		head = append(head, p.costHead())
	}
	if p.loses() {
		head = append(head, lostHead)
	}
	t.Head(append(head, "")...)
	for i := range p.Points {
		pt := &p.Points[i]
		row := []string{p.Labels[pt.Value], fmt.Sprint(len(pt.Excess))}
		for k := range p.Metrics {
			row = append(row, p.cell(pt, k))
		}
		if p.Costs != nil {
			row = append(row, p.cost(pt.Value))
		}
		if p.loses() {
			row = append(row, quantity.Thousands(p.Lost[pt.Value].Jobs))
		}
		style := map[Status]shown.Style{Holds: shown.Good, Fails: shown.Bad, Open: shown.Doubt}[pt.Status]
		t.Row(append(row, paint.In(style, string(pt.Status)))...)
	}
	t.Write(w)
	for _, text := range p.notes() {
		fmt.Fprintln(w)
		shown.Paragraph(w, text, "")
	}
}

// notes are what limits the answer: where it was recorded, percentiles of too few things, and how far predicted times were off.
func (p *Plan) notes() (texts []string) {
	if p.About != "" {
		texts = append(texts, p.About+".")
	}
	for i, m := range p.Metrics {
		before := func(o Metric) bool { return o.Few == m.Few }
		if m.Few != "" && !slices.ContainsFunc(p.Metrics[:i], before) {
			texts = append(texts, strings.ToUpper(m.Few[:1])+m.Few[1:]+".")
		}
	}
	if text := p.openText(); text != "" {
		texts = append(texts, text)
	}
	if text := metric.BandsText(p.Bands, p.Durations); text != "" {
		texts = append(texts, text)
	}
	return texts
}

// openText says where times of jobs go on at the end of replays; empty where none does.
func (p *Plan) openText() string {
	var at []string
	for i := range p.Points {
		if value := p.Points[i].Value; p.Open != nil && p.Open[value] > 0 {
			at = append(at, fmt.Sprintf("%s (%s)", p.Labels[value], quantity.Counted(p.Open[value], "jobs")))
		}
	}
	if at == nil {
		return ""
	}
	return fmt.Sprintf("Where replays end, jobs still wait or run at %s = %s: they count with at least the time so far. A mean of times of which more than 5 %% go on has no number unless it is above its limit as it is.", p.Setting, strings.Join(at, ", "))
}

func (p *Plan) cell(pt *Point, t int) string {
	mean, half := p.value(pt, t)
	if math.IsNaN(mean) {
		return "–"
	}
	return known(p.Metrics[t].Unit, p.Metrics[t].Limit, mean, half)
}

// known writes a mean and half of its interval, if it has one, in the unit in which its limit is written: those of a column are
// compared. One far beyond the limit is in a unit of its own.
func known(unit quantity.Unit, limit, mean, half float64) string {
	s := unit.ScaleOf(limit)
	if math.Abs(mean) > math.Abs(100*limit) {
		s = unit.ScaleOf(mean)
	}
	text := s.Number(mean)
	switch {
	case math.IsNaN(half) || half <= 0:
	case unit == quantity.MS && half*s.By < 0.005: // less than the time is rounded by, as seconds of days
		text += " ±<0.01"
	default:
		text += " ±" + s.Number(half)
	}
	return text + s.Suffix()
}

// lostHead is the head of the column of lost jobs, which is there where some replay loses any.
const lostHead = "jobs lost"

func (p *Plan) loses() bool {
	return slices.ContainsFunc(p.Lost, func(l Loss) bool { return l.Jobs > 0 })
}

func (p *Plan) cost(value int) string { return quantity.Decimals(p.Costs[value], 2) }

func (p *Plan) costHead() string {
	if p.In == "" {
		return "cost an hour"
	}
	return p.In + " an hour"
}

// curve draws each target's value over the setting, against its limit.
func (p *Plan) curve() (out []figure.Picture) {
	for t, m := range p.Metrics {
		scale := m.Unit.ScaleOf(m.Limit)
		f := figure.New(figure.Short(p.Targets[t].Text, 60), p.Setting, axis(m.Words, scale))
		var line figure.Points
		var dots []figure.Dot
		low, high := float64(m.Limit*scale.By), float64(m.Limit*scale.By)
		x := func(value int) float64 {
			if n, ok := p.number(value); ok {
				return n
			}
			return float64(value)
		}
		from, to := x(0), x(len(p.Labels)-1)
		for i := range p.Points {
			pt := &p.Points[i]
			mean, half := p.value(pt, t)
			if math.IsNaN(mean) {
				continue
			}
			y := float64(mean * scale.By)
			line = append(line, figure.Point{X: x(pt.Value), Y: y})
			dots = append(dots, figure.Dot{X: x(pt.Value), Y: y, Color: figure.Palette[0], Filled: pt.Status == Holds})
			low, high = min(low, y), max(high, y)
			if !math.IsNaN(half) {
				h := float64(half * scale.By)
				f.Styled("", figure.Palette[0], nil, 1, figure.Points{{X: x(pt.Value), Y: y - h}, {X: x(pt.Value), Y: y + h}})
				low, high = min(low, y-h), max(high, y+h)
			}
		}
		picture := figure.Picture{Name: fmt.Sprintf("curve-%d", t+1), Title: p.Targets[t].Text}
		if len(line) == 0 {
			picture.Reason = "no replay has a value"
			out = append(out, picture)
			continue
		}
		const name = "mean over seeds, with its interval (filled: holds)"
		f.Line("", 0, line)
		f.LineDotKey(name, figure.Dashed(0), figure.Dot{Color: figure.Palette[0], Filled: true})
		for _, at := range line {
			f.Record(figure.At("", name, at.X, at.Y))
		}
		f.Styled("limit", figure.Ink, figure.Dashes[1], 1, figure.Points{{X: from, Y: m.Limit * scale.By}, {X: to, Y: m.Limit * scale.By}})
		f.Dots(dots)
		pad := float64((high - low) * .05)
		f.OverSettings(from, to, low-pad, high+pad)
		picture.Figure = f
		out = append(out, picture)
	}
	return out
}

// axis names a metric and the unit of its numbers.
func axis(name string, s quantity.Scale) string {
	name = figure.Short(strings.TrimSuffix(name, quantity.MS.Suffix()), 40)
	if s.Unit == "" {
		return name
	}
	return name + " (" + s.Unit + ")"
}

// answer is the plan for other programs.
type answer struct {
	Answer  string      `json:"answer"`
	Setting string      `json:"setting"`
	Best    *string     `json:"best"` // null where no value that was tried holds
	Low     *string     `json:"low"`
	High    *string     `json:"high"`
	Largest bool        `json:"largest"` // best is the largest value at which the targets hold, not the smallest
	Replays int         `json:"replays"`
	Broken  [][2]string `json:"contradictions"`
	Points  []jsonPoint `json:"points"`
	About   string      `json:"recorded_elsewhere,omitempty"`
	Caveat  string      `json:"caveat,omitempty"`
	Advice  string      `json:"advice,omitempty"` // where to look, where it holds at neither end or at both
	Notes   []string    `json:"notes"`            // what limits the answer
	Warned  []string    `json:"warnings"`
	// Currency is empty when nobody says.
	Currency string        `json:"currency,omitempty"`
	Bands    []record.Band `json:"error_bands,omitempty"`
}

type jsonPoint struct {
	Value   string     `json:"value"`
	Status  Status     `json:"status"`
	Seeds   int        `json:"seeds"`
	Cost    *float64   `json:"cost_an_hour,omitempty"`
	Lost    int64      `json:"jobs_lost"` // of the replay that loses most
	Open    int64      `json:"jobs_open"` // of the replay with most of them: times that go on where it ends
	Targets []jsonMean `json:"targets"`
}

type jsonMean struct {
	Metric string   `json:"metric"`
	Limit  float64  `json:"limit"` // in the metric's unit
	Mean   *float64 `json:"mean"`  // null where a replay has no value
	Half   *float64 `json:"half_interval"`
}

// JSON returns the plan for other programs.
func (p *Plan) JSON() ([]byte, error) {
	known := func(x float64) *float64 {
		if math.IsNaN(x) {
			return nil
		}
		return &x
	}
	label := func(i int) *string {
		if i < 0 {
			return nil
		}
		return &p.Labels[i]
	}
	a := answer{Answer: p.Sentence(), Setting: p.Setting, Best: label(p.Best), Low: label(p.Low), High: label(p.High), Largest: !p.Rising, Replays: p.Replays, Broken: [][2]string{}, About: p.About, Caveat: p.Caveat, Advice: p.advice(), Notes: append([]string{}, p.notes()...), Warned: append([]string{}, p.Warnings...), Currency: p.In, Bands: p.Bands}
	for _, b := range p.Broken {
		a.Broken = append(a.Broken, [2]string{p.Labels[b[0]], p.Labels[b[1]]})
	}
	for i := range p.Points {
		pt := &p.Points[i]
		open := int64(0)
		if p.Open != nil {
			open = p.Open[pt.Value]
		}
		row := jsonPoint{Value: p.Labels[pt.Value], Status: pt.Status, Seeds: len(pt.Excess), Lost: p.Lost[pt.Value].Jobs, Open: open}
		if p.Costs != nil {
			row.Cost = &p.Costs[pt.Value]
		}
		for t, m := range p.Metrics {
			mean, half := p.value(pt, t)
			row.Targets = append(row.Targets, jsonMean{m.Name, m.Limit, known(mean), known(half)})
		}
		a.Points = append(a.Points, row)
	}
	text, err := json.MarshalIndent(&a, "", "  ")
	return append(text, '\n'), err
}

// dir is what a directory of a plan consists of.
var dir = outdir.Kind{Mark: "plan.json", Files: append(figure.Files(), "plan.json", "plan.txt", "report.html")}

// CheckDir reports why a plan cannot be written to path.
func CheckDir(path string) error { return dir.Check(path) }

// WriteDir writes plan.json, plan.txt, report.html and the curves to a directory, which is absent, empty or an earlier plan. It appears whole or not at all.
func (p *Plan) WriteDir(path string, formats []string) error {
	d, err := dir.Begin(path)
	if err != nil {
		return err
	}
	defer d.Abort()
	curves := p.curve()
	if err := figure.WriteAll(d.Path("plots"), curves, formats); err != nil {
		return err
	}
	page, err := p.page(curves)
	if err != nil {
		return err
	}
	js, err := p.JSON()
	if err != nil {
		return err
	}
	var text strings.Builder
	p.WriteText(&text)
	if err := d.WriteFile("plan.json", js); err != nil {
		return err
	}
	if err := d.WriteFile("plan.txt", shown.Bytes([]byte(text.String()))); err != nil {
		return err
	}
	if err := d.WriteFile("report.html", page); err != nil {
		return err
	}
	return d.Install()
}
