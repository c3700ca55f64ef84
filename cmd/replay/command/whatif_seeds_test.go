package command

import (
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// What a change does under several seeds is what a comparison of the two says, from the seed of the result on; of a job that is left out, too.
func TestChangeOverSeeds(t *testing.T) {
	trace := traces + "fair-weights"
	res := filepath.Join(t.TempDir(), "r")
	must(t, "run", trace, "--sharing", "drf", "--seed", "3", "--formats", "none", "-q", "--out", res)
	table := func(text string) string {
		_, text, _ = strings.Cut(text, "For this trace (5 seeds)")
		head, rest, _ := strings.Cut(text, "\nbase:")
		_, rest, _ = strings.Cut(rest, "\n\n") // without the flags of the variants, which are said otherwise
		return head + rest
	}
	for _, change := range []string{"--conf spark.locality.wait=0s", "--change 'without job 1'"} {
		words, err := splitWords(change)
		if err != nil {
			t.Fatal(err)
		}
		got := must(t, append([]string{"whatif", res, "--trace", trace, "--seeds", "5"}, words...)...)
		want := must(t, "compare", trace, "--seeds", "5", "--seed", "3", "--variant", "before: --sharing drf", "--variant", "after: --sharing drf "+change)
		if table(got) != table(want) || len(table(got)) < 1000 {
			t.Errorf("%s: %s\nwant as compared: %s", change, got, want)
		}
		if text := "Changed: " + change + "\nReplayed with and without it under 5 seeds, from 3 on, each pair on the same random streams.\n\n"; !strings.HasPrefix(got, text) {
			t.Errorf("%s\nwant %q first", got, text)
		}
	}
	if text := must(t, "whatif", res, "--trace", trace, "--seeds", "5", "--conf", "spark.locality.wait=0s", "--json"); !strings.Contains(text, `"seeds"`) || strings.Contains(text, "Changed:") {
		t.Error(text)
	}
	if text := must(t, "whatif", res, "--trace", trace, "--conf", "spark.locality.wait=0s"); !strings.Contains(text, "one replay each, which is no evidence (--seeds)") {
		t.Error(text)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--seeds", "5"}, "--seeds wants a change"},
		{[]string{"--seeds", "5", "--conf", "a=b", "--out", "x"}, "it has no place beside --out and --regret"},
		{[]string{"--seeds", "5", "--regret", "3"}, "it has no place beside --out and --regret"},
		{[]string{"--seeds", "5", "--seed", "7"}, "it has no place beside --seed"},
		{[]string{"--seeds", "0", "--conf", "a=b"}, "--seeds is"},
	} {
		if code, _, stderr := cmd(t, append([]string{"whatif", res, "--trace", trace}, tt.args...)...); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: exit code %d, %s", tt.args, code, stderr)
		}
	}
}
