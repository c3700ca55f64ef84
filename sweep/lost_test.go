package sweep

import (
	"strings"
	"testing"
)

func TestJobsByNumber(t *testing.T) {
	var odd []int64
	for i := range int64(20_000) {
		odd = append(odd, 2*i+1)
	}
	many := jobsOf(odd)
	for _, tt := range []struct {
		got, want Jobs
	}{
		{jobsOf(nil), ""},
		{jobsOf([]int64{0, 1, 2, 7, 9, 10}), "0-2,7,9-10"},
		{Jobs("0-2,7,9-10").both("1-9"), "1-2,7,9"},
		{Jobs("1-9").both("0-2,7,9-10"), "1-2,7,9"},
		{Jobs("3").both("4"), ""},
		{Jobs("0-9000000000000000000").both("5-8000000000000000000"), "5-8000000000000000000"},
		{many.both(many), many},
		{many.both("1"), ""},
		{many.both(jobsOf(odd[1:])), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
	if !strings.HasPrefix(string(many), digested) {
		t.Errorf("20,000 single jobs are written as %d bytes, want a digest", len(many))
	}
}

// As many lost jobs are not the same lost jobs.
func TestLoses(t *testing.T) {
	for _, tt := range []struct {
		name        string
		one, other  Outcome
		loses, back bool
	}{
		{"none", Outcome{}, Outcome{}, false, false},
		{"more", Outcome{Unexpected: 2, Lost: "1-2"}, Outcome{Unexpected: 1, Lost: "1"}, true, false},
		{"the same", Outcome{Unexpected: 2, Lost: "1-2"}, Outcome{Unexpected: 2, Lost: "1-2"}, false, false},
		{"as many, and others", Outcome{Unexpected: 2, Lost: "1-2"}, Outcome{Unexpected: 2, Lost: "2-3"}, true, true},
		{"fewer, and others", Outcome{Unexpected: 1, Lost: "7"}, Outcome{Unexpected: 2, Lost: "1-2"}, true, true},
		{"too many for numbers, and the same", Outcome{Unexpected: 9, Lost: "sha256:a"}, Outcome{Unexpected: 9, Lost: "sha256:a"}, false, false},
		{"too many for numbers", Outcome{Unexpected: 9, Lost: "sha256:a"}, Outcome{Unexpected: 9, Lost: "sha256:b"}, true, true},
	} {
		if loses, back := tt.one.Loses(&tt.other), tt.other.Loses(&tt.one); loses != tt.loses || back != tt.back {
			t.Errorf("%s: loses jobs that the other does not: %t, and the other way round %t; want %t and %t", tt.name, loses, back, tt.loses, tt.back)
		}
	}
}
