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
	c.close(w.Task.Job, c.containers(&w.Container, end, n))
}

// waveOfTasks counts the attempts of a wave, which take so long together.
func (c *Collector) waveOfTasks(w *record.Wave, n, ms int64) {
	d, s := &c.data.Tasks, c.job(w.Task.Job)
	d.Wait.AddN(c.attempts(&w.Task, s, n), n)
	d.DurationMS += float64(ms)
	for _, node := range w.Nodes {
		if d.ByNode.More {
			break
		}
		d.ByNode.count(node, w.Task.Launch)
	}
	t := w.Task
	if w.Levels == nil {
		c.succeeded(&t, s, n)
		return
	}
	var by [record.AnyLevel + 1]int64
	for _, level := range w.Levels {
		by[level]++
	}
	for level, n := range by {
		if n > 0 {
			t.Level = record.TaskLevel(level)
			t.Preferring, t.Preferred = record.Preferences(t.Level)
			c.succeeded(&t, s, n)
		}
	}
}
