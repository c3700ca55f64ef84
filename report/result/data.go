// Package result turns the records of a replay into tables and sums: it writes the tables of a result directory, reads
// them back, and keeps in [Data] what metrics and plots are made of: jobs as they are; containers, tasks and samples as
// counts, distributions and time buckets.
//
// All times are milliseconds of simulated time, memory is in MiB, CPU in vcores. The same
// records give the same bytes in every file, on any machine.
package result

import (
	"math"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/shares"
	"replay/report/sums"
)

// Job is a job's record with sums over its containers and task attempts.
type Job struct {
	record.Job
	AskMS      int64 // sum over executor and task containers of ask to allocation
	Asks       int64 // how many that are
	TaskWaitMS int64 // sum over task attempts of ready to launch
	TaskWaits  int64 // how many that are
}

// Happened reports whether a time happened.
func Happened(t int64) bool { return t != record.None }

// Data is what the metrics and plots of one replay are made of.
type Data struct {
	Manifest   record.Manifest
	Jobs       Jobs
	Containers Containers
	Tasks      Tasks
	Queues     *shares.Queues
	Costs      *Costs      // nil where nobody says prices
	Explained  []Explained // by job; nil of a replay without explanations

	Aside string // why [AggregatesFile] was not used when this was read; empty where it was, or there is none
}

// A Period goes from the first submission to the last finish of some jobs. [NoPeriod] is that of none.
type Period struct{ From, To int64 }

// NoPeriod is the period of no jobs.
var NoPeriod = Period{record.None, record.None}

// Add adds a job.
func (p *Period) Add(j *Job) {
	if p.From == record.None || j.Submit < p.From {
		p.From = j.Submit
	}
	p.To = max(p.To, j.Finish)
}

// MS is how long the period is, NaN when no job finished.
func (p *Period) MS() float64 {
	if !Happened(p.To) {
		return math.NaN()
	}
	return float64(p.To - p.From)
}

// End is the last finish of all jobs, [record.None] when none finished.
func (d *Data) End() int64 {
	end := int64(record.None)
	for j := range d.Jobs.All() {
		end = max(end, j.Finish)
	}
	return end
}

// Containers sums up the containers of a replay: executor and task containers, unless a field says all.
type Containers struct {
	N, AMs     int64
	Ask        dist.Dist // ask to allocation
	AskByQueue map[string]*dist.Dist
	Start      dist.Dist // allocation to process start
	Register   dist.Dist // allocation to ready for tasks
	Matches    [record.Unmatched + 1]int64
	Missed     map[record.Match]*[record.Misses]int64 // by match and reason, of those that preferred hosts
	Ends       map[string]int64
	MemMS      map[string]float64 // MiB-ms allocated, by end; all containers
	AllMemMS   float64            // all containers
	AllCoreMS  float64
	CoreMS     float64 // vcore-ms allocated
	BusyCoreMS float64
	BusyMemMS  float64        // MiB-ms in proportion to the busy cores
	Over       *sums.Timeline // matches by time of allocation, columns in the order of record.Match
	Spans      []Span         // the first of all containers, by (allocated, job, number)
}

// Span is one container on a timeline.
type Span struct {
	Job, Number, From, To int64
	Node                  int32
	AM                    bool
	Match                 record.Match
	Queue                 string
}

// maxSpans is how many containers a timeline shows at most.
const maxSpans = 2000

// Tasks sums up the task attempts of a replay.
type Tasks struct {
	N           int64
	Wait        dist.Dist                                  // ready to launch
	Run         dist.Dist                                  // launch to finish, of those that finished
	Missed      map[record.TaskLevel]*[record.Misses]int64 // successful attempts that preferred hosts and missed them
	Ends        map[string]int64
	Speculative int64
	DurationMS  float64 // service time of the trace, successful attempts
	PenaltyMS   float64
	OverheadMS  float64
	Over        *sums.Timeline // successful attempts by level and time of launch
	ByNode      TaskNodes      // the same by node; empty without task rows
}

// settle makes the distributions ready to be read by several at a time.
func (d *Data) settle() {
	for _, of := range []*dist.Dist{&d.Containers.Ask, &d.Containers.Start, &d.Containers.Register, &d.Tasks.Wait, &d.Tasks.Run} {
		of.Settle()
	}
	for _, of := range d.Containers.AskByQueue {
		of.Settle()
	}
}

func newData() *Data {
	d := &Data{Queues: shares.New()}
	d.Containers.AskByQueue = map[string]*dist.Dist{}
	d.Containers.Missed = map[record.Match]*[record.Misses]int64{}
	d.Containers.Ends = map[string]int64{}
	d.Containers.MemMS = map[string]float64{}
	d.Containers.Over = sums.NewTimeline(len(d.Containers.Matches))
	d.Tasks.Missed = map[record.TaskLevel]*[record.Misses]int64{}
	d.Tasks.Ends = map[string]int64{}
	d.Tasks.Over = sums.NewTimeline(int(record.AnyLevel) + 1)
	return d
}
