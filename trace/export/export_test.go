package export

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer"
	"replay/trace/importer/workload"
)

const fixtures = "../importer/testdata/"

// imported imports an input in a format and returns where the trace is.
func imported(t *testing.T, format, input string, nodes int) string {
	t.Helper()
	opt := workload.DefaultOptions()
	opt.Out, opt.Nodes = filepath.Join(t.TempDir(), "trace"), nodes
	if _, err := importer.Import(t.Context(), format, []string{input}, opt); err != nil {
		t.Fatal(err)
	}
	return opt.Out
}

// exported writes a trace in a format.
func exported(t *testing.T, dir, format string) (out string, lost Lost) {
	t.Helper()
	in, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out = filepath.Join(t.TempDir(), "out")
	if _, lost, err = Write(t.Context(), in, format, out); err != nil {
		t.Fatal(err)
	}
	return out, lost
}

// portrait is what of a trace must come through.
func portrait(t *testing.T, dir string) (lines []string) {
	t.Helper()
	m, err := trace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range m.JobList {
		lines = append(lines, fmt.Sprint(j.ExternalID, j.SubmitMS, j.Kind, m.Users[j.User].Name, m.Queues[j.Queue].Path, j.AMMemMiB, j.AMVCores, j.DependsOn, j.ThinkMS, j.RecordedOutcome))
		for i := range j.Stages {
			s := &j.Stages[i]
			line := fmt.Sprint("  ", s.Parents, s.Kind, s.TaskMemMiB, s.TaskVCores, s.StartFraction, s.DelayMS, s.Extra, s.Tasks.DurationMS, s.Tasks.MemMiB, s.Tasks.VCores)
			for k := range s.Tasks.Len() {
				line += " "
				for _, n := range s.Tasks.Prefs(k) {
					line += m.Nodes[n].Host
				}
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// What was imported from a format, exported to it and imported again has the same jobs, tasks and durations.
func TestRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		format, input string
		nodes         int
	}{{"sls", "sls/jobs.json", 0}, {"sls", "sls/header.json", 0}, {"sls", "sls/cluster", 0}, {"sls", "sls/synth.json", 0}, {"swf", "swf/log.swf", 4}, {"wta", "wta/archive", 4}} {
		first := imported(t, tt.format, fixtures+tt.input, tt.nodes)
		out, lost := exported(t, first, tt.format)
		second := imported(t, tt.format, out, tt.nodes)
		if a, b := portrait(t, first), portrait(t, second); !slices.Equal(a, b) {
			t.Errorf("%s:\n%s\nand again\n%s", tt.input, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		for what := range lost {
			if what != "nodes that are not there at the start" && !(tt.format == "wta" && (what == "racks" || what == "queues of jobs")) {
				t.Errorf("%s: lost %v", tt.input, lost)
			}
		}
	}
}

// A Spark trace in SLS and SWF: every job is there, and what is lost is said.
func TestLost(t *testing.T) {
	const from = "../../traces/fair-weights"
	m, err := trace.Load(from)
	if err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string][]string{
		"sls": {"edges between stages", "jobs whose kind the simulator has not (taken as dag)"},
		"swf": {"stages beside the first of a job", "parts of a second of times"},
		"wta": {"preferred hosts of tasks", "queues of jobs"},
	} {
		out, lost := exported(t, from, format)
		for _, w := range want {
			if lost[w] == 0 {
				t.Errorf("%s: lost %v, want %s", format, slices.Sorted(maps.Keys(lost)), w)
			}
		}
		again, err := trace.Load(imported(t, format, out, map[string]int{"swf": 4}[format]))
		if err != nil || len(again.JobList) != len(m.JobList) {
			t.Errorf("%s: %v, want %d jobs", format, err, len(m.JobList))
		}
		if format != "swf" {
			for i, j := range again.JobList {
				if j.NumTasks() != m.JobList[i].NumTasks() {
					t.Errorf("job %d has %d tasks, want %d", i, j.NumTasks(), m.JobList[i].NumTasks())
				}
			}
		}
	}
}

// An export stands whole or not at all, and takes no place in which there is something.
func TestRefused(t *testing.T) {
	in, err := trace.Open("../../traces/fair-weights")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Write(t.Context(), in, "sls", dir); err == nil || !strings.Contains(err.Error(), "want a new or empty directory") {
		t.Errorf("%v", err)
	}
	if _, _, err := Write(t.Context(), in, "xls", dir+"/x"); err == nil || err.Error() != `unknown format "xls" (known: sls, swf, wta)` {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir + "/x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
