package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"replay/outdir"
)

// verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"
	survived verdict = "SURVIVED"
	timedOut verdict = "timed out"
	notBuilt verdict = "no build"
)

// maxMemory is the address space that a process under test may have, in KiB: a mutant may allocate without end.
const maxMemory = 12 << 20

const changedFile = "changed.go"

// A trial runs tests of changed sources.
type trial struct {
	ctx     context.Context
	root    string
	run     string // the names of tests that are run, as go test -run has it
	short   bool
	dir     string                   // of overlays
	close   func()                   // removes it
	timeout map[string]time.Duration // by package pattern or compiled tests, from a run of the source as it is
}

func newTrial(ctx context.Context, root, run string, short bool) (*trial, error) {
	scratch, err := outdir.Scratch("replay-mutate")
	if err != nil {
		return nil, err
	}
	return &trial{ctx: ctx, root: root, run: run, short: short, dir: scratch.Path(""), close: scratch.Abort, timeout: map[string]time.Duration{}}, nil
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// try runs the packages of a mutant's tests in turn until one fails; why names the test.
func (t *trial) try(m *mutant) (v verdict, why string, err error) {
	overlay, err := t.overlay(m)
	if err != nil {
		return "", "", err
	}
	for _, p := range m.tests {
		if err := t.measure(p); err != nil {
			return "", "", err
		}
		out, err := t.test(p, "-overlay", overlay)
		if t.ctx.Err() != nil {
			return "", "", t.ctx.Err()
		}
		if err == nil {
			continue
		}
		switch {
		case bytes.Contains(out, []byte("panic: test timed out")):
			return timedOut, p, nil
		case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
			return notBuilt, t.firstError(m, out), nil
		}
		return killed, p + " " + firstFailure(out), nil
	}
	return survived, strings.Join(m.tests, " "), nil
}

// measure runs the tests of the source as it is, once for each pattern: they must pass, and a mutant may take several times as long.
func (t *trial) measure(pattern string) error {
	if _, ok := t.timeout[pattern]; ok {
		return nil
	}
	t.timeout[pattern] = time.Hour
	start := time.Now()
	if out, err := t.test(pattern, "-count=1"); err != nil {
		return fmt.Errorf("%s: tests fail without a mutation: %w\n%s", pattern, err, out)
	}
	t.timeout[pattern] = 30*time.Second + 5*time.Since(start)
	return nil
}

func (t *trial) overlay(m *mutant) (string, error) {
	changed, list := filepath.Join(t.dir, changedFile), filepath.Join(t.dir, "overlay.json")
	replace := map[string]map[string]string{"Replace": {filepath.Join(t.root, filepath.FromSlash(m.file)): changed}}
	text, err := json.Marshal(replace)
	if err != nil {
		return "", err
	}
	return list, errors.Join(os.WriteFile(changed, m.text, 0o644), os.WriteFile(list, text, 0o644))
}

func (t *trial) test(pattern string, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-vet=off", "-ldflags=-w", "-failfast", "-run=" + t.run, fmt.Sprintf("-short=%v", t.short), "-timeout", t.timeout[pattern].String()}, flags...)
	return t.command("go", append(args, pattern)...)
}

// command runs a program with bounded memory. Golden vectors and recordings named by the environment are left out:
// what kills a mutant is in the checkout.
func (t *trial) command(name string, args ...string) ([]byte, error) {
	return t.limited(name, args...).CombinedOutput()
}

func (t *trial) limited(name string, args ...string) *exec.Cmd {
	limited := append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, maxMemory), name}, args...)
	c := exec.CommandContext(t.ctx, "sh", limited...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.Dir = t.root
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "REPLAY_") {
			c.Env = append(c.Env, v)
		}
	}
	return c
}

var (
	failure    = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	panicking  = regexp.MustCompile(`(?m)^panic: .*`)
	buildError = regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*`)
)

// firstFailure names the tests that failed, from the outermost to the first one inside it, and the panic if it was one.
func firstFailure(out []byte) string {
	var names []string
	for _, f := range failure.FindAllSubmatch(out, -1) {
		if n := string(f[1]); len(names) == 0 || strings.HasPrefix(n, names[len(names)-1]+"/") {
			names = append(names, n)
		}
	}
	name := "a test"
	if len(names) > 0 {
		name = names[len(names)-1]
	}
	if p := panicking.Find(out); p != nil {
		name += ", " + oneLine(string(p))
	}
	return name
}

// firstError is what the compiler says first, under the name of the file that is changed.
func (t *trial) firstError(m *mutant, out []byte) string {
	if e := buildError.Find(out); e != nil {
		return strings.Replace(string(e), filepath.Join(t.dir, changedFile), m.file, 1)
	}
	return oneLine(string(out))
}
