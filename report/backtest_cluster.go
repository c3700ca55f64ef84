package report

import (
	"fmt"
	"io"
)

// BacktestCluster sets a replayed cluster beside its recording.
type BacktestCluster struct {
	Recording  string         `json:"recording"`
	Containers BacktestShares `json:"containers"` // executor containers: node-local, rack-local, off-switch
	Tasks      BacktestShares `json:"tasks"`      // process-local, node-local, rack-local, any
	Waits      []BacktestWait `json:"waits"`
	Executors  BacktestCurve  `json:"executors"` // registered executors over time
}

// BacktestShares are counts by level.
type BacktestShares struct {
	Levels    []string `json:"levels"`
	Recorded  []int64  `json:"recorded"`
	Predicted []int64  `json:"predicted"`
	MaxPoints Ratio    `json:"max_difference_points"` // largest difference of shares, percentage points
}

// BacktestWait is the median of one kind of wait, ms.
type BacktestWait struct {
	Name                string `json:"name"`
	RecordedN           int    `json:"recorded_n"`
	PredictedN          int    `json:"predicted_n"`
	RecordedMS          Ratio  `json:"recorded_median_ms"`
	PredictedMS         Ratio  `json:"predicted_median_ms"`
	recorded, predicted []float64
}

// BacktestCurve is a number over time, sampled at equal steps.
type BacktestCurve struct {
	StepMS    int64   `json:"step_ms"`
	Recorded  []int32 `json:"recorded"`
	Predicted []int32 `json:"predicted"`
}

// BacktestNoise is the difference of two recordings of the same plan: no prediction can be expected to
// be closer.
type BacktestNoise struct {
	First, Second string
	MedianError   Ratio         `json:"median_error"`
	WorstError    Ratio         `json:"worst_error"`
	Apps          []BacktestJob `json:"-"`
}

func (c *BacktestCluster) writeText(w io.Writer) { fmt.Fprintln(w, c.Recording) }
func (n *BacktestNoise) writeText(w io.Writer)   { fmt.Fprintln(w, n.First) }
