package portrait

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"replay/counted"
	"replay/trace"
)

// WriteText writes the summary for people, with two small pictures: the work submitted over time, and how long tasks take.
func (p *Portrait) WriteText(out io.Writer) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	c := p.Counts
	line("trace", "%s", p.Name)
	line("sha256", "%s", p.Hash)
	if g := p.Generator; g != nil {
		line("generated", "%s %s, preset %s, seed %d", g.Tool, g.Version, g.Preset, g.Seed)
	}
	if s := p.Source; s != nil {
		line("imported from", "%s (%s)", s.Format, counted.Of(len(s.Files), "files"))
		if len(s.RecordedOn) > 0 {
			line("recorded on", "%s", kindList(s.RecordedOn))
		}
		if s.NoEnd > 0 {
			line("without an end", "%s, the recording of which stops before", counted.Of(s.NoEnd, "applications"))
		}
		if c := s.Clusters; c != nil {
			line("recorded clusters", "%d that have no host in common, the largest of %s: their %d hosts are one cluster here, on which jobs wait less than they did", c.Count, counted.Of(int64(c.Largest), "hosts"), c.Hosts)
		}
		if s.AMVCores > 0 {
			line("for masters", "%d vcore of each node, which the machine of the log did not have; loads are of the cluster with it", s.AMVCores)
		}
	}
	line("jobs, stages, tasks", "%d, %d, %d over %s", c.Jobs, c.Stages, c.Tasks, duration(p.SpanMS))
	line("kinds", "%s", kindList(p.Kinds))
	line("cluster at start", "%s in %s, %s, %d GiB", counted.Of(p.Cluster.Nodes, "nodes"), counted.Of(p.Cluster.Racks, "racks"), counted.Of(p.Cluster.VCores, "vcores"), p.Cluster.MemMiB>>10)
	if c.Nodes > p.Cluster.Nodes {
		line("other nodes", "%d that join later or are only preferred", c.Nodes-p.Cluster.Nodes)
	}
	line("node events", "%s", kindList(p.Events))
	line("offered load", "%s", p.Load.Over(p.SpanMS))
	if h := p.Held; h != nil {
		line("with held executors", "%s; tasks take %s of the executors' time (%s)%s", h.Load.Over(p.SpanMS), percent(h.Tasks), counted.Of(h.Jobs, "jobs"), h.Ends("; "))
	}
	a, sh := &p.Arrivals, &p.Shapes
	if p.SpanMS > 0 {
		line("arrivals", "%.4g jobs an hour; %.1f times as many in the fullest sixtieth of the span; variance/mean %.1f (1 = by chance); %s with the one before", a.PerHour, a.Peak, a.Dispersion, percent(a.Together))
	}
	if p.Dependent > 0 {
		line("after others", "%s to be submitted when others have ended: replays hold back those whose own time is earlier", counted.Of(p.Dependent, "jobs"))
	}
	line("shapes", "%s one stage, %s chains, %s trees, %s others", share(sh.Single, c.Jobs), share(sh.Chains, c.Jobs), share(sh.Trees, c.Jobs), share(sh.Others, c.Jobs))
	line("sizes", "the largest 1 %% of the jobs have %s of the tasks", percent(p.TopJobs))
	line("locality", "%s; %s of the tasks have preferred nodes; %.1f GiB input", p.LocalitySource, share(p.PreferTasks, c.Tasks), float64(p.InputBytes)/(1<<30))
	if l := &p.Locality; l.PrefsPerTask.Count > 0 {
		line("preferred nodes", "%.1f a task that has any; the most preferred tenth of the nodes has %s", l.PrefsPerTask.Mean, percent(l.TopNodes))
	}
	if l := &p.Locality; l.Reads > 0 {
		line("files", "%d, read by %s; %s of these read one that was read before", l.Files, counted.Of(l.Reads, "stages"), percent(l.Rereads))
	}
	line("durations", "%s; %d retries", p.DurationSource, p.Retries)
	if p.Executors > 0 {
		line("recorded executors", "%d", p.Executors)
	}
	if len(p.Attached) > 0 {
		line("attached", "%s", strings.Join(p.Attached, ", "))
	}
	w.Flush()

	fmt.Fprintf(w, "\n\tmean\tmin\tp50\tp90\tp95\tp99\tmax\t\n")
	for _, q := range []struct {
		name string
		Quantiles
	}{
		{"task duration (ms)", p.DurationMS}, {"gap between jobs (ms)", p.GapMS}, {"stages per job", p.StagesPerJob},
		{"tasks per job", p.TasksPerJob}, {"tasks per stage", p.TasksPerStage}, {"depth of a job", p.Shapes.Depth}, {"width of a job", p.Shapes.Width},
		{"slowest task / median (‰)", p.Straggling},
	} {
		if q.Count == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d\t\n", q.name, q.Mean, q.Min, q.P50, q.P90, q.P95, q.P99, q.Max)
	}
	w.Flush()

	fmt.Fprintf(w, "\nqueue\tjobs\ttasks\tvcore hours\tGiB hours\t\n")
	for _, q := range p.Queues {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\t%.2f\t\n", q.Path, q.Jobs, q.Tasks, q.Work.VCoreMS/3.6e6, q.Work.MemMiBMS/3.6e6/1024)
	}
	w.Flush()

	if len(p.Timeline) > 1 {
		values := make([]float64, len(p.Timeline))
		for i, s := range p.Timeline {
			values[i] = s.Work.VCoreMS
		}
		line, most := sparkline(values)
		fmt.Fprintf(&b, "\nwork submitted over time, each column %s, the highest %.2f vcore hours\n  %s\n", duration(p.Timeline[1].StartMS), most/3.6e6, line)
	}
	p.durationPicture(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

func (p *Portrait) durationPicture(b *strings.Builder) {
	if len(p.Durations) == 0 {
		return
	}
	most := int64(1)
	for _, d := range p.Durations {
		most = max(most, d.N)
	}
	b.WriteString("\ntask durations\n")
	for _, d := range p.Durations {
		fmt.Fprintf(b, "  from %9s %s %d\n", duration(d.From), bar(d.N, most), d.N)
	}
}

// bar is up to 40 columns long, in eighths of a column.
func bar(n, most int64) string {
	eighths := int((n*320 + most - 1) / most)
	s := strings.Repeat("█", eighths/8)
	if eighths%8 > 0 {
		s += string([]rune(" ▏▎▍▌▋▊▉")[eighths%8])
	}
	return s + strings.Repeat(" ", 40-(eighths+7)/8)
}

// sparkline draws values of 0 or more as one line of blocks, the highest full; what is not 0 is seen.
func sparkline(values []float64) (line string, most float64) {
	for _, v := range values {
		most = max(most, v)
	}
	var b strings.Builder
	for _, v := range values {
		k := 0
		if v > 0 {
			k = 1 + int(v/most*7)
		}
		b.WriteRune([]rune(" ▁▂▃▄▅▆▇█")[k])
	}
	return b.String(), most
}

// duration is a time for people: of more than a minute without its parts of a second, of more than two days in days, of more than a year in years.
func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch days := d.Hours() / 24; {
	case days >= 365:
		return fmt.Sprintf("%.1f years", days/365.25)
	case days >= 2:
		return fmt.Sprintf("%.1f days", days)
	case d >= time.Minute:
		d = d.Round(time.Second)
	}
	return d.String()
}

func share(n, of int64) string {
	if of == 0 {
		return "none"
	}
	return percent(float64(n) / float64(of))
}

func percent(v float64) string { return trace.Percent(&v) }

func kindList(counts []trace.KindCount) string {
	if len(counts) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", k.Count, k.Kind))
	}
	return strings.Join(parts, ", ")
}
