package trace

import (
	"io"
	"slices"
)

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
