// Package portrait describes a trace: sizes, arrivals, durations, shapes of its jobs, what is local to what, how the cluster changes, and the load that it offers.
package portrait

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"replay/trace"
)

// Portrait describes a trace. Times are ms of the trace.
type Portrait struct {
	Name           string            `json:"name"`
	Hash           string            `json:"hash"`
	Counts         trace.Counts      `json:"counts"`
	SpanMS         int64             `json:"span_ms"`
	LocalitySource string            `json:"locality_source"`
	DurationSource string            `json:"duration_source"`
	Generator      *trace.Generator  `json:"generator,omitempty"`
	Source         *trace.Source     `json:"source,omitempty"`
	Attached       []string          `json:"attached,omitempty"`
	Cluster        trace.Size        `json:"cluster_at_start"`
	Events         []trace.KindCount `json:"node_events,omitempty"`
	Kinds          []trace.KindCount `json:"job_kinds"`
	Queues         []Queue           `json:"queues"`
	Users          int64             `json:"users"` // with jobs
	Work           trace.Work        `json:"work"`
	Load           trace.Offered     `json:"offered_load"`
	Held           *Held             `json:"held,omitempty"` // nil without recorded executors

	Arrivals      Arrivals  `json:"arrivals"`
	GapMS         Quantiles `json:"submission_gap_ms"`
	StagesPerJob  Quantiles `json:"stages_per_job"`
	TasksPerJob   Quantiles `json:"tasks_per_job"`
	TasksPerStage Quantiles `json:"tasks_per_stage"`
	DurationMS    Quantiles `json:"task_duration_ms"`
	TopJobs       float64   `json:"tasks_in_largest_percent_of_jobs"` // share
	Straggling    Quantiles `json:"slowest_over_median_per_mille"`    // of stages of at least ten tasks: the longest task over the median one, × 1000
	Shapes        Shapes    `json:"shapes"`
	Locality      Locality  `json:"locality"`

	PreferTasks int64  `json:"tasks_with_preference"`
	InputBytes  int64  `json:"input_bytes"`
	Retries     int64  `json:"retries"`
	Executors   int64  `json:"recorded_executors"`
	Dependent   int64  `json:"jobs_after_others"` // begin after the end of others
	Timeline    []Slot `json:"timeline"`
	Sizes       []Bin  `json:"tasks_per_job_histogram"`
	Durations   []Bin  `json:"task_duration_histogram"`
}

// Queue is what a queue of the trace gets.
type Queue struct {
	Path  string     `json:"path"`
	Jobs  int64      `json:"jobs"`
	Tasks int64      `json:"tasks"`
	Work  trace.Work `json:"work"`
}

// Slot is a part of the span: what is submitted in it, and the cluster at its start.
type Slot struct {
	StartMS int64      `json:"start_ms"`
	Jobs    int64      `json:"jobs"`
	Work    trace.Work `json:"work"`
	Held    trace.Work `json:"held"` // by recorded executors, while they lived
	Nodes   int64      `json:"nodes"`
	VCores  int64      `json:"vcores"`
}

// Bin counts numbers of From to below twice of that (the first: 0).
type Bin struct {
	From int64 `json:"from"`
	N    int64 `json:"count"`
}

// Arrivals say how unevenly jobs come.
type Arrivals struct {
	PerHour    float64 `json:"jobs_per_hour"`
	Peak       float64 `json:"peak_over_mean"`                // of the slots of the timeline
	Dispersion float64 `json:"variance_over_mean"`            // of the jobs in a slot; 1 if they come by chance
	ByHour     []int64 `json:"jobs_by_hour_of_day,omitempty"` // UTC, of traces that say when they were recorded and last a day
	Together   float64 `json:"share_submitted_with_the_last"` // share of jobs at the time of the one before
}

// Locality says what tasks prefer.
type Locality struct {
	PrefsPerTask Quantiles `json:"preferred_nodes_per_task"` // of tasks that prefer any
	TopNodes     float64   `json:"preferences_of_top_tenth"` // share of all preferences that name the most preferred tenth of the nodes
	Files        int64     `json:"files_read"`
	Reads        int64     `json:"stages_reading_files"`
	Rereads      float64   `json:"reads_of_files_read_before"` // share of Reads
}

// timelineSlots is into how many parts the span is cut for the pictures.
const timelineSlots = 60

// Of reads a whole trace once, unless ctx ends before.
func Of(ctx context.Context, t *trace.Trace) (*Portrait, error) {
	p := &Portrait{
		Name: t.Name(), Hash: t.Hash(), SpanMS: t.Manifest.SpanMS, LocalitySource: t.LocalitySource, DurationSource: t.DurationSource,
		Generator: t.Generator, Source: t.Source, Attached: t.Attachments(), Cluster: trace.SizeAtStart(t.Nodes),
	}
	p.Counts.Nodes, p.Counts.NodeEvents = int64(len(t.Nodes)), int64(len(t.Events))
	for _, q := range t.Queues {
		p.Queues = append(p.Queues, Queue{Path: q.Path})
	}
	s := summary{
		p: p, users: make([]bool, len(t.Users)), kinds: map[string]int64{}, width: p.SpanMS/timelineSlots + 1, last: -1,
		preferred: make([]int64, len(t.Nodes)), read: map[int32]bool{}, finish: map[int64]int64{}, has: map[ofExecutors][]trace.NamedValue{},
	}
	for start := int64(0); start <= p.SpanMS; start += s.width {
		p.Timeline = append(p.Timeline, Slot{StartMS: start})
	}
	if p.SpanMS >= dayMS && t.OriginUnixMS != trace.Unset {
		s.byHour, s.origin = make([]int64, 24), t.OriginUnixMS
	}
	executors, err := t.Executors()
	if err != nil {
		return nil, err
	}
	for i := range executors {
		s.finish[executors[i].Job] = trace.Unset
	}
	for j, err := range trace.All(t.Jobs()) {
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return nil, err
		}
		s.job(j)
	}
	events := map[string]int64{}
	for _, e := range t.Events {
		events[string(e.Kind)]++
	}
	p.Events, p.Kinds = kindCounts(events), kindCounts(s.kinds)
	p.Load = trace.OfferedLoad(p.Work, p.Cluster, p.SpanMS)
	p.GapMS, p.StagesPerJob, p.TasksPerJob = s.gaps.quantiles(), s.stages.quantiles(), s.tasks.quantiles()
	p.TasksPerStage, p.DurationMS, p.Straggling = s.stageTasks.quantiles(), s.durations.quantiles(), s.straggling.quantiles()
	p.TopJobs = s.tasks.top(100)
	p.Sizes, p.Durations = s.tasks.bins(), s.durations.bins()
	p.Shapes = s.shapes.shapes()
	p.Locality.PrefsPerTask, p.Locality.Files = s.prefs.quantiles(), int64(len(s.read))
	p.Locality.TopNodes = topTenth(s.preferred)
	p.Locality.Rereads = over(float64(s.rereads), float64(p.Locality.Reads))
	p.arrivals(&s)
	p.churn(t)
	p.Executors = int64(len(executors))
	if err := p.hold(t, executors, &s); err != nil {
		return nil, err
	}
	return p, nil
}

const dayMS = 24 * 3600 * 1000

func kindCounts(m map[string]int64) (counts []trace.KindCount) {
	for _, kind := range slices.Sorted(maps.Keys(m)) {
		counts = append(counts, trace.KindCount{Kind: kind, Count: m[kind]})
	}
	return counts
}

// arrivals says how jobs come over the slots of the timeline.
func (p *Portrait) arrivals(s *summary) {
	a := &p.Arrivals
	a.ByHour, a.Together = s.byHour, over(float64(s.together), float64(p.Counts.Jobs-1))
	a.PerHour = over(float64(p.Counts.Jobs), float64(p.SpanMS)/3.6e6)
	n, sum, squares, most := float64(len(p.Timeline)), 0.0, 0.0, 0.0
	for _, slot := range p.Timeline {
		v := float64(slot.Jobs)
		sum, squares, most = sum+v, squares+float64(v*v), max(most, v)
	}
	mean := sum / n
	a.Peak, a.Dispersion = over(most, mean), over(squares/n-float64(mean*mean), mean)
}

// over is a/b, 0 if that is nothing.
func over(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// topTenth is the share that the largest tenth of counts has of all.
func topTenth(counts []int64) float64 {
	sorted := slices.Sorted(slices.Values(counts))
	all, top := int64(0), int64(0)
	for i, n := range sorted {
		if all += n; i >= len(sorted)-(len(sorted)+9)/10 {
			top += n
		}
	}
	return over(float64(top), float64(all))
}

type summary struct {
	p     *Portrait
	users []bool
	kinds map[string]int64
	width int64 // of a slot, ms
	last  int64 // submission

	origin            int64 // of the trace since 1970, where byHour counts
	byHour            []int64
	together, rereads int64
	preferred         []int64         // by node
	read              map[int32]bool  // files
	finish            map[int64]int64 // of jobs with recorded executors
	unheld            trace.Work      // of jobs without
	has               map[ofExecutors][]trace.NamedValue

	gaps, stages, tasks, stageTasks, durations, prefs, straggling counter

	shapes shapeCounter
	sorted []int64
}

// further keeps what executors of a job have besides vcores and memory.
func (s *summary) further(j *trace.Job) {
	profiles := []int32{0}
	for i := range j.Stages {
		if p := j.Stages[i].Profile; !slices.Contains(profiles, p) {
			profiles = append(profiles, p)
		}
	}
	for _, p := range profiles {
		if has := j.ExecutorHas(p); len(has) > 0 {
			s.has[ofExecutors{j.ID, p}] = slices.Clone(has) // the job is used again
		}
	}
}

// ofExecutors are the executors of a job under one of its resource profiles.
type ofExecutors struct {
	job     int64
	profile int32
}

func (s *summary) job(j *trace.Job) {
	p := s.p
	work, tasks := trace.WorkOf(j), j.NumTasks()
	p.Counts.Jobs++
	p.Counts.Stages += int64(len(j.Stages))
	p.Counts.Tasks += tasks
	s.kinds[j.Kind]++
	if len(j.DependsOn) > 0 {
		p.Dependent++
	}
	if !s.users[j.User] {
		s.users[j.User] = true
		p.Users++
	}
	q, slot := &p.Queues[j.Queue], &p.Timeline[min(j.SubmitMS/s.width, int64(len(p.Timeline)-1))]
	q.Jobs++
	q.Tasks += tasks
	slot.Jobs++
	p.Work.Add(work)
	q.Work.Add(work)
	slot.Work.Add(work)
	if _, has := s.finish[j.ID]; has {
		s.finish[j.ID] = j.RecordedFinishMS
		s.further(j)
	} else {
		s.unheld.Add(work)
	}
	if s.last >= 0 {
		if s.gaps.add(j.SubmitMS - s.last); j.SubmitMS == s.last {
			s.together++
		}
	}
	if s.last = j.SubmitMS; s.byHour != nil {
		s.byHour[(s.origin+j.SubmitMS)/3_600_000%24]++
	}
	s.stages.add(int64(len(j.Stages)))
	s.tasks.add(tasks)
	s.shapes.add(j)
	for i := range j.Stages {
		s.stage(&j.Stages[i])
	}
}

func (s *summary) stage(st *trace.Stage) {
	p, t := s.p, &st.Tasks
	s.stageTasks.add(int64(t.Len()))
	if st.FileID != trace.Unset {
		if p.Locality.Reads++; s.read[st.FileID] {
			s.rereads++
		}
		s.read[st.FileID] = true
	}
	for k, d := range t.DurationMS {
		s.durations.add(d)
		p.InputBytes += t.InputBytes[k]
		if prefs := t.Prefs(k); len(prefs) > 0 {
			p.PreferTasks++
			s.prefs.add(int64(len(prefs)))
			for _, n := range prefs {
				s.preferred[n]++
			}
		}
		if t.Retries != nil && t.Retries[k] > 0 {
			p.Retries += int64(t.Retries[k])
		}
	}
	if t.Len() >= 10 {
		s.sorted = append(s.sorted[:0], t.DurationMS...)
		slices.Sort(s.sorted)
		if median := s.sorted[(len(s.sorted)-1)/2]; median > 0 {
			s.straggling.add(int64(1000 * float64(s.sorted[len(s.sorted)-1]) / float64(median)))
		}
	}
}
