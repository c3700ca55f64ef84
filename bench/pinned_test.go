package bench_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine"
	"replay/engine/model"
	"replay/engine/record"
	"replay/engine/scenario"
)

var update = flag.Bool("update", false, "rewrite testdata/pinned.txt")

// counts is a sink that counts what became of jobs, containers and tasks, by name.
type counts map[string]int64

func (c counts) Job(r *record.Job) {
	c["jobs-"+r.Outcome]++
	c["stage-attempts"] += r.StageAttempts
}

func (c counts) Container(r *record.Container) {
	c[r.End]++
	if !r.AM {
		c[strings.ToLower(strings.ReplaceAll(r.Type, "_", "-"))+"-containers"]++
	}
}

func (c counts) Task(r *record.Task) {
	c["tasks-"+r.End]++
	c[strings.ToLower(strings.ReplaceAll(r.Level.String(), "_", "-"))]++
	if r.Speculative {
		c["speculative"]++
	}
}

func (c counts) Sample(*record.Sample)     {}
func (c counts) Node(*record.Node)         {}
func (c counts) Decision(*record.Decision) {}

// columns are the counts of a pinned line, in its order.
var columns = []string{"jobs-success", "jobs-failed", "jobs-unfinished", "stage-attempts",
	"tasks-success", "tasks-failed", "tasks-lost", "tasks-killed", "speculative", "process-local", "node-local", "no-pref", "rack-local", "any",
	"node-local-containers", "rack-local-containers", "off-switch-containers", "reservations",
	"completed", "released", "unused", "preempted", "node-lost", "app-end", "failed", "expired", "running"}

// replayed replays a scenario and returns its line: decision hash, end and the counts that are not 0.
func replayed(t *testing.T, in scenario.Input, o scenario.Options) (string, counts) {
	t.Helper()
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Model == (model.Model{}) {
		o.Model = model.DefaultModel()
	}
	sc, err := scenario.New(in, o)
	if err != nil {
		t.Fatal(err)
	}
	c := counts{}
	m, err := engine.Run(context.Background(), sc, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	c["reservations"], c["executed"] = m.Totals.Reservations, m.Totals.ExecutedHeartbeats
	line := fmt.Sprintf("%s end=%d heartbeats=%d/%d", m.DecisionHash, m.Totals.EndMS, m.Totals.NodeHeartbeats, m.Totals.AMHeartbeats)
	for _, k := range columns {
		if c[k] != 0 {
			line += fmt.Sprintf(" %s=%d", k, c[k])
		}
	}
	return line, c
}

// TestEnginesAgree replays every pinned case, and clusters that are idle for long, with each engine: they decide alike, and
// the fast one executes less where nothing is there.
func TestEnginesAgree(t *testing.T) {
	for _, p := range append(pinnedCases(), idleCases()...) {
		t.Run(p.name, func(t *testing.T) {
			lines, executed := map[string]string{}, map[string]int64{}
			for _, e := range scenario.Engines {
				in, o := p.make()
				o.Engine = e
				line, c := replayed(t, in, o)
				lines[e], executed[e] = line, c["executed"]
			}
			if lines["fast"] != lines["dense"] {
				t.Errorf("fast\n%s, dense\n%s", lines["fast"], lines["dense"])
			}
			if executed["fast"] > executed["dense"] {
				t.Errorf("fast executes %d heartbeats, dense %d", executed["fast"], executed["dense"])
			}
			if strings.HasPrefix(p.name, "idle/") && executed["fast"]*10 > executed["dense"] {
				t.Errorf("fast executes %d of %d heartbeats of a cluster that is idle", executed["fast"], executed["dense"])
			}
		})
	}
}

// TestPinned holds the decision hashes of small whole replays of every feature: what no test of a part sees, the parts
// together, stays as it is. A change of a line is a change of answers, to be explained where it is made; the counts
// in the line say what moved. Rewrite the file with -update.
func TestPinned(t *testing.T) {
	var lines []string
	seen := map[string]string{}
	add := func(name, line string) {
		lines = append(lines, fmt.Sprintf("%s %s", name, line))
		if other, ok := seen[line]; ok {
			t.Logf("%s and %s decide alike: %s", name, other, line)
		}
		seen[line] = name
	}
	for _, p := range pinnedCases() {
		t.Run(p.name, func(t *testing.T) {
			in, o := p.make()
			line, c := replayed(t, in, o)
			for _, k := range p.shows {
				if c[k] == 0 {
					t.Errorf("%v has no %s: %s", p, k, line)
				}
			}
			if c["tasks-success"] == 0 {
				t.Errorf("%v ran no task: %s", p, line)
			}
			add(p.name, line)
		})
	}
	for _, p := range tracesPinned {
		t.Run(p.line(), func(t *testing.T) {
			add(p.line(), p.replayed(t))
		})
	}
	path := filepath.Join("testdata", "pinned.txt")
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("replays decide differently (-want +got); if meant, run with -update and say why in the commit\n%s", d)
	}
}
