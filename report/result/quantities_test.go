package result

import (
	"testing"

	"replay/engine/record"
)

// The slowdown is bounded below for jobs of a moment alone: a job that speculative copies made faster than its critical path has one below 1.
func TestSlowedDown(t *testing.T) {
	for _, tt := range []struct {
		ms   float64
		path int64
		want float64
	}{{3000, 2000, 1.5}, {1000, 2000, 0.5}, {300, 0, 1}, {300, 200, 1}, {500, 2000, 0.5}, {4000, 100, 4}} {
		j := &Job{Job: record.Job{CriticalPathMS: tt.path}}
		if got := j.SlowedDown(tt.ms); got != tt.want {
			t.Errorf("%v ms over a critical path of %d: %v, want %v", tt.ms, tt.path, got, tt.want)
		}
	}
}
