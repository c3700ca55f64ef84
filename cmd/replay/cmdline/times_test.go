package cmdline

import (
	"math"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"7d": 7 * day, "1.5d": 36 * time.Hour, "1d12h": 36 * time.Hour, "0.00001d": 864 * time.Millisecond, "1d2562047h": math.MaxInt64, "-1d": -day, "90s": 90 * time.Second,
	} {
		if got, err := ParseDuration(text); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"d", "xd", "1e300d", "NaNd", "infd", "0x1d", "1_0d", "1d2", "1d-2h", "1d+2h", "-1d1h", "1d1d", "1dd", "2 d", ""} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
}
