package trace

import (
	"fmt"
	"io"
	"os"
	"slices"
)

// MemoryTrace is a whole trace in memory, for tests and small generators.
type MemoryTrace struct {
	Meta
	JobList      []*Job // position is the id
	ExecutorList []Executor
	Attached     map[string][]byte
}

// Jobs returns a source of the jobs.
func (m *MemoryTrace) Jobs() JobSource { return &sliceSource{jobs: m.JobList} }

// Executors returns the recorded executors.
func (m *MemoryTrace) Executors() ([]Executor, error) { return m.ExecutorList, nil }

// Attachment returns the attached file called name. If there is none the error is [os.ErrNotExist].
func (m *MemoryTrace) Attachment(name string) ([]byte, error) {
	data, ok := m.Attached[name]
	if !ok {
		return nil, fmt.Errorf("no attached file %q: %w", name, os.ErrNotExist)
	}
	return data, nil
}

// Write writes the trace to a new directory.
func (m *MemoryTrace) Write(dir string) error {
	w, err := Create(dir, m.Meta)
	if err != nil {
		return err
	}
	for _, j := range m.JobList {
		w.AddJob(j) // Close returns the first error
	}
	for _, e := range m.ExecutorList {
		w.AddExecutor(e)
	}
	for _, name := range sortedKeys(m.Attached) {
		w.Attach(name, m.Attached[name])
	}
	return w.Close()
}

// Load reads a whole trace into memory.
func Load(dir string) (*MemoryTrace, error) {
	t, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := t.ReadFiles(); err != nil {
		return nil, err
	}
	m := &MemoryTrace{Meta: t.Meta}
	for j, err := range All(t.Jobs()) {
		if err != nil {
			return nil, err
		}
		m.JobList = append(m.JobList, j)
	}
	if m.ExecutorList, err = t.Executors(); err != nil {
		return nil, err
	}
	for _, name := range t.Attachments() {
		data, err := t.Attachment(name)
		if err != nil {
			return nil, err
		}
		if m.Attached == nil {
			m.Attached = make(map[string][]byte)
		}
		m.Attached[name] = data
	}
	return m, nil
}

type sliceSource struct{ jobs []*Job }

func (s *sliceSource) Next() (*Job, error) {
	if len(s.jobs) == 0 {
		return nil, io.EOF
	}
	j := s.jobs[0]
	s.jobs = s.jobs[1:]
	return j, nil
}

// KeepJobs decodes all jobs and keeps them in memory, for many replays of one trace. From then on each source of [Trace.Jobs] yields copies
// of them that share columns of tasks; nobody may change those in place. A trace of more than most tasks is left as it is.
func (t *Trace) KeepJobs(most int64) error {
	if t.kept != nil || t.Manifest.Counts.Tasks > most {
		return nil
	}
	jobs := []*Job{}
	for j, err := range All(t.Jobs()) {
		if err != nil {
			return err
		}
		jobs = append(jobs, j)
	}
	t.kept = jobs
	return nil
}

// keptJobs yields jobs that are kept.
type keptJobs struct{ left []*Job }

// Next returns a job of the caller's own but for the columns of its tasks.
func (k *keptJobs) Next() (*Job, error) {
	if len(k.left) == 0 {
		return nil, io.EOF
	}
	j := *k.left[0]
	k.left = k.left[1:]
	j.Stages = slices.Clone(j.Stages)
	return &j, nil
}
