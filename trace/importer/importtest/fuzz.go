package importtest

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"replay/trace"
	"replay/trace/importer/workload"
)

// Fuzz gives the format texts: whatever they are, an import makes a trace that follows all rules, or is refused and leaves nothing behind.
// seeds are texts to begin with, each also cut short.
func Fuzz(f *testing.F, format workload.Format, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s, false)
		f.Add(s[:len(s)*2/3], true)
	}
	dir := f.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	f.Fuzz(func(t *testing.T, text []byte, lenient bool) {
		if len(text) > 1<<20 {
			t.Skip("long")
		}
		Write(t, in, string(text))
		opt := workload.DefaultOptions()
		opt.Out, opt.Lenient, opt.MaxUnpacked = out, lenient, 1<<20
		if format.NoHosts {
			opt.Nodes = 3
		}
		Try(t, format, []string{in}, opt, text)
	})
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
	h := fnv.New32a()
	h.Write(text)
	whole := h.Sum32()%imported == 0
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
