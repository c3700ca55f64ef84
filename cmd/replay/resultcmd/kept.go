package resultcmd

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"

	"replay/cmd/replay/cmdline"
	"replay/input"
)

// keeps reports whether a directory is a comparison with the results of its replays.
func keeps(dir string) bool {
	_, ok := cmdline.Kept(dir)
	return ok
}

// kept returns the directories of the results of a comparison by variant, in its order, with the names of the variants, and the margin within which it calls values equal.
func kept(dir string) (dirs, names []string, margin float64, err error) {
	file, runs := filepath.Join(dir, "comparison.json"), filepath.Join(dir, "runs")
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, nil, 0, err
	}
	var c struct {
		Variants  []struct{ Name string }
		Inference struct{ Margin *float64 }
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	if len(c.Variants) < 2 || c.Inference.Margin == nil {
		return nil, nil, 0, fmt.Errorf("%s: has %d variants or no margin, want the comparison.json of replay compare", file, len(c.Variants))
	}
	for _, v := range c.Variants {
		if !filepath.IsLocal(v.Name) {
			return nil, nil, 0, fmt.Errorf("%s: a variant is called %q, want the name of a folder in %s", file, v.Name, runs)
		}
		dirs, names = append(dirs, filepath.Join(runs, v.Name)), append(names, v.Name)
	}
	return dirs, names, *c.Inference.Margin, nil
}

// ofSeed is what the folder of one seed is called in the results of a comparison.
var ofSeed = regexp.MustCompile(`^seed-[0-9]+$`)

// checkSeeds refuses two seeds of one variant as variants of their own, as a pattern of a shell hands them in: what sets them apart is chance alone, and none has an interval.
func checkSeeds(dirs []string) error {
	first := map[string]string{}
	for _, dir := range dirs {
		clean := filepath.Clean(dir)
		if !ofSeed.MatchString(filepath.Base(clean)) {
			continue
		}
		folder := filepath.Dir(clean)
		if other, ok := first[folder]; ok {
			return cmdline.Usagef("%s and %s are two seeds of one variant: want %s, the folder of all of them, or the comparison that they are in", other, dir, folder)
		}
		first[folder] = dir
	}
	return nil
}
