package on

import (
	"strings"
	"testing"
)

// What a pod is to request is refused, or more than nothing of something.
func FuzzRequests(f *testing.F) {
	for _, s := range []string{"cpu=2,memory=4Gi", "cpu=500m", "cpu=0", "cpu=-1", "=1", "cpu", "cpu=1e-20", "cpu=1,cpu=2", "memory=9223372036854775808", "memory=1e12", "cpu=1E-3", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseRequests(text)
		if err != nil {
			return
		}
		var again []string
		for name, q := range list {
			if q.Sign() <= 0 || name == "" {
				t.Errorf("%q requests %v", text, list)
			}
			again = append(again, string(name)+"="+q.String())
		}
		if same, err := ParseRequests(strings.Join(again, ",")); err != nil || len(same) != len(list) {
			t.Errorf("%q requests %v, and that %v, %v", text, list, same, err)
		}
	})
}
