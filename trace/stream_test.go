package trace

import "testing"

// The mapping of names to streams is part of the output contract.
func TestStreamPinned(t *testing.T) {
	for _, tt := range []struct {
		seed uint64
		name string
		want [2]uint64
	}{
		{1, "arrivals", [2]uint64{8626657296654601543, 16748934148371109950}},
		{1, "tasks/17", [2]uint64{16992754583362627596, 2992071079578525623}},
		{2, "arrivals", [2]uint64{5027737987879087404, 13706405730837968732}},
	} {
		r := Stream(tt.seed, tt.name)
		if got := [2]uint64{r.Uint64(), r.Uint64()}; got != tt.want {
			t.Errorf("Stream(%d, %q) starts with %d, want %d", tt.seed, tt.name, got, tt.want)
		}
	}
}
