package cmdline

import (
	"slices"
	"strings"
	"testing"
)

// TestNoneCalled: jobs of a result may lack numbers, of those that were never submitted.
func TestNoneCalled(t *testing.T) {
	for _, tt := range []struct {
		jobs []Called
		want string
	}{
		{nil, `the result has no jobs, so none is called "x"`},
		{[]Called{{Number: 7}}, `the only job of the result is job 7, and has not the name or id "x"; they have numbers alone`},
		{[]Called{{Number: 0}, {Number: 1, Name: "a"}, {Number: 2, ID: "b"}}, `none of the 3 jobs of the result, 0 to 2, has the number, name or id "x"; near it: a, b`},
		{[]Called{{Number: 0, Name: "a"}, {Number: 3, ID: "d"}}, `none of the 2 jobs of the result, numbered from 0 to 3, has the number, name or id "x"; near it: a, d`},
	} {
		if _, err := JobCalled("x", "the result", slices.Values(tt.jobs)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.jobs, err, tt.want)
		}
	}
}
