package importtest

import (
	"bytes"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"replay/trace"
	"replay/trace/importer/workload"
)

// Fuzz gives the format texts: whatever they are, an import makes a trace that follows all rules, or is refused and leaves nothing behind.
// seeds are texts to begin with, each also cut short.
func Fuzz(f *testing.F, format workload.Format, seeds ...[]byte) {
	in := filepath.Join(f.TempDir(), "in")
	fuzz(f, format, seeds, func(t testing.TB, text []byte, _ *workload.Options) string {
		Write(t, in, string(text))
		return in
	})
}

// FuzzStdin is Fuzz of a format that reads standard input, which takes no files. It can read the first of seeds.
func FuzzStdin(f *testing.F, format workload.Format, seeds ...[]byte) {
	stdin := func(_ testing.TB, text []byte, opt *workload.Options) string {
		opt.Stdin = bytes.NewReader(text)
		return workload.Stdin
	}
	opt := options(format, false)
	if _, err := format.Survey(f.Context(), "test", []string{stdin(f, seeds[0], &opt)}, opt); err != nil {
		f.Fatal(err)
	}
	fuzz(f, format, seeds, stdin)
}

// fuzz is Fuzz of what given makes an input.
func fuzz(f *testing.F, format workload.Format, seeds [][]byte, given func(t testing.TB, text []byte, opt *workload.Options) string) {
	for _, s := range seeds {
		f.Add(s, false)
		f.Add(s[:len(s)*2/3], true)
	}
	out := filepath.Join(f.TempDir(), "out")
	f.Fuzz(func(t *testing.T, text []byte, lenient bool) {
		if len(text) > 1<<20 {
			t.Skip("long")
		}
		opt := options(format, lenient)
		opt.Out = out
		Try(t, format, []string{given(t, text, &opt)}, opt, text)
	})
}

func options(format workload.Format, lenient bool) workload.Options {
	opt := workload.DefaultOptions()
	opt.Lenient, opt.MaxUnpacked = lenient, 1<<20
	if format.NoHosts {
		opt.Nodes = 3
	}
	return opt
}

// imported is of how many inputs of a fuzz target one is imported: a trace costs a hundred times as much as reading what it is made of, so that
// either has its half of the time.
const imported = 128

// Try reads what a fuzz target made, of which text is what it changed. Most inputs are surveyed: whatever they are, that gives counts or an error
// with words. One in [imported], by its content, is imported: it makes a trace that follows all rules, or is refused and leaves nothing at opt.Out,
// where nothing is afterwards. It returns the result, nil of what was refused.
func Try(t testing.TB, format workload.Format, inputs []string, opt workload.Options, text []byte) *workload.Result {
	t.Helper()
	opt.MaxJobTasks, opt.Limit = 1000, 100
	whole := crc32.ChecksumIEEE(text)%imported == 0
	read := format.Survey
	if whole {
		read = format.Import
	}
	res, err := read(t.Context(), "test", inputs, opt)
	switch {
	case err != nil:
		if _, stat := os.Stat(opt.Out); stat == nil {
			t.Errorf("a trace was left behind although %v", err)
		}
		if err.Error() == "" {
			t.Error("an error without words")
		}
		return nil
	case whole:
		defer os.RemoveAll(opt.Out)
		check, err := trace.Check(t.Context(), opt.Out, 5)
		if err != nil || !check.OK() || check.Hash != res.Hash {
			t.Errorf("%+v, %v", check, err)
		}
		if res.Trace.Jobs == 0 {
			t.Errorf("a trace of %+v", res.Trace)
		}
	}
	return res
}

// Changed puts text in the place of a file's content, calls do, and puts back what was there.
func Changed(t testing.TB, path string, text []byte, do func()) {
	t.Helper()
	good, err := os.ReadFile(path)
	there := err == nil
	Write(t, path, string(text))
	do()
	if there {
		Write(t, path, string(good))
	} else if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
