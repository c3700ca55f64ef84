package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/outdir"
	"replay/report"
	"replay/report/result"
	"replay/trace"
)

// programFlags say which programs replay the sides of a diff.
func programFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "base-binary", Usage: "the program `FILE` that replays the TRACE first", DefaultText: "this program"},
		&cli.StringFlag{Name: "head-binary", Usage: "the program `FILE` that replays it second", DefaultText: "this program"},
		&cli.StringFlag{Name: "commits", Usage: "build both programs from `A..B`, commits of the git repository here, and let them replay the TRACE"},
	}
}

// ofPrograms are the names of these flags.
var ofPrograms = []string{"base-binary", "head-binary", "commits"}

// programs returns the sides of a diff of two programs, which write their decisions into a scratch directory.
func (p *program) programs(c *cli.Context, scratch *outdir.Partial) (sides [2]diffSide, err error) {
	if c.NArg() != 1 || c.IsSet("variant") {
		return sides, cmdline.Usagef("two programs replay one TRACE, with the flags of run that stand beside it")
	}
	if c.IsSet("commits") {
		if c.IsSet("base-binary") || c.IsSet("head-binary") {
			return sides, cmdline.Usagef("--commits builds both programs: give it, or the programs")
		}
		from, to, ok := strings.Cut(c.String("commits"), "..")
		if !ok || from == "" || to == "" || strings.HasPrefix(to, ".") {
			return sides, cmdline.Usagef("--commits is %q, want A..B", c.String("commits"))
		}
		for i, commit := range []string{from, to} {
			if sides[i].binary, err = built(c.Context, commit, scratch.Path(fmt.Sprint("program-", i))); err != nil {
				return sides, err
			}
			sides[i].name = commit
		}
	} else {
		self, err := os.Executable()
		if err != nil {
			return sides, err
		}
		for i, flag := range []string{"base-binary", "head-binary"} {
			if sides[i].binary, sides[i].name = c.String(flag), c.String(flag); !c.IsSet(flag) {
				sides[i].binary, sides[i].name = self, "this program"
			}
			if info, err := os.Stat(sides[i].binary); err != nil || info.IsDir() {
				return sides, cmdline.Usagef("--%s is %q, want a program", flag, sides[i].binary)
			}
		}
	}
	dir := c.Args().First()
	for i := range sides {
		s := &sides[i]
		s.trace, s.out = dir, scratch.Path(fmt.Sprint("result-", i))
		s.args = slices.Concat([]string{"run", dir}, silently, p.words.Without(slices.Concat(ofDiff, ofPrograms)), []string{"--decisions", "--formats", "none", "--allow-failures", "--out", s.out})
	}
	if sides[0].name == sides[1].name {
		sides[0].name, sides[1].name = "base", "head"
	}
	return sides, nil
}

// built builds the program of a commit of the repository in the working directory, in a clone of its own.
func built(ctx context.Context, commit, dir string) (string, error) {
	source, binary := filepath.Join(dir, "source"), filepath.Join(dir, "replay")
	root, err := output(ctx, "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	hash, err := output(ctx, "", "git", "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}")
	if err != nil {
		return "", cmdline.Usagef("--commits: there is no commit %q here", commit)
	}
	for _, step := range [][]string{
		{"git", "-c", "core.hooksPath=/dev/null", "clone", "--quiet", "--shared", "--no-checkout", strings.TrimSpace(root), source},
		{"git", "-c", "core.hooksPath=/dev/null", "-C", source, "checkout", "--quiet", "--detach", strings.TrimSpace(hash)},
	} {
		if _, err := output(ctx, "", step...); err != nil {
			return "", err
		}
	}
	_, err = output(ctx, source, "go", "build", "-o", binary, "./cmd/replay")
	return binary, err
}

// output runs a program in a directory and returns what it prints. The error has what it complains of.
func output(ctx context.Context, dir string, words ...string) (string, error) {
	run := exec.CommandContext(ctx, words[0], words[1:]...)
	run.Dir = dir
	var complaint bytes.Buffer
	run.Stderr = &complaint
	b, err := run.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(words[:min(len(words), 3)], " "), err, strings.TrimSpace(complaint.String()))
	}
	return string(b), err
}

// replayBy lets another program replay, and gives what it decided to the tap.
func (s *diffSide) replayBy(ctx context.Context, t *tap) error {
	if _, err := output(ctx, "", append([]string{s.binary}, s.args...)...); err != nil {
		return err
	}
	r, err := report.Open(s.out)
	if err != nil {
		return err
	}
	t.result = r
	tr, err := trace.Open(s.trace)
	if err != nil {
		return err
	}
	t.nodes = tr.Nodes
	return errors.Join(tr.Close(), result.Decisions(s.out, func(d *record.Decision) error {
		t.add(d)
		return ctx.Err()
	}))
}
