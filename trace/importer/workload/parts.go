package workload

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replay/trace/importer/codec"
)

// Shown is what messages call an input.
func Shown(path string) string {
	if path == Stdin {
		return "standard input"
	}
	return path
}

// Stdin is the input that stands for standard input.
const Stdin = "-"

// Parts lists the files among inputs as [List] does, and tells and counts what is passed over.
func (b *Builder) Parts(inputs []string, match func(path string, given bool) bool) ([]string, error) {
	l, err := List(inputs, match)
	if err != nil {
		return nil, err
	}
	b.PassOver("not read, as it is no data of this format", l.Passed)
	if n := len(l.Again); n > 0 {
		b.Counts.Dropped["files_given_twice"] += int64(n)
		b.Warn("given twice, and read once: %s", firstName(l.Again))
	}
	return l.Files, nil
}

// copiesFrom is from how many bytes on two files with the same ones are copies, and no parts without a row.
const copiesFrom = 1 << 10

// sayCopy warns of a file with the bytes of another one: both are read.
func (b *Builder) sayCopy(name, sum string, size int64) {
	if size < copiesFrom || sum == "" {
		return
	}
	first, ok := b.sums[sum]
	if !ok {
		if b.sums == nil {
			b.sums = map[string]string{}
		}
		b.sums[sum] = name
		return
	}
	if b.copies++; b.copies <= warnedDrops {
		b.Warn("%s has the same bytes as %s, and both are read: what is in them counts twice", name, first)
	}
}

// OneFolder refuses tables in several folders, of formats in which a folder is a workload: numbers in one say nothing of those in another.
func OneFolder(tables []string) error {
	for _, t := range tables {
		if first := filepath.Dir(tables[0]); filepath.Dir(t) != first {
			return fmt.Errorf("%s and %s: tables of tasks in several folders, want those of one workload: import them one by one, and lay the traces over one another with trace merge", tables[0], t)
		}
	}
	return nil
}

// PassOver counts files that are handed in and not read, and says so. Lists of nodes are none of these, whatever a format thinks of them.
func (b *Builder) PassOver(why string, files []string) {
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		return slices.ContainsFunc(b.lists, func(l nodeList) bool { return filepath.Base(l.path) == filepath.Base(f) })
	})
	if len(files) > 0 {
		b.Counts.Dropped["files_that_are_not_read"] += int64(len(files))
		b.Note("%s: %s", why, firstName(files))
	}
}

// firstName names the first of some files and says how many more there are.
func firstName(files []string) string {
	if more := len(files) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", files[0], more)
	}
	return files[0]
}

// Listing is what there is among inputs.
type Listing struct {
	Files  []string // paths, in the order of inputs; those of a directory in the order of [Natural]
	Passed []string // of directories, by their base names: what stands beside data, and what match does not take
	Again  []string // paths of files that are there already: under this path, through a link, or packed and not
}

// List lists the files among inputs, which are files, [Stdin], or directories of parts at any depth. match gets the path of each from the given
// input on, with / and without a suffix such as .gz, and whether it is itself an input, and tells which are taken; nil takes all. Of a directory, names that begin with . or _ are passed over,
// and what stands beside data: README, LICENSE, *.md and *.crc. Of a file and its packed form in one folder the first counts. A link to a folder is followed where it is itself an input.
func List(inputs []string, match func(path string, given bool) bool) (l Listing, err error) {
	seen, folders := map[string]bool{}, map[string]string{} // real paths without a suffix such as .gz, and those of folders
	realOf := func(path string, link bool) (string, error) {
		if link {
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				return "", err
			}
			return filepath.Abs(real)
		}
		folder, name := filepath.Split(path)
		real, ok := folders[folder]
		if !ok {
			var err error
			if real, err = filepath.EvalSymlinks(folder); err == nil {
				real, err = filepath.Abs(real)
			}
			if err != nil {
				return "", err
			}
			folders[folder] = real
		}
		return filepath.Join(real, name), nil
	}
	take := func(path, label string, given, link bool) {
		if match != nil && !match(BaseName(filepath.ToSlash(label)), given) {
			l.Passed = append(l.Passed, filepath.Base(path))
			return
		}
		if path != Stdin {
			if real, err := realOf(path, link); err == nil {
				if real = BaseName(real); seen[real] {
					l.Again = append(l.Again, path)
					return
				}
				seen[real] = true
			}
		}
		l.Files = append(l.Files, path)
	}
	for _, in := range inputs {
		if in == Stdin {
			take(in, in, true, false)
			continue
		}
		info, err := os.Stat(in)
		if err != nil {
			return l, err
		}
		if !info.IsDir() {
			take(in, filepath.Base(in), true, true) // may be one
			continue
		}
		var found []string
		links := map[string]bool{}
		root := in + string(filepath.Separator) // so that a link to a folder is followed
		if err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != root && beside(e.Name()):
				l.Passed = append(l.Passed, e.Name())
				if e.IsDir() {
					return filepath.SkipDir
				}
			case !e.IsDir() && !isLinkToFolder(path, e):
				found = append(found, path)
				if e.Type()&fs.ModeSymlink != 0 {
					links[path] = true
				}
			}
			return nil
		}); err != nil {
			return l, fmt.Errorf("%s: %w", in, err)
		}
		slices.SortFunc(found, Natural)
		for _, path := range found {
			label, err := filepath.Rel(in, path)
			if err != nil {
				return l, err
			}
			take(path, label, false, links[path])
		}
	}
	return l, nil
}

func isLinkToFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// beside reports whether a file or folder of this name stands beside data and is none.
func beside(name string) bool {
	plain, _, _ := strings.Cut(strings.ToUpper(name), ".")
	return name[0] == '.' || name[0] == '_' || plain == "README" || plain == "LICENSE" || strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".crc")
}

// BaseName is a path without the suffix of what a file is packed with.
func BaseName(path string) string {
	if c := codec.OfName(path); c != "" {
		return strings.TrimSuffix(path, "."+c)
	}
	for _, other := range []string{".gzip", ".zst", ".bzip2"} {
		if p, ok := strings.CutSuffix(path, other); ok {
			return p
		}
	}
	return path
}

// Natural orders names as people count: part-9 before part-10. Names that differ in leading zeros alone are in the order of bytes.
func Natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		if isDigit(x[0]) && isDigit(y[0]) {
			n, m := leadingDigits(x), leadingDigits(y)
			p, q := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if c := compareAttempts(p, q); c != 0 {
				return c
			}
			x, y = x[n:], y[m:]
			continue
		}
		if x[0] != y[0] {
			return strings.Compare(x, y)
		}
		x, y = x[1:], y[1:]
	}
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(a, b)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}
