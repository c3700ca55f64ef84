package trace

import (
	"cmp"
	"context"
	"math/bits"
)

// Info is a summary of a trace.
type Info struct {
	Name           string      `json:"name"`
	Hash           string      `json:"hash"`
	Counts         Counts      `json:"counts"`
	SpanMS         int64       `json:"span_ms"`
	LocalitySource string      `json:"locality_source"`
	DurationSource string      `json:"duration_source"`
	Generator      *Generator  `json:"generator,omitempty"`
	Source         *Source     `json:"source,omitempty"`
	Attached       []string    `json:"attached,omitempty"`
	Cluster        Size        `json:"cluster_at_start"`
	Events         []KindCount `json:"node_events,omitempty"`
	Kinds          []KindCount `json:"job_kinds"`
	Queues         []QueueInfo `json:"queues"`
	Users          int64       `json:"users"` // with jobs
	Work           Work        `json:"work"`
	Load           Offered     `json:"offered_load"`
	GapMS          Quantiles   `json:"submission_gap_ms"`
	StagesPerJob   Quantiles   `json:"stages_per_job"`
	TasksPerJob    Quantiles   `json:"tasks_per_job"`
	TasksPerStage  Quantiles   `json:"tasks_per_stage"`
	DurationMS     Quantiles   `json:"task_duration_ms"`
	PreferTasks    int64       `json:"tasks_with_preference"`
	InputBytes     int64       `json:"input_bytes"`
	Retries        int64       `json:"retries"`
	Executors      int64       `json:"recorded_executors"`
	Timeline       []Slot      `json:"timeline"`
	Durations      []DurBin    `json:"task_duration_histogram"`
}

// KindCount is how often a kind occurs.
type KindCount struct {
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
}

// QueueInfo is what a queue of the trace gets.
type QueueInfo struct {
	Path  string `json:"path"`
	Jobs  int64  `json:"jobs"`
	Tasks int64  `json:"tasks"`
	Work  Work   `json:"work"`
}

// Slot is a part of the span: what is submitted in it.
type Slot struct {
	StartMS int64 `json:"start_ms"`
	Jobs    int64 `json:"jobs"`
	Work    Work  `json:"work"`
}

// DurBin counts task durations of FromMS to below twice of that (the first: 0 ms).
type DurBin struct {
	FromMS int64 `json:"from_ms"`
	Tasks  int64 `json:"tasks"`
}

// timelineSlots is into how many parts the span is cut for the picture.
const timelineSlots = 60

// Summarize reads a whole trace once, unless ctx ends before.
func Summarize(ctx context.Context, t *Trace) (*Info, error) {
	in := &Info{
		Name: t.Name(), Hash: t.Hash(), SpanMS: t.Manifest.SpanMS, LocalitySource: t.LocalitySource, DurationSource: t.DurationSource,
		Generator: t.Generator, Source: t.Source, Attached: t.Attachments(), Cluster: SizeAtStart(t.Nodes),
	}
	in.Counts.Nodes, in.Counts.NodeEvents = int64(len(t.Nodes)), int64(len(t.Events))
	if tab, ok := t.tables[tableExecutors]; ok {
		in.Executors = tab.rows()
	}
	for _, q := range t.Queues {
		in.Queues = append(in.Queues, QueueInfo{Path: q.Path})
	}
	width := in.SpanMS/timelineSlots + 1
	for start := int64(0); start <= in.SpanMS; start += width {
		in.Timeline = append(in.Timeline, Slot{StartMS: start})
	}
	s := summary{in: in, users: make([]bool, len(t.Users)), kinds: make(map[string]int64), width: width, last: -1}
	for j, err := range All(t.Jobs()) {
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return nil, err
		}
		s.job(j)
	}
	events := make(map[string]int64)
	for _, e := range t.Events {
		events[string(e.Kind)]++
	}
	in.Events, in.Kinds = kindCounts(events), kindCounts(s.kinds)
	in.Load = OfferedLoad(in.Work, in.Cluster, in.SpanMS)
	in.GapMS, in.StagesPerJob, in.TasksPerJob = s.gaps.quantiles(), s.stages.quantiles(), s.tasks.quantiles()
	in.TasksPerStage, in.DurationMS = s.stageTasks.quantiles(), s.durations.quantiles()
	for b, n := range s.log2 {
		if n > 0 || len(in.Durations) > 0 {
			in.Durations = append(in.Durations, DurBin{int64(1) << b >> 1, n})
		}
	}
	for n := len(in.Durations); n > 0 && in.Durations[n-1].Tasks == 0; n-- {
		in.Durations = in.Durations[:n-1]
	}
	return in, nil
}

func kindCounts(m map[string]int64) (counts []KindCount) {
	for _, kind := range sortedKeys(m) {
		counts = append(counts, KindCount{kind, m[kind]})
	}
	return counts
}

type summary struct {
	in    *Info
	users []bool
	kinds map[string]int64
	width int64 // of a slot, ms
	last  int64 // submission
	log2  [64]int64

	gaps, stages, tasks, stageTasks, durations counter
}

func (s *summary) job(j *Job) {
	in := s.in
	work, tasks := WorkOf(j), j.NumTasks()
	in.Counts.Jobs++
	in.Counts.Stages += int64(len(j.Stages))
	in.Counts.Tasks += tasks
	s.kinds[j.Kind]++
	if !s.users[j.User] {
		s.users[j.User] = true
		in.Users++
	}
	q, slot := &in.Queues[j.Queue], &in.Timeline[min(j.SubmitMS/s.width, int64(len(in.Timeline)-1))]
	q.Jobs++
	q.Tasks += tasks
	slot.Jobs++
	for _, w := range []*Work{&in.Work, &q.Work, &slot.Work} {
		w.VCoreMS += work.VCoreMS
		w.MemMiBMS += work.MemMiBMS
	}
	if s.last >= 0 {
		s.gaps.add(j.SubmitMS - s.last)
	}
	s.last = j.SubmitMS
	s.stages.add(int64(len(j.Stages)))
	s.tasks.add(tasks)
	for i := range j.Stages {
		t := &j.Stages[i].Tasks
		s.stageTasks.add(int64(t.Len()))
		for k, d := range t.DurationMS {
			s.durations.add(d)
			s.log2[bits.Len64(uint64(d))]++
			in.InputBytes += t.InputBytes[k]
			if len(t.Prefs(k)) > 0 {
				in.PreferTasks++
			}
			if t.Retries != nil && t.Retries[k] > 0 {
				in.Retries += int64(t.Retries[k])
			}
		}
	}
}
