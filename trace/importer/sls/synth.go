package sls

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"replay/input"
	"replay/trace"
	"replay/trace/importer/objects"
)

// workload is one of a file of distributions.
type synthWorkload struct {
	Name    string       `json:"workload_name"`
	Weight  float64      `json:"workload_weight"`
	Queue   string       `json:"queue_name"`
	Classes []jobClass   `json:"job_classes"`
	Times   []timeSample `json:"time_distribution"`
}

// timeSample is the beginning of a bucket of time, in s, and its weight.
type timeSample struct {
	Time   float64 `json:"time"`
	Weight float64 `json:"weight"`
}

// jobClass are jobs that are alike. The members behind Tasks are those of the old form, which has no tasks.
type jobClass struct {
	Name   string      `json:"class_name"`
	User   string      `json:"user_name"`
	Weight float64     `json:"class_weight"`
	Type   string      `json:"type"`
	Tasks  []taskClass `json:"tasks"`

	Reservation         *sample `json:"reservation"`
	ChanceOfReservation float64 `json:"chance_of_reservation"`

	MapTasks      float64 `json:"mtasks_avg"`
	MapTasksStd   float64 `json:"mtasks_stddev"`
	ReduceTasks   float64 `json:"rtasks_avg"`
	ReduceStd     float64 `json:"rtasks_stddev"`
	MapTime       float64 `json:"mtime_avg"`
	MapTimeStd    float64 `json:"mtime_stddev"`
	ReduceTime    float64 `json:"rtime_avg"`
	ReduceTimeStd float64 `json:"rtime_stddev"`
	MapMemory     float64 `json:"map_max_memory_avg"`
	MapMemoryStd  float64 `json:"map_max_memory_stddev"`
	ReduceMemory  float64 `json:"reduce_max_memory_avg"`
	ReduceMemStd  float64 `json:"reduce_max_memory_stddev"`
	MapVCores     float64 `json:"map_max_vcores_avg"`
	MapVCoresStd  float64 `json:"map_max_vcores_stddev"`
	ReduceVCores  float64 `json:"reduce_max_vcores_avg"`
	ReduceVCStd   float64 `json:"reduce_max_vcores_stddev"`
}

// taskClass are tasks of a job that are alike; Time is in s, MaxMemory in MB.
type taskClass struct {
	Type      string  `json:"type"`
	Priority  int32   `json:"priority"`
	Count     *sample `json:"count"`
	Time      *sample `json:"time"`
	MaxMemory *sample `json:"max_memory"`
	MaxVCores *sample `json:"max_vcores"`
	Execution string  `json:"execution_type"`
}

// sample is a distribution: Val alone is a constant; with Std it is log-normal with that mean and standard deviation, or normal if Dist is
// NORM; Discrete has values by Weights, which are equal if there are none.
type sample struct {
	Val      *float64  `json:"val"`
	Std      *float64  `json:"std"`
	Dist     string    `json:"dist"`
	Discrete []any     `json:"discrete"`
	Weights  []float64 `json:"weights"`

	values []float64 // of Discrete
}

// check tells what is wrong with the distribution.
//
// Source: SynthTraceJobProducer.Sample.
func (s *sample) check() error {
	switch {
	case s == nil:
		return fmt.Errorf("is missing, want a distribution such as {\"val\":5,\"std\":1}")
	case s.Val != nil && (s.Discrete != nil || s.Weights != nil):
		return fmt.Errorf("has val and discrete, want one of them")
	case s.Val != nil && s.Std != nil && (*s.Std < 0 || s.Dist != "NORM" && *s.Val <= 0):
		return fmt.Errorf("is val %v with std %v, want a val above 0 and a std of 0 or more", *s.Val, *s.Std)
	case s.Dist != "" && s.Dist != "NORM" && s.Dist != "LOGNORM" || s.Dist != "" && s.Std == nil:
		return fmt.Errorf("has dist %q, want NORM or LOGNORM with val and std", s.Dist)
	case s.Val != nil && *s.Val < 0:
		return fmt.Errorf("is val %v, want 0 or more", *s.Val)
	case s.Val != nil:
		return nil
	case len(s.Discrete) == 0 || s.Weights != nil && len(s.Weights) != len(s.Discrete):
		return fmt.Errorf("has %d values and %d weights, want val, or as many values as weights", len(s.Discrete), len(s.Weights))
	}
	s.values = s.values[:0]
	for _, d := range s.Discrete {
		v, ok := d.(float64)
		if text, is := d.(string); is {
			f, err := strconv.ParseFloat(text, 64)
			v, ok = f, err == nil
		}
		if !ok || !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("has the value %v, want a number of 0 or more", d)
		}
		s.values = append(s.values, v)
	}
	return checkWeights(s.Weights)
}

func checkWeights(weights []float64) error {
	sum := 0.0
	for _, w := range weights {
		if w < 0 {
			return fmt.Errorf("weight is %v, want 0 or more", w)
		}
		sum += w
	}
	if len(weights) > 0 && (sum == 0 || math.IsInf(sum, 0)) {
		return fmt.Errorf("weights add up to %v, want more than 0", sum)
	}
	return nil
}

// draw returns a value.
func (s *sample) draw(r *rand.Rand) float64 {
	switch {
	case s.Val == nil && s.Weights == nil:
		return s.values[r.IntN(len(s.values))]
	case s.Val == nil:
		return s.values[weighted(r, len(s.Weights), func(i int) float64 { return s.Weights[i] })]
	case s.Std == nil || *s.Std == 0:
		return *s.Val
	case s.Dist == "NORM":
		return *s.Val + float64(*s.Std*r.NormFloat64())
	}
	v := math.Log1p(*s.Std * *s.Std / (*s.Val * *s.Val))
	return math.Exp(math.Log(*s.Val) - v/2 + float64(math.Sqrt(v)*r.NormFloat64()))
}

// whole is a value, rounded to the nearest whole number, from least to most.
func (s *sample) whole(r *rand.Rand, least, most int64) int64 {
	return int64(min(max(math.Floor(s.draw(r)+0.5), float64(least)), float64(most)))
}

// weighted draws one of n by weight.
func weighted(r *rand.Rand, n int, weight func(int) float64) int {
	sum := 0.0
	for i := range n {
		sum += weight(i)
	}
	x := float64(r.Float64() * sum)
	last := 0
	for i := range n {
		if w := weight(i); w > 0 {
			if x < w {
				return i
			}
			x -= w
			last = i
		}
	}
	return last
}

// old makes the tasks of a class of the old form.
//
// Source: SynthTraceJobProducer.validateJobDef.
func (c *jobClass) old() {
	of := func(mean, sd float64) *sample { return &sample{Val: &mean, Std: &sd} }
	c.Type = "mapreduce"
	c.Tasks = []taskClass{
		{Type: "map", Priority: mapPriority, Count: of(c.MapTasks, c.MapTasksStd), Time: of(c.MapTime, c.MapTimeStd), MaxMemory: of(c.MapMemory, c.MapMemoryStd), MaxVCores: of(c.MapVCores, c.MapVCoresStd)},
		{Type: "reduce", Priority: reducePriority, Count: of(c.ReduceTasks, c.ReduceStd), Time: of(c.ReduceTime, c.ReduceTimeStd), MaxMemory: of(c.ReduceMemory, c.ReduceMemStd), MaxVCores: of(c.ReduceVCores, c.ReduceVCStd)},
	}
	for i := range c.Tasks {
		for _, s := range []*sample{c.Tasks[i].Count, c.Tasks[i].Time, c.Tasks[i].MaxMemory, c.Tasks[i].MaxVCores} {
			if *s.Val == 0 {
				s.Std = nil // nothing of it
			}
		}
	}
}

// check tells what is wrong with a workload; place is where it stands.
func (w *synthWorkload) check(place string) error {
	if len(w.Classes) == 0 || len(w.Times) == 0 {
		return fmt.Errorf("%s: %d job_classes and %d entries of time_distribution, want one of each or more", place, len(w.Classes), len(w.Times))
	}
	var weights []float64
	for i, t := range w.Times {
		if t.Time < 0 || t.Time > trace.LatestMS/1000 || i > 0 && t.Time < w.Times[i-1].Time {
			return fmt.Errorf("%s: time_distribution[%d].time is %v, want seconds that grow, up to 100 years", place, i, t.Time)
		}
		weights = append(weights, t.Weight)
	}
	if err := checkWeights(weights); err != nil {
		return fmt.Errorf("%s: time_distribution: %w", place, err)
	}
	weights = weights[:0]
	for i := range w.Classes {
		c := &w.Classes[i]
		if weights = append(weights, c.Weight); c.Tasks == nil {
			c.old()
		}
		for k := range c.Tasks {
			t := &c.Tasks[k]
			for _, f := range []struct {
				name string
				s    *sample
			}{{"count", t.Count}, {"time", t.Time}, {"max_memory", t.MaxMemory}, {"max_vcores", t.MaxVCores}} {
				if err := f.s.check(); err != nil {
					return fmt.Errorf("%s: job_classes[%d].tasks[%d].%s %w", place, i, k, f.name, err)
				}
			}
			if t.Type == "" || t.Priority < 0 {
				return fmt.Errorf("%s: job_classes[%d].tasks[%d] has type %q and priority %d, want a type and a priority of 0 or more", place, i, k, t.Type, t.Priority)
			}
		}
	}
	if err := checkWeights(weights); err != nil {
		return fmt.Errorf("%s: job_classes: %w", place, err)
	}
	return nil
}

// synth draws the jobs of a file of distributions, and makes its nodes. The draws are of random streams of this program: the jobs have the distributions of
// the simulator's and are others.
func (r *reading) synth(o *object, place string) error {
	var workloads []synthWorkload
	if err := input.JSON(o.workloads, &workloads); err != nil {
		return fmt.Errorf("%s: workloads: %w", place, err)
	}
	number := func(name string, least, most int64) (int64, error) {
		n, err := objects.WholeOf(o.members[name])
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("%s: %s is %q, want %d to %d", place, name, o.members[name], least, most)
		}
		return n, nil
	}
	jobs, err := number("num_jobs", 1, 100_000_000)
	if err != nil {
		return err
	}
	if _, ok := o.members["num_nodes"]; ok {
		n, err := number("num_nodes", 1, 1_000_000)
		if err != nil {
			return err
		}
		perRack := int64(1)
		if _, ok := o.members["nodes_per_rack"]; ok {
			if perRack, err = number("nodes_per_rack", math.MinInt32, math.MaxInt32); err != nil {
				return err
			}
		}
		r.nodes.num = int(n)
		r.nodes.racks = int(max(n/max(perRack, 1), 1))
	}
	var weights []float64
	for i := range workloads {
		if err := workloads[i].check(fmt.Sprintf("%s: workloads[%d]", place, i)); err != nil {
			return err
		}
		weights = append(weights, workloads[i].Weight)
	}
	if err := checkWeights(weights); err != nil || len(weights) == 0 {
		return fmt.Errorf("%s: %d workloads (%v), want one or more with weights", place, len(weights), err)
	}
	r.Durations = trace.DurationModelled
	for n := range jobs {
		if n%1024 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		stream := trace.Stream(r.Options.Seed, fmt.Sprintf("sls-synth/%s/%d", o.members["rand_seed"], n))
		if err := r.drawn(stream, workloads, n); err != nil {
			return err
		}
	}
	return nil
}

// Containers are at least so large.
//
// Source: SynthJob.
const (
	leastMiB    = 1024
	leastVCores = 1
)

// drawn adds job n.
func (r *reading) drawn(stream *rand.Rand, workloads []synthWorkload, n int64) error {
	w := &workloads[weighted(stream, len(workloads), func(i int) float64 { return workloads[i].Weight })]
	at := weighted(stream, len(w.Times), func(i int) float64 { return w.Times[i].Weight })
	start := w.Times[at].Time
	if at+1 < len(w.Times) {
		start += math.Floor(stream.Float64() * (w.Times[at+1].Time - start)) // whole seconds, as the simulator's
	}
	c := &w.Classes[weighted(stream, len(w.Classes), func(i int) float64 { return w.Classes[i].Weight })]
	j := jobSpec{
		am: c.Type, startMS: int64(start * 1000), queue: w.Queue, user: c.User, name: fmt.Sprintf("%s_%06d", c.Name, n), amMiB: trace.Unset, amVCores: trace.Unset,
	}
	if c.Reservation != nil || c.ChanceOfReservation > 0 {
		r.Counts.Dropped["reservations_of_job_classes"]++
	}
	all := int64(0)
	for i := range c.Tasks {
		t := &c.Tasks[i]
		count := t.Count.whole(stream, 0, math.MaxInt32)
		if all += count; r.CheckTasks(all) != nil {
			return r.Drop("jobs_of_too_many_tasks", "job %s: %w", j.name, r.CheckTasks(all))
		}
		mib, vcores := t.MaxMemory.whole(stream, leastMiB, trace.MostMemMiB), t.MaxVCores.whole(stream, leastVCores, trace.MostVCores)
		for range count {
			j.tasks = append(j.tasks, task{
				group: group{kind: t.Type, priority: t.Priority}, count: 1, ms: t.Time.whole(stream, 0, trace.LongestMS/1000) * 1000, mib: mib, vcores: vcores,
				opportunistic: t.Execution == "OPPORTUNISTIC",
			})
		}
	}
	if len(j.tasks) == 0 {
		r.Counts.Dropped["drawn_jobs_without_a_task"]++
		return nil
	}
	if r.nodes.num > 0 {
		for i := range j.tasks { // the simulator asks for any node
			j.tasks[i].host = r.nodes.path(stream.IntN(r.nodes.num))
		}
	}
	r.Begin()
	if r.nodes.num > 0 {
		r.Counts.Modelled["preferred_hosts"] += int64(len(j.tasks))
	}
	r.Counts.Modelled["jobs"]++
	r.Counts.Modelled["durations_of_tasks"] += int64(len(j.tasks))
	r.number++
	return r.add(&j, j.name)
}
