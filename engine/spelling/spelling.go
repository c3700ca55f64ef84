// Package spelling finds the known names that a misspelt one may stand for.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns the n names of known, or all of them if they are fewer, that need the fewest edits to
// become name, best first. Of equally near ones the first in known comes first.
func Nearest(name string, known []string, n int) []string {
	return nearest(name, known, n, func(known string) string { return known })
}

// NearestCalled is [Nearest] of paths that a name stands for: as many of their last parts count as it has.
func NearestCalled(name string, paths []string, n int) []string {
	parts := strings.Count(name, ".") + 1
	return nearest(name, paths, n, func(path string) string {
		at := len(path)
		for range parts {
			if at = strings.LastIndexByte(path[:at], '.'); at < 0 {
				return path
			}
		}
		return path[at+1:]
	})
}

// nearest is [Nearest], by a part of each known name.
func nearest(name string, known []string, n int, part func(string) string) []string {
	type candidate struct {
		name  string
		edits int
	}
	all := make([]candidate, len(known))
	for i, k := range known {
		all[i] = candidate{k, distance(name, part(k))}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var out []string
	for _, c := range all[:min(n, len(all))] {
		out = append(out, c.name)
	}
	return out
}

// Near reports whether name may be a misspelling of known: they differ, by two edits at most.
func Near(name, known string) bool {
	d := distance(name, known)
	return d > 0 && d <= 2
}

// Called returns the paths that a name stands for: the one that it is, else those whose last parts it is, after a dot.
func Called(name string, paths []string) (found []string) {
	for _, path := range paths {
		if path == name {
			return []string{path}
		}
		if strings.HasSuffix(path, "."+name) {
			found = append(found, path)
		}
	}
	return found
}

// distance is the Levenshtein distance of two texts: how many bytes must be added, removed or replaced
// to make one of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
