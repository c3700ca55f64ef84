package report

import (
	"fmt"
	"maps"

	"replay/engine/record"
)

// storedTasks is tasks.json: what is kept of the task attempts without tasks.parquet.
type storedTasks struct {
	Attempts    int64                           `json:"attempts"`
	WaitMS      storedDist                      `json:"wait_task_launch_ms"`
	RunMS       storedDist                      `json:"run_task_ms"`
	Ends        map[string]int64                `json:"ends"`
	Speculative int64                           `json:"speculative"`
	Missed      map[string][record.Misses]int64 `json:"missed"` // by level; reasons in the order of record.Miss
	DurationMS  float64                         `json:"duration_ms"`
	PenaltyMS   float64                         `json:"modelled_penalty_ms"`
	OverheadMS  float64                         `json:"modelled_overhead_ms"`
	BucketMS    int64                           `json:"bucket_ms"`
	Launched    [record.AnyLevel + 1][]float64  `json:"launched"` // successful attempts by level and bucket of launch
}

// storedDist is a distribution as pairs of a value and its count, in order. Values of a bucket
// are told by its middle.
type storedDist struct {
	Count  int64      `json:"count"`
	Sum    float64    `json:"sum"`
	Min    int64      `json:"min"`
	Max    int64      `json:"max"`
	Values [][2]int64 `json:"values"`
}

func (d *Dist) stored() storedDist {
	s := storedDist{d.n, d.sum, d.min, d.max, [][2]int64{}}
	b := Dist{counts: []int64{}}
	if d.counts != nil {
		b.counts = d.counts
	} else {
		for _, v := range d.values {
			b.count(v, 1)
		}
	}
	for i, n := range b.counts {
		if n > 0 {
			s.Values = append(s.Values, [2]int64{bucketValue(i), n})
		}
	}
	return s
}

func (s *storedDist) dist(name string) (Dist, error) {
	d := Dist{counts: []int64{}, n: s.Count, sum: s.Sum, min: s.Min, max: s.Max}
	var n int64
	for _, v := range s.Values {
		if v[0] < 0 || v[1] < 0 {
			return d, fmt.Errorf("%s: value %d with count %d, want 0 or more", name, v[0], v[1])
		}
		d.count(v[0], v[1])
		n += v[1]
	}
	if n != s.Count {
		return d, fmt.Errorf("%s: counts sum to %d, want %d", name, n, s.Count)
	}
	return d, nil
}

func (t *Tasks) stored() *storedTasks {
	s := &storedTasks{
		Attempts: t.N, WaitMS: t.Wait.stored(), RunMS: t.Run.stored(), Ends: t.Ends, Speculative: t.Speculative,
		Missed: map[string][record.Misses]int64{}, DurationMS: t.DurationMS, PenaltyMS: t.PenaltyMS, OverheadMS: t.OverheadMS,
		BucketMS: t.Over.width,
	}
	for l, n := range t.Missed {
		s.Missed[l.String()] = *n
	}
	copy(s.Launched[:], t.Over.columns)
	return s
}

func (t *Tasks) restore(s *storedTasks) (err error) {
	t.N, t.Speculative, t.DurationMS, t.PenaltyMS, t.OverheadMS = s.Attempts, s.Speculative, s.DurationMS, s.PenaltyMS, s.OverheadMS
	if t.Wait, err = s.WaitMS.dist("wait_task_launch_ms"); err != nil {
		return err
	}
	if t.Run, err = s.RunMS.dist("run_task_ms"); err != nil {
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
	t.Over.width = s.BucketMS
	copy(t.Over.columns, s.Launched[:])
	return nil
}
