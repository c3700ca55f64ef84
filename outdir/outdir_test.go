package outdir

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var kind = Kind{Mark: "mark.json", Files: []string{"mark.json", "text.txt", "plots/*.svg", "states/*/state.zst", "kept/"}}

// write makes the files below dir, each holding its own name.
func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// files returns the paths of all files below dir, in order.
func files(t *testing.T, dir string) []string {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			found[filepath.ToSlash(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name  string
		there []string
		want  string // in the error, empty for none
	}{
		{"nothing is there", nil, ""},
		{"an earlier one", []string{"mark.json", "plots/a.svg"}, ""},
		{"no mark", []string{"text.txt"}, "no mark.json"},
		{"all that it has", []string{"mark.json", "text.txt", "plots/a.svg", "states/1h/state.zst", "kept/x/y"}, ""},
		{"a file of the user's", []string{"mark.json", "thesis.txt"}, "thesis.txt, which would be lost"},
		{"one among the plots", []string{"mark.json", "plots/a.svg", "plots/notes.md"}, "plots/notes.md, which would be lost"},
		{"one below the plots", []string{"mark.json", "plots/a.svg/b.svg"}, "plots/a.svg, which would be lost"},
		{"one among the states", []string{"mark.json", "states/state.zst"}, "states/state.zst, which would be lost"},
		{"a folder among the states", []string{"mark.json", "states/1h/mine/state.zst"}, "states/1h/mine, which would be lost"},
		{"a folder for a file", []string{"mark.json", "text.txt/mine"}, "text.txt, which would be lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, tt.there...)
			err := kind.Check(dir)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
			p, begun := kind.Begin(dir)
			if (begun == nil) != (err == nil) {
				t.Errorf("checked with %v and begun with %v", err, begun)
			}
			if p != nil {
				p.Abort()
			}
		})
	}
	file := filepath.Join(t.TempDir(), "f")
	write(t, filepath.Dir(file), "f")
	for _, dir := range []string{file, filepath.Join(file, "below", "it")} {
		if err := kind.Check(dir); err == nil || !strings.Contains(err.Error(), dir+": "+file+" is a file; want a new or empty directory") {
			t.Errorf("%s: error %v", dir, err)
		}
	}
	if err := kind.Check(filepath.Join(t.TempDir(), "absent")); err != nil {
		t.Error(err)
	}
}

func TestInstallMergeAbort(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*Partial) error
		want []string
	}{
		{"install replaces all", (*Partial).Install, []string{"d/mark.json", "d/plots/new.svg"}},
		{"merge replaces what is new", (*Partial).Merge, []string{"d/mark.json", "d/plots/new.svg", "d/text.txt"}},
		{"abort leaves the old", func(*Partial) error { return nil }, []string{"d/mark.json", "d/plots/old.svg", "d/text.txt"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parent := t.TempDir()
			write(t, parent, "d/mark.json", "d/text.txt", "d/plots/old.svg")
			p, err := kind.Begin(filepath.Join(parent, "d"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, p.Path("plots"), "new.svg")
			if err := p.WriteFile("mark.json", []byte("new")); err != nil {
				t.Fatal(err)
			}
			if err := tt.end(p); err != nil {
				t.Fatal(err)
			}
			p.Abort()
			if got := files(t, parent); !slices.Equal(got, tt.want) {
				t.Errorf("%q are there, want %q", got, tt.want)
			}
			b, err := os.ReadFile(filepath.Join(parent, "d", "mark.json"))
			if isNew := string(b) == "new"; err != nil || isNew != (tt.name != "abort leaves the old") {
				t.Errorf("mark.json holds %q (%v)", b, err)
			}
		})
	}
}

// What a writer that was killed left goes when the next one writes there; what it had taken away comes back.
func TestKilledWriter(t *testing.T) {
	parent := t.TempDir()
	write(t, parent, ".d.partial/tables/half", ".d.old/mark.json", ".d.old/text.txt")
	dir := filepath.Join(parent, "d")
	p, err := kind.Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := files(t, parent), []string{"d/mark.json", "d/text.txt"}; !slices.Equal(got, want) {
		t.Errorf("%q are there, want %q", got, want)
	}
	p.Abort()
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
		t.Errorf("%v is there, want d alone (%v)", entries, err)
	}
	write(t, parent, ".d.old/mark.json") // it had put its own in place
	if p, err = kind.Begin(dir); err != nil {
		t.Fatal(err)
	}
	p.Abort()
	if got, want := files(t, parent), []string{"d/mark.json", "d/text.txt"}; !slices.Equal(got, want) {
		t.Errorf("%q are there, want %q", got, want)
	}
}

// Of two writers of one directory the second is refused while the first writes, and neither sees files of the other.
func TestTwoWriters(t *testing.T) {
	parent := t.TempDir()
	dir, link := filepath.Join(parent, "d"), filepath.Join(parent, "link")
	write(t, parent, "d/mark.json")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	first, err := kind.Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, link} {
		if _, err := kind.Begin(name); err == nil || !strings.Contains(err.Error(), name+": is being written by another program") {
			t.Errorf("a second writer: %v", err)
		}
	}
	if err := first.WriteFile("mark.json", []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := first.Install(); err != nil {
		t.Fatal(err)
	}
	second, err := kind.Begin(link)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Abort()
	if left, err := os.ReadDir(second.Path("")); err != nil || len(left) > 0 {
		t.Errorf("the second has %v (%v)", left, err)
	}
}

// Nothing takes the place of a link to what is not there.
func TestLinkToNothing(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("disk/out", link); err != nil {
		t.Fatal(err)
	}
	_, err := kind.Begin(link)
	_, below := kind.Begin(filepath.Join(link, "a", "b"))
	for _, err := range []error{err, below, WriteFile(link, nil), MakeShared(link), MakeShared(filepath.Join(link, "cells"))} {
		if err == nil || !strings.Contains(err.Error(), "link: is a link to disk/out, which is not there") {
			t.Errorf("error %v", err)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != "disk/out" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// A program that ends at once removes what it was writing, and puts nothing in its place any more.
func TestAbortAll(t *testing.T) {
	defer func() { partials.over = false }()
	parent := t.TempDir()
	p, err := kind.Begin(filepath.Join(parent, "d"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, p.Path("plots"), "a.svg")
	AbortAll()
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("%v is left (%v)", entries, err)
	}
	write(t, p.Path(""), "late.txt")
	for name, install := range map[string]func() error{"Install": p.Install, "InstallNew": p.InstallNew, "Merge": p.Merge} {
		if err := install(); err == nil {
			t.Errorf("%s puts in its place what came after the end", name)
		}
	}
	p.Abort()
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("%v is left in the end (%v)", entries, err)
	}
}

// Scratch directories of programs that were killed go; those in use stay.
func TestScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	killed := filepath.Join(os.TempDir(), ".x-1")
	write(t, killed, "a")
	first, err := Scratch("x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", killed, err)
	}
	write(t, first.Path(""), "b")
	second, err := Scratch("x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first.Path("b")); err != nil {
		t.Error(err)
	}
	first.Abort()
	second.Abort()
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// A file is replaced whole, also through a link, and nothing is left beside it; what cannot be written leaves it as it was.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	for _, text := range []string{"long text", "short", ""} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".f.partial"), []byte("of a writer that was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("by link")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "by link" {
		t.Errorf("%q, %v", got, err)
	}
	if err := WriteFile(dir, nil); err == nil {
		t.Error("a folder is written")
	}
	if err := WriteFile(filepath.Join(dir, "none", "f"), nil); err == nil {
		t.Error("a file is written where no folder is")
	}
	if err := WriteFile(os.DevNull, []byte("gone")); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v, want the file and the link", entries, err)
	}
}

// A scratch file goes with its program, however that ends, and with the next one if it was killed too early for that.
func TestScratchFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	write(t, os.TempDir(), ".x-1", "x-2")
	f, err := NewScratchFile("x")
	if err != nil {
		t.Fatal(err)
	}
	if got := files(t, os.TempDir()); runtime.GOOS != "windows" && !slices.Equal(got, []string{"x-2"}) {
		t.Errorf("%q are there, want x-2 alone", got)
	}
	if _, err := f.WriteAt([]byte("text"), 3); err != nil {
		t.Error(err)
	}
	got := make([]byte, 2)
	if _, err := f.ReadAt(got, 4); err != nil || string(got) != "ex" {
		t.Errorf("%q, %v", got, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := files(t, os.TempDir()); !slices.Equal(got, []string{"x-2"}) {
		t.Errorf("%q are left, want x-2 alone", got)
	}
	t.Setenv("TMPDIR", filepath.Join(os.TempDir(), "none"))
	for name, begin := range map[string]func(string) error{
		"file":   func(s string) error { _, err := NewScratchFile(s); return err },
		"folder": func(s string) error { _, err := Scratch(s); return err },
	} {
		if err := begin("x"); err == nil || !strings.Contains(err.Error(), "where TMPDIR says: want a folder there") {
			t.Errorf("a %s in a folder that is not there: %v", name, err)
		}
	}
}

// An error names what is written by its place in the end.
func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"write /a/.out.partial/tasks.parquet: no space left on device": "write /a/out/tasks.parquet: no space left on device",
		"write /a/.answer.svg.partial: no space left on device":        "write /a/answer.svg: no space left on device",
		"open /a/.partial/x: no such file":                             "open /a/.partial/x: no such file",
		"open /a/.b/c.partial: no such file":                           "open /a/.b/c.partial: no such file",
	} {
		if got := Said(text); got != want {
			t.Errorf("%s is said as %s, want %s", text, got, want)
		}
	}
}
