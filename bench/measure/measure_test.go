package measure

import (
	"context"
	"errors"
	"testing"
	"time"
)

// spin takes about so much CPU.
func spin(d time.Duration) {
	for from := CPU(); CPU()-from < d; {
	}
}

// A sample repeats short work, and tells CPU, calibrated CPU and memory of one run of it.
func TestSample(t *testing.T) {
	m := &Meter{Calibration: func() { spin(10 * time.Millisecond) }, Least: 90 * time.Millisecond}
	var kept []byte
	s, err := m.Sample(t.Context(), func(context.Context) error {
		kept = make([]byte, 1<<20)
		spin(20 * time.Millisecond)
		return nil
	})
	if err != nil || s.Iterations < 3 || s.CPU < 20*time.Millisecond || s.Calibrated < 1 || s.AllocBytes < 1<<20 || s.Allocs < 1 || s.Wall <= 0 || len(kept) == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if CPU() < 90*time.Millisecond || Processor() == "" || s.PeakBytes < 0 {
		t.Errorf("%v of CPU on %q", CPU(), Processor())
	}
	boom := errors.New("boom")
	if _, err := m.Sample(t.Context(), func(context.Context) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("%v, want that of the work", err)
	}
}
