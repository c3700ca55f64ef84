package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestRunsThatMustAgree replays one trace under everything that may not change a decision: what is written, how often is
// sampled, whether progress is shown, how many threads there are. The decision hash is the same, and the rows of jobs
// and containers are to the byte.
func TestRunsThatMustAgree(t *testing.T) {
	dir := t.TempDir()
	result := func(name string, args ...string) (hash, jobs, containers string) {
		t.Helper()
		out := filepath.Join(dir, name)
		must(t, append([]string{"run", traces + "node-lost", "--sharing", "drf", "--out", out, "--progress", "off"}, args...)...)
		var m struct {
			Hash string `json:"decision_hash"`
		}
		text := files(t, out)
		if err := json.Unmarshal([]byte(text["run.json"]), &m); err != nil {
			t.Fatal(err)
		}
		return m.Hash, text["jobs.parquet"], text["containers.parquet"]
	}
	hash, jobs, containers := result("plain", "--formats", "none")
	if len(hash) != 16 || jobs == "" || containers == "" {
		t.Fatalf("decision hash is %q, %d bytes of jobs, %d of containers", hash, len(jobs), len(containers))
	}
	variants := map[string][]string{
		"task rows off":     {"--formats", "none", "--tasks", "off"},
		"decisions written": {"--formats", "none", "--decisions"},
		"samples each 1 s":  {"--formats", "none", "--series", "1s"},
		"samples each hour": {"--formats", "none", "--series", "1h"},
		"plots":             {"--formats", "svg,png"},
		"progress":          {"--formats", "none", "--progress", "on"},
		"every value shown": {"--formats", "none", "--all"},
		"one thread":        {"--formats", "none"},
	}
	if testing.Short() {
		delete(variants, "plots") // they are drawn from what was written
	}
	for name, args := range variants {
		t.Run(name, func(t *testing.T) {
			if name == "one thread" {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			}
			h, j, c := result(name, args...)
			if h != hash {
				t.Errorf("decision hash is %s, without it %s", h, hash)
			}
			if j != jobs || c != containers {
				t.Error("rows of jobs or containers differ")
			}
		})
	}
	if h, _, _ := result("another seed", "--formats", "none", "--seed", "2"); h == hash {
		t.Error("another seed has the same decision hash")
	}
	if _, err := os.Stat(filepath.Join(dir, "task rows off", "tasks.parquet")); err == nil {
		t.Error("--tasks off wrote tasks.parquet")
	}
}

// What is sampled does not depend on how heartbeats are driven, also while nothing is there: a queue without applications wants
// nothing.
func TestSamplesOfQuietTimesAgree(t *testing.T) {
	summary := func(engine string) string {
		return must(t, "run", traces+"uniform-micro", "--load", "0.02", "--until", "40m", "--quiet", "--json", "--engine", engine)
	}
	fast, dense := summary("fast"), summary("dense")
	if fast != dense {
		a, b := strings.Split(fast, "\n"), strings.Split(dense, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Errorf("fast says %s, dense %s", a[i], b[i])
			}
		}
	}
}
