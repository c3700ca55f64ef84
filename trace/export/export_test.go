package export

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer"
	"replay/trace/importer/workload"
	"replay/trace/synth"
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

// What an import makes of an export holds what the format can: exported again, it comes back as it was, whatever the trace came from. Of formats that have tasks, these
// and their times are those of the trace.
func TestRoundTripOfAll(t *testing.T) {
	for name, f := range importer.Importers {
		inputs, err := filepath.Glob(filepath.Join(fixtures, name, "*"))
		if err != nil || len(inputs) == 0 {
			t.Fatalf("%s: %q, %v", name, inputs, err)
		}
		nodes := 0
		if f.NoHosts {
			nodes = 4
		}
		from := imported(t, name, inputs[0], nodes)
		for _, format := range []string{"sls", "swf", "wta"} {
			again := func(dir string) string {
				out, _ := exported(t, dir, format)
				return imported(t, format, out, map[string]int{"swf": 4}[format])
			}
			first := again(from)
			if a, b := portrait(t, first), portrait(t, again(first)); !slices.Equal(a, b) {
				t.Errorf("%s as %s:\n%s\nand again\n%s", inputs[0], format, strings.Join(a, "\n"), strings.Join(b, "\n"))
			}
			least := map[string]int64{"sls": 1}[format] // ms, as the simulator takes no task of none
			if a, b := tasks(t, from, least), tasks(t, first, least); format != "swf" && !slices.Equal(a, b) {
				t.Errorf("%s as %s has jobs of the tasks\n%s\nwant\n%s", inputs[0], format, strings.Join(b, "\n"), strings.Join(a, "\n"))
			}
		}
	}
}

// tasks are the submissions of jobs, and how long their tasks take, at least so many ms, in order of time.
func tasks(t *testing.T, dir string, least int64) (list []string) {
	t.Helper()
	m, err := trace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range m.JobList {
		var ms []int64
		for i := range j.Stages {
			for _, d := range j.Stages[i].Tasks.DurationMS {
				ms = append(ms, max(d, least))
			}
		}
		slices.Sort(ms)
		list = append(list, fmt.Sprint(j.SubmitMS-m.JobList[0].SubmitMS, ms))
	}
	return list
}

// Random jobs in the formats come back as they were imported.
func TestRoundTripOfRandom(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		for format, text := range map[string]string{"swf": randomSWF(r), "sls": randomSLS(r)} {
			input := filepath.Join(t.TempDir(), "in."+format)
			if err := os.WriteFile(input, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			nodes := map[string]int{"swf": 4}[format]
			first := imported(t, format, input, nodes)
			out, _ := exported(t, first, format)
			if a, b := portrait(t, first), portrait(t, imported(t, format, out, nodes)); !slices.Equal(a, b) {
				i := 0
				for i < min(len(a), len(b)) && a[i] == b[i] {
					i++
				}
				t.Errorf("seed %d: %s\nhas %d lines and %d; from line %d on they are\n%s\nand again\n%s", seed, text, len(a), len(b), i, strings.Join(a[i:min(i+4, len(a))], "\n"), strings.Join(b[i:min(i+4, len(b))], "\n"))
			}
		}
	}
}

// one is one of some values.
func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func randomSWF(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(one(r, "", "; UnixStartTime: 749433603\n") + one(r, "", "; Queue: 1 short\n; Queue: 2 long\n"))
	for n, at := 1, 0; n <= 25; n++ {
		at += r.IntN(3) * r.IntN(1000)
		before, think := one(r, -1, -1, r.IntN(n)), one(r, -1, 0, 17)
		fmt.Fprintf(&b, "%d %d %d %d %d %s %d %d -1 %d %d %d -1 %d %d -1 %d %d\n", n, at, one(r, -1, 0, 33), one(r, -1, 0, 1, 1+r.IntN(5000)), one(r, -1, 1+r.IntN(64)), one(r, "-1", "7.25"),
			one(r, -1, 500, 4000), one(r, -1, 1, 16), one(r, -1, 1000, 2_000_000), one(r, -1, 0, 1, 1, 5), one(r, -1, 3), one(r, -1, 4), one(r, -1, 0, 1, 2), before, think)
	}
	return b.String()
}

func randomSLS(r *rand.Rand) string {
	var b strings.Builder
	for n := range 15 {
		kind := one(r, "mapreduce", "mapreduce", "dag", "stream")
		types := []string{"map", "map", "reduce"}
		if kind != "mapreduce" { // whose master has no others
			types = append(types, "other")
		}
		fmt.Fprintf(&b, `{"am.type":%q,"job.start.ms":%d,"job.queue.name":%q,"job.id":"job_%d","job.user":%q,"am.memory-mb":%d`, kind, r.IntN(20)*1000,
			one(r, "a", "root.b", "root.c.d"), n, one(r, "u", "default"), one(r, 512, 2048))
		end := `,"job.end.ms":77777`
		if kind != "stream" { // whose containers run to the end
			end = one(r, end, "")
		}
		b.WriteString(end + one(r, `,"am.vcores":2`, "") + `,"job.tasks":[`)
		for k := range 1 + r.IntN(6) {
			if k > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `{"container.duration.ms":%d,"container.type":%q,"container.priority":%d,"count":%d`, 1+r.IntN(9000), one(r, types...), one(r, 10, 20, 20, 5), 1+r.IntN(3))
			b.WriteString(one(r, "", fmt.Sprintf(`,"container.host":"/rack%d/node%d"`, 1, r.IntN(4))) + one(r, "", "", `,"container.memory-mb":3000`, `,"container.vcores":3`, `,"container.request.delay":1500`) + "}")
		}
		b.WriteString("]}\n")
	}
	return b.String()
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

// Whole vcores are written for parts of one, in the formats that have no parts, and counted.
func TestFractionalVCores(t *testing.T) {
	p, err := synth.Find("alibaba-2018")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "trace")
	if _, err := synth.Generate(t.Context(), dir, p, synth.Options{Seed: 1, Jobs: 20, Nodes: 20}); err != nil {
		t.Fatal(err)
	}
	m, err := trace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := int64(0)
	for _, j := range m.JobList {
		for i := range j.Stages {
			if s := &j.Stages[i]; s.TaskMilliVCores > 0 && s.TaskMilliVCores%1000 != 0 {
				want += int64(s.Tasks.Len())
			}
		}
	}
	for _, format := range []string{"sls", "swf"} {
		if _, lost := exported(t, dir, format); want == 0 || lost["fractional vcores of tasks (whole ones are written)"] != want {
			t.Errorf("%s: lost %v, want the fractions of %d tasks", format, lost, want)
		}
	}
}

// A log that was imported, with its machine, and exported again is of the same machine, without the room for application masters.
func TestMachineComesBack(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.swf")
	const machine = "; MaxNodes: 4\n; MaxProcs: 16\n"
	if err := os.WriteFile(log, []byte(machine+"1 0 5 60 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		dir := imported(t, "swf", log, 0)
		if m, err := trace.Load(dir); err != nil || m.Nodes[0].VCores != 5 {
			t.Errorf("%v, nodes %v, want 5 vcores each", err, m.Nodes)
		}
		out, _ := exported(t, dir, "swf")
		log = filepath.Join(out, "trace.swf")
		if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), machine) {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// Records that programs leave out, of no time and of more processors than the machine, are counted.
func TestRecordsOfNoUse(t *testing.T) {
	table := filepath.Join(t.TempDir(), "jobs.csv")
	if err := os.WriteFile(table, []byte("job,submit,duration,tasks\nshort,0,0.4,2\nwide,0,5,17\nboth,0,0.4,40\nneither,0,0.5,16\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, lost := exported(t, imported(t, "csv", table, 1), "swf")
	for what, want := range map[string]int64{
		"jobs of less than half a second, whose records have a run time of 0": 2, "jobs with a stage wider than the machine, whose records ask for more than MaxProcs": 2,
	} {
		if lost[what] != want {
			t.Errorf("lost %v, want %d %s", lost, want, what)
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
