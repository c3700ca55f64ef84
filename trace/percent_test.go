package trace

import "testing"

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0 %", 0.000005: "0.0005 %", 0.0000123: "0.001 %", 0.0004: "0.04 %", 0.000499: "0.05 %", 0.0005: "0.1 %", 0.25: "25.0 %", 1e-12: "0.0000000001 %"} {
		if got := Percent(&v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
	if got := Percent(nil); got != "an unknown share" {
		t.Error(got)
	}
}
