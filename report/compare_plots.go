package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// comparisonPlot is one kind of picture of a comparison.
type comparisonPlot struct {
	Name, Title string
	Draw        func(*Comparison) (*figure, string)
}

// comparisonPlots are all pictures of a comparison, in the order of the page. Distributions
// are over all seeds together; series over time are of the first seed.
var comparisonPlots = []comparisonPlot{
	{"differences", "Differences", drawDifferences},
	{"locality_containers", "Locality of containers", func(c *Comparison) (*figure, string) {
		return c.localityBars("Containers on hosts that tasks prefer", "share of executor and task containers", hintedLevels)
	}},
	{"locality_containers_asked", "What containers asked for", func(c *Comparison) (*figure, string) {
		return c.localityBars("What containers asked for, and got", "share of executor and task containers", func(r *Result) []level { return containerLevels(r.Containers.Matches) })
	}},
	{"locality_tasks", "Locality of tasks", func(c *Comparison) (*figure, string) {
		return c.localityBars("Where tasks with a preference ran", "share of their successful attempts", func(r *Result) []level {
			return slices.DeleteFunc(taskLevels(r.Jobs), func(l level) bool { return l.color == noPrefColor })
		})
	}},
	{"wait_job_cdf", "Waits of jobs", func(c *Comparison) (*figure, string) {
		return c.cdfs("How long jobs wait for their first task", "wait after submission (log scale)", func(r *Result) *Dist { return jobDist(r.Jobs, (*Job).wait) })
	}},
	{"wait_job_parts", "Parts of the wait of jobs", func(c *Comparison) (*figure, string) {
		var bars []waitBar
		for _, v := range c.Variants {
			bars = append(bars, newWaitBar(v.Name, v.Runs, func(*Job) bool { return true }))
		}
		return waitBars("What jobs wait for before their first task", bars)
	}},
	{"duration_job_cdf", "Durations of jobs", func(c *Comparison) (*figure, string) {
		return c.cdfs("How long jobs take", "submission to finish (log scale)", func(r *Result) *Dist {
			return jobDist(r.Jobs, func(j *Job) (int64, bool) { ms, ok := j.duration(); return int64(ms), ok })
		})
	}},
	{"wait_container_cdf", "Waits of containers", func(c *Comparison) (*figure, string) {
		return c.cdfs("How long containers wait to be allocated", "ask to allocation (log scale)", func(r *Result) *Dist { return &r.Containers.Ask })
	}},
	{"wait_task_cdf", "Waits of tasks", func(c *Comparison) (*figure, string) {
		return c.cdfs("How long tasks wait to be launched", "ready to launch (log scale)", func(r *Result) *Dist { return &r.Tasks.Wait })
	}},
	{"queue_shares", "Queue shares", drawQueueBars},
	{"utilization", "Utilization over time", drawUtilizations},
}

// merge adds all values of o.
func (d *Dist) merge(o *Dist) {
	for _, v := range o.values {
		d.Add(v)
	}
	if o.counts != nil && o.n > 0 {
		before, from := d.n, d.sum
		lo, hi := o.min, o.max
		if before > 0 {
			lo, hi = min(lo, d.min), max(hi, d.max)
		}
		d.spill()
		for b, n := range o.counts {
			if n > 0 {
				d.count(bucketValue(b), n)
			}
		}
		d.n, d.sum, d.min, d.max = before+o.n, from+o.sum, lo, hi
	}
}

func (c *Comparison) cdfs(title, x string, of func(*Result) *Dist) (*figure, string) {
	var lines []cdfLine
	for _, v := range c.Variants {
		all := &Dist{}
		for _, r := range v.Runs {
			all.merge(of(r))
		}
		lines = append(lines, cdfLine{v.Name, all})
	}
	return cdfPlot(title, x, lines)
}

func (c *Comparison) localityBars(title, x string, of func(*Result) []level) (*figure, string) {
	var bars []bar
	for _, v := range c.Variants {
		var all []level
		for _, r := range v.Runs {
			ls := of(r)
			if all == nil {
				all = ls
				continue
			}
			for i := range ls {
				all[i].count += ls[i].count
			}
		}
		if total(all) > 0 {
			bars = append(bars, bar{short(v.Name, 20), all})
		}
	}
	if len(bars) == 0 {
		return nil, "there was none in any variant"
	}
	f := stackedBars(title, x, bars)
	f.height = vg.Length(1.3*72 + 34*float64(len(bars)))
	return f, ""
}

// drawDifferences draws each headline difference in percent of the first variant's value, with
// its widest interval.
func drawDifferences(c *Comparison) (*figure, string) {
	f := newPlot("Difference to "+short(c.Variants[0].Name, 24)+", with 95 % intervals", "relative difference (filled: real, hollow: not told apart)", "")
	var ticks []plot.Tick
	lo, hi, y := -.01, .01, 0.0
	type mark struct {
		x, y, low, high float64
		v               int
		real            bool
	}
	var marks []mark
	for i := len(c.Rows) - 1; i >= 0; i-- {
		row := &c.Rows[i]
		if row.Family != Headline || row.Cells[0].Absent != "" || row.Cells[0].Number == 0 {
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
			m := mark{cell.Difference / scale, y + (float64(len(row.Cells))/2-float64(v))*.8/float64(len(row.Cells)), nan, nan, v, cell.Finding.Real()}
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
			ticks = append(ticks, plot.Tick{Value: y, Label: shortNames[row.Name]})
			y++
		}
	}
	if len(marks) == 0 {
		return nil, "no headline metric has a number in both variants"
	}
	lo, hi = max(lo, -2), min(hi, 5)
	f.styled("", ink, nil, .8, plotter.XYs{{X: 0, Y: -.6}, {X: 0, Y: y - .4}})
	clip := func(x float64) float64 { return min(max(x, lo), hi) }
	dots := &dotMarks{}
	for _, m := range marks {
		if !math.IsNaN(m.low) {
			f.styled("", palette[(m.v-1)%len(palette)], nil, 1.2, plotter.XYs{{X: clip(m.low), Y: m.y}, {X: clip(m.high), Y: m.y}})
		}
		dots.dots = append(dots.dots, dotMark{clip(m.x), m.y, palette[(m.v-1)%len(palette)], m.real})
	}
	f.Add(dots)
	for v := 1; v < len(c.Variants); v++ {
		f.legend = append(f.legend, legendEntry{name: drawable(c.Variants[v].Name), color: palette[(v-1)%len(palette)]})
	}
	f.Y.Tick.Marker, f.Y.Tick.Length = plot.ConstantTicks(ticks), 0
	f.X.Tick.Marker = percentTicks{}
	pad := (hi - lo) * .05
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = lo-pad, hi+pad, -.6, y-.4
	f.height = vg.Length(1.3*72 + float64(15*len(ticks)*max(1, (len(c.Variants)+1)/2)))
	return f, ""
}

// shortNames are the headline metrics in the room beside an axis.
var shortNames = map[string]string{
	"locality_containers_host_share":       "containers, asked",
	"locality_containers_hinted_share":     "containers, hinted",
	"locality_tasks_host_share":            "tasks on host",
	"wait_job_first_task_mean_ms":          "job wait, mean",
	"wait_job_first_task_p95_ms":           "job wait, p95",
	"wait_container_allocation_mean_ms":    "container wait",
	"wait_task_launch_mean_ms":             "task wait",
	"duration_job_mean_ms":                 "job duration",
	"slowdown_mean":                        "slowdown",
	"makespan_ms":                          "makespan",
	"utilization_dominant_allocated_share": "utilization",
	"fairness_jain":                        "Jain, memory",
	"fairness_jain_dominant":               "Jain, dominant",
	"fairness_shortfall_share":             "shortfall",
	"waste_task_time_share":                "wasted task time",
}

// drawQueueBars draws the dominant share of each queue by variant.
func drawQueueBars(c *Comparison) (*figure, string) {
	f := newPlot("Share of each queue while two or more were waiting", "dominant share of the cluster, mean over that time", "")
	var ticks []plot.Tick
	var rows []*Row
	for i := range c.Rows {
		if c.Rows[i].Family == Shares && len(rows) < 2*shownQueues {
			rows = append(rows, &c.Rows[i])
		}
	}
	hi, any := 0.0, false
	n := float64(len(c.Variants))
	shown := make([]bool, len(c.Variants))
	for i, row := range rows {
		y := float64(len(rows) - 1 - i)
		ticks = append(ticks, plot.Tick{Value: y, Label: short(row.Name[len("queue_contended_dominant_share[queue="):len(row.Name)-1], 20)})
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
			f.area(name, palette[v%len(palette)], plotter.XYs{{X: 0, Y: top}, {X: cell.Number, Y: top}, {X: cell.Number, Y: top - h*.9}, {X: 0, Y: top - h*.9}})
		}
	}
	if !any {
		return nil, "no two queues ever waited at the same time"
	}
	f.Y.Tick.Marker, f.Y.Tick.Length = plot.ConstantTicks(ticks), 0
	f.X.Tick.Marker = percentTicks{}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = 0, max(hi*1.05, .01), -.5, float64(len(rows))-.5
	f.height = vg.Length(1.4*72 + 14*n*float64(len(rows)))
	return f, ""
}

func drawUtilizations(c *Comparison) (*figure, string) {
	end := int64(0)
	for _, v := range c.Variants {
		end = max(end, v.Runs[0].Queues.End)
	}
	unit, ms := timeScale(float64(end))
	f := newPlot("How much of the cluster was allocated", fmt.Sprintf("simulated time (%s), seed %d", unit, c.Seeds[0]), "dominant share of the cluster")
	any := false
	for i, v := range c.Variants {
		t := v.Runs[0].Queues.Over[""]
		if t == nil {
			continue
		}
		width, bins := t.Rebin(seriesBins, v.Runs[0].Queues.End)
		if xys := steps(float64(width), ms, quotient(bins[dominant], bins[present])); len(xys) > 0 {
			any = true
			f.line(v.Name, i, xys)
		}
	}
	if !any {
		return nil, notSampled
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = evenTicks{6}, percentTicks{}
	f.X.Min, f.X.Max, f.Y.Min = 0, max(float64(end), 1)/ms, 0
	f.Y.Max = max(f.Y.Max, 1.01)
	return f, ""
}

func (c *Comparison) pictures() (ps []picture) {
	for _, p := range comparisonPlots {
		f, reason := p.Draw(c)
		ps = append(ps, picture{Plot{Name: p.Name, Title: p.Title}, f, reason})
	}
	return ps
}
