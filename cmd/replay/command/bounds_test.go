package command

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"replay/cmd/replay/cmdline"
)

// A duration that cannot be is refused by every command that reads a trace: no job of it is lost with exit 0.
func TestImpossibleDurationsAreRefused(t *testing.T) {
	for _, ms := range []int64{math.MaxInt64, 1e12, -5} {
		dir := filepath.Join(t.TempDir(), "t")
		if code, _, stderr := replay(t, "gen", "uniform-micro", "--jobs", "3", "--nodes", "3", "--quiet", "--out", dir); code != cmdline.ExitDone {
			t.Fatal(stderr)
		}
		setValue(t, filepath.Join(dir, "tasks.parquet"), "duration_ms", 0, ms)
		withoutHashes(t, dir)
		for _, tt := range []struct {
			args string
			code int
		}{
			{"trace check", cmdline.ExitFailed}, {"trace info", cmdline.ExitBadInput}, {"run", cmdline.ExitBadInput}, {"run --until 10s", cmdline.ExitBadInput},
			{"compare --seeds 2 --variant a: --variant b:", cmdline.ExitBadInput},
		} {
			code, stdout, stderr := replay(t, append(strings.Fields(tt.args), dir)...)
			if text := stdout + stderr; code != tt.code || !strings.Contains(text, "tasks.parquet: row group 0, row 0: duration_ms is ") || !strings.Contains(text, "want 0 to 31622400000 (a year)") {
				t.Errorf("%s with %d ms: exit %d, want %d: %s", tt.args, ms, code, tt.code, text)
			}
		}
	}
}

// setValue changes one number of a table, in a column that has no nulls above it.
func setValue(t *testing.T, path, column string, row int, value int64) {
	t.Helper()
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
	leaf, ok := file.Schema().Lookup(column)
	if !ok {
		t.Fatalf("%s has no column %s", path, column)
	}
	out, err := os.Create(path + ".new")
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewWriter(out, file.Schema())
	at := 0
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		buf := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buf)
			for i := range buf[:n] {
				for k, v := range buf[i] {
					if at+i != row || v.Column() != leaf.ColumnIndex {
						continue
					}
					set := parquet.Int64Value(value)
					if v.Kind() == parquet.Int32 {
						set = parquet.Int32Value(int32(value))
					}
					buf[i][k] = set.Level(0, v.DefinitionLevel(), leaf.ColumnIndex)
				}
			}
			at += n
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
	if err := errors.Join(w.Close(), out.Close(), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

// withoutHashes takes the hashes out of the manifest of a trace.
func withoutHashes(t *testing.T, dir string) {
	t.Helper()
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
