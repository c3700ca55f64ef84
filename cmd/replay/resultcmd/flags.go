package resultcmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/report/compare"
)

// longestValue is up to which length a value stands in the flags of a variant.
const longestValue = 60

// tellApart adds to the flags of results what their settings differ in, by their first runs: a flag for a value, and a word for a file or a long one.
func tellApart(variants []compare.Variant) {
	for _, part := range []struct {
		flag string
		of   func(*compare.Variant) map[string]string
	}{
		{"--conf", func(v *compare.Variant) map[string]string { return v.Runs[0].Manifest.Config }},
		{"--model", func(v *compare.Variant) map[string]string { return v.Runs[0].Manifest.Model }},
		{"", func(v *compare.Variant) map[string]string {
			m := &v.Runs[0].Manifest
			flags := map[string]string{"--nodes": fmt.Sprint(m.Nodes)}
			if m.Load > 0 {
				flags["--load"] = fmt.Sprint(m.Load)
			} else if m.Faster > 0 {
				flags["--faster"] = fmt.Sprint(m.Faster)
			}
			if m.Override {
				flags["--override"] = ""
			}
			return flags
		}},
	} {
		for _, key := range differing(variants, part.of) {
			for i := range variants {
				v := &variants[i]
				value, set := part.of(v)[key]
				switch {
				case !set:
				case strings.ContainsAny(value, "\n") || len(value) > longestValue:
					v.Flags += fmt.Sprintf(" (its own %s)", key)
				case part.flag == "":
					v.Flags += strings.TrimRight(fmt.Sprintf(" %s %s", key, value), " ")
				default:
					v.Flags += fmt.Sprintf(" %s %s=%s", part.flag, key, value)
				}
			}
		}
	}
}

// differing are the keys, in order, that have not the same value in all variants.
func differing(variants []compare.Variant, of func(*compare.Variant) map[string]string) (keys []string) {
	all := map[string]bool{}
	for i := range variants {
		for key := range of(&variants[i]) {
			all[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		value, set := of(&variants[0])[key]
		if slices.ContainsFunc(variants[1:], func(v compare.Variant) bool {
			other, also := of(&v)[key]
			return also != set || other != value
		}) {
			keys = append(keys, key)
		}
	}
	return keys
}
