package importtest

import (
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
	f.Fuzz(func(t *testing.T, text []byte, lenient bool) {
		if len(text) > 1<<20 {
			t.Skip("long")
		}
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		if err := os.WriteFile(in, text, 0o644); err != nil {
			t.Fatal(err)
		}
		opt := workload.DefaultOptions()
		opt.Out, opt.Lenient, opt.MaxJobTasks, opt.Limit, opt.MaxUnpacked = out, lenient, 1000, 100, 1<<20
		if format.NoHosts {
			opt.Nodes = 3
		}
		res, err := format.Import(t.Context(), "test", []string{in}, opt)
		if err != nil {
			if _, stat := os.Stat(out); stat == nil {
				t.Errorf("a trace was left behind although %v", err)
			}
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		check, err := trace.Check(t.Context(), out, 5)
		if err != nil || !check.OK() {
			t.Errorf("%+v, %v", check, err)
		}
		if res.Trace.Jobs == 0 {
			t.Errorf("a trace of %+v", res.Trace)
		}
	})
}
