package conform

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSharedRecordings gives the calls of every recorded ResourceManager beside the project to the FairScheduler.
func TestSharedRecordings(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "recordings", "spark-on-yarn", "*", "rm-calls.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) == 0 {
		t.Log("only the recordings of testdata are run, the whole set is not here")
	}
	for _, path := range dirs {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) { checkDir(t, dir) })
	}
}

// Without the containers' own records nothing can be said about a recording.
func TestRecordingWithoutItsContainers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rm-calls.jsonl.gz", "cluster.json", "fair-scheduler.xml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "recorded-preemption", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Dir(dir, ""); err == nil {
		t.Error("a recording without containers.jsonl is accepted")
	}
}
