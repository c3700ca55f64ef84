package command

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

const newestFile = "def compare(a, b, cluster):\n  return b.start - a.start\n"

// Policies of a file decide, in every command, where nothing else is named; the file and its hash are in the result, which can be made from it again, and
// decide which cells of a sweep are the same.
func TestPolicyFiles(t *testing.T) {
	sweepDir(t, "traces: traces/fair-weights\nvariants: {fair: , newest: --policy newest.star}\n")
	texts := map[string]string{"in/newest.star": newestFile, "in/fails.star": "def compare(a, b, cluster):\n  return a.start // (b.priority - b.priority)\n",
		"in/leaf.star": "def compare_in_leaf(a, b, size_based):\n  return b.id - a.id\n", "in/hosts.star": "def requests(n, hints):\n  return [[0] if hints.tasks else [] for _ in range(n)]\n",
		"in/grow.star":      "settings = {'at': '20'}\ndef scale(shown, settings, state):\n  if 'done' not in state and shown.now >= int(settings['at']) * 1000:\n    state['done'] = True\n    return {'primary': 2}\n",
		"in/fair-sched.xml": "<allocations><queue name='a'><schedulingPolicy>newest.star</schedulingPolicy></queue></allocations>"}
	for name, text := range texts {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const trace = "in/traces/fair-weights"
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"run " + trace + " --load 3 --policy in/newest.star --out out/run --formats none", cmdline.ExitDone, `sharing newest.star .* policy in/newest.star \(sha256 [0-9a-f]{16}\)`},
		{"report check out/run", cmdline.ExitDone, `everything holds`},
		{"run --from out/run/run.json " + trace, cmdline.ExitDone, `sharing newest.star`},
		{"run " + trace + " --policy in/newest.star --fair-scheduler in/fair-sched.xml --sharing drf", cmdline.ExitDone, `sharing decides only where it is named: elsewhere drf does`},
		{"run " + trace + " --policy in/leaf.star", cmdline.ExitDone, `--policy in/leaf.star: its order of applications in leaf queues of the CapacityScheduler has no effect: the scheduler is fair by `},
		{"run " + trace + " --policy in/leaf.star --scheduler capacity --load 3", cmdline.ExitDone, `policy in/leaf.star`},
		{"run " + trace + " --policy in/hosts.star", cmdline.ExitDone, `container placement hosts.star`},
		{"run " + trace + " --policy in/grow.star --conf autoscale.primary.max=5 --all", cmdline.ExitDone, `nodes_added_count 2 `},
		{"run " + trace + " --policy in/grow.star --conf autoscale.primary.max=5 --conf autoscale.ad=3", cmdline.ExitUsage, `--conf: ad=3 is no key of autoscaling grow.star, want one of at, interval, primary.max`},
		{"run " + trace + " --policy in/fails.star", cmdline.ExitBadInput, `replay: at \d+ ms of the replay: in/fails.star:2:18: in compare: integer floored division|in/fails.star:2:18: in compare: floored division by zero`},
		{"run " + trace + " --policy in/none.star", cmdline.ExitBadInput, `in/none.star: no such file`},
		{"run " + trace + " --policy in/newest.star --policy in/newest.star", cmdline.ExitUsage, `--policy in/newest.star: sharing policy newest.star is there already`},
		{"compare " + trace + " --seeds 2 --variant fair: --variant newest:--policy=in/newest.star", cmdline.ExitDone, `against it: newest`},
		{"gate " + trace + " --base --sharing=fair --head --policy=in/newest.star --fail-if mean(wait)>+10000% --seeds 5", cmdline.ExitDone, `PASS`},
		{"whatif out/run --trace " + trace + " --sharing fair", cmdline.ExitDone, `Changed: --sharing fair`},
		{"sweep in/plan.yaml --out out/sweep", cmdline.ExitDone, `2 cells of plan.yaml`},
	} {
		code, stdout, stderr := cmd(t, append(strings.Fields(tt.args), "-q")...)
		if strings.Contains(tt.want, "its ") { // a warning
			code, stdout, stderr = cmd(t, strings.Fields(tt.args)...)
		}
		if said := strings.Join(strings.Fields(stdout+stderr), " "); code != tt.code || !regexp.MustCompile(tt.want).MatchString(said) {
			t.Errorf("replay %s: exit %d, want %d and %q:\n%s", tt.args, code, tt.code, tt.want, said)
		}
	}
	before := records(t, "out/sweep")
	if err := os.WriteFile("in/newest.star", []byte(newestFile+"# another\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "sweep", "in/plan.yaml", "--out", "out/sweep", "-q")
	after := slices.DeleteFunc(records(t, "out/sweep"), func(name string) bool { return slices.Contains(before, name) })
	if len(before) != 2 || len(after) != 1 {
		t.Errorf("%v, and with another text of the file %v more, want one", before, after)
	}
}
