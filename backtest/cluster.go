package backtest

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/spark/driver"
	"replay/report/prediction"
	"replay/trace"
)

// clusterRecord is recorded_containers.json: what was recorded of applications and containers. Times are
// ms from the trace's origin; nil where it did not happen.
type clusterRecord struct {
	Applications []appRecord       `json:"applications"`
	Containers   []containerRecord `json:"containers"`
}

type appRecord struct {
	Job           int64  `json:"job"`
	Submitted     *int64 `json:"t_submitted"`
	Scheduled     *int64 `json:"t_attempt_scheduled"`
	AMAllocated   *int64 `json:"t_am_allocated"`
	AMLaunched    *int64 `json:"t_am_launched"`
	Registered    *int64 `json:"t_registered"`
	Finished      *int64 `json:"t_finished"`
	Unregistering *int64 `json:"t_unregistering"`

	Attempts map[string]attemptRecord `json:"attempt_times"` // by number, where it had several
}

type attemptRecord struct {
	Scheduled   *int64 `json:"t_attempt_scheduled"`
	AMAllocated *int64 `json:"t_am_allocated"`
	Registered  *int64 `json:"t_registered"`
}

type containerRecord struct {
	Job         int64  `json:"job"`
	ID          string `json:"container"`
	ExitCode    int32  `json:"exit_code"`
	AM          bool   `json:"am"`
	Locality    string `json:"locality"`
	Asked       *int64 `json:"t_asked"`
	Allocated   *int64 `json:"t_allocated"`
	Acquired    *int64 `json:"t_acquired"`
	Launching   *int64 `json:"t_am_launching"`
	Running     *int64 `json:"t_nm_running"`
	Registered  *int64 `json:"t_registered"`
	TaskRuns    *int64 `json:"t_attempt_running"` // of MapReduce: its task attempt runs
	EventAdded  *int64 `json:"t_event_added"`
	Removed     *int64 `json:"t_event_removed"`
	Done        *int64 `json:"t_rm_done"`
	Killing     *int64 `json:"t_nm_killing"`
	NMDone      *int64 `json:"t_nm_done"`
	StartCalled *int64 `json:"t_nm_start_request"`
}

// attempt returns the attempt of its application that a container belongs to, from 0: the number before the last of
// container_EPOCH_CLUSTER_APPLICATION_ATTEMPT_NUMBER.
func (k *containerRecord) attempt() int {
	parts := strings.Split(k.ID, "_")
	if len(parts) < 2 {
		return 0
	}
	n, err := strconv.Atoi(parts[len(parts)-2])
	if err != nil {
		return 0
	}
	return max(n-1, 0)
}

// started reports whether it is known when the application master got and started the container; never of its own.
func (k *containerRecord) started() bool { return !k.AM && k.Launching != nil && k.Acquired != nil }

// attempts are the recorded times of the attempts of an application.
func (a *appRecord) attempts() []attemptRecord {
	var out []attemptRecord
	for n := 1; ; n++ {
		x, ok := a.Attempts[strconv.Itoa(n)]
		if !ok {
			break
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		return []attemptRecord{{a.Scheduled, a.AMAllocated, a.Registered}}
	}
	return out
}

// latencies are the launch latencies of every attempt of an application, in the order in which its master started
// containers.
func (c *clusterRecord) latencies() map[int64][]*driver.Latencies {
	out := map[int64][]*driver.Latencies{}
	for i := range c.Applications {
		a := &c.Applications[i]
		list := a.attempts()
		for n, x := range list {
			l := &driver.Latencies{AMMS: trace.Unset}
			if x.AMAllocated != nil && x.Registered != nil {
				l.AMMS = max(*x.Registered-*x.AMAllocated, 0)
			}
			if n < len(list)-1 && x.Registered != nil && list[n+1].Scheduled != nil { // it ended unregistered
				l.Halts, l.HaltMS, l.HaltExit = true, max(*list[n+1].Scheduled-*x.Registered, 0), protocol.ExitAborted
			}
			out[a.Job] = append(out[a.Job], l)
		}
	}
	of := func(k *containerRecord) *driver.Latencies {
		if list := out[k.Job]; k.attempt() < len(list) {
			return list[k.attempt()]
		}
		return nil
	}
	var started []*containerRecord
	for i := range c.Containers {
		k := &c.Containers[i]
		if k.started() {
			started = append(started, k)
		}
		if l := of(k); k.AM && l != nil && l.Halts && k.NMDone != nil { // its node lived, and tells when
			if x := c.application(k.Job).attempts()[k.attempt()]; *k.NMDone >= *x.Registered {
				l.HaltMS, l.HaltExit = *k.NMDone-*x.Registered, k.ExitCode
			}
		}
	}
	slices.SortStableFunc(started, func(a, b *containerRecord) int { return cmp.Compare(*a.Launching, *b.Launching) })
	for _, k := range started {
		l := of(k)
		if l == nil {
			continue
		}
		ms := int64(trace.Unset)
		if k.Registered != nil {
			ms = max(*k.Registered-*k.Acquired, 0)
		}
		l.ExecutorMS = append(l.ExecutorMS, ms)
	}
	return out
}

func (c *clusterRecord) application(job int64) *appRecord {
	return &c.Applications[slices.IndexFunc(c.Applications, func(a appRecord) bool { return a.Job == job })]
}

// levels of containers and tasks, as recorded and as shown.
var (
	containerLevels = []string{"NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH"}
	taskLevels      = []string{"PROCESS_LOCAL", "NODE_LOCAL", "RACK_LOCAL", "ANY"}
)

// waitNames are the waits that are compared.
var waitNames = [3]string{"submission to AM allocated", "ask to allocated", "allocated to registered"}

// A side is what a cluster did: the recorded one, or the replayed ones together. Application masters count in the first wait alone.
type side struct {
	containers []int64      // by containerLevels
	tasks      []int64      // by taskLevels
	waits      [3][]float64 // ms, by waitNames
	executors  []span       // of the first replay
	end        int64        // of the last application
}

func newSide() *side {
	return &side{containers: make([]int64, len(containerLevels)), tasks: make([]int64, len(taskLevels))}
}

// wait takes in a wait from one time to another, nil for what did not happen.
func (s *side) wait(i int, from, to *int64) {
	if from != nil && to != nil {
		s.waits[i] = append(s.waits[i], float64(max(*to-*from, 0)))
	}
}

// count counts a thing by its level; one of no level does not count.
func count(to []int64, levels []string, level string) {
	if at := slices.Index(levels, level); at >= 0 {
		to[at]++
	}
}

// openEnd is the end of a span, which goes on where none is known.
func openEnd(end int64) int64 {
	if end == trace.Unset {
		return math.MaxInt64
	}
	return end
}

// recordedSide is what was recorded.
func (r *Recording) recordedSide() *side {
	s := newSide()
	for i := range r.cluster.Applications {
		a := &r.cluster.Applications[i]
		s.wait(0, a.Submitted, a.AMAllocated)
		if a.Finished != nil {
			s.end = max(s.end, *a.Finished)
		}
	}
	for i := range r.cluster.Containers {
		k := &r.cluster.Containers[i]
		if k.AM || k.Allocated == nil {
			continue
		}
		count(s.containers, containerLevels, k.Locality)
		s.wait(1, k.Asked, k.Allocated)
		s.wait(2, k.Allocated, k.Registered)
		if k.Registered != nil {
			lives := span{*k.Registered, math.MaxInt64}
			for _, gone := range []*int64{k.Removed, k.NMDone, k.Done} {
				if gone != nil {
					lives.end = min(lives.end, *gone)
				}
			}
			s.executors = append(s.executors, lives)
		}
	}
	if len(r.cluster.Containers) == 0 { // the cluster was asked from outside: event logs have the executors
		for _, e := range r.executors {
			s.executors = append(s.executors, span{e.AddedMS, openEnd(e.RemovedMS)})
		}
	}
	for _, j := range r.jobs {
		for i := range j.Stages {
			for _, l := range j.Stages[i].Tasks.RecordedLocality {
				if l == "NO_PREF" {
					l = "PROCESS_LOCAL"
				}
				count(s.tasks, taskLevels, l)
			}
		}
	}
	return s
}

// replayedSide is what the replays did, one for each seed.
func (r *Recording) replayedSide(seen []*observed) *side {
	s := newSide()
	for k, o := range seen {
		for i := range r.jobs {
			j := o.jobs[r.jobs[i].ID]
			s.wait(0, known(j.Submit), known(j.AMAllocated))
			s.end = max(s.end, j.Finish)
		}
		for i := range o.containers {
			c := &o.containers[i]
			if c.AM {
				continue
			}
			count(s.containers, containerLevels, c.Type)
			s.wait(1, known(c.Asked), known(c.Allocated))
			s.wait(2, known(c.Allocated), known(c.Registered))
			if k == 0 && c.Registered != trace.Unset {
				s.executors = append(s.executors, span{c.Registered, openEnd(c.Ended)})
			}
		}
		for at, of := range [][]record.TaskLevel{{record.ProcessLocal, record.NoPref}, {record.TaskNodeLocal}, {record.TaskRackLocal}, {record.AnyLevel}} {
			for _, l := range of {
				s.tasks[at] += o.levels[l]
			}
		}
	}
	return s
}

// compareCluster sets containers, tasks and waits of the replays, one for each seed, beside those of the
// recording. Counts of the replays are added up; executors over time are those of the first.
func (r *Recording) compareCluster(seen []*observed) prediction.Cluster {
	recorded, predicted := r.recordedSide(), r.replayedSide(seen)
	out := prediction.Cluster{Recording: r.Name}
	out.Containers = prediction.NewShares([]string{"node-local", "rack-local", "off-switch"}, recorded.containers, predicted.containers)
	out.Tasks = prediction.NewShares([]string{"process-local", "node-local", "rack-local", "any"}, recorded.tasks, predicted.tasks)
	for i, name := range waitNames {
		out.Waits = append(out.Waits, prediction.NewWait(name, recorded.waits[i], predicted.waits[i]))
	}
	const step = 1000
	out.Executors = prediction.Curve{StepMS: step}
	for at := int64(0); at <= max(recorded.end, predicted.end); at += step {
		out.Executors.Recorded = append(out.Executors.Recorded, alive(recorded.executors, at))
		out.Executors.Predicted = append(out.Executors.Predicted, alive(predicted.executors, at))
	}
	return out
}

func known(t int64) *int64 {
	if t == trace.Unset {
		return nil
	}
	return &t
}

// alive counts the spans that hold a time.
func alive(spans []span, at int64) (n int32) {
	for _, s := range spans {
		if s.start <= at && at < s.end {
			n++
		}
	}
	return n
}

// noise pairs the recordings of which one is another one again: NAME and NAME-again.
func noise(recs []*Recording, apps map[string][]prediction.App) (out []prediction.Noise) {
	for _, r := range recs {
		again := r.Name + "-again"
		if apps[again] != nil {
			out = append(out, prediction.NewNoise(r.Name, again, apps[r.Name], apps[again]))
		}
	}
	return out
}
