package report

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// BacktestApp is one application as recorded and as predicted. Times are ms, -1 = unknown; errors are
// (predicted - recorded) / recorded, null where a time is unknown or 0 was recorded.
type BacktestApp struct {
	Recording   string          `json:"recording"`
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	RecordedMS  int64           `json:"recorded_ms"`
	PredictedMS int64           `json:"predicted_ms"`
	RangeMS     *[2]int64       `json:"predicted_range_ms,omitempty"` // over seeds; PredictedMS is the median
	Error       Ratio           `json:"error"`
	Outcome     string          `json:"outcome"`
	Reason      string          `json:"reason,omitempty"`
	Why         []string        `json:"largest_differences,omitempty"`
	Jobs        []BacktestJob   `json:"jobs"`
	Stages      []BacktestStage `json:"stages"`
}

// BacktestJob is one Spark job: recorded from its submission to its end, predicted from the submission
// of its first stage that ran to the end of the last.
type BacktestJob struct {
	Job         int32 `json:"job"`
	OK          bool  `json:"ok"`
	RecordedMS  int64 `json:"recorded_ms"`
	PredictedMS int64 `json:"predicted_ms"`
	Error       Ratio `json:"error"`
}

// BacktestStage is one stage, over all its attempts, from its first submission to its last end.
type BacktestStage struct {
	Stage            int32  `json:"stage"`
	Job              int32  `json:"job"`
	Name             string `json:"name"`
	Tasks            int    `json:"tasks"`
	Attempts         int    `json:"recorded_attempts"`
	RecordedStartMS  int64  `json:"recorded_start_ms"` // from the application's start
	PredictedStartMS int64  `json:"predicted_start_ms"`
	RecordedMS       int64  `json:"recorded_ms"`
	PredictedMS      int64  `json:"predicted_ms"`
	Error            Ratio  `json:"error"`
}

// Ratio is a number that may be unknown: NaN, null in JSON.
type Ratio float64

// MarshalJSON writes NaN as null.
func (r Ratio) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(r)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(r))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Ratio) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*r = Ratio(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(r))
}

// relative returns (predicted - recorded) / recorded.
func relative(recorded, predicted int64) Ratio {
	if recorded <= 0 || predicted < 0 {
		return Ratio(math.NaN())
	}
	return Ratio(float64(predicted-recorded) / float64(recorded))
}

// Finish computes the errors of the application, its jobs and stages, and names the stages whose
// difference is largest.
func (a *BacktestApp) Finish() {
	a.Error = relative(a.RecordedMS, a.PredictedMS)
	for i := range a.Jobs {
		a.Jobs[i].Error = relative(a.Jobs[i].RecordedMS, a.Jobs[i].PredictedMS)
	}
	for i := range a.Stages {
		a.Stages[i].Error = relative(a.Stages[i].RecordedMS, a.Stages[i].PredictedMS)
	}
	a.Why = a.explain()
}

// BacktestErrors are statistics of absolute relative errors over N pairs; the correlation is Pearson's
// of recorded and predicted times. Null where there are too few pairs.
type BacktestErrors struct {
	N           int   `json:"n"`
	Missing     int   `json:"missing"` // pairs of which a time is unknown
	Median      Ratio `json:"median_error"`
	P90         Ratio `json:"p90_error"`
	Worst       Ratio `json:"worst_error"`
	Correlation Ratio `json:"correlation"`
}

// Backtest is a comparison of predictions and recordings.
type Backtest struct {
	Applications []BacktestApp     `json:"applications"`
	Clusters     []BacktestCluster `json:"clusters,omitempty"`
	Noise        []BacktestNoise   `json:"noise,omitempty"`
	Summary      BacktestSummary   `json:"summary"`
	Fit          []Fitted          `json:"fit,omitempty"`
	LeaveOneOut  *BacktestSummary  `json:"leave_one_out,omitempty"`
	Model        map[string]string `json:"model"`
	Settings     map[string]string `json:"settings"`
	Warnings     []string          `json:"warnings,omitempty"`
}

// BacktestSummary has the errors of application times, and those of Spark jobs and stages.
type BacktestSummary struct {
	BacktestErrors
	Jobs   BacktestErrors `json:"jobs"`
	Stages BacktestErrors `json:"stages"`
}

// Summarize computes the summary of applications.
func Summarize(apps []BacktestApp) BacktestSummary {
	var a, j, s pairs
	for i := range apps {
		a.add(apps[i].RecordedMS, apps[i].PredictedMS)
		for _, x := range apps[i].Jobs {
			j.add(x.RecordedMS, x.PredictedMS)
		}
		for _, x := range apps[i].Stages {
			s.add(x.RecordedMS, x.PredictedMS)
		}
	}
	return BacktestSummary{a.errors(), j.errors(), s.errors()}
}

// pairs are recorded and predicted times.
type pairs struct {
	recorded, predicted []float64
	missing             int
}

func (p *pairs) add(recorded, predicted int64) {
	if math.IsNaN(float64(relative(recorded, predicted))) {
		p.missing++
		return
	}
	p.recorded = append(p.recorded, float64(recorded))
	p.predicted = append(p.predicted, float64(predicted))
}

func (p *pairs) errors() BacktestErrors {
	nan := Ratio(math.NaN())
	e := BacktestErrors{N: len(p.recorded), Missing: p.missing, Median: nan, P90: nan, Worst: nan, Correlation: nan}
	if e.N == 0 {
		return e
	}
	abs := make([]float64, e.N)
	for i := range abs {
		abs[i] = math.Abs(p.predicted[i]-p.recorded[i]) / p.recorded[i]
	}
	slices.Sort(abs)
	e.Median, e.P90, e.Worst = percentile(abs, 50), percentile(abs, 90), Ratio(abs[len(abs)-1])
	if r, err := stats.Correlation(p.recorded, p.predicted); err == nil && e.N > 2 {
		e.Correlation = Ratio(r)
	}
	return e
}

// percentile returns percentile q of sorted values, of which there is one or more.
func percentile(sorted []float64, q float64) Ratio {
	v, err := stats.Percentile(sorted, q)
	if err != nil {
		return Ratio(math.NaN())
	}
	return Ratio(v)
}

// largest returns the positions of n stages with the largest absolute difference, the largest first.
func (a *BacktestApp) largest(n int) []int {
	var at []int
	for i := range a.Stages {
		if !math.IsNaN(float64(a.Stages[i].Error)) {
			at = append(at, i)
		}
	}
	diff := func(i int) int64 { return absolute(a.Stages[i].PredictedMS - a.Stages[i].RecordedMS) }
	slices.SortStableFunc(at, func(x, y int) int { return cmp.Compare(diff(y), diff(x)) })
	return at[:min(n, len(at))]
}

func absolute(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
