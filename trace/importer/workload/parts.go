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

// Stdin is the input that stands for standard input.
const Stdin = "-"

// Parts lists the files among inputs, which are files, [Stdin], or directories of parts at any depth, in the order of inputs; those of a
// directory in the order of [Natural]. match gets the path of each from the given input on, with / and without a suffix such as .gz, and tells
// which are taken; nil takes all. Of a directory, names that begin with . or _ are passed over, and what stands beside data: README, LICENSE, *.md and *.crc.
func Parts(inputs []string, match func(path string) bool) ([]string, error) {
	var files []string
	take := func(path, label string) {
		if match == nil || match(BaseName(filepath.ToSlash(label))) {
			files = append(files, path)
		}
	}
	for _, in := range inputs {
		if in == Stdin {
			take(in, in)
			continue
		}
		info, err := os.Stat(in)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			take(in, filepath.Base(in))
			continue
		}
		var found []string
		if err := filepath.WalkDir(in, func(path string, e fs.DirEntry, err error) error {
			switch hidden := beside(e.Name()); {
			case err != nil:
				return err
			case path != in && hidden && e.IsDir():
				return filepath.SkipDir
			case !e.IsDir() && !hidden:
				found = append(found, path)
			}
			return nil
		}); err != nil {
			return nil, fmt.Errorf("%s: %w", in, err)
		}
		slices.SortFunc(found, Natural)
		for _, path := range found {
			label, err := filepath.Rel(in, path)
			if err != nil {
				return nil, err
			}
			take(path, label)
		}
	}
	return files, nil
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
