package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/trace"
)

// decided returns the decision hash of a replay, and what it prints.
func decided(t *testing.T, args ...string) (hash, text string) {
	t.Helper()
	text = must(t, append([]string{"run", "-q"}, args...)...)
	_, rest, ok := strings.Cut(text, "decision hash")
	if !ok || len(strings.Fields(rest)) == 0 {
		t.Fatalf("no decision hash in\n%s", text)
	}
	return strings.Fields(rest)[0], text
}

// TestTracesThatMustAgree says the same trace in another way: names that keep their order, nodes that can hold nothing, settings that are what they are anyway, a part that is
// the whole. No decision changes, under any scheduler.
func TestTracesThatMustAgree(t *testing.T) {
	const renamed = "zz-"
	changes := map[string]func(m *trace.MemoryTrace){
		"users renamed": func(m *trace.MemoryTrace) {
			for i := range m.Users {
				m.Users[i].Name = renamed + m.Users[i].Name
			}
		},
		"applications renamed": func(m *trace.MemoryTrace) {
			for _, j := range m.JobList {
				j.Name, j.ExternalID = renamed+j.Name, ""
			}
		},
		"racks renamed and counted the other way": func(m *trace.MemoryTrace) {
			last := int32(0)
			for i := range m.Nodes {
				last = max(last, m.Nodes[i].RackID)
			}
			for i := range m.Nodes {
				n := &m.Nodes[i]
				n.Rack, n.RackID = "/"+renamed+n.Rack[1:], last-n.RackID
			}
		},
		"a node without room": func(m *trace.MemoryTrace) {
			n := m.Nodes[0]
			n.ID, n.Host, n.MemMiB, n.VCores = int32(len(m.Nodes)), renamed+n.Host, 1, 1
			m.Nodes = append(m.Nodes, n)
		},
		"a host that is no node": func(m *trace.MemoryTrace) {
			n := m.Nodes[0]
			n.ID, n.Host, n.Present = int32(len(m.Nodes)), renamed+n.Host, false
			m.Nodes = append(m.Nodes, n)
		},
		"queues without parents": func(m *trace.MemoryTrace) {
			for i := range m.Queues {
				m.Queues[i].Parent = trace.Unset
			}
		},
		"no list of files": nil,
	}
	flags := map[string][]string{
		"a cluster of as many nodes": {"--nodes", "8"},
		"up to long after the end":   {"--until", "99h"},
		"a window of all":            {"--window", "0s..99h"},
	}
	dir := t.TempDir()
	for _, name := range []string{"node-lost", "uniform-micro"} {
		base := traces + name
		ways := map[string]string{"cut": filepath.Join(dir, name+" cut")}
		must(t, "trace", "cut", base, "--from", "0s", "--to", "99h", "--out", ways["cut"], "-q")
		for way, change := range changes {
			m, err := trace.Load(base)
			if err != nil {
				t.Fatal(err)
			}
			ways[way] = filepath.Join(dir, name+" "+way)
			if change != nil {
				change(m)
			}
			if err := m.Write(ways[way]); err != nil {
				t.Fatal(err)
			}
			if change == nil {
				dropList(t, ways[way])
			}
		}
		for _, scheduler := range []string{"fair", "capacity", "fifo", "ideal"} {
			want, _ := decided(t, base, "--scheduler", scheduler)
			for way, folder := range ways {
				if got, _ := decided(t, folder, "--scheduler", scheduler); got != want {
					t.Errorf("%s under %s, %s: decisions are %s, want %s", name, scheduler, way, got, want)
				}
			}
			for way, args := range flags {
				if way == "a cluster of as many nodes" && name == "uniform-micro" {
					args = []string{"--nodes", "10"}
				}
				if got, _ := decided(t, append([]string{base, "--scheduler", scheduler}, args...)...); got != want {
					t.Errorf("%s under %s, %s: decisions are %s, want %s", name, scheduler, way, got, want)
				}
			}
		}
	}
}

// dropList makes the manifest of a trace as somebody writes it by hand: without hash and list of files.
func dropList(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "trace.json")
	text, err := os.ReadFile(path)
	var m map[string]any
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	delete(m, "hash")
	delete(m, "files")
	if err == nil {
		text, err = json.Marshal(m)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A configuration file that somebody puts beside a trace is used, or it is said that it is not: the list of the manifest decides, and where there is none, what is there.
func TestFilesBesideATrace(t *testing.T) {
	queues := []byte(`<allocations><queue name="default"><maxRunningApps>1</maxRunningApps></queue></allocations>`)
	const said = "TRACE/fair-scheduler.xml is not in the list of files of trace.json"
	handed := filepath.Join(t.TempDir(), "fair-scheduler.xml")
	dir := filepath.Join(t.TempDir(), "trace")
	err := os.CopyFS(dir, os.DirFS(traces+"uniform-micro"))
	for _, path := range []string{handed, filepath.Join(dir, "fair-scheduler.xml")} {
		if err == nil {
			err = os.WriteFile(path, queues, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	without, _ := decided(t, traces+"uniform-micro")
	with, text := decided(t, dir, "--fair-scheduler", handed)
	if with == without || strings.Contains(text, said) {
		t.Errorf("handed in: decisions %s, without %s, want others and nothing told of the file in\n%s", with, without, text)
	}
	if got, text := decided(t, dir); got != without || !strings.Contains(text, said) || !strings.Contains(text, "--fair-scheduler uses it") {
		t.Errorf("beside the files of the list: decisions %s, want %s and %q in\n%s", got, without, said, text)
	}
	if _, text := decided(t, dir, "--scheduler", "capacity"); strings.Contains(text, said) {
		t.Errorf("the CapacityScheduler reads no such file, want nothing told of it in\n%s", text)
	}
	dropList(t, dir)
	if got, text := decided(t, dir); got != with || strings.Contains(text, said) {
		t.Errorf("without a list: decisions %s, want %s, and nothing told of the file in\n%s", got, with, text)
	}
}

// A workload under two names is one: a comparison over traces would count it twice.
func TestOneWorkloadTwice(t *testing.T) {
	m, err := trace.Load(traces + "uniform-micro")
	if err != nil {
		t.Fatal(err)
	}
	m.Name = "again"
	for i := range m.Users {
		m.Users[i].Name = "somebody"
	}
	again, half := filepath.Join(t.TempDir(), "again"), filepath.Join(t.TempDir(), "half")
	if err := m.Write(again); err != nil {
		t.Fatal(err)
	}
	must(t, "trace", "cut", again, "--to", "5m", "--out", half, "-q")
	variants := []string{"--variant", "now:", "--variant", "no-wait: --conf spark.locality.wait=0s", "-q"}
	const want = "traces uniform-micro and again are one workload under two names"
	if code, _, stderr := cmd(t, append([]string{"compare", traces + "uniform-micro", again}, variants...)...); code != cmdline.ExitBadInput || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, want %d and %q in %s", code, cmdline.ExitBadInput, want, stderr)
	}
	if code, _, stderr := cmd(t, append([]string{"compare", traces + "uniform-micro", half}, variants...)...); code != cmdline.ExitDone {
		t.Errorf("a part beside the whole: exit %d, %s", code, stderr)
	}
	whole, err := filepath.Abs(traces + "uniform-micro")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		other string
		tells bool
	}{{again, true}, {half, false}} {
		for command, plan := range map[string]string{
			"sweep": "traces: [" + whole + ", " + x.other + "]\nseeds: 1..2\ngrid:\n  conf: {spark.locality.wait: [0s, 3s]}\n",
			"tune":  "traces: " + whole + "\nheld_traces: " + x.other + "\nseeds: 1..5\nheld_seeds: 1..5\ngoal: least mean(wait)\ngrid:\n  conf: {spark.locality.wait: [0s, 3s]}\n",
		} {
			dir := t.TempDir()
			file := filepath.Join(dir, "plan.yaml")
			if err := os.WriteFile(file, []byte(plan), 0o644); err != nil {
				t.Fatal(err)
			}
			code, _, stderr := cmd(t, command, file, "--out", filepath.Join(dir, "out"), "-q")
			if told := strings.Contains(stderr, "warning: "+want); code != cmdline.ExitDone || told != x.tells {
				t.Errorf("%s with %s: exit %d, told %v, want %v: %s", command, filepath.Base(x.other), code, told, x.tells, stderr)
			}
		}
	}
}

// What is written, and what is kept of it, changes no number: a result without rows of task attempts has the values of one with them, also when it is read again, and a
// comparison that keeps its results those of one that does not.
func TestNumbersWithoutRows(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, "run", traces+"uniform-micro", "-q", "--formats", "none", "--out", in("rows"))
	must(t, "run", traces+"uniform-micro", "-q", "--formats", "none", "--out", in("none"), "--tasks", "off")
	want := files(t, in("rows"))["summary.json"]
	if got := files(t, in("none"))["summary.json"]; got != want {
		t.Errorf("with --tasks off the summary is\n%s\nwant\n%s", got, want)
	}
	must(t, "report", in("none"), "-q", "--formats", "none", "--out", in("again"))
	again := files(t, in("again"))
	for name, text := range again {
		if filepath.Base(name) == "summary.json" && text != want {
			t.Errorf("read again the summary is\n%s\nwant\n%s", text, want)
		}
	}
	if len(again) == 0 {
		t.Error("report wrote nothing")
	}
	compared := func(name string, more ...string) []json.RawMessage {
		must(t, append([]string{"compare", traces + "uniform-micro", "--variant", "now:", "--variant", "no-wait: --conf spark.locality.wait=0s", "--seeds", "2", "-q", "--formats", "none", "--out", in(name)}, more...)...)
		var c struct{ Metrics []json.RawMessage }
		if err := json.Unmarshal([]byte(files(t, in(name))["comparison.json"]), &c); err != nil || len(c.Metrics) == 0 {
			t.Fatalf("%d metrics, %v", len(c.Metrics), err)
		}
		return c.Metrics
	}
	plain, kept := compared("plain"), compared("kept", "--results")
	for i := range plain {
		if string(plain[i]) != string(kept[i]) {
			t.Errorf("with --results a metric is\n%s\nwant\n%s", kept[i], plain[i])
		}
	}
}

// A comparison the other way round says the same of each metric, with changes of the other sign, also where jobs are open in one of the two alone.
func TestComparisonsMirror(t *testing.T) {
	type cell struct {
		Variant, Finding string
		Value            json.RawMessage
		ByUnit           json.RawMessage `json:"by_unit"`
		P                json.RawMessage
		SE               json.RawMessage `json:"standard_error"`
		Difference       float64
		Interval         []float64
	}
	type metric struct {
		Metric, About, Unit, Family, Of string
		N                               int64
		Variants                        []cell
	}
	other := map[string]string{"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}
	compared := func(variants ...string) (told map[string]string) {
		out := filepath.Join(t.TempDir(), "out")
		must(t, "compare", traces+"uniform-micro", "--variant", variants[0], "--variant", variants[1], "--seeds", "5", "--formats", "none", "--allow-failures", "-q", "--out", out)
		var c struct{ Metrics []metric }
		if err := json.Unmarshal([]byte(files(t, out)["comparison.json"]), &c); err != nil {
			t.Fatal(err)
		}
		told = map[string]string{}
		for _, m := range c.Metrics {
			a, b := m.Variants[0], m.Variants[1]
			change := b
			if a.Variant > b.Variant {
				a, b = b, a
				change.Difference = 0 - change.Difference
				if len(change.Interval) == 2 {
					change.Interval = []float64{0 - change.Interval[1], 0 - change.Interval[0]}
				}
				if f := other[change.Finding]; f != "" {
					change.Finding = f
				}
			}
			told[m.Metric] = fmt.Sprintf("%s, %s %s, %d of %s: %s %s, %s %s: %+g %v p %s SE %s %s", m.About, m.Unit, m.Family, m.N, m.Of, a.Value, a.ByUnit, b.Value, b.ByUnit,
				change.Difference, change.Interval, change.P, change.SE, change.Finding)
		}
		return told
	}
	const few, many = "few: --until 100s --nodes 3", "many: --until 100s"
	there, back := compared(few, many), compared(many, few)
	all := ""
	for name, want := range there {
		all += want
		if got := back[name]; got != want {
			t.Errorf("the other way round %s is\n%s\nwant\n%s", name, got, want)
		}
	}
	if len(there) != len(back) || !strings.Contains(all, " better") || !strings.Contains(all, "and over jobs still waiting") {
		t.Errorf("%d metrics and %d: want as many, something found, and jobs that wait at the end", len(there), len(back))
	}
}
