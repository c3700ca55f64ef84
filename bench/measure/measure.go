// Package measure times work by processor time rather than by the clock on the wall, which other programs move, and relative to a loop
// that does always the same, because the speed of a shared machine moves too.
package measure

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
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
	last        time.Duration // of the last calibration
}

// slice is how much CPU the work takes at least between two calibrations: about what one of these takes, so that both see the machine
// at the same moment.
const slice = 80 * time.Millisecond

// Sample runs the work until it has taken long enough, in slices with the calibration loop before and after each. Its calibrated time
// is the median over the slices. The error is that of the work.
func (m *Meter) Sample(ctx context.Context, work func(context.Context) error) (Sample, error) {
	if m.last == 0 {
		m.last = m.calibrate()
	}
	debug.FreeOSMemory() // each sample begins with as little as the first
	resetPeak()
	s := Sample{}
	var beside []float64
	for s.Iterations == 0 || s.CPU < m.Least {
		runs, cpu, err := m.slice(ctx, work, &s)
		if err != nil {
			return s, err
		}
		before := m.last
		m.last = m.calibrate()
		s.Iterations += runs
		s.CPU += cpu
		beside = append(beside, float64(cpu)/float64(runs)/(float64(before+m.last)/2))
	}
	s.PeakBytes = peak()
	slices.Sort(beside)
	s.Calibrated = (beside[(len(beside)-1)/2] + beside[len(beside)/2]) / 2
	n := s.Iterations
	s.CPU /= time.Duration(n)
	s.Wall /= time.Duration(n)
	s.AllocBytes /= uint64(n)
	s.Allocs /= uint64(n)
	return s, nil
}

// slice runs the work as often as makes a slice and adds its clock time and memory to the sample.
func (m *Meter) slice(ctx context.Context, work func(context.Context) error, s *Sample) (runs int, cpu time.Duration, err error) {
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	start, begin := time.Now(), CPU()
	for cpu < min(slice, m.Least) || runs == 0 {
		if err := work(ctx); err != nil {
			return runs, cpu, err
		}
		runs++
		cpu = CPU() - begin
	}
	s.Wall += time.Since(start)
	runtime.ReadMemStats(&to)
	s.AllocBytes += to.TotalAlloc - from.TotalAlloc
	s.Allocs += to.Mallocs - from.Mallocs
	return runs, cpu, nil
}

func (m *Meter) calibrate() time.Duration {
	runtime.GC()
	from := CPU()
	m.Calibration()
	return CPU() - from
}
