package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// TestCommandsOfPages runs the commands that pages show without what they print, page by page, one after the other in one folder: the first that does not work
// fails. Those that need another program or the history of a repository are left out.
func TestCommandsOfPages(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		page  string
		least int // commands
	}{
		{"explain.md", 4}, {"whatif.md", 7}, {"results.md", 3}, {"fidelity.md", 1}, {"autoscale.md", 3}, {"policies.md", 2}, {"configuration.md", 1},
	} {
		t.Run(tt.page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, "docs", tt.page))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			if err := os.Symlink(filepath.Join(root, "traces"), "traces"); err != nil {
				t.Fatal(err)
			}
			inputsOfPages(t, root)
			n := 0
			for _, m := range indented.FindAllStringSubmatch(string(text), -1) {
				if needsMore.MatchString(m[1]) {
					continue
				}
				n++
				args, err := splitWords(strings.ReplaceAll(m[1], "TRACE", "traces/fair-weights"))
				if err != nil {
					t.Fatal(err)
				}
				if code, _, stderr := cmd(t, append(args, "-q")...); code != cmdline.ExitDone && code != cmdline.ExitFailed {
					t.Errorf("replay %s: exit %d, %s", m[1], code, stderr)
				} else if strings.Contains(stderr, "changes nothing") {
					t.Errorf("replay %s shows nothing: %s", m[1], stderr)
				}
			}
			if n < tt.least {
				t.Errorf("%d commands, want %d or more", n, tt.least)
			}
		})
	}
}

var (
	indented  = regexp.MustCompile(`(?m)^    replay ([a-z]+ .*)$`)
	needsMore = regexp.MustCompile(`--base-binary|--commits|\bbacktest logs\b|\bmytrace\b`)
)

// inputsOfPages writes the files that pages speak of as the reader's own.
func inputsOfPages(t *testing.T, root string) {
	t.Helper()
	weights, err := os.ReadFile(filepath.Join(root, "traces/node-lost/fair-scheduler.xml"))
	if err != nil {
		t.Fatal(err)
	}
	scaling, err := os.ReadFile(filepath.Join(root, "docs/autoscale.md"))
	if err != nil {
		t.Fatal(err)
	}
	dataproc := regexp.MustCompile("(?s)## dataproc\n\n```yaml\n(.*?)```").FindSubmatch(scaling)
	if dataproc == nil {
		t.Fatal("docs/autoscale.md shows no policy of dataproc")
	}
	for name, text := range map[string]string{
		"fair-scheduler.xml":  string(weights),
		"newest.star":         "def compare(a, b, cluster):\n    return b.start - a.start\n",
		"policy.yaml":         string(dataproc[1]),
		"prices.txt":          "*=0.5\n",
		"spark-defaults.conf": "spark.locality.wait 1s\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
