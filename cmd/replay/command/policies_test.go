package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/policy"
	"replay/policy/resource"
)

// backwards serves the applications that came last first.
type backwards struct{ policy.Sharing }

func (backwards) Compare(a, b *policy.Contender, _ *resource.Resource) int {
	return int(b.Start - a.Start)
}

// firstHost asks for every container on the first host.
type firstHost struct{}

func (firstHost) Requests(n int, h *policy.Hints) []policy.Preference {
	out := make([]policy.Preference, max(n, 0))
	for i := range out {
		if len(h.Tasks) > 0 {
			out[i] = policy.Preference{0}
		}
	}
	return out
}

// last serves the applications of a leaf queue that came last first.
type last struct{}

func (last) Compare(a, b *policy.LeafApp) int { return int(b.ID - a.ID) }

// own are policies that no package of the project knows.
var own = policy.Tables{
	Sharings: []policy.SharingEntry{{Name: "backwards", New: func(types int) policy.Sharing {
		fair, err := policy.NewSharing("fair", types)
		if err != nil {
			panic(err)
		}
		return backwards{fair}
	}}},
	Placements: []policy.PlacementEntry{{Name: "first-host", New: func() policy.Placement { return firstHost{} }}},
	LeafOrders: []policy.LeafOrderEntry{{Name: "last", New: func(policy.LeafOrderSettings) policy.LeafOrder { return last{} }}},
}

// Policies of a program's own can be named wherever those of the project can, and decide.
func TestPoliciesOfAProgramOfItsOwn(t *testing.T) {
	runOf := func(policies policy.Tables, args string) (code int, hash, sharing, stderr string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		var stdout, errors bytes.Buffer
		words := strings.Fields("replay run --until 300s --formats none --tasks off --quiet --out " + out + " " + traces + args)
		code = Run(t.Context(), words, &stdout, &errors, policies)
		var m struct {
			Hash    string `json:"decision_hash"`
			Sharing string
		}
		if text, err := os.ReadFile(filepath.Join(out, "run.json")); err == nil {
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(err)
			}
		}
		return code, m.Hash, m.Sharing, errors.String()
	}
	allocations := "--fair-scheduler " + written(t, "fair-scheduler.xml", "<allocations><defaultQueueSchedulingPolicy>backwards</defaultQueueSchedulingPolicy></allocations>")
	const logs, waits = "contended-logs --load 4 ", "locality-wait-3s --conf yarn.scheduler.fair.locality.threshold.node=1 --conf yarn.scheduler.fair.locality.threshold.rack=1 "
	const order = " --conf yarn.scheduler.capacity.root.science.ordering-policy="
	for _, tt := range []struct{ args, without, sharing string }{
		{logs + "--sharing backwards", logs + "--sharing fair", "backwards"},
		{logs + allocations, logs, "backwards"},
		{waits + "--placement first-host", waits + "--placement naive", "fair"},
		{logs + "--scheduler capacity" + order + "last", logs + "--scheduler capacity" + order + "fifo", ""},
	} {
		t.Run(tt.args, func(t *testing.T) {
			code, hash, sharing, stderr := runOf(own, tt.args)
			if code != cmdline.ExitDone || sharing != tt.sharing {
				t.Fatalf("exit %d, sharing is %q, want %q: %s", code, sharing, tt.sharing, stderr)
			}
			if _, usual, _, _ := runOf(own, tt.without); usual == hash {
				t.Errorf("decides as with %s: hash %s", tt.without, hash)
			}
			if code, _, _, _ := runOf(policy.Tables{}, tt.args); code == cmdline.ExitDone {
				t.Error("a program without the policy takes its name")
			}
		})
	}
	var help, stderr bytes.Buffer
	Run(t.Context(), []string{"replay", "run", "--help"}, &help, &stderr, own)
	for _, name := range []string{"backwards", "first-host"} {
		if !strings.Contains(help.String(), name) {
			t.Errorf("the help does not name %s", name)
		}
	}
	stderr.Reset()
	taken := policy.Tables{Placements: []policy.PlacementEntry{{Name: "union", New: own.Placements[0].New}}}
	if code := Run(t.Context(), []string{"replay", "--version"}, &help, &stderr, taken); code != cmdline.ExitUsage || stderr.String() != "replay: placement union is there already\n" {
		t.Errorf("a name that is taken: exit %d, %q", code, stderr.String())
	}
}

// The example builds beside the checkout as docs/policies.md says, without a network, and is the program with one policy
// more.
func TestExampleModule(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	example := filepath.Join(root, "examples", "policy")
	work := filepath.Join(dir, "go.work")
	if err := os.WriteFile(work, fmt.Appendf(nil, "go 1.26\n\nuse (\n\t%q\n\t%q\n)\n", root, example), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "my-replay")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = example
	build.Env = append(os.Environ(), "GOWORK="+work, "GOFLAGS=", "GOPROXY=off")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	run := func(args ...string) (string, error) {
		text, err := exec.Command(program, args...).CombinedOutput()
		return string(text), err
	}
	if text, err := run("run", traces+"uniform-micro", "--sharing", "newest", "--quiet"); err != nil || !strings.Contains(text, "newest") {
		t.Errorf("run with the policy: %v\n%s", err, text)
	}
	if text, err := run("run", traces+"uniform-micro", "--sharing", "oldest", "--quiet"); err == nil || !strings.Contains(text, "newest") {
		t.Errorf("run with an unknown policy: %v\n%s", err, text)
	}
}
