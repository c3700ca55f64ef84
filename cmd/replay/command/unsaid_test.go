package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// folderOf writes files below a folder of its own and returns the folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A flag that would do nothing is wrong usage or a warning, and a flag of an import that is wrong is wrong usage, also where that shows only when the
// input is read.
func TestFlagsThatDoNothing(t *testing.T) {
	const trace = traces + "uniform-micro"
	dir := folderOf(t, map[string]string{"jobs.csv": "job,submit_ms,duration_ms\na,0,1000\nb,5000,2000\n"})
	jobs, out := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "out")
	result := filepath.Join(dir, "result")
	must(t, "run", trace, "--out", result, "--formats", "none", "-q")
	for _, tt := range []struct{ args, want string }{
		{"run " + trace + " --engine dense --dense-spans 2x1m", "--dense-spans is for --engine fast"},
		{"report " + result + " --allow-failures", "--allow-failures is for --compare"},
		{"import csv " + jobs + " --out " + out + " --delimiter xx", `--delimiter is "xx"`},
		{"import csv " + jobs + " --out " + out + " --header maybe", `--header is "maybe"`},
		{"import csv " + jobs + " --out " + out + " --kind maybe", `--kind is "maybe"`},
		{"import csv " + jobs + " --out " + out + " --map job", `--map has "job"`},
		{"import csv " + jobs + " --out " + out + " --map when=job", `--map has the role "when"`},
		{"import csv " + jobs + " --out " + out + " --map job=none", `--map has the column "none"`},
		{"import csv " + jobs + " --out " + out + " --from 2026-01-01", "want times such as 90s"},
		{"import csv " + jobs + " --out " + out + " --node-mem 999999999999", "want at most 134217728 MiB"},
	} {
		if code, stdout, stderr := cmd(t, strings.Fields(tt.args)...); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", tt.args, code, cmdline.ExitUsage, tt.want, stdout, stderr)
		}
	}
	if code, _, stderr := cmd(t, "run", trace, "--tasks", "off", "-q"); code != cmdline.ExitDone || !strings.Contains(stderr, "warning: --tasks has no effect without --out") {
		t.Errorf("--tasks without --out: exit %d\n%s", code, stderr)
	}
	must(t, "run", trace, "--tasks", "off", "--out", filepath.Join(dir, "without"), "--formats", "none", "-q")
	must(t, "run", "--from", filepath.Join(dir, "without"), trace, "-q")
}

// Where no task reads a file no block is placed, whatever --blocks asks for: import and replay call no preferred host modelled.
func TestBlocksThatNoTaskReads(t *testing.T) {
	dir := folderOf(t, map[string]string{"jobs.csv": "job,submit_ms,duration_ms\na,0,1000\nb,5000,2000\n"})
	out := filepath.Join(dir, "trace")
	code, stdout, stderr := cmd(t, "import", "csv", filepath.Join(dir, "jobs.csv"), "--nodes", "3", "--blocks", "hdfs", "--replication", "2", "--out", out)
	if code != cmdline.ExitDone || !strings.Contains(stdout, "preferred hosts: none\n") || strings.Contains(stdout, "replica") {
		t.Errorf("exit %d, want no preferred hosts in\n%s", code, stdout)
	}
	for _, want := range []string{"no task is known to read a file, so no block is placed", "--replication 2 has no effect"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("want %q in\n%s", want, stderr)
		}
	}
	if text := must(t, "run", out, "-q"); strings.Contains(text, "preferred hosts      modelled") || strings.Contains(text, "preferred hosts of tasks: modelled") {
		t.Errorf("no task has preferred hosts, and the replay calls them modelled:\n%s", text)
	}
}

// A node of 0 MiB or 0 vcores in a list of nodes is left out by name; it is no node without a size, which gets one.
func TestNodesOfNothing(t *testing.T) {
	const job = `{"am.type":"mapreduce","job.start.ms":0,"job.end.ms":95375,"job.id":"job_1","job.queue.name":"q","job.user":"u","job.tasks":[{"container.host":"/r1/n1","container.start.ms":6664,"container.end.ms":23707,"container.priority":20,"container.type":"map"}]}`
	dir := folderOf(t, map[string]string{
		"jobs.json":  job,
		"nodes.json": `{"rack":"r1","nodes":[{"node":"n1","memory-mb":8192,"vcores":8},{"node":"n2","memory-mb":0,"vcores":4},{"node":"n3","memory-mb":8192,"vcores":0}]}`,
	})
	args := []string{"import", "sls", filepath.Join(dir, "jobs.json"), filepath.Join(dir, "nodes.json"), "--out"}
	code, stdout, stderr := cmd(t, append(args, filepath.Join(dir, "trace"))...)
	if code != cmdline.ExitDone || !strings.Contains(stdout, "cluster: 1 node of 8 GiB and 8 vcores") || !strings.Contains(stdout, "2 nodes without memory or vcores") {
		t.Errorf("exit %d, want a cluster of one node, and two dropped, in\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{`node "n2" of rack /r1 has memory-mb 0, want 1 or more`, `node "n3" of rack /r1 has vcores 0, want 1 or more`} {
		if !strings.Contains(stderr, want) {
			t.Errorf("want %q in\n%s", want, stderr)
		}
	}
	if code, _, stderr := cmd(t, append(args, filepath.Join(dir, "strict"), "--strict")...); code != cmdline.ExitBadInput || !strings.Contains(stderr, `node "n2"`) {
		t.Errorf("--strict: exit %d\n%s", code, stderr)
	}
}

// Several results are told apart by their names, in text and in one JSON document.
func TestReportOfSeveral(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	writeResult(t, a, 1, 5000)
	writeResult(t, b, 2, 6000)
	text := must(t, "report", a, b, "--formats", "none")
	if !strings.HasPrefix(text, "a:\n\nReplay of") || strings.Count(text, "\n\nb:\n\nReplay of") != 1 {
		t.Errorf("want each summary under its name in\n%s", text)
	}
	var both map[string]map[string]any
	if err := json.Unmarshal([]byte(must(t, "report", a, b, "--formats", "none", "--json")), &both); err != nil {
		t.Fatal(err)
	}
	if len(both) != 2 || both["a"]["wait_job_first_task_mean_ms"] != 5000.0 || both["b"]["wait_job_first_task_mean_ms"] != 6000.0 {
		t.Errorf("summaries by name: %v", both)
	}
	one := must(t, "report", a, "--formats", "none", "--json")
	if !strings.HasPrefix(one, "{\n  \"outcome\"") || strings.HasPrefix(must(t, "report", a, "--formats", "none"), "a:") {
		t.Errorf("one result has no name before it:\n%.200s", one)
	}
}

// A page lists every metric of the queues that matter most where there are hundreds, says how many values it leaves to which files, and these have them.
func TestPagesOfManyQueues(t *testing.T) {
	var table strings.Builder
	table.WriteString("job,submit_ms,duration_ms,queue\n")
	for i := range 130 {
		fmt.Fprintf(&table, "%d,%d,%d,team%03d\n", i, i*500, 20_000+i, i)
	}
	dir := folderOf(t, map[string]string{"jobs.csv": table.String()})
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, "import", "csv", in("jobs.csv"), "--nodes", "40", "--out", in("trace"), "-q")
	must(t, "run", in("trace"), "--out", in("run"), "--formats", "none", "-q")
	must(t, "compare", in("trace"), "--variant", "all:", "--variant", "fewer: --nodes 36", "--seeds", "5", "--out", in("compare"), "--formats", "none", "-q")
	for _, tt := range []struct{ folder, about, file, every string }{
		{"run", "118 values of the others stand in summary.json and summary.txt beside this page.", "summary.json", "wait_job_first_task_mean_ms[queue=root.team%03d]"},
		{"compare", "118 rows of the others stand in comparison.csv and comparison.json beside this page.", "comparison.csv", "wait_job_first_task_mean_ms[queue=root.team%03d]"},
	} {
		all := files(t, in(tt.folder))
		if !strings.Contains(all["report.html"], tt.about) {
			t.Errorf("%s: the page does not say %q", tt.folder, tt.about)
		}
		listed, kept := 0, 0
		for i := range 130 {
			name := fmt.Sprintf(tt.every, i)
			listed += strings.Count(all["report.html"], ">"+name+"<")
			kept += min(1, strings.Count(all[tt.file], name))
		}
		if listed != 12 || kept != 130 {
			t.Errorf("%s: the page lists the mean wait of %d queues, and %s of %d, want 12 and 130", tt.folder, listed, tt.file, kept)
		}
	}
}
