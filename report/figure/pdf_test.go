package figure

import (
	"os"
	"path/filepath"
	"testing"
)

// What the library writes to make its fonts goes, or is in a folder that goes with the next program if this one is killed.
func TestFontsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, name := range Fonts {
		if err := fontsMade[Style{Font: name}.variant()](); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 || os.Getenv("TMPDIR") != dir {
		t.Errorf("left %v, TMPDIR is %s", left, os.Getenv("TMPDIR"))
	}
	// They are all fonts of what is drawn: no other is made anywhere.
	t.Setenv("TMPDIR", filepath.Join(dir, "absent"))
	f := New("title", "x", "y")
	f.Line("line", 0, Points{{X: 0, Y: 0}, {X: 1, Y: 1}})
	f.Labels([]Label{{Point{X: .5, Y: .5}, "label", Palette[1]}})
	f.Rows([]Tick{{Value: .5, Label: "row"}})
	for _, name := range append(Fonts, "") {
		if _, err := pdf(f, Style{Font: name}); err != nil {
			t.Errorf("font %q: %v", name, err)
		}
	}
}
