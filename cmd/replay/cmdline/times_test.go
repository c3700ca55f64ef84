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

// A time that is too long is not called one without a unit, and a load beyond all numbers is none.
func TestBoundsOfTimesAndLoads(t *testing.T) {
	for text, want := range map[string]string{
		"20000d": "it is too long, want at most 11574d", "99999999d": "it is too long, want at most 11574d", "1e300d": "it is too long, want at most 11574d", "99999999999h": "it is too long, want at most 11574d",
		"9999999999999999999999s": "it is too long, want at most 11574d", "xd": "want a positive time with a unit, such as 90s, 10m, 2h or 7d", "0d": "want a positive time with a unit, such as 90s, 10m, 2h or 7d",
	} {
		if _, err := ParseTime(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{"1000000": "", "0.5": "", "1000001": "want at most 1000000 times what all vcores can do", "1e308": "want at most 1000000 times what all vcores can do", "0": "want a positive number"} {
		if err := ALoad(text); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("load %s: %v, want %q", text, err, want)
		}
	}
}
