package result

import (
	"bytes"
	"encoding/json"
	"testing"

	"replay/engine/record"
	"replay/sealed/sealedtest"
)

// A run.json of any content that is sealed is read as a manifest of this format, or refused.
func FuzzManifest(f *testing.F) {
	good, err := json.Marshal(record.Manifest{Format: record.Format, FormatVersion: "1.0"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"format":"x"}`))
	f.Add([]byte(`{"totals":{"end_ms":1e400}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := readManifest(sealedtest.Text(text))
		if err == nil && m.Format != record.Format {
			t.Errorf("%s is read as format %q", text, m.Format)
		}
	})
}

// A tasks.json of any content is refused, or read and written again as the same.
func FuzzTasks(f *testing.F) {
	c := NewCollector()
	c.data.Tasks.Over.Restore(1, nil)
	good, err := json.Marshal(c.data.Tasks.stored())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"bucket_ms": 1, "wait_task_launch_ms": {"count": 1, "values": [[9223372036854775807, 1]]}}`))
	f.Add([]byte(`{"bucket_ms": 1, "missed": {"ANY": [1,2,3,4,5,6,7]}, "launched": [[1],[],[],[],[1e300]]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		first := NewCollector().data.Tasks
		if first.read(text) != nil {
			return
		}
		b, err := json.Marshal(first.stored())
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		second := NewCollector().data.Tasks
		if err := second.read(b); err != nil {
			t.Fatalf("%s is written as %s: %v", text, b, err)
		}
		if again, err := json.Marshal(second.stored()); err != nil || !bytes.Equal(b, again) {
			t.Errorf("%s is written as %s and then as %s (%v)", text, b, again, err)
		}
	})
}
