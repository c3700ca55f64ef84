package result

import (
	"fmt"
	"maps"

	"replay/engine/record"
	"replay/report/dist"
)

// storedTasks is tasks.json: what is kept of the task attempts without tasks.parquet.
type storedTasks struct {
	Attempts    int64                           `json:"attempts"`
	WaitMS      dist.Stored                     `json:"wait_task_launch_ms"`
	RunMS       dist.Stored                     `json:"run_task_ms"`
	Ends        map[string]int64                `json:"ends"`
	Speculative int64                           `json:"speculative"`
	Missed      map[string][record.Misses]int64 `json:"missed"` // by level; reasons in the order of record.Miss
	DurationMS  float64                         `json:"duration_ms"`
	PenaltyMS   float64                         `json:"modelled_penalty_ms"`
	OverheadMS  float64                         `json:"modelled_overhead_ms"`
	BucketMS    int64                           `json:"bucket_ms"`
	Launched    [record.AnyLevel + 1][]float64  `json:"launched"` // successful attempts by level and bucket of launch
}

func (t *Tasks) stored() *storedTasks {
	s := &storedTasks{
		Attempts: t.N, WaitMS: t.Wait.Stored(), RunMS: t.Run.Stored(), Ends: t.Ends, Speculative: t.Speculative,
		Missed: map[string][record.Misses]int64{}, DurationMS: t.DurationMS, PenaltyMS: t.PenaltyMS, OverheadMS: t.OverheadMS,
		BucketMS: t.Over.WidthMS(),
	}
	for l, n := range t.Missed {
		s.Missed[l.String()] = *n
	}
	for l := range s.Launched {
		s.Launched[l] = t.Over.Column(l)
	}
	return s
}

func (t *Tasks) restore(s *storedTasks) (err error) {
	t.N, t.Speculative, t.DurationMS, t.PenaltyMS, t.OverheadMS = s.Attempts, s.Speculative, s.DurationMS, s.PenaltyMS, s.OverheadMS
	if t.Wait, err = s.WaitMS.Dist(TaskLaunch.Column()); err != nil {
		return err
	}
	if t.Run, err = s.RunMS.Dist(TaskRun.Column()); err != nil {
		return err
	}
	maps.Copy(t.Ends, s.Ends)
	for name, n := range s.Missed {
		l, err := parse("level of missed", name, record.AnyLevel+1, record.TaskLevel.String)
		if err != nil {
			return err
		}
		t.Missed[l] = &n
	}
	if s.BucketMS <= 0 {
		return fmt.Errorf("bucket_ms is %d, want more than 0", s.BucketMS)
	}
	t.Over.Restore(s.BucketMS, s.Launched[:])
	return nil
}
