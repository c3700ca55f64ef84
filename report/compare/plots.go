package compare

import (
	"fmt"
	"math"

	"replay/report/dist"
	"replay/report/figure"
	"replay/report/plot"
	"replay/report/quantity"
	"replay/report/result"
)

// comparisonPlot is one kind of picture of a comparison.
type comparisonPlot struct {
	Name, Title string
	Draw        func(*Comparison) (*figure.Figure, string)
}

// comparisonPlots are all pictures of a comparison, in the order of the page. Distributions
// are over all seeds together; series over time are of the first seed.
var comparisonPlots = []comparisonPlot{
	{"differences", "Differences", drawDifferences},
	{"locality_containers", "Locality of containers", func(c *Comparison) (*figure.Figure, string) {
		return c.localityBars("Containers on hosts that tasks prefer", "share of executor and task containers", plot.HintedLevels)
	}},
	{"locality_containers_asked", "What containers asked for", func(c *Comparison) (*figure.Figure, string) {
		return c.localityBars("What containers asked for, and got", "share of executor and task containers", plot.ContainerLevels)
	}},
	{"locality_tasks", "Locality of tasks", func(c *Comparison) (*figure.Figure, string) {
		return c.localityBars("Where tasks with a preference ran", "share of their successful attempts", plot.PreferringTaskLevels)
	}},
	{"wait_job_cdf", "Waits of jobs", func(c *Comparison) (*figure.Figure, string) {
		return c.cdfs("How long jobs wait for their first task", "wait after submission", result.FirstTaskWait.Dist)
	}},
	{"wait_job_parts", "Parts of the wait of jobs", func(c *Comparison) (*figure.Figure, string) {
		var bars []plot.WaitBar
		for _, v := range c.Variants {
			bars = append(bars, plot.NewWaitBar(v.Name, v.data(), func(*result.Job) bool { return true }))
		}
		return plot.WaitBars("What jobs wait for before their first task", bars)
	}},
	{"duration_job_cdf", "Durations of jobs", func(c *Comparison) (*figure.Figure, string) {
		return c.cdfs("How long jobs take", result.JobDuration.Short, result.JobDuration.Dist)
	}},
	{"wait_container_cdf", "Waits of containers", func(c *Comparison) (*figure.Figure, string) {
		return c.cdfs("How long containers wait to be allocated", result.ContainerAllocation.Short, result.ContainerAllocation.Dist)
	}},
	{"wait_task_cdf", "Waits of tasks", func(c *Comparison) (*figure.Figure, string) {
		return c.cdfs("How long tasks wait to be launched", result.TaskLaunch.Short, result.TaskLaunch.Dist)
	}},
	{"queue_shares", "Queue shares", drawQueueBars},
	{"utilization", "Utilization over time", drawUtilizations},
}

func (c *Comparison) cdfs(title, x string, of func(*result.Data) *dist.Dist) (*figure.Figure, string) {
	var lines []figure.CDFLine
	for _, v := range c.Variants {
		all := &dist.Dist{}
		for _, r := range v.Runs {
			all.Merge(of(r.Data))
		}
		lines = append(lines, figure.CDFLine{Name: v.Name, Dist: all})
	}
	return figure.CDF(title, x, lines)
}

func (c *Comparison) localityBars(title, x string, of func(*result.Data) []figure.Level) (*figure.Figure, string) {
	var bars []figure.Bar
	for _, v := range c.Variants {
		var all []figure.Level
		for _, r := range v.Runs {
			ls := of(r.Data)
			if all == nil {
				all = ls
				continue
			}
			for i := range ls {
				all[i].Count += ls[i].Count
			}
		}
		if figure.Total(all) > 0 {
			bars = append(bars, figure.Bar{Name: figure.Short(v.Name, 20), Levels: all})
		}
	}
	if len(bars) == 0 {
		return nil, "there was none in any variant"
	}
	f := figure.StackedBars(title, x, bars)
	f.Height = 1.3*72 + 34*float64(len(bars))
	return f, ""
}

// drawDifferences draws each headline difference in percent of the first variant's value, with
// its widest interval.
func drawDifferences(c *Comparison) (*figure.Figure, string) {
	f := figure.New("Difference to "+figure.Short(c.Variants[0].Name, 24)+", with 95 % intervals", "relative difference (filled: real, hollow: not told apart)", "")
	var ticks []figure.Tick
	lo, hi, y := -.01, .01, 0.0
	type mark struct {
		x, y, low, high float64
		v               int
		real            bool
	}
	var marks []mark
	for i := len(c.Rows) - 1; i >= 0; i-- {
		row := &c.Rows[i]
		if row.Family != quantity.Headline || row.Cells[0].Absent != "" || row.Cells[0].Number == 0 {
			continue
		}
		any := false
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			if math.IsNaN(cell.Difference) {
				continue
			}
			any = true
			scale := math.Abs(row.Cells[0].Number)
			m := mark{cell.Difference / scale, y + (float64(len(row.Cells))/2-float64(v))*.8/float64(len(row.Cells)), math.NaN(), math.NaN(), v, cell.Finding.Real()}
			for _, interval := range []*Interval{cell.OverSeeds, cell.OverJobs} {
				if interval != nil && (math.IsNaN(m.low) || interval.High-interval.Low > (m.high-m.low)*scale) {
					m.low, m.high = interval.Low/scale, interval.High/scale
				}
			}
			lo, hi = min(lo, m.x), max(hi, m.x)
			if !math.IsNaN(m.low) {
				lo, hi = min(lo, m.low), max(hi, m.high)
			}
			marks = append(marks, m)
		}
		if any {
			ticks = append(ticks, figure.Tick{Value: y, Label: row.Short})
			y++
		}
	}
	if len(marks) == 0 {
		return nil, "no headline metric has a number in both variants"
	}
	lo, hi = max(lo, -2), min(hi, 5)
	f.Styled("", figure.Ink, nil, .8, figure.Points{{X: 0, Y: -.6}, {X: 0, Y: y - .4}})
	clip := func(x float64) float64 { return min(max(x, lo), hi) }
	var dots []figure.Dot
	for _, m := range marks {
		if !math.IsNaN(m.low) {
			f.Styled("", figure.Palette[(m.v-1)%len(figure.Palette)], nil, 1.2, figure.Points{{X: clip(m.low), Y: m.y}, {X: clip(m.high), Y: m.y}})
		}
		dots = append(dots, figure.Dot{X: clip(m.x), Y: m.y, Color: figure.Palette[(m.v-1)%len(figure.Palette)], Filled: m.real})
	}
	f.Dots(dots)
	for v := 1; v < len(c.Variants); v++ {
		f.LineKey(c.Variants[v].Name, figure.Palette[(v-1)%len(figure.Palette)], nil)
	}
	f.Rows(ticks)
	f.X.Tick.Marker = figure.Percents
	pad := (hi - lo) * .05
	f.Range(lo-pad, hi+pad, -.6, y-.4)
	f.Height = 1.3*72 + float64(15*len(ticks)*max(1, (len(c.Variants)+1)/2))
	return f, ""
}

// drawQueueBars draws the dominant share of each queue by variant.
func drawQueueBars(c *Comparison) (*figure.Figure, string) {
	f := figure.New("Share of each queue while two or more were waiting", "dominant share of the cluster, mean over that time", "")
	var ticks []figure.Tick
	var rows []*Row
	for i := range c.Rows {
		if c.Rows[i].Family == quantity.Shares && len(rows) < 2*plot.ShownQueues {
			rows = append(rows, &c.Rows[i])
		}
	}
	hi, any := 0.0, false
	n := float64(len(c.Variants))
	shown := make([]bool, len(c.Variants))
	for i, row := range rows {
		y := float64(len(rows) - 1 - i)
		ticks = append(ticks, figure.Tick{Value: y, Label: figure.Short(row.Short, 20)})
		for v := range row.Cells {
			cell := &row.Cells[v]
			if cell.Absent != "" {
				continue
			}
			any = true
			hi = max(hi, cell.Number)
			h := .8 / n
			top := y + .4 - float64(v)*h
			name := c.Variants[v].Name
			if shown[v] {
				name = ""
			}
			shown[v] = true
			f.Area(name, figure.Palette[v%len(figure.Palette)], figure.Points{{X: 0, Y: top}, {X: cell.Number, Y: top}, {X: cell.Number, Y: top - h*.9}, {X: 0, Y: top - h*.9}})
		}
	}
	if !any {
		return nil, "no two queues ever waited at the same time"
	}
	f.Rows(ticks)
	f.X.Tick.Marker = figure.Percents
	f.Range(0, max(hi*1.05, .01), -.5, float64(len(rows))-.5)
	f.Height = 1.4*72 + 14*n*float64(len(rows))
	return f, ""
}

func drawUtilizations(c *Comparison) (*figure.Figure, string) {
	end := int64(0)
	for _, v := range c.Variants {
		end = max(end, v.Runs[0].Queues.End)
	}
	f, ms := figure.OverTime("How much of the cluster was allocated", "dominant share of the cluster", float64(end))
	f.X.Label.Text += fmt.Sprintf(", seed %d", c.Seeds[0])
	any := false
	for i, v := range c.Variants {
		t := v.Runs[0].Queues.Over[""]
		if t == nil {
			continue
		}
		width, bins := t.Rebin(figure.SeriesBins, v.Runs[0].Queues.End)
		if xys := figure.Steps(float64(width), ms, figure.Quotient(bins[result.Dominant], bins[result.Present])); len(xys) > 0 {
			any = true
			f.Line(v.Name, i, xys)
		}
	}
	if !any {
		return nil, plot.NotSampled
	}
	f.Y.Tick.Marker = figure.Percents
	f.X.Min, f.X.Max, f.Y.Min = 0, max(float64(end), 1)/ms, 0
	f.Y.Max = max(f.Y.Max, 1.01)
	return f, ""
}

func (c *Comparison) pictures() (ps []figure.Picture) {
	for _, p := range comparisonPlots {
		f, reason := p.Draw(c)
		ps = append(ps, figure.Picture{Name: p.Name, Title: p.Title, Figure: f, Reason: reason})
	}
	return ps
}
