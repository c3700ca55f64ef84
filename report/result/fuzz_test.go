package result

import (
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
