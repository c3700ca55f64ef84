package command

import (
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// A cluster that would not fit the memory is refused before it is made.
func TestMostNodes(t *testing.T) {
	for _, words := range []string{"gen uniform-micro --out none --nodes 1000001", "run none --nodes 1000001"} {
		if code, _, stderr := replay(t, strings.Fields(words)...); code != cmdline.ExitUsage || !strings.Contains(stderr, `--nodes is "1000001", want 1 to 1000000`) {
			t.Errorf("%s: exit %d, %s", words, code, stderr)
		}
	}
}
