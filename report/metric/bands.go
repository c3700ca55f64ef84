package metric

import (
	"fmt"
	"strings"

	"replay/engine/record"
	"replay/report/quantity"
)

// bandOf returns the error band of a metric, nil when there is none.
func bandOf(bands []record.Band, name string) *record.Band {
	for i := range bands {
		if strings.HasPrefix(name, bands[i].Metric+"_") {
			return &bands[i]
		}
	}
	return nil
}

// BandNote says how far a metric was off where its true values are known, "" where nothing is.
func BandNote(bands []record.Band, name string) string {
	b := bandOf(bands, name)
	if b == nil {
		return ""
	}
	return fmt.Sprintf("± %s on your %s", errorShare(b.Median), quantity.Counted(b.N, "logs"))
}

// BandsText says how far predicted times were off where they are known, and that of the others nothing is known. Where nobody measured any it says
// so, and what does, where durations of tasks are recorded ones; those of a generator have no truth.
func BandsText(bands []record.Band, durations string) string {
	var said []string
	for i := range bands {
		b := &bands[i]
		said = append(said, fmt.Sprintf("%s_*_ms ± %s on your %s (the median error of one application; nine of ten were within %s)", b.Metric, errorShare(b.Median), quantity.Counted(b.N, "logs"), errorShare(b.P90)))
	}
	switch {
	case said != nil:
		return "Known errors of predicted times, by replay backtest: " + strings.Join(said, "; ") + ". How far other metrics are off is not known."
	case durations == "recorded":
		return "How far predicted times are off is not known here: replay backtest LOGS --save-model FILE measures it on your logs, and --model-file FILE says it."
	}
	return ""
}

// errorShare writes an error in percent.
func errorShare(x float64) string { return quantity.Decimals(100*x, 1) + " %" }
