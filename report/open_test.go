package report

import (
	"os"
	"path/filepath"
	"testing"

	"replay/report/plot"
	"replay/report/reporttest"
)

// FuzzTasksJSON: whatever tasks.json holds, reading it gives an error or a result that can be drawn.
func FuzzTasksJSON(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "r")
	w, err := NewWriter(dir, Options{})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := w.Finish(reporttest.ByHand(w)); err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(dir, "tasks.json")
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"bucket_ms": 1, "wait_task_launch_ms": {"count": 1, "values": [[9223372036854775807, 1]]}}`))
	f.Add([]byte(`{"bucket_ms": 1, "missed": {"ANY": [1,2,3,4,5,6,7]}, "launched": [[1],[],[],[],[1e300]]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			return
		}
		for _, p := range plot.Draw(r.Data) {
			if (p.Figure == nil) != (p.Reason != "") {
				t.Errorf("%s: a figure (%v) with reason %q", p.Name, p.Figure != nil, p.Reason)
			}
		}
	})
}
