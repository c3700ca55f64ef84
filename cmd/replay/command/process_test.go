package command

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"replay/cmd/replay/cmdline"
	"replay/policy"
)

// full is a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// A command whose output cannot be written fails, whichever it is.
func TestOutputIsWritten(t *testing.T) {
	dir := t.TempDir()
	result, trace := filepath.Join(dir, "r"), filepath.Join("..", "..", "..", "traces", "fair-weights")
	var stderr bytes.Buffer
	if code := Run(t.Context(), []string{"replay", "run", trace, "--quiet", "--formats", "svg", "--out", result}, &bytes.Buffer{}, &stderr, policy.Tables{}); code != cmdline.ExitDone {
		t.Fatal(stderr.String())
	}
	for _, line := range []string{
		"--help", "help run", "version", "man", "completion bash",
		"run " + trace, "run " + trace + " --json", "run --from " + result + "/run.json " + trace,
		"compare " + trace + " --seeds 2 --variant a: --variant b:--sharing=drf",
		"report " + result, "report " + result + " --json",
		"gen uniform-micro --jobs 2 --out " + dir + "/g",
		"trace info " + trace, "trace check " + trace, "trace check " + trace + " --json",
		"import spark-eventlog ../../../trace/importer/testdata/spark-eventlog --dry-run",
		"conform ../../../bench/conform/testdata/recorded-locality-thresholds",
	} {
		stderr.Reset()
		code := Run(t.Context(), append([]string{"replay"}, strings.Fields(line)...), full{}, &stderr, policy.Tables{})
		if code == cmdline.ExitDone || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: exit code %d, and on stderr %q", line, code, stderr.String())
		}
	}
}

// The process says so, too, and signals end it: the first soon and cleanly, with nothing left behind.
func TestProcess(t *testing.T) {
	if device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		defer device.Close()
		cmd := process("version")
		cmd.Stdout = device
		if err := cmd.Run(); err == nil {
			t.Error("version > /dev/full exits 0")
		}
	}
	ending := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as the tests are under nohup, and then what they start
		ending = append(ending, syscall.SIGHUP)
	}
	for _, sig := range ending {
		parent := t.TempDir()
		cmd := process("gen", "tpch-mixed", "--jobs", "20000", "--out", filepath.Join(parent, "t"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for len(left(t, parent)) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != cmdline.ExitStopped || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: %v, %s", sig, err, stderr.String())
		}
		if l := left(t, parent); len(l) > 0 {
			t.Errorf("%v: %v is left", sig, l)
		}
	}
}

// left lists what is in a directory.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Names that steer a terminal are shown, not obeyed, on both outputs.
func TestNamesAreShown(t *testing.T) {
	name := "evil\x1b]0;t\a\u202e"
	code, stdout, stderr := replay(t, "run", name)
	if code == cmdline.ExitDone || strings.ContainsAny(stdout+stderr, "\x1b\a\u202e") || !strings.Contains(stderr, `evil\u001b]0;t\u0007\u202e`) {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}
