package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/trace"
	"replay/trace/importer/codec"
)

const importData = "../../../trace/importer/testdata/"

func TestImportCommand(t *testing.T) {
	foreign := t.TempDir() // a folder of another program with the name of a trace's manifest
	if text, err := os.ReadFile(importData + "wfcommons/jobs-1.2.json"); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(filepath.Join(foreign, "trace.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{"spark-eventlog " + importData + "spark-eventlog/eventlogs/app-20261121064901-0000.lz4", "1 application, 4 stages, 60 tasks, 1 user, 1 queue\n"},
		{"spark-eventlog " + importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd --blocks hdfs --nodes 20 --racks 4 --replication 3 --seed 1 --copies 3 --arrivals poisson:30s --queue-map profiles=adhoc", "1 application x 3 copies = 3 jobs, 12 stages, 180 tasks, 1 user, 1 queue\n"},
		{importData + "spark-on-yarn/locality-wait-0s", "1 application, 5 stages, 166 tasks, 1 user, 1 queue\n"},
		{"auto " + importData + "spark-on-yarn/locality-wait-0s", "1 application, 5 stages, 166 tasks, 1 user, 1 queue\n"},
		{"spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --strict", "1 application, 5 stages, 166 tasks, 1 user, 1 queue\n"},
		{"auto " + foreign + " --nodes 3", "1 application, "},
	} {
		out := filepath.Join(t.TempDir(), "trace")
		args := append(append([]string{"import"}, strings.Fields(tt.args)...), "--out", out)
		code, stdout, stderr := replay(t, args...)
		if code != cmdline.ExitDone || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: exit code %d, want 0 and %q\n%s%s", tt.args, code, tt.want, stdout, stderr)
			continue
		}
		if code, stdout, stderr := replay(t, "trace", "check", out); code != cmdline.ExitDone {
			t.Errorf("%s: the trace is bad: %s%s", tt.args, stdout, stderr)
		}
		if code, _, stderr := replay(t, args...); code != cmdline.ExitBadInput || !strings.Contains(stderr, "exists already and is not empty") {
			t.Errorf("%s again: exit code %d, %s", tt.args, code, stderr)
		}
	}
}

// A pipe is read as standard input: what a shell makes of <(zcat LOG) can be read once. Of two none is taken for the other.
func TestImportOfAPipe(t *testing.T) {
	dir, log := t.TempDir(), importData+"swf/log.swf"
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	pipes := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	for _, p := range pipes {
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Skip(err)
		}
	}
	for _, format := range []string{"swf", "auto"} {
		written := make(chan error, 1)
		go func() { written <- os.WriteFile(pipes[0], text, 0) }()
		stdout := must(t, "import", format, pipes[0], "--json", "--out", filepath.Join(dir, format))
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		var got, want struct{ Counts trace.Counts }
		if err := errors.Join(json.Unmarshal([]byte(stdout), &got), json.Unmarshal([]byte(must(t, "import", "swf", log, "--json", "--out", filepath.Join(dir, format+" of the file"))), &want)); err != nil || got != want {
			t.Errorf("%s: %+v of a pipe, want %+v; %v", format, got, want, err)
		}
	}
	for with, want := range map[string]string{pipes[1]: pipes[0] + " and " + pipes[1] + ": are pipes, want one at most", "-": pipes[0] + ": is a pipe, beside - for standard input"} {
		if code, _, stderr := replay(t, "import", "swf", pipes[0], with, "--dry-run"); code != cmdline.ExitBadInput || !strings.Contains(stderr, want) {
			t.Errorf("with %s: exit code %d, %s; want %q", with, code, stderr, want)
		}
	}
}

func TestImportErrors(t *testing.T) {
	cut := filepath.Join(t.TempDir(), "app-1.zstd")
	data, err := os.ReadFile(importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, data[:len(data)-100], 0o644); err != nil {
		t.Fatal(err)
	}
	good := importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd"
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", cmdline.ExitUsage, "wants a format (or auto) and its input"},
		{"swf --out OUT", cmdline.ExitUsage, "wants a format (or auto) and its input"},
		{"nothing-here --out OUT", cmdline.ExitUsage, "nothing-here: no such file or directory, and no format of this name ("},
		{"sparkeventlog --out OUT", cmdline.ExitUsage, "no format of this name; is spark-eventlog meant?"},
		{"spark-evenlog x --out OUT", cmdline.ExitUsage, "; is spark-eventlog meant?"},
		{"../../../traces/uniform-micro --out OUT", cmdline.ExitBadInput, "uniform-micro: a trace of this program: replay run takes it as it is"},
		{"../../../README.md --out OUT", cmdline.ExitBadInput, "README.md: of no known format"},
		{"auto ../../../README.md --out OUT", cmdline.ExitBadInput, "of no known format"},
		{"spark-eventlog " + good + " --out OUT --from 2h", cmdline.ExitUsage, "want days such as"},
		{"spark-eventlog " + good + " --out OUT --from 2h --to 2026-11-21", cmdline.ExitUsage, "want two days or two times"},
		{"rumen " + importData + "rumen/cluster --racks 3 --out OUT -q", cmdline.ExitDone, "warning: --racks 3 has no effect: the source has nodes, which are in racks of its own"},
		{"rumen " + importData + "rumen/cluster --nodes 2 --racks 3 --out OUT", cmdline.ExitUsage, "--racks is 3, want at most the 2 nodes"},
		{"spark-eventlog " + good + " --queue root --out OUT", cmdline.ExitUsage, "queue is root, want one below it"},
		{"spark-eventlog " + good + " --queue-map .*=root --out OUT", cmdline.ExitUsage, "queue is root, want one below it"},
		{"none x --out OUT", cmdline.ExitUsage, `unknown format "none" (known: `},
		{"spark-eventlog x", cmdline.ExitUsage, "wants --out DIR"},
		{"spark-eventlog x --out OUT --blocks maybe", cmdline.ExitUsage, `--blocks is "maybe"`},
		{"spark-eventlog x --out OUT --arrivals 3s", cmdline.ExitUsage, `--arrivals is "3s"`},
		{"spark-eventlog x --out OUT --queue-map q", cmdline.ExitUsage, "want regex=queue"},
		{"spark-eventlog nothing-here --out OUT", cmdline.ExitBadInput, "nothing-here"},
		{"spark-eventlog " + cut + " --out OUT --strict", cmdline.ExitBadInput, "unexpected EOF"},
		{"spark-eventlog " + cut + " --out OUT", cmdline.ExitDone, "warning: " + cut + ": has no end of the application"},
		{"spark-eventlog ../../../README.md --out OUT", cmdline.ExitBadInput, "README.md: text, not an event log"},
		{"spark-eventlog ../../../traces/uniform-micro --out OUT", cmdline.ExitBadInput, "uniform-micro: a trace of this program, want an event log"},
		{"spark-eventlog " + good + " --out OUT --from 2026-11-22", cmdline.ExitBadInput, "app-20261121064901-0000.zstd: application app-20261121064901-0000 started at 2026-11-21T06:48:59Z"},
		{"spark-eventlog " + good + " --out OUT --from yesterday", cmdline.ExitUsage, "--from is \"yesterday\", want a time such as"},
		{"spark-eventlog " + good + " --out OUT --from 2026-11-22 --to 2026-11-21T10:00", cmdline.ExitUsage, "want a time before --to 2026-11-21T10:00"},
		{"spark-eventlog " + good + " --out OUT --strict --lenient", cmdline.ExitUsage, "exclude each other"},
		{"spark-eventlog " + cut + " --out OUT --lenient", cmdline.ExitDone, ""},
		{"spark-on-yarn " + importData + " --out OUT", cmdline.ExitBadInput, "not a recorded cluster: want a folder with cluster.json"},
		{"spark-on-yarn " + importData + "spark-on-yarn --out OUT", cmdline.ExitBadInput, "not a recorded cluster, but the folder of "},
		{"spark-on-yarn " + importData + "spark-eventlog/eventlogs --out OUT", cmdline.ExitBadInput, "it looks like spark-eventlog: "},
		{"swf " + importData + "gwf/grid.gwf --out OUT", cmdline.ExitBadInput, "(replay import gwf)"},
		{"spark-eventlog " + importData + "spark-on-yarn/locality-wait-0s --out OUT -q", cmdline.ExitDone, "; replay import spark-on-yarn takes the nodes, queues and settings of the recording, too"},
		{"spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --copies 2 --out OUT", cmdline.ExitBadInput, "has its own nodes, racks and times"},
		{"spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --from 2026-11-21 --out OUT", cmdline.ExitBadInput, "a recorded cluster is taken whole"},
		{"spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --dry-run", cmdline.ExitDone, ""},
		{"spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --blocks hdfs --out OUT", cmdline.ExitBadInput, "has its own blocks"},
		{"spark-eventlog --strict " + good + " --out OUT", cmdline.ExitDone, ""},
	} {
		dir := t.TempDir()
		code, _, stderr := replay(t, append([]string{"import"}, strings.Fields(strings.ReplaceAll(tt.args, "OUT", filepath.Join(dir, "out")))...)...)
		if code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("import %s: exit code %d, want %d; stderr %q, want %q in it", tt.args, code, tt.code, stderr, tt.want)
		}
		if entries, err := os.ReadDir(dir); err != nil || code != cmdline.ExitDone && len(entries) > 0 {
			t.Errorf("import %s: left %v (%v)", tt.args, entries, err)
		}
	}
}

// A folder with logs and other files: what can be used is used, and the last line says what is not. backtest takes the
// same flags and says the same.
func TestFolderOfLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.CopyFS(dir, os.DirFS(importData+"spark-eventlog/eventlogs")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "app-20261121064901-0000.zstd"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"README.md": "# Logs\n", "app-1": "", "app-2.zstd": string(whole[:9000])} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const last = "left out: 6 files and recordings: 1 no recording, 1 empty, 4 there twice\n"
	out := filepath.Join(t.TempDir(), "trace")
	for _, tt := range []struct {
		args string
		code int
		want []string
	}{
		{"import spark-eventlog LOGS --dry-run", cmdline.ExitDone, []string{"resource-profiles", "3.5.5", "2026-11-21 06:48:59", "logs/README.md", "text, not an event log", last}},
		{"import spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --dry-run", cmdline.ExitDone, []string{"to use: 1 application\n"}},
		{"import spark-eventlog LOGS --out " + out, cmdline.ExitDone, []string{"1 application,", "logs/app-1 ", "empty", "logs/app-2.zstd", "there twice", last}},
		{"import spark-eventlog LOGS --strict --out " + out + "2", cmdline.ExitBadInput, []string{"logs/README.md: text, not an event log; strict leaves nothing out"}},
		{"backtest LOGS --seeds 1 --dry-run", cmdline.ExitDone, []string{"resource-profiles", "logs/app-2.zstd", last}},
		{"backtest LOGS --seeds 1", cmdline.ExitDone, []string{"resource-profiles", "logs/app-2.zstd", last}},
		{"backtest LOGS/app-2.zstd --seeds 1", cmdline.ExitDone, []string{"the recording stops before the application ended", "logs/app-2.zstd: has no end of the application"}},
		{"backtest LOGS/app-2.zstd --strict", cmdline.ExitBadInput, []string{"unexpected EOF"}},
		{"backtest LOGS --strict", cmdline.ExitBadInput, []string{"logs/README.md: text, not an event log"}},
		{"backtest LOGS --to 2026-11-21", cmdline.ExitBadInput, []string{"nothing to use among 7 files and recordings", "5 outside --from and --to"}},
	} {
		code, stdout, stderr := replay(t, strings.Fields(strings.ReplaceAll(tt.args, "LOGS", dir))...)
		if code != tt.code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", tt.args, code, tt.code, stdout, stderr)
		}
		for _, want := range tt.want {
			if !strings.Contains(stdout+stderr, want) || want == last && !strings.HasSuffix(stdout, last) && !strings.HasSuffix(stderr, last) {
				t.Errorf("%s: %q is not there, or not last\n%s%s", tt.args, want, stdout, stderr)
			}
		}
	}
	if data, err := os.ReadFile(filepath.Join(out, "import.json")); err != nil || !strings.Contains(string(data), `"path": "logs/README.md"`) {
		t.Errorf("import.json has not what was left out: %v", err)
	}
}

// What an import says of its cluster, of times with nothing in them, and of where applications ran.
func TestWelcome(t *testing.T) {
	log := importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd"
	yarn := importData + "spark-on-yarn/locality-wait-0s/eventlogs/application_1795247048320_0001_1.gz"
	reading := filepath.Join(t.TempDir(), "app-20261121064901-0000") // the log with tasks that read files, as otherwise no block is placed
	packed, err := codec.Open(log, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err == nil {
		err = os.WriteFile(reading, []byte(strings.ReplaceAll(string(text), `"Input Metrics":{"Bytes Read":0,`, `"Input Metrics":{"Bytes Read":1000,`)), 0o644)
	}
	if err := errors.Join(err, packed.Close()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		want []string
	}{
		{reading + " --blocks hdfs --nodes 4 --racks 2", []string{
			"cluster: 4 nodes of 64 GiB and 16 vcores in 2 racks; 4 hosts more in the table of nodes that are not part of it",
			"preferred hosts: blocks placed as HDFS does, 3 replicas each",
			"The application was not recorded on YARN but on standalone Spark, and is replayed as if on YARN",
			"import.json; trace ",
		}},
		{log + " --blocks hdfs --nodes 4", []string{"preferred hosts: none"}},
		{reading + " --blocks hdfs --nodes 2 --replication 99", []string{"blocks placed as HDFS does, 2 replicas each, one on each node, where 99 are asked for"}},
		{log + " --blocks none --nodes 1 --copies 2 --arrivals fixed:1h", []string{"submitted over 60.00 min, fixed:1h", "preferred hosts: none"}},
		{log + " " + yarn, []string{"those of the recording, at least so large: what ran on one at a time (--node-mem and --node-vcores say their size)\n", "1 of 2 applications were not recorded on YARN and are replayed as if on it: standalone Spark (1)"}},
		{yarn + " --node-mem 65536 --node-vcores 16", []string{" of 64 GiB and 16 vcores in 1 rack, those of the recording\n"}},
		{yarn, []string{"preferred hosts: inferred from where tasks ran", "submitted as recorded, on 2026-11-21\n"}},
	} {
		code, stdout, stderr := replay(t, append([]string{"import", "spark-eventlog", "--out", filepath.Join(t.TempDir(), "trace")}, strings.Fields(tt.args)...)...)
		if code != cmdline.ExitDone || strings.Count(stdout, "\n") > 10 {
			t.Errorf("%s: exit code %d\n%s%s", tt.args, code, stdout, stderr)
		}
		for _, want := range tt.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", tt.args, want, stdout)
			}
		}
		if tt.args == yarn && strings.Contains(stdout, "as if on") {
			t.Errorf("a recording of YARN is said to be of something else:\n%s", stdout)
		}
	}
}

// Applications that run a small part of the time that their submissions span: the import says what to do.
func TestQuietTimes(t *testing.T) {
	text := func(id string, at int) string {
		return strings.ReplaceAll(strings.ReplaceAll(tinyLog, "app-1", id), "1700000", fmt.Sprint(1700000+at))
	}
	for _, tt := range []struct {
		apart int // 1e6 ms
		said  bool
	}{{0, false}, {155_000, true}} {
		dir := t.TempDir()
		for i, id := range []string{"app-1", "app-2"} {
			if err := os.WriteFile(filepath.Join(dir, id), []byte(text(id, i*tt.apart)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := replay(t, "import", "spark-eventlog", dir, "--out", filepath.Join(t.TempDir(), "trace"))
		if said := strings.Contains(stdout, "submissions span 4.9 years and applications run 18.00 s of it: --arrivals poisson:30s lays them close together"); code != cmdline.ExitDone || said != tt.said {
			t.Errorf("%d apart: exit code %d\n%s%s", tt.apart, code, stdout, stderr)
		}
	}
}

// tinyLog is an application of one task on Kubernetes.
const tinyLog = `{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}
{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"k8s://host","spark.executor.cores":"2"}}
{"Event":"SparkListenerApplicationStart","App Name":"tiny","App ID":"app-1","Timestamp":1700000001000,"User":"u"}
{"Event":"SparkListenerExecutorAdded","Timestamp":1700000003000,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":2,"Log Urls":{}}}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1700000005000,"Stage Infos":[{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"count","Number of Tasks":1,"RDD Info":[],"Parent IDs":[]}],"Stage IDs":[0]}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"count","Number of Tasks":1,"RDD Info":[],"Parent IDs":[],"Submission Time":1700000005000}}
{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":0,"Index":0,"Partition ID":0,"Launch Time":1700000005100,"Executor ID":"1","Host":"h1","Locality":"ANY"}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":0,"Index":0,"Partition ID":0,"Launch Time":1700000005100,"Executor ID":"1","Host":"h1","Locality":"ANY","Finish Time":1700000006100},"Task Metrics":{"Executor Run Time":900}}
{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"count","Number of Tasks":1,"RDD Info":[],"Parent IDs":[],"Submission Time":1700000005000,"Completion Time":1700000006200}}
{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1700000006300,"Job Result":{"Result":"JobSucceeded"}}
{"Event":"SparkListenerApplicationEnd","Timestamp":1700000010000}
`

// Titles, texts and pages of a recording of Kubernetes say that it is replayed as if on YARN, and those of an
// application whose log has no end say that.
func TestRecordedElsewhere(t *testing.T) {
	dir, lines := t.TempDir(), strings.SplitAfter(tinyLog, "\n")
	log, trace, out := filepath.Join(dir, "app-1.inprogress"), filepath.Join(dir, "trace"), filepath.Join(dir, "out")
	if err := os.WriteFile(log, []byte(strings.Join(lines[:9], "")+lines[9][:30]), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"import", "spark-eventlog", log, "--name", "trace", "--out", trace},
		{"run", trace, "--out", out, "--formats", "none"},
		{"compare", trace, "--variant", "a:", "--variant", "b: --sharing drf", "--seeds", "1", "--out", out + "2", "--formats", "none"},
	} {
		code, stdout, stderr := replay(t, args...)
		if code != cmdline.ExitDone || !strings.Contains(stdout, "The application was not recorded on YARN but on Kubernetes, and is replayed as if on YARN") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	for file, want := range map[string][]string{
		out + "/summary.txt":  {"Replay of trace as if on YARN\n", "recording stops before it (1 in the source)"},
		out + "/report.html":  {"<title>Replay of trace as if on YARN</title>", "not recorded on YARN but on Kubernetes", "their times are lower bounds"},
		out + "2/report.html": {"<title>Comparison on trace as if on YARN</title>", "not recorded on YARN but on Kubernetes"},
	} {
		data, err := os.ReadFile(file)
		for _, w := range want {
			if !strings.Contains(string(data), w) {
				t.Errorf("%s (%v) has no %q", file, err, w)
			}
		}
	}
}
