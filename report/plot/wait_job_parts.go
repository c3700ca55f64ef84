package plot

import (
	"fmt"

	"replay/report/figure"
	"replay/report/quantity"
	"replay/report/result"
)

// WaitBar is one row of mean parts of the wait.
type WaitBar struct {
	name  string
	jobs  int
	parts [len(result.WaitParts)]float64 // sum, ms
}

// NewWaitBar returns a bar without jobs.
func NewWaitBar(name string) *WaitBar { return &WaitBar{name: name} }

// Add takes in the jobs of a replay that launched a task and that has holds for.
func (b *WaitBar) Add(d *result.Data, has func(*result.Job) bool) {
	for j := range d.Jobs.All() {
		if !result.Happened(j.FirstTask) || !has(j) {
			continue
		}
		b.jobs++
		for k, ms := range j.Parts() {
			b.parts[k] += float64(ms)
		}
	}
}

// mean returns the mean parts, ms.
func (b *WaitBar) mean() (parts [len(result.WaitParts)]float64) {
	for k := range b.parts {
		parts[k] = b.parts[k] / float64(max(b.jobs, 1))
	}
	return parts
}

// WaitBars draws rows of mean waits by their parts, or says why there are none.
func WaitBars(title string, bars []*WaitBar) (*figure.Figure, string) {
	longest := 0.0
	kept := bars[:0:0]
	for _, b := range bars {
		all := 0.0
		for _, ms := range b.mean() {
			all += ms
		}
		if b.jobs > 0 {
			kept = append(kept, b)
			longest = max(longest, all)
		}
	}
	if len(kept) == 0 {
		return nil, result.FirstTaskWait.None
	}
	unit, ms := figure.TimeScale(longest)
	f := figure.New(title, "mean time from submission to the first task ("+unit+")", "")
	var ticks []figure.Tick
	shown := map[int]bool{}
	for i, b := range kept {
		y := float64(len(kept) - 1 - i)
		ticks = append(ticks, figure.Tick{Value: y, Label: fmt.Sprintf("%s (%s)", figure.ShortName(b.name, 20), quantity.Thousands(int64(b.jobs)))})
		from := 0.0
		for k, part := range b.mean() {
			if part == 0 {
				continue
			}
			to := from + part/ms
			f.Bar(b.name, result.WaitParts[k].Short, !shown[k], figure.Palette[k%len(figure.Palette)], from, to, y, .72)
			shown[k] = true
			from = to
		}
	}
	f.Rows(ticks)
	f.X.Tick.Marker = figure.Even(6)
	f.Range(0, max(longest/ms*1.02, 1e-3), -.5, float64(len(kept))-.5)
	f.Height = 1.6*72 + float64(28*float64(len(kept)))
	return f, ""
}

var waitParts = Plot{"wait_job_parts", "Parts of the wait of jobs", func(d *result.Data) (*figure.Figure, string) {
	all := NewWaitBar("all jobs")
	all.Add(d, func(*result.Job) bool { return true })
	bars := []*WaitBar{all}
	for _, q := range d.Queues.Largest(ShownQueues) {
		of := NewWaitBar(q)
		of.Add(d, func(j *result.Job) bool { return j.Queue == q })
		bars = append(bars, of)
	}
	return WaitBars("What jobs wait for before their first task", bars)
}}
