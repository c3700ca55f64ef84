package page

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replay/engine/record"
	"replay/report/explain"
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/quantity"
)

// overTime are the pictures of a replay that scripts draw as panels and lanes instead.
var overTime = []string{"utilization", "queue_shares", "locality_time", "tasks_nodes", "timeline_applications", "timeline_nodes"}

// Run returns report.html of a replay with its pictures.
func Run(s *metric.Summary, ps []figure.Picture) ([]byte, error) {
	m := &s.Manifest
	p := Page{Title: "Replay of " + m.Subject(), About: m.Elsewhere, Facts: s.Facts(), Modelled: m.Modelled, Warnings: s.Warnings()}
	p.Chips = []string{quantity.OrDash(m.Scheduler) + " scheduler", "sharing " + quantity.OrDash(m.Sharing), "placement " + quantity.OrDash(m.Placement),
		quantity.Counted(m.Nodes, "nodes"), quantity.Duration(float64(m.Totals.EndMS)) + " simulated", "seed " + strconv.FormatUint(m.Seed, 10)}
	news := s.News()
	lede := Outcome(s.Outcome(), "")
	if lede.Kind == "good" && len(news) > 0 {
		lede.Cause, news = news[0], news[1:]
	}
	p.Ledes = append(p.Ledes, lede)
	p.Notes = news
	said, others := s.Headline()
	p.Numbers, p.LeftOut = numbers(said), others
	p.Over = over(s.Data)
	drawn, err := Inline(ps)
	if err != nil {
		return nil, err
	}
	for _, f := range drawn {
		if slices.Contains(overTime, f.Name) {
			p.Over.Figures = append(p.Over.Figures, f)
		} else {
			p.Figures = append(p.Figures, f)
		}
	}
	var explained map[int64]*explain.Job // nil of a replay without explanations
	if s.Explained != nil {
		explained = map[int64]*explain.Job{}
		var all explain.Totals
		for _, j := range explain.Kept(s.Data, nil) {
			explained[j.ID] = j
			all.Add(j)
		}
		p.Notes = append(p.Notes, all.Sentence())
	}
	if g := queues(s, explained); len(g.Rows) > 0 {
		p.Grids = append(p.Grids, g)
	}
	if g := jobs(s.Data, explained); len(g.Rows) > 0 {
		p.Grids = append(p.Grids, g)
	}
	p.made(m)
	listed := listedQueues(s)
	for _, g := range s.Groups {
		t := Table{Title: g.Title, Head: []string{"metric", "value", "of"}}
		out := int64(0)
		for _, v := range g.Values {
			if queue := v.Queue(); queue != "" && listed != nil && !slices.Contains(listed, queue) {
				out++
				continue
			}
			t.Rows = append(t.Rows, Row{Name: v.Name, About: v.About, Cells: []Cell{{Text: v.Amount(), Label: "value"}, {Text: quantity.OrDash(v.Of()), Label: "of"}}})
		}
		if out > 0 {
			t.About = fmt.Sprintf("Of the queues those are listed that used most: %s of the others stand in summary.json and summary.txt beside this page.", quantity.Counted(out, "values"))
		}
		p.Tables = append(p.Tables, t)
	}
	return p.Render(run)
}

// ManyQueues are so many that a page with every metric of each would be slow to open.
const ManyQueues = 100

// listedQueues are the queues of which every metric is listed: those that used most where there are many, nil for all.
func listedQueues(s *metric.Summary) []string {
	all := map[string]bool{}
	for _, g := range s.Groups {
		for _, v := range g.Values {
			if q := v.Queue(); q != "" {
				all[q] = true
			}
		}
	}
	if len(all) <= ManyQueues {
		return nil
	}
	return s.Data.Queues.Largest(shownQueues)
}

// Outcome says what became of the jobs, with the reasons of those that did not succeed; name tells variants apart.
func Outcome(o *metric.Outcome, name string) Lede {
	l := Lede{Text: o.Text(), Kind: "good"}
	if name != "" {
		l.Text = name + ": " + l.Text
	}
	if o.Succeeded < o.Jobs {
		l.Kind = "bad"
	}
	for i := range o.Reasons {
		l.Findings = append(l.Findings, o.Reasons[i].Text())
	}
	if len(l.Findings) > 0 {
		l.Cause, l.Findings = l.Findings[0], l.Findings[1:]
	}
	return l
}

// groups are the titles under which headline values stand, by the beginning of their names.
var groups = []struct{ title, prefixes string }{
	{"Waiting", "wait_"},
	{"Jobs", "duration_ slowdown_ makespan throughput_"},
	{"Locality", "locality_"},
	{"Use of the cluster", "utilization_ waste_"},
	{"Fairness", "fairness_"},
}

// numbers puts headline values into groups, and says once which way is better where that is the same for a whole group.
func numbers(values []*metric.Value) (out []Numbers) {
	left := slices.Clone(values)
	take := func(title string, fits func(*metric.Value) bool) {
		g := Numbers{Title: title}
		rest := left[:0:0]
		for _, v := range left {
			if !fits(v) {
				rest = append(rest, v)
				continue
			}
			n := Number{Amount: v.Unit.Amount(v.Number), Name: v.Plain, Better: v.Better.String(), About: v.About}
			if of := v.Of(); of != "" {
				n.Of = "of " + of
			}
			g.Values = append(g.Values, n)
		}
		if left = rest; len(g.Values) == 0 {
			return
		}
		first := g.Values[0].Better
		if !slices.ContainsFunc(g.Values, func(n Number) bool { return n.Better != first }) {
			g.Better = first
			for i := range g.Values {
				g.Values[i].Better = ""
			}
		}
		out = append(out, g)
	}
	for _, group := range groups {
		take(group.title, func(v *metric.Value) bool {
			return slices.ContainsFunc(strings.Fields(group.prefixes), func(p string) bool { return strings.HasPrefix(v.Name, p) })
		})
	}
	take("More", func(*metric.Value) bool { return true })
	return out
}

// made says how a replay was made: its command, the program, all keys, and the files that they came from.
func (p *Page) made(m *record.Manifest) {
	if m.Made != nil {
		p.MadeBy(m.Made.Command, 1)
	}
	version := m.Program + " " + m.ProgramVersion
	if m.Commit != "" {
		version += ", commit " + m.Commit
		if m.Modified {
			version += " with changes"
		}
	}
	if strings.TrimSpace(version) != "" {
		p.Facts = append(p.Facts, [2]string{"program", version})
	}
	texts := map[string]string{}
	for _, c := range []struct {
		name   string
		values map[string]string
	}{{"Configuration in force", m.Config}, {"Parameters of the model", m.Model}} {
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(c.values)) {
			if v := c.values[k]; strings.Contains(v, "\n") {
				texts[k] = v
			} else {
				fmt.Fprintf(&b, "%s = %s\n", k, v)
			}
		}
		if b.Len() > 0 {
			p.Files = append(p.Files, File{c.name, b.String()})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(texts)) {
		p.Files = append(p.Files, File{k, texts[k]})
	}
}

// MadeBy sets the command that made what the page shows. Traces, so many behind the command's name, stand in its words by their own names, as
// results do not depend on where they are: the page has the place of a directory instead, and says of which trace.
func (p *Page) MadeBy(command []string, traces int) {
	shown := slices.Clone(command)
	for i := 1; i <= traces && i < len(shown); i++ {
		shown[i] = "TRACE"
		if traces > 1 {
			shown[i] += strconv.Itoa(i)
		}
		p.Facts = append(p.Facts, [2]string{shown[i], "directory of the trace " + command[i]})
	}
	p.Command = "replay " + Words(shown)
}

// Words writes the words of a command for a shell.
func Words(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.ContainsAny(w, " \t\n'\"$`\\|&;<>()*?[]#~!{}") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
