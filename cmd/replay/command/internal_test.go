package command

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/policy"
	"replay/policy/resource"
)

// A fault of the program has an exit code of its own, says what to send, and leaves nothing behind: alone and among others.
func TestFaultSaysWhatToSend(t *testing.T) {
	own := policy.Sharings
	defer func() { policy.Sharings = own }()
	policy.Sharings = append(slices.Clone(own), policy.SharingEntry{Name: "faulty", New: func(types int) policy.Sharing { return noIdea{own[0].New(types)} }})
	trace, out := filepath.Join("..", "..", "..", "traces", "uniform-micro"), filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"run", trace, "--sharing", "faulty", "--seed", "7", "--quiet", "--out", out},
		{"compare", trace, "--seeds", "2", "--quiet", "--variant", "fair: --sharing fair", "--variant", "faulty: --sharing faulty", "--out", out},
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), append([]string{"replay"}, args...), &stdout, &stderr, policy.Tables{}); code != cmdline.ExitInternal {
			t.Errorf("%s: exit code %d, want %d: %s", args[0], code, cmdline.ExitInternal, stderr.String())
		}
		for _, want := range []string{"internal error at ", "no idea", "program  replay 0.1.0", "command  replay " + args[0] + " " + trace,
			"trace    sha256 ", "files    sha256 ", "scheduler fair, engine fast, seed ", "event    ", "noIdea.Compare"} {
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

// noIdea is a sharing policy that fails. Among those of the program itself a panic of it is the program's.
type noIdea struct{ policy.Sharing }

func (noIdea) Compare(_, _ *policy.Contender, _ *resource.Resource) int { panic("no idea") }

// A placement of a program's own that fails is a mistake of what was handed in, and is told with the place.
func TestMistakeOfAPolicy(t *testing.T) {
	mine := policy.Tables{Placements: []policy.PlacementEntry{{Name: "mine", New: func() policy.Placement { return mistaken{} }}}}
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), []string{"replay", "run", traces + "uniform-micro", "--placement", "mine", "--quiet"}, &stdout, &stderr, mine)
	if text := stderr.String(); code != cmdline.ExitBadInput || !strings.Contains(text, " ms of the replay: placement mine: Requests panicked: no idea, in ") || !strings.Contains(text, "mistaken.Requests (internal_test.go:") || strings.Contains(text, "internal error") {
		t.Errorf("exit code %d, want %d: %s", code, cmdline.ExitBadInput, text)
	}
}

type mistaken struct{}

func (mistaken) Requests(int, *policy.Hints) []policy.Preference { panic("no idea") }
