package trace

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteText writes the summary for people, with two small pictures: the work submitted over time, and how long tasks take.
func (in *Info) WriteText(out io.Writer) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	c := in.Counts
	line("trace", "%s", in.Name)
	line("sha256", "%s", in.Hash)
	if g := in.Generator; g != nil {
		line("generated", "%s %s, preset %s, seed %d", g.Tool, g.Version, g.Preset, g.Seed)
	}
	if s := in.Source; s != nil {
		line("imported from", "%s (%d files)", s.Format, len(s.Files))
		if len(s.RecordedOn) > 0 {
			line("recorded on", "%s", kindList(s.RecordedOn))
		}
		if s.NoEnd > 0 {
			line("without an end", "%d applications, whose recording stops before they ended", s.NoEnd)
		}
	}
	line("jobs, stages, tasks", "%d, %d, %d over %s", c.Jobs, c.Stages, c.Tasks, duration(in.SpanMS))
	line("kinds", "%s", kindList(in.Kinds))
	line("cluster at start", "%d nodes in %d racks, %d vcores, %d GiB", in.Cluster.Nodes, in.Cluster.Racks, in.Cluster.VCores, in.Cluster.MemMiB>>10)
	if c.Nodes > in.Cluster.Nodes {
		line("other nodes", "%d that join later or are only preferred", c.Nodes-in.Cluster.Nodes)
	}
	line("node events", "%s", kindList(in.Events))
	line("offered load", "%s of the vcores, %s of the memory", Percent(in.Load.VCores), Percent(in.Load.Memory))
	line("locality", "%s; %s of the tasks have preferred nodes; %.1f GiB input", in.LocalitySource, share(in.PreferTasks, c.Tasks), float64(in.InputBytes)/(1<<30))
	line("durations", "%s; %d retries", in.DurationSource, in.Retries)
	if in.Executors > 0 {
		line("recorded executors", "%d", in.Executors)
	}
	if len(in.Attached) > 0 {
		line("attached", "%s", strings.Join(in.Attached, ", "))
	}
	w.Flush()

	fmt.Fprintf(w, "\n\tmean\tmin\tp50\tp90\tp95\tp99\tmax\t\n")
	for _, q := range []struct {
		name string
		Quantiles
	}{
		{"task duration (ms)", in.DurationMS}, {"gap between jobs (ms)", in.GapMS}, {"stages per job", in.StagesPerJob},
		{"tasks per job", in.TasksPerJob}, {"tasks per stage", in.TasksPerStage},
	} {
		fmt.Fprintf(w, "%s\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d\t\n", q.name, q.Mean, q.Min, q.P50, q.P90, q.P95, q.P99, q.Max)
	}
	w.Flush()

	fmt.Fprintf(w, "\nqueue\tjobs\ttasks\tvcore hours\tGiB hours\t\n")
	for _, q := range in.Queues {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\t%.2f\t\n", q.Path, q.Jobs, q.Tasks, q.Work.VCoreMS/3.6e6, q.Work.MemMiBMS/3.6e6/1024)
	}
	w.Flush()

	if len(in.Timeline) > 1 {
		values := make([]float64, len(in.Timeline))
		for i, s := range in.Timeline {
			values[i] = s.Work.VCoreMS
		}
		line, most := sparkline(values)
		fmt.Fprintf(&b, "\nwork submitted over time, each column %s, the highest %.2f vcore hours\n  %s\n", duration(in.Timeline[1].StartMS), most/3.6e6, line)
	}
	in.durationPicture(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

func (in *Info) durationPicture(b *strings.Builder) {
	if len(in.Durations) == 0 {
		return
	}
	most := int64(1)
	for _, d := range in.Durations {
		most = max(most, d.Tasks)
	}
	b.WriteString("\ntask durations\n")
	for _, d := range in.Durations {
		fmt.Fprintf(b, "  from %9s %s %d\n", duration(d.FromMS), bar(d.Tasks, most), d.Tasks)
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

func duration(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }

// Percent is a load for people; nil is unknown.
func Percent(v *float64) string {
	if v == nil {
		return "an unknown share"
	}
	return percent(*v * 100)
}

// percent writes small shares with the digits that they have: none is 0.0 % but nothing.
func percent(v float64) string {
	if v > 0 && v < 0.05 {
		return strconv.FormatFloat(v, 'f', int(math.Ceil(-math.Log10(v))), 64) + " %"
	}
	return fmt.Sprintf("%.1f %%", v)
}

func share(n, of int64) string {
	if of == 0 {
		return "none"
	}
	return percent(100 * float64(n) / float64(of))
}

func kindList(counts []KindCount) string {
	if len(counts) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", k.Count, k.Kind))
	}
	return strings.Join(parts, ", ")
}
