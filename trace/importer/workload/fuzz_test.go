package workload

import (
	"strings"
	"testing"
)

// Arrivals, sizes and rules of queues of any text are in their range, or refused.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{"recorded", "poisson:30s", "fixed:0s", "poisson:-1s", "fixed:2562047h", "128MiB", "9223372036854775807", "8388608TiB", "0", "a.*=b", "(=q", "=", "x=root..a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := parseArrivals(text); err == nil && (a.gap < 0 || a.kind == "recorded" != (text == "recorded")) {
			t.Errorf("arrivals %q: %+v", text, a)
		}
		if n, ok := ParseSize(text); ok && n <= 0 {
			t.Errorf("size %q: %d", text, n)
		}
		r, err := ParseQueueRule(text)
		if err != nil {
			return
		}
		o := Options{QueueMap: []QueueRule{r}}
		if path := o.queueOf(text, "default"); path != "root" && !strings.HasPrefix(path, "root.") {
			t.Errorf("queue %q is %q", text, path)
		}
	})
}
