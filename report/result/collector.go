package result

import (
	"cmp"
	"maps"
	"slices"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/sums"
)

// Collector is a record.Sink that gathers [Data] from records as they come, and writes nothing. What it keeps of containers and
// task attempts by job goes when the job's record and all that it counts have come.
type Collector struct {
	data   *Data
	sums   map[int64]*jobSums // by job, until they agree with its record
	last   *jobSums           // those that were asked for last, nil when they have gone
	lastID int64
	done   packedJobs

	// Memory that is used again:
	spare     []*Job
	spareSums []*jobSums
	paired    []pair

	closed idSet   // jobs whose sums agreed with their record, which are done
	late   []int64 // of those, some of which more came
	ends   tally   // containers by their ends
	held   held
	room   capacity
	costs  *costing // nil without prices
	tasks  tally    // task attempts by their ends
	missed struct {
		containers [record.Unmatched + 1][record.Misses]int64
		tasks      [record.AnyLevel + 1][record.Misses]int64
	}
	open     []openContainer // containers without an end: their time counts up to the end of the replay
	cut      bool            // spans were cut to those that are shown, which come first
	tasksOff bool            // there are no records of task attempts, only their distributions
}

type openContainer struct {
	span Span
	holding
}

// holding is what a container holds.
type holding struct {
	mem, vcores, busy int64
	end               int // its place among the ends
	am                bool
}

func holdingOf(r *record.Container, end int) holding {
	return holding{r.MemMiB, r.VCores, r.BusyMS, end, r.AM}
}

var _ record.Sink = (*Collector)(nil)

// NewCollector returns an empty sink for one replay.
func NewCollector() *Collector {
	return &Collector{data: newData(), sums: map[int64]*jobSums{}, closed: idSet{}}
}

// Job implements record.Sink.
func (c *Collector) Job(j *record.Job) {
	s := c.job(j.ID)
	if s.job != nil { // a second record
		c.done.add(s.job)
	}
	if n := len(c.spare); n > 0 {
		s.job, c.spare = c.spare[n-1], c.spare[:n-1]
	} else {
		s.job = &Job{}
	}
	*s.job = Job{Job: *j}
	if Happened(j.Finish) {
		c.room.fold(j.Finish)
	}
	c.close(j.ID, s)
}

// Container implements record.Sink.
func (c *Collector) Container(r *record.Container) {
	one := [1]record.Container{*r}
	c.Containers(one[:])
}

// Containers implements record.Batcher.
func (c *Collector) Containers(rows []record.Container) {
	var waits, queued, started, registered [32]int64
	d := &c.data.Containers
	for len(rows) > 0 {
		n, asks, queues, starts, registers := min(len(rows), len(waits)), 0, 0, 0, 0
		var queue *dist.Dist // whose waits are in queued
		for i := range rows[:n] {
			r := &rows[i]
			end := c.ends.of(r.End)
			c.container(r, end)
			if r.AM {
				d.AMs++
				if !c.closed.has(r.Job) {
					c.job(r.Job)
				}
				continue
			}
			s := c.last
			if s == nil || c.lastID != r.Job {
				s = c.job(r.Job)
			}
			if wait, asked := c.containers(r, s, end, 1); asked {
				waits[asks] = wait
				asks++
				if queue != s.ask && queues > 0 {
					queue.AddAll(queued[:queues])
					queues = 0
				}
				queue, queued[queues] = s.ask, wait
				queues++
			}
			if Happened(r.Started) {
				started[starts] = r.Started - r.Allocated
				starts++
			}
			if Happened(r.Registered) {
				registered[registers] = r.Registered - r.Allocated
				registers++
			}
			if s.job != nil {
				c.close(r.Job, s)
			}
		}
		d.Ask.AddAll(waits[:asks])
		if queues > 0 {
			queue.AddAll(queued[:queues])
		}
		d.Start.AddAll(started[:starts])
		d.Register.AddAll(registered[:registers])
		rows = rows[n:]
	}
}

// container counts what a container held.
func (c *Collector) container(r *record.Container, end int) {
	switch {
	case !Happened(r.Ended):
		c.open = append(c.open, openContainer{spanOf(r), holdingOf(r, end)})
	case c.costs == nil && c.after(r.Allocated):
		h := holdingOf(r, end)
		c.hold(&h, r.Ended-r.Allocated)
	default:
		c.occupy(&openContainer{spanOf(r), holdingOf(r, end)})
	}
}

func spanOf(r *record.Container) Span {
	return Span{Job: r.Job, Number: r.Number, From: r.Allocated, To: r.Ended, Node: r.Node, AM: r.AM, Match: r.Match, Queue: r.Queue}
}

// containers counts executor or task containers of a job that are alike but for how long they were there, but for the distributions of their times, and returns how long each waited if it
// was asked for.
func (c *Collector) containers(r *record.Container, s *jobSums, end int, n int64) (wait int64, asked bool) {
	d := &c.data.Containers
	d.N += n
	s.containers += n
	if Happened(r.Asked) && Happened(r.Allocated) {
		wait, asked = r.Allocated-r.Asked, true
		if s.ask == nil || s.queue != r.Queue {
			s.ask, s.queue = c.askOf(r.Queue), r.Queue
		}
		s.askMS += n * wait
		s.asks += n
	}
	if r.Hinting {
		s.hinting += n
		if r.Hinted {
			s.hinted += n
		}
	}
	d.Matches[r.Match] += n
	d.Over.Count(int(r.Match), r.Allocated, float64(n))
	switch r.Match {
	case record.OnHost:
		s.preferring += n
		s.host += n
	case record.OnRack, record.Elsewhere:
		s.preferring += n
		if r.Match == record.OnRack {
			s.rack += n
		}
		c.missed.containers[r.Match][r.Miss] += n
	}
	c.ends.n[end] += n
	return wait, asked
}

// askOf is the distribution of the waits of a queue's containers.
func (c *Collector) askOf(queue string) *dist.Dist {
	q := c.data.Containers.AskByQueue[queue]
	if q == nil {
		q = &dist.Dist{}
		c.data.Containers.AskByQueue[queue] = q
	}
	return q
}

// held are sums over containers, which come in any order.
type held struct {
	mem                                []sums.Exact // MiB-ms, by end
	cores, working, busyCores, busyMem sums.Exact
}

// occupy counts the resources of a container over its time.
func (c *Collector) occupy(o *openContainer) {
	c.hold(&o.holding, o.span.To-o.span.From)
	c.show(&o.span, o.mem)
}

// hold counts what a container held for a time, or several alike for their times together.
func (c *Collector) hold(o *holding, ms int64) {
	h := &c.held
	for len(h.mem) <= o.end {
		h.mem = append(h.mem, sums.Exact{})
	}
	h.mem[o.end].Add(o.mem, ms)
	h.cores.Add(o.vcores, ms)
	if !o.am {
		h.working.Add(o.vcores, ms)
		h.busyCores.Add(o.busy, 1)
		if o.vcores > 0 {
			h.busyMem.Add(o.mem, min(ms, o.busy/o.vcores))
		}
	}
}

// show keeps a container with an end if it is among those that are shown, and adds its cost.
func (c *Collector) show(s *Span, mem int64) {
	if c.costs != nil {
		c.costs.container(s, mem)
	}
	if c.beyond(s) {
		return
	}
	d := &c.data.Containers
	d.Spans = append(d.Spans, *s)
	if len(d.Spans) > 2*maxSpans {
		c.cutSpans()
		c.cut = true
	}
}

// beyond reports whether a container comes after the last of those that are shown.
func (c *Collector) beyond(s *Span) bool {
	return c.cut && s.compare(&c.data.Containers.Spans[maxSpans-1]) > 0
}

// after reports whether all containers that were allocated at a time come after those that are shown.
func (c *Collector) after(allocated int64) bool {
	return c.cut && allocated > c.data.Containers.Spans[maxSpans-1].From
}

func (s *Span) compare(o *Span) int {
	return cmp.Or(cmp.Compare(s.From, o.From), cmp.Compare(s.Job, o.Job), cmp.Compare(s.Number, o.Number))
}

func (c *Collector) cutSpans() {
	d := &c.data.Containers
	slices.SortFunc(d.Spans, func(a, b Span) int { return a.compare(&b) })
	d.Spans = d.Spans[:min(len(d.Spans), maxSpans)]
}

// Task implements record.Sink.
func (c *Collector) Task(r *record.Task) {
	one := [1]record.Task{*r}
	c.Tasks(one[:])
}

// Tasks implements record.Batcher.
func (c *Collector) Tasks(rows []record.Task) {
	for len(rows) > 0 {
		id, n := rows[0].Job, 1
		s := c.job(id)
		if s.job == nil { // else any of them may be the last one of its job
			for some := rows[:min(len(rows), mostAtOnce)]; n < len(some) && some[n].Job == id; {
				n++
			}
		}
		c.tasksOf(s, rows[:n])
		if s.job != nil {
			c.close(id, s)
		}
		rows = rows[n:]
	}
}

// mostAtOnce is how many task attempts are added up at a time, at most.
const mostAtOnce = 32

// tasksOf counts some task attempts of a job.
func (c *Collector) tasksOf(s *jobSums, rows []record.Task) {
	var waits, took [mostAtOnce]int64
	d, ended, sum := &c.data.Tasks, 0, taskSums{n: int64(len(rows))}
	for i := range rows {
		r := &rows[i]
		wait := r.Launch - r.Ready
		waits[i%mostAtOnce] = wait
		sum.waited += wait
		if Happened(r.Finish) {
			took[ended%mostAtOnce] = r.Finish - r.Launch
			ended++
		}
		if r.Speculative {
			sum.speculative++
		}
		if r.End != record.TaskSuccess {
			c.tasks.n[c.tasks.of(r.End)]++
			continue
		}
		sum.succeeded++
		sum.durationMS += r.DurationMS
		sum.penaltyMS += r.PenaltyMS
		sum.overheadMS += r.OverheadMS
		if !d.ByNode.More {
			d.ByNode.count(r.Node, r.Launch)
		}
		if r.Launch < sum.from || r.Launch >= sum.to {
			c.launched(s, &sum)
			sum.from, sum.to = d.Over.Around(r.Launch)
			sum.at = r.Launch
		}
		sum.levels[r.Level]++
		if r.Preferring {
			sum.preferring++
			if !r.Preferred {
				c.missed.tasks[r.Level][r.Miss]++
			}
		}
	}
	c.enter(s, &sum)
	d.Wait.AddAll(waits[:len(rows)])
	d.Run.AddAll(took[:ended])
}

// taskSums is what task attempts of a job come to, without what is kept of each.
type taskSums struct {
	n, succeeded, speculative         int64
	waited                            int64
	durationMS, penaltyMS, overheadMS int64 // of those that succeeded
	preferring                        int64 // of them

	// Of them, by level, those that were launched at a time or in the same bucket of [Tasks.Over], and are not counted there yet; the bucket ends before to.
	levels       [record.AnyLevel + 1]int64
	at, from, to int64
}

// enter counts what task attempts of a job come to.
func (c *Collector) enter(s *jobSums, sum *taskSums) {
	d := &c.data.Tasks
	c.launched(s, sum)
	d.N += sum.n
	d.Speculative += sum.speculative
	d.DurationMS += float64(sum.durationMS)
	d.PenaltyMS += float64(sum.penaltyMS)
	d.OverheadMS += float64(sum.overheadMS)
	if sum.succeeded > 0 {
		c.tasks.n[c.tasks.of(record.TaskSuccess)] += sum.succeeded
	}
	s.tasks += sum.n
	s.taskMS += sum.waited
	s.ready += sum.n
	s.tasksPreferring += sum.preferring
}

// launched counts by level those that were launched together.
func (c *Collector) launched(s *jobSums, sum *taskSums) {
	for level, n := range &sum.levels {
		if n > 0 {
			s.levels[level] += n
			c.data.Tasks.Over.Count(level, sum.at, float64(n))
			sum.levels[level] = 0
		}
	}
}

// Sample implements record.Sink.
func (c *Collector) Sample(r *record.Sample) { c.data.Queues.Sample(r) }

// Node implements record.Sink.
func (c *Collector) Node(n *record.Node) {
	c.room.node(n)
	if c.costs != nil {
		c.costs.node(n)
	}
}

// Decision implements record.Sink. Nothing that is kept follows from decisions.
func (c *Collector) Decision(*record.Decision) {}

// name gives the counts by end and reason their names.
func (c *Collector) name() {
	d := c.data
	for i, end := range c.ends.names {
		if n := c.ends.n[i]; n > 0 {
			d.Containers.Ends[end] = n
		}
	}
	var all sums.Exact
	for i, ms := range c.held.mem {
		d.Containers.MemMS[c.ends.names[i]] = ms.Float()
		all.Plus(ms)
	}
	h, k := &c.held, &d.Containers
	k.AllMemMS, k.AllCoreMS, k.CoreMS, k.BusyCoreMS, k.BusyMemMS = all.Float(), h.cores.Float(), h.working.Float(), h.busyCores.Float(), h.busyMem.Float()
	for i, end := range c.tasks.names {
		d.Tasks.Ends[end] = c.tasks.n[i]
	}
	nameMisses(d.Containers.Missed, c.missed.containers[:])
	nameMisses(d.Tasks.Missed, c.missed.tasks[:])
}

func nameMisses[K ~uint8](to map[K]*[record.Misses]int64, from [][record.Misses]int64) {
	for k := range from {
		if from[k] != [record.Misses]int64{} {
			to[K(k)] = &from[k]
		}
	}
}

// Finish completes the data with the manifest of the replay. When the records contradict each other or the
// manifest's totals, it returns an error that says where.
func (c *Collector) Finish(m record.Manifest) (*Data, error) {
	d := c.data
	d.Manifest = m
	for i := range c.open {
		o := &c.open[i]
		o.span.To = max(m.Totals.EndMS, o.span.From)
		c.occupy(o)
	}
	if c.costs != nil {
		var err error
		if d.Costs, err = c.costs.finish(m.Totals.EndMS); err != nil {
			return nil, err
		}
	}
	d.settle()
	c.cutSpans()
	c.name()
	d.Tasks.ByNode.sort()
	d.Queues.Finish(m.Totals.EndMS)
	d.Queues.Cluster.CapMem, d.Queues.Cluster.CapVCores = c.room.until(m.Totals.EndMS)
	var wrong complaints
	for _, id := range slices.Sorted(maps.Keys(c.sums)) {
		s := c.sums[id]
		if s.job == nil {
			continue
		}
		if !c.closed.has(id) {
			s.job.take(s)
			for _, p := range c.pairs(s.job, s) {
				if p.got != p.want {
					wrong.add("job %d: %s: its record says %d, theirs %d", id, p.what, p.got, p.want)
				}
			}
		}
		c.done.add(s.job)
	}
	d.Jobs = c.done.jobs()
	d.Manifest.Warnings = append(slices.Clip(m.Warnings), d.short()...)
	for _, id := range c.late {
		wrong.add("job %d: more containers or task attempts than its record says", id)
	}
	for _, id := range slices.Sorted(maps.Keys(c.sums)) {
		if c.sums[id].job == nil && !c.closed.has(id) {
			wrong.add("job %d has containers or tasks but no record of its own", id)
		}
	}
	wrong.unequal("containers running", int64(len(c.open)), m.Totals.ContainersRunning)
	d.check(&wrong)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	return d, nil
}
