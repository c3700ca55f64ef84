package regress

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
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

// Of the recorded runs none raises an alarm against the others, and each that is slowed down by a tenth does.
func TestPlantedSlowDown(t *testing.T) {
	slowed, clean, runs := 0, 0, 0
	for name, all := range recorded(t) {
		for i, run := range all {
			others := append(append(History(nil), all[:i]...), all[i+1:]...)
			runs++
			if j := Judge(others, run); j.Speed == Slower || j.Speed == Absent {
				t.Errorf("%s, run %d: %+v, want no alarm", name, i, j)
			} else if j.Speed == Same {
				clean++
			}
			slow := make([]float64, len(run))
			for k := range run {
				slow[k] = 1.1 * run[k]
			}
			if j := Judge(others, slow); j.Speed == Slower {
				slowed++
			} else {
				t.Errorf("%s, run %d, slowed down: %+v, want slower", name, i, j)
			}
		}
	}
	if runs < 10 || slowed != runs || clean*10 < runs*9 {
		t.Errorf("%d runs, %d found clean, %d of them slowed down and found", runs, clean, slowed)
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
		l, ok := tt.history.Limits()
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
		if j := Judge(history, tt.samples); j.Speed != tt.want {
			t.Errorf("%v: %+v, want %s", tt.samples, j, tt.want)
		}
	}
	if j := Judge(nil, []float64{1}); j.Speed != Absent || j.Change() != "-" {
		t.Errorf("without a history: %+v", j)
	}
}
