package command

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/policy"
)

// A result as a timeline has each application, container and task attempt once, on its node, and in one lane nothing overlaps.
func TestTimeline(t *testing.T) {
	dir := t.TempDir()
	result, traceDir := filepath.Join(dir, "r"), filepath.Join("..", "..", "..", "traces", "node-lost")
	call := func(want int, words ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		if code := Run(t.Context(), append([]string{"replay"}, words...), &stdout, &stderr, policy.Tables{}); code != want {
			t.Fatalf("%v: exit code %d, %s", words, code, stderr.String())
		}
		return stdout.String() + stderr.String()
	}
	call(cmdline.ExitDone, "run", traceDir, "--out", result, "--formats", "none", "--quiet")
	var manifest struct {
		Hosts  []string
		Totals struct {
			Jobs       int64
			Containers int64 `json:"containers_allocated"`
			Attempts   int64 `json:"task_attempts"`
		}
	}
	read := func(path string, to any) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, to)
		}
		if err != nil {
			t.Fatal(path, err)
		}
	}
	read(filepath.Join(result, "run.json"), &manifest)
	call(cmdline.ExitDone, "trace", "export", result, "--format", "chrome", "--out", filepath.Join(dir, "t"))
	type event struct {
		Name, Cat, Ph string
		TS, Dur       int64
		PID, TID      int
		Args          map[string]any
	}
	var doc struct{ TraceEvents []event }
	read(filepath.Join(dir, "t", "timeline.json"), &doc)
	n, byLane, hosts := map[string]int64{}, map[[2]int][]event{}, []string{}
	for _, e := range doc.TraceEvents {
		switch {
		case e.Ph == "X" && strings.Contains(e.Name, " stage "):
			n["tasks"]++
		case e.Ph == "X":
			n[e.Cat]++
		case e.Ph == "i":
			n[e.Name]++
		case e.Name == "process_name":
			hosts = append(hosts, e.Args["name"].(string))
		}
		if e.Ph == "X" && e.Cat != "wait" {
			byLane[[2]int{e.PID, e.TID}] = append(byLane[[2]int{e.PID, e.TID}], e)
		}
	}
	if want := manifest.Totals; n["application"] != want.Jobs || n["container"] != want.Containers || n["tasks"] != want.Attempts || want.Attempts == 0 || n["not registered"] == 0 {
		t.Errorf("%v, want %+v", n, want)
	}
	if !slices.Equal(hosts[2:], manifest.Hosts) {
		t.Errorf("processes %v, want applications, cluster and %v", hosts, manifest.Hosts)
	}
	for lane, events := range byLane {
		slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.TS, b.TS) })
		for i := 1; i < len(events); i++ {
			if events[i].TS < events[i-1].TS+events[i-1].Dur {
				t.Errorf("lane %v: %+v begins before %+v ends", lane, events[i], events[i-1])
			}
		}
	}
	if said := call(cmdline.ExitUsage, "trace", "export", traceDir, "--format", "chrome", "--out", filepath.Join(dir, "u")); !strings.Contains(said, "wants a result") {
		t.Errorf("%s", said)
	}
	call(cmdline.ExitDone, "run", traceDir, "--out", result, "--formats", "none", "--tasks", "off", "--quiet")
	if said := call(cmdline.ExitDone, "trace", "export", result, "--format", "chrome", "--out", filepath.Join(dir, "v")); !strings.Contains(said, "has no table of tasks") {
		t.Errorf("%s", said)
	}
}
