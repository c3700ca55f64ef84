package figure

import (
	"math"
	"strings"

	"gonum.org/v1/plot"

	"replay/report/quantity"
)

// TimeScale chooses a unit for times up to ms and returns its name and ms.
func TimeScale(ms float64) (string, float64) {
	switch {
	case ms <= 300_000:
		return "s", 1000
	case ms <= 5*quantity.HourMS:
		return "min", 60_000
	case ms <= 5*24*quantity.HourMS:
		return "h", quantity.HourMS
	default:
		return "d", 24 * quantity.HourMS
	}
}

// Percents are ticks of a share in percent.
var Percents plot.Ticker = percentTicks{5}

// FewPercents are those of a low figure.
var FewPercents plot.Ticker = percentTicks{3}

type percentTicks struct{ n int }

func (p percentTicks) Ticks(lo, hi float64) []plot.Tick {
	step := niceStep(hi-lo, p.n)
	digits := max(1, int(math.Ceil(float64(-math.Log10(step*100))-1e-9))) // that tell one from the next
	var ts []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi*(1+1e-9); i++ {
		label := strings.TrimSuffix(quantity.Decimals(i*step*100, digits), ".0")
		if i == 0 {
			label = "0"
		}
		ts = append(ts, plot.Tick{Value: i * step, Label: label + " %"})
	}
	return ts
}

// Even returns ticks at round numbers, about n of them.
func Even(n int) plot.Ticker { return evenTicks{n: n} }

// Whole returns ticks at whole numbers, about n of them or fewer: of things that are counted.
func Whole(n int) plot.Ticker { return evenTicks{n, 1} }

type evenTicks struct {
	n     int
	least float64 // of a step
}

func (e evenTicks) Ticks(lo, hi float64) []plot.Tick {
	step := max(e.least, niceStep(hi-lo, e.n))
	digits := max(0, int(math.Ceil(float64(-math.Log10(step))-1e-9)))
	var ts []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+float64(step*1e-9); i++ {
		ts = append(ts, plot.Tick{Value: i * step, Label: quantity.Decimals(i*step, digits)})
	}
	return ts
}

// niceStep returns 1, 2 or 5 times a power of ten, giving about n steps over a span, a few more rather than far fewer.
func niceStep(span float64, n int) float64 {
	if span <= 0 {
		return 1
	}
	raw := span / float64(n)
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*base >= raw*.85 {
			return m * base
		}
	}
	return 10 * base
}

// LogTimes makes axes logarithmic, of times in ms, with ticks in units of people: every third or so
// of a decade, all with labels where there is room.
func LogTimes(axes ...*plot.Axis) {
	for _, a := range axes {
		a.Scale, a.Tick.Marker = plot.LogScale{}, logTimeTicks{}
	}
}

type logTimeTicks struct{}

var logTimes = []struct {
	ms    float64
	label string
	minor bool // without a label when there are many
}{
	{1, "1 ms", false},
	{3, "3 ms", true},
	{10, "10 ms", false},
	{30, "30 ms", true},
	{100, "0.1 s", false},
	{300, "0.3 s", true},
	{1000, "1 s", false},
	{3000, "3 s", true},
	{10_000, "10 s", false},
	{30_000, "30 s", true},
	{60_000, "1 min", false},
	{180_000, "3 min", true},
	{600_000, "10 min", false},
	{1_800_000, "30 min", true},
	{quantity.HourMS, "1 h", false},
	{3 * quantity.HourMS, "3 h", true},
	{10 * quantity.HourMS, "10 h", false},
	{30 * quantity.HourMS, "30 h", true},
	{100 * quantity.HourMS, "100 h", false},
	{300 * quantity.HourMS, "300 h", true},
	{1000 * quantity.HourMS, "1000 h", false},
	{100 * 24 * quantity.HourMS, "100 d", true},
	{300 * 24 * quantity.HourMS, "300 d", true},
	{1000 * 24 * quantity.HourMS, "1000 d", false},
	{3000 * 24 * quantity.HourMS, "3000 d", true},
	{10_000 * 24 * quantity.HourMS, "10000 d", false},
	{100_000 * 24 * quantity.HourMS, "100000 d", false},
}

func (logTimeTicks) Ticks(lo, hi float64) (ts []plot.Tick) {
	many := hi/lo > 3000
	for _, t := range logTimes {
		if t.ms >= lo*.999 && t.ms <= hi*1.001 {
			tick := plot.Tick{Value: t.ms, Label: t.label}
			if many && t.minor {
				tick.Label = ""
			}
			ts = append(ts, tick)
		}
	}
	if len(ts) > 1 {
		return ts
	}
	unit, ms := "ms", 1.0 // within a third of a decade: round numbers, as a value between two labels could not be read with fewer
	if hi >= 1000 {
		unit, ms = TimeScale(hi)
	}
	ts = evenTicks{n: 5}.Ticks(lo/ms, hi/ms)
	for i := range ts {
		ts[i].Value *= ms
		ts[i].Label += " " + unit
	}
	return ts
}
