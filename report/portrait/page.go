package portrait

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"replay/outdir"
	"replay/report/figure"
	"replay/report/page"
	"replay/report/quantity"
	"replay/shown"
	"replay/trace"
	"replay/trace/portrait"
)

// dir is what a directory of a portrait consists of.
var dir = outdir.Kind{Mark: "portrait.json", Files: append(figure.Files(), "portrait.json", "portrait.txt", "report.html")}

// WriteDir writes portrait.json, portrait.txt, the plots in the formats and report.html to path, whole or not at all. command are the words that made it.
func WriteDir(path string, p *portrait.Portrait, formats, command []string) error {
	d, err := dir.Begin(path)
	if err != nil {
		return err
	}
	defer d.Abort()
	drawn := pictures(p)
	if err := figure.WriteAll(d.Path("plots"), drawn, formats); err != nil {
		return err
	}
	html, err := pageOf(p, drawn, command)
	if err != nil {
		return err
	}
	js, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := p.WriteText(&text); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"portrait.json", append(js, '\n')}, {"portrait.txt", shown.Bytes(text.Bytes())}, {"report.html", html}} {
		if err := d.WriteFile(f.name, f.data); err != nil {
			return err
		}
	}
	return d.Install()
}

// pageOf returns the portrait as one page of HTML with its pictures.
func pageOf(p *portrait.Portrait, pictures []figure.Picture, command []string) ([]byte, error) {
	c := p.Counts
	g := page.Page{
		Title: "Portrait of " + p.Name, Command: "replay " + page.Words(command),
		Chips: []string{quantity.Counted(c.Jobs, "jobs"), quantity.Counted(c.Tasks, "tasks"), quantity.Counted(c.Nodes, "nodes"), quantity.Duration(float64(p.SpanMS)),
			"localities " + p.LocalitySource, "durations " + p.DurationSource},
	}
	load := func(v *float64) string {
		if p.SpanMS == 0 {
			return "none"
		}
		return trace.Percent(v)
	}
	until := "work of all tasks over what the nodes of the start can do until the last submission"
	if p.SpanMS == 0 {
		until += "; all is submitted at once"
	}
	for _, n := range []struct{ label, number, about string }{
		{"offered load, vcores", load(p.Load.VCores), until},
		{"offered load, memory", load(p.Load.Memory), "the same of memory"},
		{"jobs an hour", fmt.Sprintf("%.4g", p.Arrivals.PerHour), "jobs over the time to the last submission"},
		{"median tasks of a job", quantity.Thousands(p.TasksPerJob.P50), "half of the jobs have as many or fewer"},
		{"median duration of a task", quantity.Duration(float64(p.DurationMS.P50)), "half of the tasks take as long or less"},
	} {
		g.Cards = append(g.Cards, page.Card{Label: n.label, Number: n.number, About: n.about})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Load.Further)) {
		g.Cards = append(g.Cards, page.Card{Label: "offered load, " + name, Number: percent(p.Load.Further[name]), About: "the same of a further resource"})
	}
	if h := p.Held; h != nil {
		g.Cards = append(g.Cards, page.Card{Label: "vcores, with held executors", Number: load(h.Load.VCores), About: "recorded executors count for as long as they were held; of jobs without them, the tasks" + h.Ends("; ")})
		for _, name := range slices.Sorted(maps.Keys(h.Load.Further)) {
			g.Cards = append(g.Cards, page.Card{Label: name + ", with held executors", Number: percent(h.Load.Further[name]), About: "the same of a further resource"})
		}
	} else {
		g.Notes = append(g.Notes, "No executors were recorded: what jobs hold beyond the work of their tasks is not known before a replay.")
	}
	for _, f := range pictures {
		if f.Figure == nil {
			g.Notes = append(g.Notes, "No picture of "+f.Title+": "+f.Reason+".")
		}
	}
	g.Headline = []page.Table{distributions(p)}
	g.Tables = append(g.Tables, shapes(p), locality(p), arrivalTable(p), queues(p))
	g.Facts = facts(p)
	var err error
	if g.Figures, err = page.Inline(pictures); err != nil {
		return nil, err
	}
	return g.Render(page.Portrait)
}

func row(name, about string, head []string, cells ...string) page.Row {
	r := page.Row{Name: name, About: about}
	for i, c := range cells {
		r.Cells = append(r.Cells, page.Cell{Text: c, Label: head[i+1]})
	}
	return r
}

func distributions(p *portrait.Portrait) page.Table {
	head := []string{"", "mean", "least", "5 %", "median", "90 %", "99 %", "most", "of"}
	t := page.Table{Title: "Distributions", Head: head}
	for _, q := range []struct {
		name, about string
		q           portrait.Quantiles
		text        func(float64) string
	}{
		{"tasks of a job", "its size", p.TasksPerJob, count},
		{"stages of a job", "", p.StagesPerJob, count},
		{"tasks of a stage", "", p.TasksPerStage, count},
		{"depth", "stages on the longest way through a job", p.Shapes.Depth, count},
		{"width", "stages of the largest level; the level of a stage is the longest way to it", p.Shapes.Width, count},
		{"gap between jobs", "time from a submission to the next", p.GapMS, quantity.Duration},
		{"duration of a task", "without waiting for a container, and without remote reads", p.DurationMS, quantity.Duration},
		{"slowest task over the median", "of stages of at least ten tasks", p.Straggling, func(v float64) string { return count(v/1000) + "×" }},
		{"preferred nodes", "of tasks that prefer any", p.Locality.PrefsPerTask, count},
	} {
		if q.q.Count == 0 {
			continue
		}
		x := q.q
		cells := []string{q.text(x.Mean)}
		for _, v := range []int64{x.Min, x.P05, x.P50, x.P90, x.P99, x.Max} {
			cells = append(cells, q.text(float64(v)))
		}
		t.Rows = append(t.Rows, row(q.name, q.about, head, append(cells, quantity.Thousands(x.Count))...))
	}
	return t
}

// count is a number of things, or a mean of such.
func count(v float64) string {
	if v >= 1000 {
		return quantity.Thousands(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.4g", v)
}

func percent(v float64) string { return trace.Percent(&v) }

func part(n, of int64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%s)", quantity.Thousands(n), percent(float64(n)/float64(of)))
}

func shapes(p *portrait.Portrait) page.Table {
	head, s, n := []string{"jobs that are", "jobs"}, &p.Shapes, p.Counts.Jobs
	return page.Table{Title: "Shapes of jobs", Head: head, Rows: []page.Row{
		row("one stage", "", head, part(s.Single, n)), row("chains", "each stage reads the one before it", head, part(s.Chains, n)),
		row("trees", "each stage is read by one at most", head, part(s.Trees, n)), row("others", "some stage is read by several", head, part(s.Others, n)),
	}}
}

func locality(p *portrait.Portrait) page.Table {
	head, l := []string{"locality", "value"}, &p.Locality
	t := page.Table{Title: "Locality and files", Head: head, Rows: []page.Row{
		row("tasks with preferred nodes", "", head, part(p.PreferTasks, p.Counts.Tasks)),
		row("input", "bytes that tasks read", head, fmt.Sprintf("%.1f GiB", float64(p.InputBytes)/(1<<30))),
	}}
	if p.PreferTasks > 0 {
		t.Rows = append(t.Rows, row("preferences of the top tenth of the nodes", "share of all preferences that name the most preferred tenth; 10 % if all are alike", head, percent(l.TopNodes)))
	}
	if l.Reads > 0 {
		t.Rows = append(t.Rows, row("files", "", head, quantity.Thousands(l.Files)), row("reads of files that were read before", "of stages that read a file", head, percent(l.Rereads)))
	}
	return t
}

func arrivalTable(p *portrait.Portrait) page.Table {
	head, a := []string{"arrivals", "value"}, &p.Arrivals
	return page.Table{Title: "Arrivals and sizes", Head: head, Rows: []page.Row{
		row("fullest sixtieth of the span", "over the mean", head, fmt.Sprintf("%.1f times", a.Peak)),
		row("variance over mean", "of the jobs in each sixtieth; 1 if they come by chance", head, fmt.Sprintf("%.2f", a.Dispersion)),
		row("submitted with the one before", "in the same millisecond", head, percent(a.Together)),
		row("tasks in the largest 1 % of jobs", "", head, percent(p.TopJobs)),
	}}
}

func queues(p *portrait.Portrait) page.Table {
	head := []string{"queue", "jobs", "tasks", "vcore hours", "GiB hours"}
	t := page.Table{Title: "Queues", Head: head}
	for _, q := range p.Queues {
		t.Rows = append(t.Rows, row(q.Path, "", head, quantity.Thousands(q.Jobs), quantity.Thousands(q.Tasks), fmt.Sprintf("%.2f", q.Work.VCoreMS/3.6e6), fmt.Sprintf("%.2f", q.Work.MemMiBMS/3.6e6/1024)))
	}
	return t
}

func facts(p *portrait.Portrait) [][2]string {
	f := [][2]string{{"sha256", p.Hash}, {"cluster at start", fmt.Sprintf("%s in %s, %s, %s GiB", quantity.Counted(p.Cluster.Nodes, "nodes"), quantity.Counted(p.Cluster.Racks, "racks"),
		quantity.Counted(p.Cluster.VCores, "vcores"), quantity.Thousands(p.Cluster.MemMiB>>10))}}
	if g := p.Generator; g != nil {
		f = append(f, [2]string{"generated", fmt.Sprintf("%s %s, preset %s, seed %d", g.Tool, g.Version, g.Preset, g.Seed)})
	}
	if s := p.Source; s != nil {
		f = append(f, [2]string{"imported from", fmt.Sprintf("%s, %s", s.Format, quantity.Counted(int64(len(s.Files)), "files"))})
	}
	for _, k := range p.Kinds {
		f = append(f, [2]string{"jobs of kind " + k.Kind, quantity.Thousands(k.Count)})
	}
	for _, k := range p.Events {
		f = append(f, [2]string{"node events: " + k.Kind, quantity.Thousands(k.Count)})
	}
	if h := p.Held; h != nil {
		f = append(f, [2]string{"recorded executors", fmt.Sprintf("%s of %s; their tasks take %s of their time", quantity.Thousands(p.Executors), quantity.Counted(h.Jobs, "jobs"), percent(h.Tasks))})
	}
	return f
}
