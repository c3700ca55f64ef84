package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"replay/bench/cases"
)

// A peer is a program that can run W1. Its command takes a load and a number of tasks, and its last line is what [cases.Bare] says of them.
type peer struct {
	key, name string
	install   func(ctx context.Context, dir string) (command []string, err error) // into dir, from public registries
}

var peers = []peer{
	{"bare", "bare loop", own("bare")},
	{"replay", "`--scheduler ideal`", own("ideal")},
	{"simcore", "SimCore 0.1", func(ctx context.Context, dir string) ([]string, error) {
		return []string{filepath.Join(dir, "release/w1")}, call(ctx, "cargo", "build", "-q", "--release", "--locked", "--manifest-path", here("simcore/Cargo.toml"), "--target-dir", dir)
	}},
	{"simgrid", "SimGrid 3.32", func(ctx context.Context, dir string) ([]string, error) {
		driver := filepath.Join(dir, "w1")
		build := []string{"g++", "-O2", "-std=c++17", "-o", driver, here("simgrid/w1.cpp"), "-lsimgrid"}
		err := call(ctx, build...)
		if err != nil && os.Geteuid() == 0 {
			err = errors.Join(call(ctx, "apt-get", "install", "-y", "-q", "--no-install-recommends", "libsimgrid-dev"), call(ctx, build...))
		}
		return []string{driver, "--log=root.thres:error"}, err
	}},
	{"simpy", "SimPy 4.1", python("simpy==4.1.1", "simpy_w1.py")},
	{"cloudsim", "CloudSim Plus 8.5", func(ctx context.Context, dir string) ([]string, error) {
		lib := filepath.Join(dir, "lib")
		err := jars(ctx, here("cloudsim"), lib)
		if err == nil {
			err = call(ctx, "javac", "-cp", lib+"/*", "-d", dir, here("cloudsim/W1.java"))
		}
		return []string{"java", "-XX:+UseSerialGC", "-cp", dir + string(filepath.ListSeparator) + lib + "/*", "W1"}, err
	}},
	{"accasim", "AccaSim 1.1.3", python("accasim==1.1.3", "accasim_w1.py")},
}

// here is where a file of this directory is, from that of the module.
func here(name string) string { return filepath.Join("bench/peers", name) }

// own installs this project's side of the comparison.
func own(mode string) func(context.Context, string) ([]string, error) {
	return func(ctx context.Context, dir string) ([]string, error) {
		program := filepath.Join(dir, "w1")
		return []string{program, mode}, call(ctx, "go", "build", "-o", program, "./"+here("w1"))
	}
}

// python installs a package of PyPI for a driver.
func python(requirement, driver string) func(context.Context, string) ([]string, error) {
	return func(ctx context.Context, dir string) ([]string, error) {
		err := call(ctx, "python3", "-m", "venv", dir)
		if err == nil {
			err = call(ctx, filepath.Join(dir, "bin/pip"), "install", "-q", requirement)
		}
		return []string{filepath.Join(dir, "bin/python"), here(driver)}, err
	}
}

// jars copies what a project of Maven needs to run to lib.
func jars(ctx context.Context, project, lib string) error {
	return call(ctx, "mvn", "-q", "-B", "-f", filepath.Join(project, "pom.xml"), "dependency:copy-dependencies", "-DoutputDirectory="+lib, "-DincludeScope=runtime")
}

// call runs a command that installs something; its error has why.
func call(ctx context.Context, words ...string) error {
	said, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(words[0]), err, why(string(said)))
	}
	return nil
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// why is the first line that speaks of an error in what a program said, else the last.
func why(said string) string {
	said = colours.ReplaceAllString(said, "")
	for line := range strings.Lines(said) {
		if strings.Contains(strings.ToLower(line), "error") {
			return strings.TrimSpace(line)
		}
	}
	return lastLine(said)
}

// compare prints a table of peers at each load. What can't be had or comes to no end has a row that says so.
func (o *options) compare(ctx context.Context, w io.Writer, peers []peer) error {
	commands := map[string][]string{}
	missing := map[string]string{}
	for _, p := range peers {
		dir, err := o.place(p.key)
		if err != nil {
			return err
		}
		command, err := p.install(ctx, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			missing[p.key] = "not installed: " + strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		commands[p.key] = command
	}
	for _, load := range o.loads {
		want := cases.W1{Load: load, Tasks: o.tasks}.Bare().String()
		share := ""
		if o.tasks != wholeW1 {
			share = fmt.Sprintf(", the first %d of its %d tasks", o.tasks, wholeW1)
		}
		if _, err := fmt.Fprintf(w, "\nW1 at load %v%s: %s\n\n| | CPU | tasks a CPU second | peak memory | answer |\n|---|---|---|---|---|\n", load, share, want); err != nil {
			return err
		}
		for _, p := range peers {
			var c cost
			verdict := missing[p.key]
			if verdict == "" {
				var err error
				if c, err = run(ctx, o.limit, "", append(append([]string{}, commands[p.key]...), fmt.Sprint(load), strconv.Itoa(o.tasks))...); err != nil {
					return err
				}
				verdict = judge(c, want)
			}
			if _, err := fmt.Fprintf(w, "| %s | %s | %s |\n", p.name, figures(c, o.tasks), verdict); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge tells whether a peer's answer is the true one.
func judge(c cost, want string) string {
	switch got := lastLine(c.output); {
	case c.failed != "":
		return c.failed
	case got == want:
		return "right"
	case got == "":
		return "none"
	default:
		return "wrong: " + got
	}
}

// figures are the columns of what a process took: of one that did not end, its rate is not known.
func figures(c cost, tasks int) string {
	if c.cpu == 0 {
		return "– | – | –"
	}
	rate, peak := "–", "–"
	if c.failed == "" {
		rate = significant(float64(tasks) / c.cpu.Seconds())
	}
	if c.peak > 0 {
		peak = fmt.Sprintf("%.0f MB", float64(c.peak)/1e6)
	}
	return fmt.Sprintf("%.2f s | %s | %s", c.cpu.Seconds(), rate, peak)
}

// significant rounds a rate to two digits and sets a comma before each three.
func significant(rate float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(rate, 'e', 1, 64), 64)
	if err != nil {
		panic(err) // it was a number
	}
	text := strconv.FormatFloat(rounded, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
