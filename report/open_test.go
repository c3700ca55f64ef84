package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"replay/report/plot"
	"replay/report/reporttest"
	"replay/sealed/sealedtest"
)

// FuzzTasksJSON: whatever tasks.json holds, reading it gives an error or a result that can be drawn. It has no hash here, which would keep all others
// out; texts that are no JSON are for the target of its parser.
func FuzzTasksJSON(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "r")
	w, err := NewWriter(dir, Options{})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := w.Finish(reporttest.ByHand(w)); err != nil {
		f.Fatal(err)
	}
	path, manifest := filepath.Join(dir, "tasks.json"), filepath.Join(dir, "run.json")
	var doc map[string]any
	text, err := os.ReadFile(manifest)
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err == nil {
		delete(doc, "files")
		text, err = json.Marshal(doc)
	}
	if err == nil {
		err = os.WriteFile(manifest, text, 0o644)
	}
	if err != nil {
		f.Fatal(err)
	}
	sealedtest.Seal(f, manifest)
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"bucket_ms": 1, "wait_task_launch_ms": {"count": 1, "values": [[9223372036854775807, 1]]}}`))
	f.Add([]byte(`{"bucket_ms": 1, "missed": {"ANY": [1,2,3,4,5,6,7]}, "launched": [[1],[],[],[],[1e300]]}`))
	if err := os.WriteFile(path, append([]byte(" "), good...), 0o644); err != nil {
		f.Fatal(err)
	}
	if _, err := Open(dir); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !json.Valid(b) {
			return
		}
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
