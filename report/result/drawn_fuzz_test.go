package result_test

import (
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"replay/report"
	"replay/report/metric"
	"replay/report/plot"
	"replay/report/reporttest"
	"replay/report/result"
	"replay/sealed/sealedtest"
)

// filed is of how many inputs one is put into a result directory, by its content, which is then read whole: its tables, which are the same for all
// inputs, take a hundred times as long as what an input changes.
const filed = 128

// written is the directory of a result and its data.
func written(f *testing.F, tasks bool) (dir string, data *result.Data) {
	f.Helper()
	dir = filepath.Join(f.TempDir(), "r")
	w, err := report.NewWriter(dir, report.Options{Tasks: tasks})
	if err == nil {
		_, err = w.Finish(reporttest.ByHand(w))
	}
	if err == nil {
		data, err = result.Read(dir)
	}
	if err != nil {
		f.Fatal(err)
	}
	if data.Aside != "" {
		f.Fatal(data.Aside)
	}
	return dir, data
}

// draw draws all plots of a result, each of which has a figure or the reason why not, and says all its values.
func draw(t *testing.T, r *report.Result) {
	t.Helper()
	r.JSON()
	for _, p := range plot.Draw(r.Data) {
		if (p.Figure == nil) != (p.Reason != "") {
			t.Errorf("%s: a figure (%v) with reason %q", p.Name, p.Figure != nil, p.Reason)
		}
	}
}

// FuzzTasksJSON: whatever tasks.json holds, reading it gives an error or a result that can be drawn. It has no hash here, which would keep all others
// out; texts that are no JSON are for the library.
func FuzzTasksJSON(f *testing.F) {
	dir, data := written(f, false)
	path, manifest := filepath.Join(dir, "tasks.json"), filepath.Join(dir, "run.json")
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
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
	f.Add(good)
	f.Add([]byte(`{"bucket_ms": 1, "wait_task_launch_ms": {"count": 1, "values": [[9223372036854775807, 1]]}}`))
	f.Add([]byte(`{"bucket_ms": 1, "missed": {"ANY": [1,2,3,4,5,6,7]}, "launched": [[1],[],[],[],[1e300]]}`))
	if _, err := data.WithTasks(good); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !json.Valid(b) {
			return
		}
		with, err := data.WithTasks(b)
		if err == nil {
			draw(t, metric.Of(with))
		}
		if crc32.ChecksumIEEE(b)%filed > 0 {
			return
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		r, readErr := report.Open(dir)
		if (err == nil) != (readErr == nil) {
			t.Fatalf("%s is taken with %v, and read with %v", b, err, readErr)
		}
		if readErr == nil {
			draw(t, r)
		}
	})
}

// envelope is the form of aggregates.cbor, around sums.
type envelope struct {
	Version int
	Of      map[string]string
	Data    cbor.RawMessage
}

// FuzzAggregates: whatever sums are kept, a result is read, of them or of its tables, and can be drawn.
func FuzzAggregates(f *testing.F) {
	dir, data := written(f, true)
	path := filepath.Join(dir, result.AggregatesFile)
	var e envelope
	text, err := os.ReadFile(path)
	if err == nil {
		err = cbor.Unmarshal(text, &e)
	}
	if err == nil {
		_, err = data.WithSums(text)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(e.Data))
	f.Add([]byte{0xa0})
	f.Fuzz(func(t *testing.T, b []byte) {
		text, err := cbor.Marshal(envelope{e.Version, e.Of, b})
		if err != nil { // texts that are no CBOR are for the library
			return
		}
		with, err := data.WithSums(text)
		if err == nil {
			draw(t, metric.Of(with))
		}
		if crc32.ChecksumIEEE(b)%filed > 0 {
			return
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		sealedtest.Seal(t, filepath.Join(dir, "run.json"))
		r, readErr := report.Open(dir)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if (err == nil) != (r.Aside == "") {
			t.Fatalf("%x is taken with %v, and set aside with %q", b, err, r.Aside)
		}
		draw(t, r)
	})
}
