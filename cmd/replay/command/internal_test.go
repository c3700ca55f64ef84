package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/policy"
)

// A fault of the program has an exit code of its own, says what to send, and leaves nothing behind: alone and among others.
func TestFaultSaysWhatToSend(t *testing.T) {
	faulty := policy.Tables{Placements: []policy.PlacementEntry{{Name: "faulty", New: func() policy.Placement { return faulty{} }}}}
	trace, out := filepath.Join("..", "..", "..", "traces", "uniform-micro"), filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"run", trace, "--placement", "faulty", "--seed", "7", "--quiet", "--out", out},
		{"compare", trace, "--seeds", "2", "--quiet", "--variant", "none: --placement none", "--variant", "faulty: --placement faulty", "--out", out},
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), append([]string{"replay"}, args...), &stdout, &stderr, faulty); code != cmdline.ExitInternal {
			t.Errorf("%s: exit code %d, want %d: %s", args[0], code, cmdline.ExitInternal, stderr.String())
		}
		for _, want := range []string{"internal error at ", "no idea", "program  replay 0.1.0", "command  replay " + args[0] + " " + trace,
			"trace    sha256 ", "files    sha256 ", "scheduler fair, engine fast, seed ", "event    ", "faulty.Requests"} {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%s: stderr has no %q:\n%s", args[0], want, stderr.String())
			}
		}
		if left, err := filepath.Glob(out + "*"); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left, %v", args[0], left, err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: wrote a result", args[0])
		}
	}
	if got, want := quoted([]string{"a", "b c", "it's"}), `a 'b c' 'it'\''s'`; got != want {
		t.Errorf("quoted: %s, want %s", got, want)
	}
}

// faulty is a placement that fails when it is asked.
type faulty struct{}

func (faulty) Requests(int, *policy.Hints) []policy.Preference { panic("no idea") }
