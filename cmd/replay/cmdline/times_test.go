package cmdline

import (
	"testing"
)

// A time that is too long is not called one without a unit, and a load beyond all numbers is none.
func TestBoundsOfTimesAndLoads(t *testing.T) {
	for text, want := range map[string]string{
		"20000d": "it is too long, want at most 11574d", "99999999d": "it is too long, want at most 11574d", "300000h": "it is too long, want at most 11574d", "99999999999h": "it is too long, want at most 11574d",
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
