package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/engine/model"
	"replay/engine/scenario"
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
		vs, err := parseVariants([]string{text}, scenario.Options{Model: model.DefaultModel()})
		if err == nil && (len(vs) != 1 || !variantName.MatchString(vs[0].name)) {
			t.Errorf("%q gives %v without an error", text, vs)
		}
	})
}

func FuzzSparkDefaults(f *testing.F) {
	for _, s := range []string{"", "# c\nspark.executor.cores 2\n", "spark.a=b", "spark.a : b\r\n", "spark.a", "!x\n\n=\n", "spark.a\t=  b c "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "spark-defaults.conf")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := readSparkDefaults(path)
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("error %q does not name the file", err)
		}
		for k := range m {
			if k == "" || strings.ContainsAny(k, " \t=:\n") {
				t.Errorf("key %q of %q", k, text)
			}
		}
	})
}
