package duration

import (
	"errors"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "1.5h": 90 * time.Minute, "-1h30m": -90 * time.Minute, "+2s": 2 * time.Second, "5us": 5 * time.Microsecond, "5µs": 5 * time.Microsecond,
		"7d": 7 * day, "1.5d": 36 * time.Hour, "1d12h": 36 * time.Hour, "-1d": -day, "-1d1h": -25 * time.Hour, "0.00001d": 864 * time.Millisecond,
		"11574d": Most, "277776h": Most, "11573d24h": Most, "-11574d": -Most,
	} {
		if got, err := Parse(text); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"11575d", "277777h", "11574d1ns", "1d277776h", "99999999999h", "9999999999999999999999s", "-11575d", "99999999999999d"} {
		if got, err := Parse(text); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, ErrTooLong)
		}
	}
	for _, text := range []string{"", "d", "h", "-", "5", "xd", "1e300d", "NaNd", "infd", "0x1d", "1_0d", "1d2", "1d-2h", "1d+2h", "1d1d", "1dd", "2 d", "1h1d", "1D", "1w"} {
		if got, err := Parse(text); !errors.Is(err, errForm) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, errForm)
		}
	}
}
