// Package prediction sets predicted times beside recorded ones: what a backtest found, with its errors, tables, plots
// and page.
package prediction

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"replay/engine/record"
	"replay/report/dist"

	"github.com/montanaflynn/stats"
)

// App is one application as recorded and as predicted. Times are ms, -1 = unknown; errors are
// (predicted - recorded) / recorded, null where a time is unknown or 0 was recorded.
type App struct {
	Recording   string    `json:"recording"`
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	RecordedMS  int64     `json:"recorded_ms"`
	PredictedMS int64     `json:"predicted_ms"`
	RangeMS     *[2]int64 `json:"predicted_range_ms,omitempty"` // over seeds; PredictedMS is the median
	Error       Ratio     `json:"error"`
	Outcome     string    `json:"outcome"` // of record.Job; with another than success nothing of it enters an error
	Reason      string    `json:"reason,omitempty"`
	Why         []string  `json:"largest_differences,omitempty"`
	Jobs        []Job     `json:"jobs"`
	Stages      []Stage   `json:"stages"`
	Tasks       []Task    `json:"-"` // of tasks.parquet
}

// Job is one Spark job: recorded from its submission to its end, predicted from the submission
// of its first stage that ran to the end of the last.
type Job struct {
	Job         int32 `json:"job"`
	OK          bool  `json:"ok"`
	RecordedMS  int64 `json:"recorded_ms"`
	PredictedMS int64 `json:"predicted_ms"`
	Error       Ratio `json:"error"`
}

// Stage is one stage, over all its attempts, from its first submission to its last end.
type Stage struct {
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
func (a *App) Finish() {
	a.Error = relative(a.RecordedMS, a.PredictedMS)
	for i := range a.Jobs {
		a.Jobs[i].Error = relative(a.Jobs[i].RecordedMS, a.Jobs[i].PredictedMS)
	}
	for i := range a.Stages {
		a.Stages[i].Error = relative(a.Stages[i].RecordedMS, a.Stages[i].PredictedMS)
	}
	a.Why = a.explain()
}

// Failed reports whether the replay of the application did not succeed, so that it has no time to compare.
func (a *App) Failed() bool { return a.Outcome != record.JobSucceeded }

// Errors are statistics of absolute relative errors over N pairs; the correlation is Pearson's
// of recorded and predicted times. Null where there are too few pairs.
type Errors struct {
	N           int   `json:"n"`
	Missing     int   `json:"missing"` // pairs of which a time is unknown
	Median      Ratio `json:"median_error"`
	P90         Ratio `json:"p90_error"`
	Worst       Ratio `json:"worst_error"`
	Correlation Ratio `json:"correlation"`
}

// Report is a comparison of predictions and recordings.
type Report struct {
	Applications []App             `json:"applications"`
	Clusters     []Cluster         `json:"clusters,omitempty"`
	Noise        []Noise           `json:"noise,omitempty"`
	Summary      Summary           `json:"summary"`
	Fit          []Fitted          `json:"fit,omitempty"`
	LeaveOneOut  *Summary          `json:"leave_one_out,omitempty"`
	Model        map[string]string `json:"model"`
	Settings     map[string]string `json:"settings"`
	Caveats      []string          `json:"caveats,omitempty"` // why errors are not those of the replay alone
	Warnings     []string          `json:"warnings,omitempty"`
	Chatter      map[string]bool   `json:"-"`        // those of the warnings that --quiet leaves out
	LeftOut      []LeftOut         `json:"left_out"` // inputs of which nothing is in the report
}

// LeftOut is an input that was not used.
type LeftOut struct {
	Path        string `json:"path"` // from the input that was given on
	Application string `json:"application,omitempty"`
	Reason      string `json:"reason"` // in the words of tables
	Why         string `json:"why"`
}

// Summary has the errors of application times, and those of Spark jobs and stages. Applications whose replay did not
// succeed are counted and left out, with their jobs and stages.
type Summary struct {
	Errors
	Failed int    `json:"failed"`
	Jobs   Errors `json:"jobs"`
	Stages Errors `json:"stages"`
}

// Summarize computes the summary of applications.
func Summarize(apps []App) Summary {
	var a, j, s pairs
	failed := 0
	for i := range apps {
		if apps[i].Failed() {
			failed++
			continue
		}
		a.add(apps[i].RecordedMS, apps[i].PredictedMS)
		for _, x := range apps[i].Jobs {
			j.add(x.RecordedMS, x.PredictedMS)
		}
		for _, x := range apps[i].Stages {
			s.add(x.RecordedMS, x.PredictedMS)
		}
	}
	return Summary{a.errors(), failed, j.errors(), s.errors()}
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

func (p *pairs) errors() Errors {
	nan := Ratio(math.NaN())
	e := Errors{N: len(p.recorded), Missing: p.missing, Median: nan, P90: nan, Worst: nan, Correlation: nan}
	if e.N == 0 {
		return e
	}
	abs := make([]float64, e.N)
	for i := range abs {
		abs[i] = math.Abs(p.predicted[i]-p.recorded[i]) / p.recorded[i]
	}
	at := dist.Percentiles(abs, 50, 90, 100)
	e.Median, e.P90, e.Worst = Ratio(at[0]), Ratio(at[1]), Ratio(at[2])
	if r, err := stats.Correlation(p.recorded, p.predicted); err == nil && e.N > 2 {
		e.Correlation = Ratio(r)
	}
	return e
}

// largest returns the positions of n stages with the largest absolute difference, the largest first.
func (a *App) largest(n int) []int {
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
