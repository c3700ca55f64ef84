package prediction

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"replay/report/dist"
	"replay/report/quantity"
)

// Cluster sets a replayed cluster beside its recording.
type Cluster struct {
	Recording  string `json:"recording"`
	Containers Shares `json:"containers"` // executor containers: node-local, rack-local, off-switch
	Tasks      Shares `json:"tasks"`      // process-local (with no preference), node-local, rack-local, any
	Waits      []Wait `json:"waits"`
	Executors  Curve  `json:"executors"` // registered executors over time
}

// Shares are counts by level.
type Shares struct {
	Levels    []string `json:"levels"`
	Recorded  []int64  `json:"recorded"`
	Predicted []int64  `json:"predicted"`
	MaxPoints Ratio    `json:"max_difference_points"` // largest difference of shares, percentage points
}

// NewShares compares two rows of counts, one count for each level.
func NewShares(levels []string, recorded, predicted []int64) Shares {
	s := Shares{Levels: levels, Recorded: recorded, Predicted: predicted}
	r, p := sum64(recorded), sum64(predicted)
	if r == 0 || p == 0 {
		s.MaxPoints = Ratio(math.NaN())
		return s
	}
	for i := range levels {
		d := 100 * math.Abs(float64(recorded[i])/float64(r)-float64(predicted[i])/float64(p))
		s.MaxPoints = max(s.MaxPoints, Ratio(d))
	}
	return s
}

func sum64(xs []int64) (n int64) {
	for _, x := range xs {
		n += x
	}
	return n
}

// Wait is the median of one kind of wait, ms.
type Wait struct {
	Name        string `json:"name"`
	RecordedN   int    `json:"recorded_n"`
	PredictedN  int    `json:"predicted_n"`
	RecordedMS  Ratio  `json:"recorded_median_ms"`
	PredictedMS Ratio  `json:"predicted_median_ms"`
}

// NewWait compares two sets of waits, in ms and any order.
func NewWait(name string, recorded, predicted []float64) Wait {
	median := func(x []float64) Ratio { return Ratio(dist.Percentiles(x, 50)[0]) }
	return Wait{name, len(recorded), len(predicted), median(recorded), median(predicted)}
}

// Curve is a number over time, sampled at equal steps from the first submission on.
type Curve struct {
	StepMS    int64   `json:"step_ms"`
	Recorded  []int32 `json:"recorded"`
	Predicted []int32 `json:"predicted"`
}

// Noise is the difference of the application times of two recordings of the same plan: no
// prediction can be expected to be closer.
type Noise struct {
	First  string `json:"first"`
	Second string `json:"second"`
	Errors Errors `json:"errors"` // the second taken as a prediction of the first
}

// NewNoise compares two recordings by their applications, which are paired by name.
func NewNoise(first, second string, a, b []App) Noise {
	var p pairs
	for i := range a {
		k := slices.IndexFunc(b, func(x App) bool { return x.Name == a[i].Name })
		if k >= 0 {
			p.add(a[i].RecordedMS, b[k].RecordedMS)
		}
	}
	return Noise{First: first, Second: second, Errors: p.errors()}
}

func (c *Cluster) writeText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintf(t, "\n%s\trecorded\tpredicted\tdifference\n", c.Recording)
	for _, s := range []struct {
		name string
		*Shares
	}{{"containers", &c.Containers}, {"tasks", &c.Tasks}} {
		for i, l := range s.Levels {
			difference := "–"
			if sum64(s.Recorded) > 0 && sum64(s.Predicted) > 0 {
				difference = quantity.Signed(share64(s.Predicted, i)-share64(s.Recorded, i), 1) + " points"
			}
			fmt.Fprintf(t, "  %s %s\t%s\t%s\t%s\n", s.name, l, shareText(s.Recorded, i), shareText(s.Predicted, i), difference)
		}
	}
	for _, x := range c.Waits {
		fmt.Fprintf(t, "  %s, median\t%s ms\t%s ms\t%s\n", x.Name, numberText(x.RecordedMS), numberText(x.PredictedMS), changeText(x.PredictedMS-x.RecordedMS, 0, " ms"))
	}
	r, p := c.Executors.area()
	fmt.Fprintf(t, "  executor time\t%.0f s\t%.0f s\t%s\n", r, p, percentText(Ratio(p/max(r, 1e-9)-1)))
	return t.Flush()
}

// shareText is the share of level i, and a dash where nothing was counted.
func shareText(counts []int64, i int) string {
	if sum64(counts) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", share64(counts, i))
}

// area returns the integrals of the curves in executor seconds.
func (c *Curve) area() (recorded, predicted float64) {
	for i := range c.Recorded {
		recorded += float64(c.Recorded[i])
		predicted += float64(c.Predicted[i])
	}
	return recorded * float64(c.StepMS) / 1000, predicted * float64(c.StepMS) / 1000
}

func share64(xs []int64, i int) float64 {
	return 100 * float64(xs[i]) / math.Max(float64(sum64(xs)), 1)
}

func numberText(r Ratio) string {
	if math.IsNaN(float64(r)) {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(r))
}

func (n *Noise) writeText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\nnoise floor: %s was recorded again as %s; application times differ by %s in the median, %s at most (%d applications)\n",
		n.First, n.Second, absText(n.Errors.Median), absText(n.Errors.Worst), n.Errors.N)
	return err
}
