package regress

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// recorded reads testdata/times.txt: calibrated times as they were measured, a run of a case a line.
func recorded(t *testing.T) map[string]History {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "times.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]History{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		var run []float64
		for _, x := range fields[1:] {
			v, err := strconv.ParseFloat(x, 64)
			if err != nil {
				t.Fatal(err)
			}
			run = append(run, v)
		}
		out[fields[0]] = append(out[fields[0]], run)
	}
	return out
}

// scaled returns times with a part of their distance from the median of all, times a factor.
func scaled(h History, part, factor float64) (out History) {
	m := median(slices.Concat(h...))
	for _, run := range h {
		var to []float64
		for _, x := range run {
			to = append(to, factor*(m+part*(x-m)))
		}
		out = append(out, to)
	}
	return out
}

// Each half of the recorded runs, as a history, raises no alarm for the other half, as one run; when that is slowed down it does. The figures
// are of a crowded machine, on which a third is seen; with a fifth of their spread, a tenth.
func TestPlantedSlowDown(t *testing.T) {
	for name, all := range recorded(t) {
		if len(all) != 8 {
			t.Fatalf("%s has %d runs, want 8", name, len(all))
		}
		for _, tt := range []struct{ spread, slowDown float64 }{{1, 1.35}, {0.2, 1.1}} {
			for first := range all {
				turned := append(append(History(nil), all[first:]...), all[:first]...)
				history := scaled(turned, tt.spread, 1)[:4]
				if j := judge(history, slices.Concat(scaled(turned, tt.spread, 1)[4:]...)); j.Speed == Slower || j.Speed == Absent {
					t.Errorf("%s from run %d, spread %v: %+v, want no alarm", name, first, tt.spread, j)
				}
				if j := judge(history, slices.Concat(scaled(turned, tt.spread, tt.slowDown)[4:]...)); j.Speed != Slower {
					t.Errorf("%s from run %d, spread %v, slowed down %v times: %+v, want slower", name, first, tt.spread, tt.slowDown, j)
				}
			}
		}
	}
}

// Limits have the floor where a history hardly moves, and the spread where it does.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		history   History
		low, high float64
		ok        bool
	}{
		{History{{1, 1, 1, 1}}, 0.95, 1.05, true},
		{History{{1, 2, 3}}, 0, 0, false},
		{nil, 0, 0, false},
		{History{{1.0, 1.1, 1.2, 1.3, 1.4}}, 1.1 - 3*0.2, 1.3 + 3*0.2, true},
		{History{{1, 9}, {1, 1}, {1, 1, 7}, {2, 0, 1}}, 1 - 3, 2 + 3, true}, // of the medians 5, 1, 1, 1: quartiles 1 and 2
	} {
		l, ok := tt.history.limits()
		if ok != tt.ok || math.Abs(l.Low-tt.low) > 1e-12 || math.Abs(l.High-tt.high) > 1e-12 {
			t.Errorf("%v: %+v, %v; want %v to %v", tt.history, l, ok, tt.low, tt.high)
		}
	}
}

// The interval of a median by the sign test, from tables.
func TestMedianInterval(t *testing.T) {
	for n, want := range map[int]int{5: 0, 6: 1, 8: 1, 9: 2, 12: 3, 20: 6, 30: 10} { // rank of its lower end
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = float64(n - i)
		}
		low, high, ok := medianInterval(xs)
		if ok != (want > 0) || ok && (low != float64(want) || high != float64(n+1-want)) {
			t.Errorf("%d samples: %v to %v, %v; want ranks %d to %d", n, low, high, ok, want, n+1-want)
		}
	}
}

// Samples that leave it open are not known to be slower, however high their median.
func TestJudge(t *testing.T) {
	history := History{{1, 1, 1, 1, 1, 1}}
	for _, tt := range []struct {
		samples []float64
		want    Speed
	}{
		{[]float64{1, 1, 1, 1, 1, 1}, Same},
		{[]float64{2, 2, 2}, Unknown},
		{[]float64{1.06, 1.07, 1.08, 1.06, 1.07, 1.08}, Slower},
		{[]float64{1.04, 1.07, 1.08, 1.06, 1.07, 1.08}, Unknown},
		{[]float64{1.04, 1.04, 1.04, 1.04, 1.04, 0.96}, Same},
		{[]float64{0.9, 0.9, 0.9, 0.9, 0.9, 0.94}, Faster},
	} {
		if j := judge(history, tt.samples); j.Speed != tt.want {
			t.Errorf("%v: %+v, want %s", tt.samples, j, tt.want)
		}
	}
	if j := judge(nil, []float64{1}); j.Speed != Absent || j.change() != "-" {
		t.Errorf("without a history: %+v", j)
	}
}
