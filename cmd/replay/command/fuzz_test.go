package command

import (
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/settings"
	"replay/cmd/replay/tracecmd"
	"replay/engine/model"
	"replay/engine/scenario"
	"replay/policy"
	"replay/sealed/sealedtest"
	"replay/sweep"
)

// Times, windows, spans, shares and shards of flags are in their range, or an error.
func FuzzTimes(f *testing.F) {
	for _, s := range []string{"", "0", "90s", "1h..2h", "0..9223372036854775807", "-1", "2562047h", "7d", "1.5d", "1d2562047h", "1e3", "99%", "0.99", "NaN", "10%..500%", "5%..5%", "1e-320%..1e6%", "3/40", "0/1", "20x1m", "1x0s", "5m, 90s", "2026-11-22", "1969-12-31T23:59:59Z", "9999-12-31 23:59"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if ms, err := cmdline.ParseTime(text); err == nil && ms <= 0 {
			t.Errorf("time %q is %d", text, ms)
		}
		if from, to, err := parseWindow(text); err == nil && (from < 0 || from >= to) {
			t.Errorf("window %q is %d to %d", text, from, to)
		}
		if ms, _, err := tracecmd.ReadTime(text); err == nil && ms < 0 && text != "" {
			t.Errorf("time %q is %d", text, ms)
		}
		if x, err := cmdline.ParseShare(text); err == nil && !(x >= 0 && x <= 1) {
			t.Errorf("share %q is %v", text, x)
		}
		if ms, err := cmdline.ParseStart(text); err == nil && ms < 0 {
			t.Errorf("start %q is %d", text, ms)
		}
		if n, ms, err := cmdline.ParseSpans(text); err == nil && (n < 1 || ms < 1) {
			t.Errorf("spans %q are %d of %d", text, n, ms)
		}
		if list, err := parseTimes(text); err == nil && (len(list) == 0 || list[0] <= 0 || !slices.IsSorted(list)) {
			t.Errorf("times %q are %d", text, list)
		}
		if list, err := parseShares(text); err == nil && (len(list) == 0 || !(list[0] > 0) || !slices.IsSorted(list)) {
			t.Errorf("shares %q are %v", text, list)
		}
		if i, n, err := parseShard(text); err == nil && (i < 1 || i > n) {
			t.Errorf("shard %q is %d of %d", text, i, n)
		}
	})
}

// What run.json or comparison.json say of how they were made, whole or changed and sealed again, is read with a command and its traces, or
// refused.
func FuzzFrom(f *testing.F) {
	for _, s := range []string{
		`{"trace":"t","trace_sha256":"00","made":{"command":["run","t","--seed","3"],"files":[{"name":"a.xml","text":"<a/>"}]}}`,
		`{"traces":[{"name":"t","sha256":"00"},{"name":"u","sha256":"01"}],"made":{"command":["compare","t","u","--variant","a:"]}}`,
		`{"made":{"command":["run"]}}`, `{"made":null}`, `{"hash":"00"}`, `[]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, traces, files, err := readDescribed(sealedtest.Text(text))
		if err == nil && (len(traces) == 0 || files == nil || len(d.Made.Command) < 1+len(traces)) {
			t.Errorf("%s: %v of %v", text, d.Made, traces)
		}
	})
}

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
		vs, err := (&program{settings: settings.New(&policy.Tables{})}).parseVariants([]string{text}, scenario.Options{Model: model.DefaultModel()})
		if err == nil && (len(vs) != 1 || !sweep.Name.MatchString(vs[0].name)) {
			t.Errorf("%q gives %v without an error", text, vs)
		}
	})
}
