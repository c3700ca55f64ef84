package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// sbatch stands in for Slurm's: it notes its words, runs the tasks of an array or a job at once, and prints a job's number. Task LOST never runs.
const sbatch = `#!/bin/sh
echo "$@" >>"$SBATCH_WORDS"
for script; do :; done
export REPLAY_PROCESS=1
case "$*" in
*--array=1-*)
	n=${*##*--array=1-} n=${n%%[% ]*} i=1
	while [ $i -le $n ]; do
		[ $i = "$LOST" ] || SLURM_ARRAY_TASK_ID=$i sh "$script" >&2 || exit 1
		i=$((i + 1))
	done ;;
*) [ -n "$LOST" ] || sh "$script" >&2 || exit 1 ;;
esac
echo "17;cluster"
`

// A sweep on Slurm is a job array and a job after it; after a lost task the same command submits what is missing, and the merged bytes are those of one machine.
func TestSweepOnSlurm(t *testing.T) {
	sweepDir(t, smallPlan)
	fairFile(t, "")
	must(t, "sweep", "in/plan.yaml", "--out", "alone", "-q")
	if err := os.WriteFile("sbatch", []byte(sbatch), 0o755); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", here+":"+os.Getenv("PATH"))
	t.Setenv("SBATCH_WORDS", filepath.Join(here, "words"))
	on := []string{"sweep", "in/plan.yaml", "--out", "s", "--on", "slurm", "--shards", "4", "--throttle", "2", "--sbatch", "--partition=short --comment='a b'"}
	t.Setenv("LOST", "2")
	if out := must(t, on...); !strings.Contains(out, "12 cells in 4 tasks of job array 17") {
		t.Errorf("it says %q", out)
	}
	words, err := os.ReadFile("words")
	if err != nil || !strings.Contains(string(words), "--array=1-4%2") || !strings.Contains(string(words), "--partition=short --comment=a b") || !strings.Contains(string(words), "--dependency=afterok:17") {
		t.Errorf("sbatch got %s (%v)", words, err)
	}
	t.Setenv("LOST", "")
	if out := must(t, append(on, "--json")...); !strings.Contains(out, `"cells": 3`) {
		t.Errorf("after a lost task it says %s", out)
	}
	want, got := files(t, "alone/merged"), files(t, "s/merged")
	if len(got) == 0 || len(got) != len(want) {
		t.Fatalf("%d files are merged, want %d", len(got), len(want))
	}
	for name := range want {
		if string(got[name]) != string(want[name]) {
			t.Errorf("merged %s differs from that of one machine", name)
		}
	}
	must(t, on...) // nothing is missing: merged here
	if code, _, stderr := cmd(t, "sweep", "in/plan.yaml", "--out", "s", "--shards", "4"); code != cmdline.ExitUsage || !strings.Contains(stderr, "--shards wants --on slurm or --on spark or --on kubernetes") {
		t.Errorf("shards without an engine: exit code %d, %s", code, stderr)
	}
}
