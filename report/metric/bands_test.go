package metric

import (
	"strings"
	"testing"

	"replay/engine/record"
)

// Where the error of predicted times was measured it is said, where it was not that is said, and where jobs are made up there is none.
func TestBandsText(t *testing.T) {
	bands := []record.Band{{Metric: "duration_job", Median: 0.04, P90: 0.1, N: 37}}
	for _, tt := range []struct {
		bands           []record.Band
		durations, want string
	}{
		{bands, "recorded", "duration_job_*_ms ± 4.0 % on your 37 logs (the median error of one application; nine of ten were within 10.0 %). How far other metrics are off is not known."},
		{bands, "modelled", "± 4.0 % on your 37 logs"},
		{nil, "recorded", "How far predicted times are off is not known here: replay backtest LOGS --save-model FILE measures it on your logs, and --model-file FILE says it."},
		{nil, "modelled", ""},
	} {
		if got := BandsText(tt.bands, tt.durations); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%v, %s durations: %q, want %q", tt.bands, tt.durations, got, tt.want)
		}
	}
}
