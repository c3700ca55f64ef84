package compare

import (
	"replay/report/dist"
	"replay/report/figure"
	"replay/report/plot"
	"replay/report/result"
	"replay/report/sums"
)

// Pooled is what pictures show of the replays of one variant: distributions and counts of all of them together, series over time of the first.
type Pooled struct {
	Name                                          string
	JobWait, JobDuration, ContainerWait, TaskWait figure.CDFLine
	HintedContainers                              []figure.Level // as [plot.HintedLevels]
	AskedContainers                               []figure.Level // as [plot.ContainerLevels]
	PreferringTasks                               []figure.Level // as [plot.PreferringTaskLevels]
	Waits                                         *plot.WaitBar
	EndMS                                         int64          // of the first replay
	Allocated                                     *sums.Timeline // of the cluster, in the first replay; nil if it has no samples
}

// Pooled returns what pictures show of each variant, in order.
func (c *Comparison) Pooled() (list []*Pooled) {
	for _, s := range c.study.sides {
		list = append(list, &s.pooled)
	}
	return list
}

func newPooled(name string) Pooled {
	line := func() figure.CDFLine { return figure.CDFLine{Name: name, Dist: &dist.Dist{}} }
	return Pooled{Name: name, JobWait: line(), JobDuration: line(), ContainerWait: line(), TaskWait: line(), Waits: plot.NewWaitBar(name)}
}

// add takes in a replay.
func (p *Pooled) add(d *result.Data, first bool) {
	if first {
		p.EndMS, p.Allocated = d.Queues.End, d.Queues.Over[""]
	}
	for _, of := range []struct {
		line *figure.CDFLine
		jobs *result.OfJobs
	}{{&p.JobWait, &result.FirstTaskWait}, {&p.JobDuration, &result.JobDuration}} {
		of.line.Dist.Merge(of.jobs.Dist(d))
		of.line.Open += of.jobs.OpenJobs(d)
	}
	p.ContainerWait.Dist.Merge(result.ContainerAllocation.Dist(d))
	p.TaskWait.Dist.Merge(result.TaskLaunch.Dist(d))
	p.HintedContainers = merged(p.HintedContainers, plot.HintedLevels(d))
	p.AskedContainers = merged(p.AskedContainers, plot.ContainerLevels(d))
	p.PreferringTasks = merged(p.PreferringTasks, plot.PreferringTaskLevels(d))
	p.Waits.Add(d, func(*result.Job) bool { return true })
}

// merged adds the counts of levels.
func merged(a, b []figure.Level) []figure.Level {
	if a == nil {
		return b
	}
	for i := range b {
		a[i].Count += b[i].Count
	}
	return a
}
