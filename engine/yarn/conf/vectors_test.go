package conf

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// goldenDir is the folder of the full set of vectors when the workspace has it beside the
// module, else testdata with its compact part.
func goldenDir(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			full := filepath.Join(dir, "..", "shared", "golden", "yarn")
			if _, err := os.Stat(full); err == nil {
				return full
			}
			break
		}
	}
	t.Log("the full set of vectors is not here: comparing the part in testdata")
	return "testdata"
}

// vectors yields the lines of a file of vectors.
func vectors[T any](t *testing.T, name string) iter.Seq[T] {
	return func(yield func(T) bool) {
		path := filepath.Join(goldenDir(t), name)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var r io.Reader = f
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			var v T
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if !yield(v) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}
