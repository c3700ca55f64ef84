// Package on hands the cells of a sweep to engines that run work on many machines, a file for each.
package on

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Slurm runs cells as a job array, and merges them by a job after it. The directory, in which the plan is, the traces and the program must be
// where they are on all machines.
type Slurm struct {
	Program  string   // path of this program
	Plan     string   // absolute path
	Dir      string   // absolute path of the sweep
	Throttle int      // array tasks at once, 0 for as many as Slurm gives
	Options  []string // of sbatch, for the array
}

// folder is where a sweep's directory has what an engine needs: scripts, lists of cells, and what its tasks print.
const folder = ".slurm"

// Submit writes a list of cells for each part and the scripts, and submits both jobs. Cells that are there by the time are not
// replayed again, so a task may be requeued, and the same call with what is missing resumes.
func (s *Slurm) Submit(ctx context.Context, parts [][]string) (array, merge string, err error) {
	dir := filepath.Join(s.Dir, folder)
	if err := os.RemoveAll(dir); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", "", err
	}
	write := func(name string, text []byte) error { return os.WriteFile(filepath.Join(dir, name), text, 0o644) }
	if err := writeParts(1, write, parts); err != nil {
		return "", "", err
	}
	scripts := map[string]string{"array.sh": s.array(), "merge.sh": s.merge()}
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			return "", "", err
		}
	}
	indices := fmt.Sprintf("1-%d", len(parts))
	if s.Throttle > 0 {
		indices += fmt.Sprintf("%%%d", s.Throttle)
	}
	words := append([]string{"--parsable", "--requeue", "--job-name=replay-sweep", "--array=" + indices, "--output=" + filepath.Join(dir, "%A_%a.out")}, s.Options...)
	if array, err = sbatch(ctx, append(words, filepath.Join(dir, "array.sh"))...); err != nil {
		return "", "", err
	}
	merge, err = sbatch(ctx, "--parsable", "--job-name=replay-merge", "--dependency=afterok:"+array, "--kill-on-invalid-dep=yes", "--output="+filepath.Join(dir, "merge.out"), filepath.Join(dir, "merge.sh"))
	return array, merge, err
}

func (s *Slurm) array() string {
	return "#!/bin/sh\n# The cells of one task of the array. A task that is lost or fails may run again.\nexec " + quoted(s.Program, "sweep", "run", s.Plan, "--out", s.Dir) +
		" --jobs \"${SLURM_CPUS_PER_TASK:-1}\" --cells " + quoted(filepath.Join(s.Dir, folder, "cells-")) + "\"$SLURM_ARRAY_TASK_ID\"\n"
}

func (s *Slurm) merge() string {
	return "#!/bin/sh\nexec " + quoted(s.Program, "sweep", "merge", s.Dir) + "\n"
}

// sbatch submits and returns the number of the job.
func sbatch(ctx context.Context, words ...string) (string, error) {
	var out, stderr bytes.Buffer
	c := exec.CommandContext(ctx, "sbatch", words...)
	c.Stdout, c.Stderr = &out, &stderr
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", errors.New("sbatch is not in the path: --on slurm submits from a machine of the cluster")
		}
		return "", fmt.Errorf("sbatch %s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(stderr.String()))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out.String()), ";") // with the name of the cluster behind it
	return id, nil
}

// quoted returns words for a shell.
func quoted(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(out, " ")
}
