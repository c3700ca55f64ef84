// Package measure times work by processor time rather than by the clock on the wall, which other programs move, and relative to a loop
// that does always the same, because the speed of a shared machine moves too.
package measure

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"
)

// A Sample is one measurement.
type Sample struct {
	Iterations int           // of the work; the other fields are of one of them
	CPU        time.Duration // of all threads of the process
	Wall       time.Duration
	Calibrated float64 // CPU over the mean CPU of the calibration loop right before and right after
	AllocBytes uint64  // allocated, freed or not
	Allocs     uint64
	PeakBytes  int64 // largest resident memory of the process while the work ran, 0 where the system does not tell
}

// A Meter takes samples. Calibration is a loop that always does the same.
type Meter struct {
	Calibration func()
	Least       time.Duration // CPU of a sample, at least: short work is repeated
	last        time.Duration // of the calibration after the sample before
}

// Sample runs the work until it has taken long enough. The error is that of the work.
func (m *Meter) Sample(ctx context.Context, work func(context.Context) error) (Sample, error) {
	if m.last == 0 {
		m.last = m.calibrate()
	}
	before := m.last
	debug.FreeOSMemory() // each sample begins with as little as the first
	resetPeak()
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	start, cpu := time.Now(), CPU()
	s := Sample{}
	for {
		if err := work(ctx); err != nil {
			return s, err
		}
		s.Iterations++
		s.CPU = CPU() - cpu
		if s.CPU >= m.Least {
			break
		}
	}
	s.Wall = time.Since(start)
	runtime.ReadMemStats(&to)
	s.PeakBytes = peak()
	m.last = m.calibrate()
	n := s.Iterations
	s.CPU /= time.Duration(n)
	s.Wall /= time.Duration(n)
	s.AllocBytes = (to.TotalAlloc - from.TotalAlloc) / uint64(n)
	s.Allocs = (to.Mallocs - from.Mallocs) / uint64(n)
	s.Calibrated = float64(s.CPU) / (float64(before+m.last) / 2)
	return s, nil
}

func (m *Meter) calibrate() time.Duration {
	runtime.GC()
	from := CPU()
	m.Calibration()
	return CPU() - from
}
