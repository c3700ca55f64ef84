package cases

import (
	"cmp"
	"io"
	"math"

	"replay/engine/scenario"
	"replay/trace"
)

// W1 is a workload that any simulator of a cluster can be given, with an answer that is known to every digit: 1,000 equal nodes,
// 1,000,000 tasks of one vcore and 2,048 MiB, in order of submission, whose durations come from splitmix64. Served first come, first
// served, on the first node with room, ends of tasks before submissions of the same second:
//
//	load 0.9: the last task ends at 4,240 s, none waits
//	load 1.2: the last task ends at 3,821 s, the mean wait is 302.7542 s, at most 165,167 tasks wait
//
// A job is what is submitted in one second: a stage of 224 to 324 tasks without preferred hosts.
type W1 struct {
	Load  float64
	Tasks int    // 0 = 1,000,000
	Kind  string // of the jobs, "" for Spark's; generic ones ask YARN for a container for each task
}

const (
	w1Nodes   = 1000
	w1VCores  = 16
	w1MemMiB  = 65_536
	w1Tasks   = 1_000_000
	w1Seconds = 59.5 // mean duration
	w1TaskMiB = 2048
	w1Seed    = 42
)

// splitmix64 is the generator of that name.
//
// Source: S. Vigna, https://prng.di.unimi.it/splitmix64.c.
type splitmix64 uint64

func (s *splitmix64) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// tasks is the number of tasks.
func (w W1) tasks() int {
	if w.Tasks > 0 {
		return w.Tasks
	}
	return w1Tasks
}

// submitted is the second in which task i is submitted.
func (w W1) submitted(i int) int64 {
	return int64(math.Floor(float64(i) * w1Seconds / (w1Nodes * w1VCores * w.Load)))
}

// seconds is the duration of the task with the generator's next output.
func (s *splitmix64) seconds() int64 { return 10 + int64(s.next()%100) }

// Meta is the cluster, with one queue and one user.
func (w W1) Meta() trace.Meta {
	m := trace.Meta{
		OriginUnixMS: trace.Unset, LocalitySource: trace.LocalityNone, DurationSource: trace.DurationModelled,
		Queues: trace.QueueTree([]string{"root.default"}), Users: []trace.User{trace.NewUser(0, "user0")},
	}
	for i := range w1Nodes {
		m.Nodes = append(m.Nodes, trace.Node{ID: int32(i), Host: hostName(i), Rack: "/rack0", MemMiB: w1MemMiB, VCores: w1VCores, Present: true})
	}
	return m
}

// Input is the workload without a trace directory: jobs are made as they are read.
func (w W1) Input() scenario.Input {
	m := w.Meta()
	n := w.tasks()
	return scenario.Input{
		Name: "w1", LocalitySource: m.LocalitySource, DurationSource: m.DurationSource, SpanMS: w.submitted(n-1) * 1000,
		NumJobs: w.submitted(n-1) + 1, NumTasks: int64(n), Nodes: m.Nodes, Queues: m.Queues, Users: m.Users, Jobs: w.Jobs(),
	}
}

// Jobs returns a source of the jobs.
func (w W1) Jobs() trace.JobSource { return &w1Jobs{w: w, z: w1Seed} }

type w1Jobs struct {
	w    W1
	z    splitmix64
	next int // task
	id   int64
}

func (s *w1Jobs) Next() (*trace.Job, error) {
	first := s.next
	if first == s.w.tasks() {
		return nil, io.EOF
	}
	second := s.w.submitted(first)
	for s.next < s.w.tasks() && s.w.submitted(s.next) == second {
		s.next++
	}
	j := trace.NewJob(cmp.Or(s.w.Kind, trace.KindSpark))
	j.ID, j.SubmitMS, j.Name, j.Queue = s.id, second*1000, "w1", 1
	s.id++
	j.AMMemMiB, j.AMVCores = 1024, 1
	if j.Kind == trace.KindSpark {
		j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = w1TaskMiB, 1, 1
		j.MinExecs, j.MaxExecs, j.InitialExecs = 0, 400, 0
	}
	st := trace.NewStage(0, trace.StageResult)
	st.TaskMemMiB, st.TaskVCores, st.DelayMS, st.Tasks = w1TaskMiB, 1, 0, trace.NewTasks(s.next-first)
	for i := range st.Tasks.DurationMS {
		st.Tasks.DurationMS[i] = s.z.seconds() * 1000
	}
	j.Stages = []trace.Stage{st}
	return j, nil
}

// Write writes the workload as a trace to a new directory.
func (w W1) Write(dir string) error {
	t, err := trace.Create(dir, w.Meta())
	if err != nil {
		return err
	}
	for j, err := range trace.All(w.Jobs()) {
		if err != nil {
			return err
		}
		t.AddJob(j) // Close returns the first error
	}
	return t.Close()
}
