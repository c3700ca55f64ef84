package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"replay/trace"
)

// wanted is a trace that a result was made from.
type wanted struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

func (w wanted) String() string { return fmt.Sprintf("%s (%s)", w.Name, w.SHA256) }

func hashesOf(traces []wanted) (out []string) {
	for _, t := range traces {
		out = append(out, t.SHA256)
	}
	return out
}

// mostFolders is how many folders are looked at for traces.
const mostFolders = 10_000

// findTraces returns where the traces of a result are, by their hashes. They are among the given folders and those in them; with none
// given, among those in the working directory and beside the result, and in the folders of these.
func findTraces(file, command string, traces []wanted, given []string) ([]string, error) {
	places, patterns := given, []string{"", "*"}
	if len(given) == 0 {
		places, patterns = []string{".", filepath.Dir(filepath.Dir(filepath.Clean(file)))}, []string{"", "*", "*/*"}
	}
	var folders []string
	for _, place := range places {
		for _, pattern := range patterns {
			found, err := filepath.Glob(filepath.Join(escapeGlob(place), pattern, "trace.json"))
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				folders = append(folders, filepath.Dir(f))
			}
		}
	}
	at := map[string]string{}
	var others []string
	for _, dir := range folders[:min(len(folders), mostFolders)] {
		hash, ok := trace.HashAt(dir)
		if !ok {
			if hash, ok = openedHash(dir); !ok {
				continue
			}
		}
		if _, twice := at[hash]; !twice {
			at[hash] = dir
		}
		others = append(others, dir)
	}
	var dirs []string
	for _, t := range traces {
		dir, ok := at[t.SHA256]
		switch {
		case ok:
			dirs = append(dirs, dir)
		case len(given) == 1 && len(traces) == 1 && slices.Contains(others, filepath.Clean(given[0])):
			return given, nil // who opens it says what it is
		default:
			return nil, fmt.Errorf("%s was made from the trace %s, which is not in %s: say where it is, as replay %s --from %s TRACE", file, t, strings.Join(places, " or "), command, file)
		}
	}
	return dirs, nil
}

// openedHash is the hash of a trace whose manifest does not list its files.
func openedHash(dir string) (string, bool) {
	t, err := trace.Open(dir)
	if err != nil {
		return "", false
	}
	defer t.Close()
	return t.Hash(), true
}

// escapeGlob returns a path as a pattern that only it matches.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
