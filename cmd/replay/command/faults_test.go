package command

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"replay/cmd/replay/cmdline"
	"replay/policy"
)

// TestMain makes the binary of the tests the program itself for those that want a process. REPLAY_DISK is how many bytes
// each file that it writes may have.
func TestMain(m *testing.M) {
	if os.Getenv("REPLAY_PROCESS") == "" {
		os.Exit(m.Run())
	}
	if bytes, err := strconv.ParseUint(os.Getenv("REPLAY_DISK"), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ) // a write that goes further fails, as on a full disk
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
			panic(err)
		}
	}
	os.Exit(Main(policy.Tables{}))
}

// process is the program with these words, to be started.
func process(words ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], words...)
	cmd.Env = append(os.Environ(), "REPLAY_PROCESS=1")
	return cmd
}

// writing is every command that takes its time or writes, on more input than it gets to the end of in a moment where it can.
// OUT is for its output, TRACE and RESULT were made before.
var writing = []string{
	"gen tpch-mixed --jobs 200000 --out OUT/t",
	"import spark-eventlog ../../../trace/importer/testdata/spark-eventlog/eventlogs --copies 100000 --out OUT/t",
	"run TRACE --load 0.01 --formats none --out OUT/r",
	"compare TRACE --seeds 10000 --formats none --results --variant a: --variant b:--sharing=drf --out OUT/c",
	"backtest ../../../trace/importer/testdata/spark-eventlog/eventlogs/app-20261121064901-0000.zstd --seeds 1000 --formats none --out OUT/b",
	"report RESULT --formats svg --out OUT/p",
	"report --compare RESULT RESULT2 --formats svg --out OUT/k",
	"bench TRACE --count 3 --least 1ms --save OUT/b.json",
	"conform ../../../bench/conform/testdata/spark --report OUT/c.md",
	"trace info TRACE --plot OUT/p.svg",
	"trace check TRACE",
	"report check RESULT",
}

// A fault is a place in which commands are run as processes.
type fault struct {
	dir, out, temporary string
	lines               [][]string // of [writing]
}

func newFault(t *testing.T, jobs string) *fault {
	f := &fault{dir: t.TempDir()}
	f.out, f.temporary = filepath.Join(f.dir, "out"), filepath.Join(f.dir, "temporary")
	trace, result := filepath.Join(f.dir, "trace"), filepath.Join(f.dir, "result")
	must(t, "gen", "uniform-micro", "--jobs", jobs, "--nodes", "4", "--out", trace)
	for i, to := range []string{result, result + "2"} {
		must(t, "run", traces+"fair-weights", "--seed", strconv.Itoa(i), "--quiet", "--formats", "none", "--out", to)
	}
	if err := os.Mkdir(f.temporary, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range writing {
		f.lines = append(f.lines, strings.Fields(strings.NewReplacer("OUT", f.out, "TRACE", trace, "RESULT", result).Replace(line)))
	}
	return f
}

// start makes the command of a line ready; env is beside that of the tests.
func (f *fault) start(t *testing.T, line []string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	for _, dir := range []string{f.out, f.temporary} {
		if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := process(append(line, "--quiet")...)
	cmd.Env = append(append(cmd.Env, "TMPDIR="+f.temporary), env...)
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	return cmd, stderr
}

// empty reports what is left of a command that was not to write.
func (f *fault) empty(t *testing.T, line []string) {
	t.Helper()
	for _, dir := range []string{f.out, f.temporary} {
		if l := left(t, dir); len(l) > 0 {
			t.Errorf("%q: %v is left in %s", line, l, dir)
		}
	}
}

// Every command ends at a signal, with nothing left behind, and at once at a second one.
func TestSignals(t *testing.T) {
	f := newFault(t, "2000")
	for i, line := range f.lines {
		signals := [][]os.Signal{{syscall.SIGTERM}, {os.Interrupt, os.Interrupt}}[i%2]
		cmd, stderr := f.start(t, line)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		for _, s := range signals {
			cmd.Process.Signal(s) // it may have ended
			time.Sleep(time.Millisecond)
		}
		err := cmd.Wait()
		state := cmd.ProcessState.Sys().(syscall.WaitStatus)
		switch {
		case err == nil: // it was fast
			continue
		case state.Signaled() && stderr.Len() == 0: // it had not begun
		case state.ExitStatus() != cmdline.ExitStopped || !strings.Contains(stderr.String(), "interrupted"):
			t.Errorf("%q: %v, %s; want exit code %d", line, err, stderr, cmdline.ExitStopped)
		}
		if l := left(t, f.out); len(l) == 1 && l[0] == filepath.Base(line[len(line)-1]) { // it was put in its place before the signal came, whole
			if err := os.RemoveAll(filepath.Join(f.out, l[0])); err != nil {
				t.Fatal(err)
			}
		}
		f.empty(t, line)
	}
}

// A disk that is full is an error that names the file, and nothing of the output is there.
func TestFullDisk(t *testing.T) {
	f := newFault(t, "20")
	for _, line := range f.lines {
		if !strings.Contains(strings.Join(line, " "), f.out) {
			continue
		}
		for i, word := range line { // they are to get to their writing soon
			if n, err := strconv.Atoi(word); err == nil && n > 5 {
				line[i] = "5"
			}
		}
		t.Run(line[0], func(t *testing.T) {
			t.Parallel()
			own := *f // with outputs of its own
			own.out, own.temporary = filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "temporary")
			line := slices.Clone(line)
			for i := range line {
				line[i] = strings.ReplaceAll(line[i], f.out, own.out)
			}
			cmd, stderr := own.start(t, line, "REPLAY_DISK=200")
			err := cmd.Run()
			if cmd.ProcessState.ExitCode() != cmdline.ExitBadInput || !strings.Contains(stderr.String(), "file too large") {
				t.Errorf("%q: %v, %s; want exit code %d", line, err, stderr, cmdline.ExitBadInput)
			}
			own.empty(t, line)
		})
	}
}

// Outputs below what is no folder, in one that cannot be written, or on a disk that is read-only, are refused, and so is a folder for temporary files that is not there.
func TestNowhereToWrite(t *testing.T) {
	f := newFault(t, "4")
	locked := filepath.Join(f.dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	disk := readOnlyDisk(t)
	for _, line := range f.lines {
		words := strings.Join(line, " ")
		if !strings.Contains(words, f.out) {
			continue
		}
		places := []string{filepath.Join(f.dir, "trace", "trace.json")}
		if os.Getuid() != 0 {
			places = append(places, locked)
		}
		if disk != "" && !testing.Short() {
			places = append(places, disk)
		}
		for _, place := range places {
			code, _, stderr := cmd(t, strings.Fields(strings.NewReplacer(f.out, place, "00000 ", " ", " 10000 ", " 2 ", " 1000 ", " 2 ").Replace(words))...)
			if code != cmdline.ExitBadInput || !strings.Contains(stderr, place) {
				t.Errorf("%s below %s: exit code %d, %s", words, place, code, stderr)
			}
		}
		if line[0] == "backtest" { // a small import makes no temporary file
			t.Setenv("TMPDIR", filepath.Join(f.dir, "none"))
			code, _, stderr := cmd(t, strings.Fields(strings.NewReplacer("00000 ", " ", " 10000 ", " 2 ", " 1000 ", " 2 ").Replace(words))...)
			if code != cmdline.ExitBadInput || !strings.Contains(stderr, "TMPDIR says: want a folder there") {
				t.Errorf("%s without TMPDIR: exit code %d, %s", words, code, stderr)
			}
			t.Setenv("TMPDIR", f.temporary)
		}
	}
}
