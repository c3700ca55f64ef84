package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

var shownCommand = regexp.MustCompile("(?s)```console\n\\$ replay ([^\n]*)\n(.*?)```")

// The tutorial shows what its commands print, one after the other in one folder.
func TestTutorial(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, from := range map[string]string{"logs": "trace/importer/testdata/spark-eventlog/eventlogs", "conf": "examples/tutorial/conf", "conf-next": "examples/tutorial/conf-next"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(root, from))); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	checkShown(t, filepath.Join(root, "docs/tutorial.md"), 5)
}

// checkShown runs the commands that a page shows, least or more, one after the other where the test is: they print what it says.
func checkShown(t *testing.T, file string, least int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	out := shownCommand.ReplaceAllStringFunc(string(text), func(block string) string {
		n++
		m := shownCommand.FindStringSubmatch(block)
		args, err := splitWords(m[1])
		if err != nil {
			t.Fatal(err)
		}
		code, printed, stderr := cmd(t, args...)
		if code != cmdline.ExitDone && code != cmdline.ExitFailed {
			t.Fatalf("replay %s: exit %d, %s", m[1], code, stderr)
		}
		printed = trimLines(printed)
		if !*update && printed != m[2] {
			t.Errorf("%s shows\n%s\nand replay %s prints\n%s\n(-update writes it)", filepath.Base(file), m[2], m[1], printed)
		}
		return "```console\n$ replay " + m[1] + "\n" + printed + "```"
	})
	if n < least {
		t.Errorf("%d commands in %s", n, file)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// trimLines removes blanks at the ends of lines, which editors do too.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
