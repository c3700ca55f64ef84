package command

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// A duration that cannot be is refused by every command that reads a trace: no job of it is lost with exit 0.
func TestImpossibleDurationsAreRefused(t *testing.T) {
	for _, ms := range []int64{math.MaxInt64, 1e12, -5} {
		dir := filepath.Join(t.TempDir(), "t")
		if code, _, stderr := replay(t, "gen", "uniform-micro", "--jobs", "3", "--nodes", "3", "--quiet", "--out", dir); code != exitDone {
			t.Fatal(stderr)
		}
		setFirstDuration(t, dir, ms)
		for _, tt := range []struct {
			args string
			code int
		}{
			{"trace check", exitFailed}, {"trace info", exitBadInput}, {"run", exitBadInput}, {"run --until 10s", exitBadInput},
			{"compare --seeds 2 --variant a: --variant b:", exitBadInput},
		} {
			code, stdout, stderr := replay(t, append(strings.Fields(tt.args), dir)...)
			if text := stdout + stderr; code != tt.code || !strings.Contains(text, "tasks.parquet: row group 0, row 0: duration_ms is ") || !strings.Contains(text, "want 0 to 31622400000 (a year)") {
				t.Errorf("%s with %d ms: exit %d, want %d: %s", tt.args, ms, code, tt.code, text)
			}
		}
	}
}

// setFirstDuration changes the duration of a trace's first task, and takes the hashes out of its manifest.
func setFirstDuration(t *testing.T, dir string, ms int64) {
	t.Helper()
	path := filepath.Join(dir, "tasks.parquet")
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(in, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(path + ".new")
	if err != nil {
		t.Fatal(err)
	}
	leaf, ok := file.Schema().Lookup("duration_ms")
	if !ok {
		t.Fatal("no duration_ms")
	}
	w := parquet.NewWriter(out, file.Schema())
	first := true
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		buf := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buf)
			for i := range buf[:n] {
				if first {
					for k, v := range buf[i] {
						if v.Column() == leaf.ColumnIndex {
							buf[i][k] = parquet.Int64Value(ms).Level(0, 0, leaf.ColumnIndex)
						}
					}
					first = false
				}
			}
			if _, err := w.WriteRows(buf[:n]); err != nil {
				t.Fatal(err)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "trace.json")
	data, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "files")
	delete(m, "hash")
	if data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
