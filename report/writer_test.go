package report

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// files returns the content of every file below dir by its path.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSameRecordsGiveTheSameBytes(t *testing.T) {
	o := DefaultOptions()
	o.Decisions = true
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	usual.write(t, a, o)
	usual.write(t, b, o)
	fa, fb := files(t, a), files(t, b)
	if len(fa) != len(fb) || len(fa) < 10+3*len(Plots)-3 {
		t.Fatalf("%d and %d files, want the same and all of them", len(fa), len(fb))
	}
	for name := range fa {
		if !bytes.Equal(fa[name], fb[name]) {
			t.Errorf("%s differs between two writings of the same records", name)
		}
	}
}

func TestOpenGivesWhatWasWritten(t *testing.T) {
	for _, tasks := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "r")
		wrote := usual.write(t, dir, Options{Tasks: tasks})
		read, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(wrote.Jobs, read.Jobs); d != "" {
			t.Errorf("tasks=%v: jobs (-wrote +read)\n%s", tasks, d)
		}
		ignore := cmpopts.IgnoreFields(Value{}, "PerJob")
		if d := cmp.Diff(wrote.Values, read.Values, ignore, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 0)); tasks && d != "" {
			t.Errorf("values (-wrote +read)\n%s", d)
		}
		// Without rows of tasks, percentiles of their times come from buckets of 1/2048.
		if d := cmp.Diff(wrote.Values, read.Values, ignore, cmpopts.EquateNaNs(), cmpopts.EquateApprox(.0005, 0)); d != "" {
			t.Errorf("tasks=%v: values (-wrote +read)\n%s", tasks, d)
		}
	}
}
