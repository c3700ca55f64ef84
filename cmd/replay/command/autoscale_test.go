package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// A policy with its file and prices goes with every command that replays, and its results are verified, costs and all. A file beside a grid or variants
// in which some do not scale is for those that do.
func TestAutoscaleInEveryCommand(t *testing.T) {
	dir := sweepDir(t, "traces: traces/fair-weights\nseeds: 1..2\nflags: --autoscale-conf policy.yaml --prices prices.txt --until 10m\ngrid: {autoscale: [none, schedule]}\n")
	if err := os.WriteFile("in/policy.yaml", []byte("steps: {20s: 3, 40s: 12+3}\ngracefulDecommissionTimeout: 1h\nprovisioningTime: 5s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("in/deep.yaml", []byte("a: "+strings.Repeat("[", 5000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("in/prices.txt", []byte("currency=EUR\nsecondary=0.1\n*=0.5\nminimum=60s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(dir, "in", "traces", "fair-weights")
	const file = " --autoscale-conf in/policy.yaml"
	const scaled = " --autoscale schedule --prices in/prices.txt" + file
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"run " + trace + scaled + " --out out/run --formats none --all", cmdline.ExitDone, `cost_scaling_nodes_added_count +([1-9]|1\d)\n`},
		{"run " + trace + scaled, cmdline.ExitDone, `cost of nodes in EUR +\d`},
		{"report check out/run", cmdline.ExitDone, `out/run: everything holds`},
		{"compare " + trace + file + " --prices in/prices.txt --variant fixed:--autoscale=none --variant scaled:--autoscale=schedule --seeds 5", cmdline.ExitDone, `cost of nodes in EUR +\d`},
		{"plan " + trace + scaled + " --hold cost_total<1000 --vary load=0.5:1:0.5", cmdline.ExitDone, `cost_total<1000 holds`},
		{"gate " + trace + file + " --base --autoscale=none --head --autoscale=schedule --fail-if mean(wait)>+100000% --seeds 5", cmdline.ExitDone, `PASS: 1 condition kept`},
		{"gate " + trace + scaled + " --base --sharing=fair --head --sharing=drf --fail-if cost_total>+1% --seeds 5", cmdline.ExitDone, `1 condition|equal`},
		{"whatif out/run --trace " + trace + " --autoscale none", cmdline.ExitDone, `Changed: --autoscale none`},
		{"sweep in/plan.yaml --out out/sweep", cmdline.ExitDone, `cost of nodes in EUR .* autoscale=`},
		{"run " + trace + " --autoscale in/policy.yaml", cmdline.ExitUsage, `a file of settings goes to --autoscale-conf`},
		{"run " + trace + " --autoscale dataproc --autoscale-conf in/deep.yaml", cmdline.ExitBadInput, `in/deep.yaml:1: is nested too deep, want at most 32`},
		{"run " + trace + " --autoscale none" + file, cmdline.ExitDone, `--autoscale none keeps the nodes of the trace: 4 settings of another policy have no effect`},
		{"run " + trace + file, cmdline.ExitUsage, `in/policy.yaml:2: gracefulDecommissionTimeout is a setting of an autoscaler, and none is named`},
	} {
		code, stdout, stderr := cmd(t, strings.Fields(tt.args+" -q")...)
		if said := stdout + stderr; code != tt.code || !regexp.MustCompile(tt.want).MatchString(said) {
			t.Errorf("replay %s: exit %d, want %d and %q:\n%s", tt.args, code, tt.code, tt.want, said)
		}
	}
	for _, tt := range []struct{ autoscale, conf, want string }{
		{"[none, schedul]", "0s", "line 6: autoscale: on trace fair-weights: unknown autoscaling \"schedul\""},
		{"[none, dataproc]", "0s", "line 7: conf spark.locality.wait: with --autoscale-conf policy.yaml --prices prices.txt --until 10m --autoscale=dataproc --conf=spark.locality.wait=0s: policy.yaml:2: gracefulDecommissionTimeout=1h is no key of autoscaling dataproc"},
		{"[none, schedule]", "zero", "line 7: conf spark.locality.wait: on trace fair-weights: "},
	} {
		writePlan(t, fmt.Sprintf("traces: traces/fair-weights\n\nflags: --autoscale-conf policy.yaml --prices prices.txt --until 10m\n\ngrid:\n  autoscale: %s\n  conf: {spark.locality.wait: [%s]}\n", tt.autoscale, tt.conf))
		if code, _, stderr := cmd(t, "sweep", "in/plan.yaml", "--out", "out/wrong", "-q"); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: exit %d, %s", tt, code, stderr)
		}
	}
}
