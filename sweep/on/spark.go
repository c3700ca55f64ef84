package on

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"replay/outdir"
)

// Spark replays cells as the tasks of one Spark job. The program goes to the executors with the job; the directory, in which the plan is, and the traces must be
// where they are on all machines.
type Spark struct {
	Submit  string   // path or name of spark-submit
	Program string   // path of this program
	Plan    string   // absolute path
	Dir     string   // absolute path of the sweep
	Options []string // of spark-submit
}

// sparkFolder is where a sweep's directory has the script and the lists of cells.
const sparkFolder = ".spark"

//go:embed spark.py
var sparkScript []byte

// Run submits a job with a task for each part and waits for it. What spark-submit prints goes to log.
func (s *Spark) Run(ctx context.Context, parts [][]string, log io.Writer) error {
	dir := filepath.Join(s.Dir, sparkFolder)
	out, err := outdir.Begin(dir)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := errors.Join(writeParts(0, out.WriteFile, parts), out.WriteFile("sweep.py", sparkScript)); err != nil {
		return err
	}
	if err := out.Install(); err != nil {
		return err
	}
	words := append([]string{"--name", "replay-sweep"}, s.Options...)
	words = append(words, "--files", s.Program, filepath.Join(dir, "sweep.py"), filepath.Base(s.Program), s.Plan, s.Dir, dir, fmt.Sprint(len(parts)))
	c := exec.CommandContext(ctx, s.Submit, words...)
	c.Stdout, c.Stderr = log, log
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) } // which ends the job, too
	err = c.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s is not there: --spark-submit says where Spark's is", s.Submit)
	case err != nil:
		return fmt.Errorf("%s %s: %w; the same command goes on with what is missing", s.Submit, strings.Join(words, " "), err)
	}
	return nil
}

// writeParts writes the lists of cells, cells-N and so on from the first N.
func writeParts(first int, write func(name string, text []byte) error, parts [][]string) error {
	for i, ids := range parts {
		if err := write(fmt.Sprintf("cells-%d", first+i), []byte(strings.Join(ids, "\n")+"\n")); err != nil {
			return err
		}
	}
	return nil
}
