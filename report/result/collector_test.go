package result_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/record"
	"replay/report/reporttest"
	"replay/report/result"
)

func TestPartsSumToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := result.Job{Job: record.Job{Submit: rapid.Int64Range(0, 1000).Draw(t, "submit")}}
		now := j.Submit
		for _, step := range []*int64{&j.AMScheduled, &j.AMAllocated, &j.AMRegistered, &j.FirstAsked, &j.FirstAllocated, &j.FirstRegistered} {
			if *step = record.None; rapid.Bool().Draw(t, "happened") {
				now += rapid.Int64Range(0, 5000).Draw(t, "took")
				*step = now
			}
		}
		j.FirstTask = now + rapid.Int64Range(0, 5000).Draw(t, "took")
		wait, _ := result.FirstTaskWait.Of(&j)
		var got float64
		for _, p := range j.Parts() {
			if p < 0 {
				t.Fatalf("part of %d ms in %v", p, j.Parts())
			}
			got += float64(p)
		}
		if got != wait {
			t.Fatalf("parts %v sum to %v, the wait is %v", j.Parts(), got, wait)
		}
	})
}

func TestRecordsThatContradictEachOther(t *testing.T) {
	tests := []struct {
		name   string
		break_ func(*record.Manifest, *brokenSink)
		want   string
	}{
		{"a container too many for its job", func(_ *record.Manifest, s *brokenSink) { s.job = func(j *record.Job) { j.Containers++ } }, "job 0: containers"},
		{"a hit too many", func(_ *record.Manifest, s *brokenSink) { s.job = func(j *record.Job) { j.ContainersPreferred++ } }, "on a preferred host"},
		{"a task level", func(_ *record.Manifest, s *brokenSink) { s.job = func(j *record.Job) { j.TaskLevels[4]++ } }, "tasks at ANY"},
		{"steps out of order", func(_ *record.Manifest, s *brokenSink) { s.job = func(j *record.Job) { j.AMRegistered = 5 } }, "AM registered at 5 ms is before"},
		{"totals of tasks", func(m *record.Manifest, _ *brokenSink) { m.Totals.TasksSucceeded++ }, "tasks succeeded: records say 16, totals 17"},
		{"totals of containers", func(m *record.Manifest, _ *brokenSink) { m.Totals.ContainersEnded-- }, "containers ended and running"},
		{"totals of attempts", func(m *record.Manifest, _ *brokenSink) { m.Totals.TaskAttempts = 3 }, "task attempts: records say 17, totals 3"},
		{"a container of no job", func(_ *record.Manifest, s *brokenSink) {
			s.Container(&record.Container{Job: 77, AM: true, Allocated: 1, Ended: 2})
		}, "job 77 has containers or tasks"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &brokenSink{Collector: result.NewCollector()}
			var m record.Manifest
			tt.break_(&m, s)
			m = reporttest.ByHand(s)
			tt.break_(&m, &brokenSink{Collector: result.NewCollector()})
			_, err := s.Finish(m)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// brokenSink changes the first job on its way.
type brokenSink struct {
	*result.Collector
	job func(*record.Job)
}

func (s *brokenSink) Job(j *record.Job) {
	if s.job != nil && j.ID == 0 {
		s.job(j)
	}
	s.Collector.Job(j)
}
