package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/live/livetest"
	"replay/trace"
)

const recordedApp = "application_1795247048320_0001"

// recordedCluster is a small cluster with an application of Spark whose log is a real one.
func recordedCluster(t *testing.T) *livetest.Cluster {
	c := livetest.Started(t)
	log, err := os.ReadFile("../../../trace/importer/testdata/spark-on-yarn/locality-wait-0s/eventlogs/" + recordedApp + "_1.gz")
	if err != nil {
		t.Fatal(err)
	}
	c.Logs[recordedApp] = map[string][]byte{recordedApp + "_1.gz": log}
	c.Nodes = nil
	for _, n := range []string{"node01", "node02", "node03", "node04", "node05", "node06", "node07", "node08"} {
		c.Nodes = append(c.Nodes, livetest.Node(n, "/rack"+n[5:], "RUNNING", 8192, 8))
	}
	c.Apps = []map[string]any{livetest.App(recordedApp, "wait-0s", "ann", "root.etl", "FINISHED", 1795247055446, 1795247055960, 1795247087539)}
	return c
}

// done runs a command line that must succeed.
func done(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := replay(t, args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d, %s", args, code, stderr)
	}
	return stdout, stderr
}

// What is recorded of a cluster is imported and backtested as it is.
func TestRecordImportBacktest(t *testing.T) {
	c, dir := recordedCluster(t), t.TempDir()
	rec, tr := filepath.Join(dir, "rec"), filepath.Join(dir, "trace")
	out, stderr := done(t, "record", "--rm", c.URL, "--history", c.URL, "--once", "--out", rec)
	for _, want := range []string{"8 nodes", "1 application, 1 SPARK; 1 with event logs", "1 application submitted before the first poll: nodes are taken to have been there since"} {
		if !strings.Contains(out, want) {
			t.Errorf("record says\n%s\nwant %s", out, want)
		}
	}
	if stderr != "" {
		t.Errorf("stderr has %s", stderr)
	}
	done(t, "import", "auto", rec, "--out", tr)
	done(t, "trace", "check", tr)
	opened, err := trace.Open(tr)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	var jobs []*trace.Job
	for j, err := range trace.All(opened.Jobs()) {
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	if len(jobs) != 1 || opened.OriginUnixMS+jobs[0].SubmitMS != 1795247055446 || opened.OriginUnixMS+jobs[0].RecordedFinishMS != 1795247087539 || jobs[0].RecordedOutcome != "success" {
		t.Errorf("jobs are %+v from %d on", jobs, opened.OriginUnixMS)
	}
	out, _ = done(t, "backtest", rec)
	if !strings.Contains(out, "rec wait-0s") || !strings.Contains(out, "containers node-local               –") || strings.Contains(out, "executor time                       0 s") {
		t.Errorf("backtest says\n%s\nwant the application, no levels of containers, which were not recorded, and the executors of its log", out)
	}
	out, _ = done(t, "record", "--rm", c.URL, "--history", c.URL, "--once", "--out", rec, "--json")
	var again struct {
		Polls struct{ Count int }
	}
	if err := json.Unmarshal([]byte(out), &again); err != nil || again.Polls.Count != 2 {
		t.Errorf("%v, %+v of %s", err, again, out)
	}
}
