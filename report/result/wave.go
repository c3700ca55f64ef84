package result

import "replay/engine/record"

var (
	_ record.Waves   = (*Collector)(nil)
	_ record.Batcher = (*Collector)(nil)
)

// AnyOrder implements record.AnyOrder.
func (c *Collector) AnyOrder() (containers, tasks bool) { return true, true }

// Wave implements record.Waves.
func (c *Collector) Wave(w *record.Wave) {
	n := int64(len(w.Nodes))
	ms := c.data.Tasks.Run.AddAll(w.DurationMS)
	c.waveOfTasks(w, n, ms)
	end := c.ends.of(w.Container.End)
	span, h := spanOf(&w.Container), holdingOf(&w.Container, end)
	h.busy = h.vcores * ms
	c.hold(&h, ms)
	if c.costs != nil || !c.beyond(&span) {
		for i, node := range w.Nodes {
			span.Number, span.Node, span.To = w.Container.Number+int64(i), node, span.From+w.DurationMS[i]
			c.show(&span, w.Container.MemMiB)
		}
	}
	s := c.job(w.Task.Job)
	c.waveOfContainers(w, s, end, n)
	c.close(w.Task.Job, s)
}

// waveOfContainers counts the containers of a wave.
func (c *Collector) waveOfContainers(w *record.Wave, s *jobSums, end int, n int64) {
	r, d := &w.Container, &c.data.Containers
	if wait, asked := c.containers(r, s, end, n); asked {
		d.Ask.AddN(wait, n)
		s.ask.AddN(wait, n)
	}
	if Happened(r.Started) {
		d.Start.AddN(r.Started-r.Allocated, n)
	}
	if Happened(r.Registered) {
		d.Register.AddN(r.Registered-r.Allocated, n)
	}
}

// waveOfTasks counts the attempts of a wave, which take so long together.
func (c *Collector) waveOfTasks(w *record.Wave, n, ms int64) {
	d, t := &c.data.Tasks, &w.Task
	wait := t.Launch - t.Ready
	d.Wait.AddN(wait, n)
	for _, node := range w.Nodes {
		if d.ByNode.More {
			break
		}
		d.ByNode.count(node, t.Launch)
	}
	sum := taskSums{n: n, succeeded: n, waited: n * wait, durationMS: ms, penaltyMS: n * t.PenaltyMS, overheadMS: n * t.OverheadMS, at: t.Launch}
	if t.Speculative {
		sum.speculative = n
	}
	if w.Levels == nil {
		sum.levels[t.Level] = n
	}
	for _, level := range w.Levels {
		sum.levels[level]++
	}
	for level, n := range sum.levels {
		preferring, preferred := t.Preferring, t.Preferred
		if w.Levels != nil {
			preferring, preferred = record.Preferences(record.TaskLevel(level))
		}
		if n > 0 && preferring {
			sum.preferring += n
			if !preferred {
				c.missed.tasks[level][t.Miss] += n
			}
		}
	}
	c.enter(c.job(t.Job), &sum)
}
