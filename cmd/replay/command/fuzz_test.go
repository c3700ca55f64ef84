package command

import (
	"slices"
	"strings"
	"testing"

	"replay/engine/model"
	"replay/engine/scenario"
	"replay/policy"
)

func FuzzSplitWords(f *testing.F) {
	for _, s := range []string{"", "a b", `'a b' "c d"`, `a\ b`, `"a\"b"`, `'a`, `a\`, "x='1 2'y", "\t\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := splitWords(text)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := splitWords(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(words, again) {
			t.Errorf("words of %q are %q, quoted and split again %q (%v)", text, words, again, err)
		}
	})
}

func FuzzVariants(f *testing.F) {
	for _, s := range []string{"a:", "a: --sharing drf", "b: --conf spark.locality.wait=0s --model kill-ms=3", "x", ": ", "a: --seed 3", "a: b",
		"a: --load -1", "a: --until 90s --series 1", "a: --conf", "a: --help", "a: --no"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "-scheduler") && strings.Contains(text, "/") || strings.Contains(text, "file") || strings.Contains(text, "site") || strings.Contains(text, "defaults") {
			return // would read files
		}
		vs, err := (&program{policies: &policy.Tables{}, files: newInputFiles()}).parseVariants([]string{text}, scenario.Options{Model: model.DefaultModel()})
		if err == nil && (len(vs) != 1 || !variantName.MatchString(vs[0].name)) {
			t.Errorf("%q gives %v without an error", text, vs)
		}
	})
}
