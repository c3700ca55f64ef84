package prediction

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Fitted is one parameter of the model as estimated from recordings.
type Fitted struct {
	Name  string `json:"name"`
	Value int64  `json:"value"` // ms
	N     int    `json:"samples"`
	How   string `json:"how"`
}

// ValueText returns the value as the model takes it.
func (f *Fitted) ValueText() string { return strconv.FormatInt(f.Value, 10) }

// BandFile returns the model of the backtest with how far it was off, in the form that --model-file reads. Where each recording was also
// predicted with parameters fitted on the others, these errors are taken.
func (b *Report) BandFile() ([]byte, error) {
	s, how := &b.Summary, "of the logs as they were replayed"
	switch {
	case b.LeaveOneOut != nil:
		s, how = b.LeaveOneOut, "of each log with parameters fitted on the others"
	case len(b.Fit) > 0:
		how = "of the logs that the parameters were fitted on: those of new ones are larger (--leave-one-out)"
	}
	if s.N == 0 || math.IsNaN(float64(s.Median)) || math.IsNaN(float64(s.P90)) {
		return nil, errors.New("no application has both a recorded and a predicted time, so there is no error to save")
	}
	var out strings.Builder
	out.WriteString("# The model of replay backtest, and how far it was off.\n")
	for _, name := range slices.Sorted(maps.Keys(b.Model)) {
		fmt.Fprintf(&out, "%s=%s\n", name, b.Model[name])
	}
	fmt.Fprintf(&out, "# Errors %s: median, 90th percentile, applications.\nerror.duration_job=%.6g,%.6g,%d\n", how, float64(s.Median), float64(s.P90), s.N)
	return []byte(out.String()), nil
}

// modelFile returns the fitted parameters in the form that --model-file reads.
func modelFile(fit []Fitted) []byte {
	var b strings.Builder
	b.WriteString("# Fitted by replay backtest --fit: medians over the given recordings.\n")
	for i := range fit {
		f := &fit[i]
		fmt.Fprintf(&b, "# %d samples: %s\n%s=%s\n", f.N, f.How, f.Name, f.ValueText())
	}
	return []byte(b.String())
}
