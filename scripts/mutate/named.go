package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// namedFile holds the named mutants.
const namedFile = "scripts/mutate/named.txt"

// defaultTests are the packages whose tests are run for a named mutant after those of its own package.
var defaultTests = []string{"./engine/...", "./policy/...", "./bench/...", "./cmd/replay/..."}

// A named mutant of the list.
type named struct {
	name   string
	file   string // end of the path; when no such file has the source, all files are searched
	before string
	after  string
	tests  []string
	place  string // in the list
}

// readNamed reads a list of named mutants, whose form the head of [namedFile] tells.
func readNamed(path string) ([]named, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []named
	var n *named
	for i, line := range strings.Split(string(data), "\n") {
		place := fmt.Sprintf("%s:%d", filepath.Base(path), i+1)
		word, rest, _ := strings.Cut(line, " ")
		if word == "" || strings.HasPrefix(word, "#") {
			continue
		}
		if word == "mutant" {
			out = append(out, named{name: rest, place: place})
			n = &out[len(out)-1]
			continue
		}
		if n == nil {
			return nil, fmt.Errorf("%s: %q comes before the first line \"mutant NAME\"", place, line)
		}
		switch word {
		case "file":
			n.file = rest
		case "test":
			n.tests = strings.Fields(rest)
		case "-":
			n.before += rest + "\n"
		case "+":
			n.after += rest + "\n"
		default:
			return nil, fmt.Errorf("%s: line begins with %q, want mutant, file, test, - or +", place, word)
		}
	}
	for i := range out {
		n := &out[i]
		n.after = strings.TrimSuffix(n.after, "\n")
		if n.name == "" || n.file == "" || strings.TrimSpace(n.before) == "" {
			return nil, fmt.Errorf("%s: a mutant needs a name, a file and at least one line with -", n.place)
		}
	}
	return out, nil
}

// find makes the mutant from the one place that has its source: in the files of that name, else in the whole tree.
func (n *named) find(root string) (*mutant, error) {
	files, err := sources(root)
	if err != nil {
		return nil, err
	}
	called := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f != n.file && !strings.HasSuffix(f, "/"+n.file) })
	for _, in := range [][]string{called, files} {
		if m, err := n.findIn(root, in); m != nil || err != nil {
			return m, err
		}
	}
	return nil, fmt.Errorf("%s: %s: no file has %q", n.place, n.name, strings.TrimSpace(n.before))
}

// findIn returns nil without an error when no file has the source.
func (n *named) findIn(root string, files []string) (*mutant, error) {
	pattern := n.pattern()
	var found *mutant
	for _, f := range files {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f)))
		if err != nil {
			return nil, err
		}
		for _, at := range pattern.FindAllIndex(src, -1) {
			line := 1 + strings.Count(string(src[:at[0]]), "\n")
			if found != nil {
				return nil, fmt.Errorf("%s: %s: its source is in %s:%d and in %s:%d", n.place, n.name, found.file, found.line, f, line)
			}
			own := "./" + filepath.ToSlash(filepath.Dir(f))
			found = &mutant{
				name: n.name, file: f, line: line, before: string(src[at[0]:at[1]]), after: n.after,
				text: slices.Concat(src[:at[0]], []byte(n.after), src[at[1]:]), tests: slices.Concat([]string{own}, n.tests),
			}
			if n.tests == nil {
				found.tests = append(found.tests, defaultTests...)
			}
		}
	}
	return found, nil
}

// pattern matches the source that goes, whatever its indentation.
func (n *named) pattern() *regexp.Regexp {
	lines := strings.Split(strings.TrimSpace(n.before), "\n")
	for i, l := range lines {
		lines[i] = regexp.QuoteMeta(strings.TrimSpace(l))
	}
	return regexp.MustCompile(strings.Join(lines, `\s*\n\s*`))
}

// sources returns the Go files of the module that are not tests, slash-separated.
func sources(root string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "scripts") {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = errors.New(root + ": no Go files")
	}
	return out, err
}
