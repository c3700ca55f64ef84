package workload

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"replay/bench/cases"
	"replay/bench/measure"
	"replay/bench/regress"
)

// calibration is the loop beside which times are kept, and what a baseline calls it.
const calibration = "bare loop of W1, load 0.9, 200,000 tasks"

// NewMeter returns a meter whose samples take at least so much CPU.
func NewMeter(least time.Duration) *measure.Meter {
	return &measure.Meter{Calibration: func() { cases.W1{Load: 0.9, Tasks: 200_000}.Bare() }, Least: least}
}

// NewBaseline returns a baseline without entries for this machine.
func NewBaseline(program string) *regress.Baseline {
	return &regress.Baseline{Format: regress.Format, FormatVersion: regress.FormatVersion, Program: program, Machine: Machine(), Calibration: calibration}
}

// Comparable reports whether times of a baseline can be held against those of this program.
func Comparable(b *regress.Baseline) bool { return b != nil && b.Calibration == calibration }

// Machine says what the times are of.
func Machine() string {
	return fmt.Sprintf("%s/%s, %s, GOMAXPROCS %d, %s", runtime.GOOS, runtime.GOARCH, measure.Processor(), runtime.GOMAXPROCS(0), runtime.Version())
}

// A Series is how often a case is measured: at least Least samples, then more until its speed is known, at most Most.
type Series struct {
	Meter       *measure.Meter
	Least, Most int
	Old         *regress.Baseline
	Lines       io.Writer // a line of Go's benchmarks for each sample
}

// Run checks and measures work, and holds it against the baseline.
func (s *Series) Run(ctx context.Context, w *Work) (*regress.Result, error) {
	checked, err := w.Check(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Name, err)
	}
	e := &regress.Entry{Case: w.Name, Input: w.Input, Hash: checked.Hash, Trail: checked.Trail.Marks(), Counts: checked.Counts, Times: regress.History{nil}}
	var cpu []time.Duration
	var peaks []int64
	var r *regress.Result
	for n := 1; ; n++ {
		sample, err := s.Meter.Sample(ctx, func(ctx context.Context) error {
			hash, err := w.Run(ctx)
			if err == nil && hash != checked.Hash {
				err = fmt.Errorf("internal error: decision hash is %s, and %s when the same is replayed again", checked.Hash, hash)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		cpu, peaks = append(cpu, sample.CPU), append(peaks, sample.PeakBytes)
		e.Times[0] = append(e.Times[0], sample.Calibrated)
		if _, err := io.WriteString(s.Lines, line(w.Name, &sample, e.Counts)); err != nil {
			return nil, err
		}
		r = regress.Compare(s.Old.Entry(w.Name), e, Comparable(s.Old))
		if n >= s.Most || n >= s.Least && r.Judgement.Speed != regress.Unknown {
			break
		}
	}
	slices.Sort(cpu)
	slices.Sort(peaks)
	e.CPUMS = float64(cpu[len(cpu)/2].Microseconds()) / 1000
	e.PeakBytes = peaks[len(peaks)/2]
	return r, s.find(ctx, w, r)
}

// find names the first row that differs: it replays once more, up to it.
func (s *Series) find(ctx context.Context, w *Work, r *regress.Result) error {
	first, last, ok := r.First()
	if !ok {
		return nil
	}
	again, err := w.Check(ctx, first)
	if err != nil {
		return fmt.Errorf("%s: %w", w.Name, err)
	}
	switch row := again.Trail.Row(); {
	case row == "":
		r.Where = fmt.Sprintf("the replay ends %d rows before the baseline's", r.Old.Trail.Rows-r.Entry.Trail.Rows)
	case first == last:
		r.Where = fmt.Sprintf("the first row that differs is row %d: %s", first, row)
	default:
		r.Where = fmt.Sprintf("the first row that differs is one of %d to %d of %d; row %d: %s", first, last, r.Entry.Trail.Rows, first, row)
	}
	return nil
}

// Header is what stands before the lines of Go's benchmarks.
func Header() string {
	return fmt.Sprintf("goos: %s\ngoarch: %s\npkg: replay/bench\ncpu: %s\n", runtime.GOOS, runtime.GOARCH, measure.Processor())
}

// line is a line of Go's benchmarks, as benchstat reads them. The number behind the name is GOMAXPROCS.
//
// Source: https://go.dev/design/14313-benchmark-format.
func line(name string, s *measure.Sample, counts []regress.Count) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BenchmarkReplay/case=%s-%d\t%d\t%d ns/op\t%d cpu-ns/op\t%.5g calibrated\t%d B/op\t%d allocs/op", strings.ReplaceAll(name, " ", "_"), runtime.GOMAXPROCS(0),
		s.Iterations, s.Wall.Nanoseconds(), s.CPU.Nanoseconds(), s.Calibrated, s.AllocBytes, s.Allocs)
	if s.PeakBytes > 0 {
		fmt.Fprintf(&b, "\t%d peak-B", s.PeakBytes)
	}
	for _, c := range counts {
		fmt.Fprintf(&b, "\t%d %s", c.N, c.Unit)
		if c.N > 0 && (c.Unit == "tasks" || c.Unit == "containers") {
			fmt.Fprintf(&b, "\t%.5g cpu-ns/%s", float64(s.CPU.Nanoseconds())/float64(c.N), strings.TrimSuffix(c.Unit, "s"))
		}
	}
	b.WriteString("\n")
	return b.String()
}
