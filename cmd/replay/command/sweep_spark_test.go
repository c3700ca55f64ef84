package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// sparkSubmit stands in for Spark's: it notes its words and runs the script with a Spark of one process.
const sparkSubmit = `#!/bin/sh
echo "$@" >"$SPARK_WORDS"
while [ "${1%/sweep.py}" = "$1" ]; do
	[ "$1" = --files ] && export SPARK_FILES="$2"
	shift
done
export REPLAY_PROCESS=1 PYTHONPATH="$(dirname "$0")"
exec python3 "$@"
`

// pyspark stands in for Spark's: a task is lost once after it has run, and runs again, as one whose executor is lost.
const pyspark = `
import os
class SparkFiles:
    def get(name):
        assert os.path.basename(os.environ["SPARK_FILES"]) == name, name
        return os.environ["SPARK_FILES"]
class SparkContext:
    def getConf(self): return {}
    def stop(self): pass
    def parallelize(self, parts, n):
        assert len(parts) == n
        self.parts = parts
        return self
    def map(self, f):
        self.f = f
        return self
    def collect(self):
        self.f(self.parts[0])
        return [self.f(part) for part in self.parts[: int(os.environ["SPARK_TASKS"])]]
`

// A sweep on Spark is a job with a task for each list of cells; what is missing after it goes on by the same command, to the bytes of one machine.
func TestSweepOnSpark(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3, in which the script of the Spark job is")
	}
	dir := sweepDir(t, smallPlan)
	fairFile(t, "")
	must(t, "sweep", "in/plan.yaml", "--out", "alone", "-q")
	for name, text := range map[string]string{"spark-submit": sparkSubmit, "pyspark.py": pyspark} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SPARK_WORDS", filepath.Join(dir, "words"))
	on := []string{"sweep", "in/plan.yaml", "--out", "s", "--on", "spark", "--shards", "4", "--spark-submit", dir + "/spark-submit", "--spark", "--master yarn --conf 'spark.x=a b'"}
	t.Setenv("SPARK_TASKS", "3") // of 4: a job that ends too early
	if code, _, stderr := cmd(t, on...); code != cmdline.ExitFailed || !strings.Contains(stderr, "3 of 12 cells are missing") {
		t.Errorf("after three of four tasks: exit %d, %s", code, stderr)
	}
	words, err := os.ReadFile("words")
	if err != nil || !strings.Contains(string(words), "--master yarn --conf spark.x=a b --files ") {
		t.Errorf("spark-submit got %s (%v)", words, err)
	}
	if code, _, stderr := cmd(t, on...); code != cmdline.ExitDone || !strings.Contains(stderr, "3 cells in 3 tasks of a Spark job") {
		t.Errorf("again: exit %d, %s", code, stderr)
	}
	if !sameFiles(files(t, "s/merged"), files(t, "alone/merged")) {
		t.Error("merged after the Spark job are other bytes than those of one machine")
	}
	fairFile(t, "<queue name='c'/>")
	if err := os.WriteFile("spark-submit", []byte("#!/bin/sh\necho no cluster >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := cmd(t, on...); code == cmdline.ExitDone || !strings.Contains(stderr, "no cluster") || !strings.Contains(stderr, "the same command goes on") {
		t.Errorf("without a cluster: exit %d, %s", code, stderr)
	}
	for _, tt := range []struct{ args, want string }{
		{"--on spark --spark=--files=x", "--spark has --files"},
		{"--spark-submit x", "--spark-submit wants --on spark"},
	} {
		if code, _, stderr := cmd(t, append([]string{"sweep", "in/plan.yaml", "--out", "t"}, strings.Fields(tt.args)...)...); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %s", tt.args, code, stderr)
		}
	}
}
