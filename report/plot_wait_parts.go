package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// partNames are the parts of a job's wait in the room of a legend, in the order of waitParts.
var partNames = []string{"queue limits", "AM allocation", "AM start", "first ask", "container allocation", "executor start", "first launch"}

// waitBar is one row of mean parts of the wait.
type waitBar struct {
	name  string
	jobs  int
	parts [7]float64 // mean ms
}

// newWaitBar returns the mean parts over the jobs that launched a task and that has holds for.
func newWaitBar(name string, runs []*Result, has func(*Job) bool) (b waitBar) {
	b.name = name
	for _, r := range runs {
		for i := range r.Jobs {
			j := &r.Jobs[i]
			if _, ok := j.wait(); !ok || !has(j) {
				continue
			}
			b.jobs++
			for k, ms := range j.parts() {
				b.parts[k] += float64(ms)
			}
		}
	}
	for k := range b.parts {
		b.parts[k] /= float64(max(b.jobs, 1))
	}
	return b
}

func waitBars(title string, bars []waitBar) (*figure, string) {
	longest := 0.0
	kept := bars[:0:0]
	for _, b := range bars {
		all := 0.0
		for _, ms := range b.parts {
			all += ms
		}
		if b.jobs > 0 {
			kept = append(kept, b)
			longest = max(longest, all)
		}
	}
	if len(kept) == 0 {
		return nil, noFirstTask
	}
	unit, ms := timeScale(longest)
	f := newPlot(title, "mean time from submission to the first task ("+unit+")", "")
	var ticks []plot.Tick
	shown := map[int]bool{}
	for i, b := range kept {
		y := float64(len(kept) - 1 - i)
		ticks = append(ticks, plot.Tick{Value: y, Label: fmt.Sprintf("%s (%s)", short(b.name, 20), group3(int64(b.jobs)))})
		from := 0.0
		for k, part := range b.parts {
			if part == 0 {
				continue
			}
			name := partNames[k]
			if shown[k] {
				name = ""
			}
			shown[k] = true
			to := from + part/ms
			f.area(name, palette[k%len(palette)], plotter.XYs{{X: from, Y: y - .36}, {X: to, Y: y - .36}, {X: to, Y: y + .36}, {X: from, Y: y + .36}})
			from = to
		}
	}
	f.Y.Tick.Marker, f.Y.Tick.Length = plot.ConstantTicks(ticks), 0
	f.X.Tick.Marker = evenTicks{6}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = 0, max(longest/ms*1.02, 1e-3), -.5, float64(len(kept))-.5
	f.height = vg.Length(1.6*72 + 28*float64(len(kept)))
	return f, ""
}

var plotWaitParts = Plot{"wait_job_parts", "Parts of the wait of jobs", func(r *Result) (*figure, string) {
	runs := []*Result{r}
	bars := []waitBar{newWaitBar("all jobs", runs, func(*Job) bool { return true })}
	for _, q := range r.largestQueues() {
		bars = append(bars, newWaitBar(q, runs, func(j *Job) bool { return j.Queue == q }))
	}
	return waitBars("What jobs wait for before their first task", bars)
}}
