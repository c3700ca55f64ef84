// Package ideal replays a trace under a central scheduler that knows everything at once: no ResourceManager, no heartbeats, no
// protocol, no application masters, no executors, no latency of the model. It is a yardstick beside YARN's schedulers, and small
// enough for queueing theory to say what it must answer.
//
// The rules, all of them:
//
//   - A stage is ready when its parents, and the stages that the driver waited for, are done and the driver's recorded pause before
//     it is over. A job ends with its last stage and the driver's recorded tail.
//   - Ready tasks are served first come, first served: by job in order of submission, then by stage, then by task. The order is strict:
//     while the first ready task has no room nowhere, none behind it starts, even if it would fit.
//   - A task takes its vcores and memory on the first node, in order of the trace, that has both, at once, and gives them back when its
//     duration is over. Preferred hosts are not looked at and cost nothing to miss.
//   - A gang starts when all of its tasks have room at once, each on the first node with room beside those before it, and is lost with
//     any of them.
//   - Of what happens in one millisecond, ends of tasks come first (in order of their launch), then ready stages and ends of jobs,
//     then node events, then submissions, first those of jobs that had to wait for the end of others; then tasks start.
//   - A node that fails or leaves takes its tasks with it; they are ready again at once, in their places. A draining node takes no more tasks.
//
// Times are milliseconds since the trace's origin, memory MiB, CPU vcores.
package ideal

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"replay/engine/depend"
	"replay/engine/mapreduce"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/trace"
)

const never = math.MaxInt64

// A Watch is told how far a replay is.
type Watch struct {
	NowMS, Jobs, Containers, Tasks *atomic.Int64 // trace time; jobs done; containers given out; task attempts ended
}

// Result is what a replay adds up to.
type Result struct {
	Totals   record.Totals
	Warnings []record.Warning
}

// loop is one replay.
type loop struct {
	sc        *scenario.Scenario
	sink      record.Sink
	watch     Watch
	spark     *driver.Kind
	mapReduce *mapreduce.Kind
	now       int64
	nodes     nodes
	ends      ends
	timers    timers
	ready     ready
	runs      runs
	stages    stages
	queues    usage

	recycler trace.Recycler // nil for sources that are none
	depend   depend.Jobs
	submits  []int64 // jobs that had to wait for others, and are submitted at this time
	arriving *trace.Job
	arrival  int64 // of arriving, never = none
	event    int   // of the trace's node events that is next
	sampleAt int64
	sampled  int64         // time of the last sample
	row      record.Sample // valid during a call of the sink
	samples  int64         // taken at their interval

	jobs     map[int64]*job // live
	like     sizesOf        // of the job before
	totals   record.Totals
	warnings []record.Warning
	at       map[string]int // of warnings, by code
	moved    int64          // when something last happened
	seq      int64          // of decisions

	waves  record.Waves // the sink, nil where it wants rows in order
	wave   record.Wave  // valid during a call of it
	places []int32      // memory that is used again
	local  []record.TaskLevel

	task      record.Task // working memory: what is given to the sink is valid during the call only
	container record.Container
	written   *stage // of both
	decision  record.Decision
}

// Run replays the scenario's trace and gives everything that happened to sink. It stops early, with an error, when ctx is done, when
// the trace can't be read, or when nodes, queues and tasks do not add up.
func Run(ctx context.Context, sc *scenario.Scenario, sink record.Sink, w Watch) (*Result, error) {
	l := &loop{sc: sc, sink: sink, watch: w, spark: driver.NewKind(sc.Spark()), mapReduce: mapreduce.NewKind(sc.MapReduce()), jobs: map[int64]*job{}, at: map[string]int{}, sampleAt: sc.SeriesMS, sampled: record.None, ends: ends{soonest: never}}
	l.depend.Independent = sc.Input.Independent
	l.waves = record.TakesWaves(sink)
	l.recycler, _ = sc.Input.Jobs.(trace.Recycler)
	l.nodes.start(sc.Input.Nodes, sc.Input.Events)
	for n := range sc.Input.Nodes {
		l.tell(int32(n))
	}
	if err := l.nextArrival(); err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		if n&0xfff == 0 {
			l.tellWatch()
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		more, err := l.step()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	if err := l.finish(); err != nil {
		return nil, err
	}
	l.tellWatch()
	return &Result{l.totals, slices.Concat(l.warnings, l.spark.Remarks(), l.mapReduce.Remarks())}, nil
}

func (l *loop) tellWatch() {
	l.watch.NowMS.Store(l.now)
	l.watch.Containers.Store(l.totals.ContainersAllocated)
	l.watch.Tasks.Store(l.totals.ContainersEnded + l.totals.ContainersRunning)
}

// next is the time of what happens next, [never] if nothing does.
func (l *loop) next() int64 {
	at := min(l.arrival, l.ends.next(), l.timers.next())
	if l.event < len(l.sc.Input.Events) {
		at = min(at, l.sc.Input.Events[l.event].TimeMS)
	}
	return at
}

// step goes to the next time at which something happens, takes the samples on the way and executes all of that time; false
// when the replay is over.
func (l *loop) step() (more bool, err error) {
	if len(l.jobs) == 0 && l.arrival == never && !l.depend.Any() {
		return false, nil
	}
	at := l.next()
	if l.sc.Until > 0 && at > l.sc.Until {
		l.sample(l.sc.Until + 1)
		l.now, l.totals.EndMS = l.sc.Until, l.sc.Until
		return false, nil
	}
	if at == never {
		l.totals.EndMS = max(l.totals.EndMS, l.moved)
		return false, nil
	}
	l.sample(at)
	l.now, l.moved = at, at
	for l.ends.next() == at {
		l.end(l.ends.pop())
	}
	for l.timers.next() == at {
		l.totals.Events++
		l.fire(l.timers.pop())
	}
	for l.event < len(l.sc.Input.Events) && l.sc.Input.Events[l.event].TimeMS == at {
		l.totals.Events++
		e := &l.sc.Input.Events[l.event]
		l.nodeEvent(e)
		l.tell(e.Node)
		l.event++
	}
	for _, id := range l.submits {
		h := l.depend.Take(id)
		l.warn(depend.WasHeld, true, false, "%s", h.Said())
		l.arrive(h.Job, h)
	}
	l.submits = l.submits[:0]
	for l.arrival == at {
		l.totals.Events++
		j := l.arriving
		if err := l.nextArrival(); err != nil {
			return false, err
		}
		due, held := l.depend.Comes(j, at)
		l.submitWhen(due)
		if !held {
			l.arrive(j, nil)
		}
	}
	l.dispatch()
	return true, nil
}

// nextArrival reads the next job.
func (l *loop) nextArrival() error {
	j, err := l.sc.Input.Jobs.Next()
	if err == io.EOF {
		l.arriving, l.arrival = nil, never
		return nil
	}
	if err != nil {
		return err
	}
	l.arriving, l.arrival = j, max(l.sc.Arrival(j), l.now)
	return nil
}

// dispatch starts tasks in order until the first of them has no room.
func (l *loop) dispatch() {
	for s := l.ready.first(); s != nil; s = l.ready.first() {
		if s.gang != nil {
			if !l.startGang(s) {
				return
			}
			continue
		}
		nodes := l.place(s)
		if len(nodes) == 0 {
			return
		}
		n := l.certain(s, len(nodes))
		if n > 0 {
			l.launchWave(s, nodes[:n])
		}
		for _, node := range nodes[n:] {
			l.launch(s, node)
		}
	}
}

// warn counts a warning; the first text of a code is kept. Those about a job say so.
func (l *loop) warn(code string, ofJob, voids bool, format string, args ...any) {
	i, ok := l.at[code]
	if !ok {
		i = len(l.warnings)
		l.at[code] = i
		l.warnings = append(l.warnings, record.Warning{Code: code, Text: fmt.Sprintf(format, args...), Voids: voids})
	}
	l.warnings[i].Count++
	if ofJob {
		l.warnings[i].Jobs++
	}
}

// broken is an invariant that does not hold.
func (l *loop) broken(format string, args ...any) error {
	return fmt.Errorf("internal error at %d ms: "+format, append([]any{l.now}, args...)...)
}
