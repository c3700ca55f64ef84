package command

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is printed into the README, and its picture")

var console = regexp.MustCompile("(?s)```console\n\\$ out/replay ([^\n]*)\n(.*?)```")

// The README's example and its picture are what its command prints and draws.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	t.Chdir("../../..")
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example := console.FindStringSubmatchIndex(string(b))
	if example == nil {
		t.Fatal("the README has no example")
	}
	text := string(b)
	args, err := splitWords(text[example[2]:example[3]])
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir() + "/out"
	printed := must(t, append(args, "--quiet", "--formats", "svg", "--out", out)...)
	drawn := files(t, out)["plots/differences.svg"]
	if *update {
		text = text[:example[4]] + printed + text[example[5]:]
		for name, content := range map[string]string{"README.md": text, "docs/answer.svg": drawn} {
			if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	if shown := text[example[4]:example[5]]; shown != printed {
		t.Errorf("README.md shows\n%s\nand replay %s prints\n%s\n(-update writes it)", shown, strings.Join(args, " "), printed)
	}
	if picture, err := os.ReadFile("docs/answer.svg"); err != nil || string(picture) != drawn {
		t.Errorf("docs/answer.svg is not the picture of that comparison (%v; -update writes it)", err)
	}
}
