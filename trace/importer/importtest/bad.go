package importtest

import (
	"path/filepath"
	"strings"
	"testing"

	"replay/trace/importer/workload"
)

// CheckBad imports texts, of which something is wrong, as a file called in. Want is in the error of the import, or if that goes on with Jobs, 1 or more, in what
// it warns of and what strict says.
func CheckBad(t *testing.T, f workload.Format, list []struct {
	Text, Want string
	Jobs       int64
}) {
	t.Helper()
	for _, tt := range list {
		path, warned := WriteNew(t, "in", tt.Text), []string{}
		change := func(strict bool) func(*workload.Options) {
			return func(o *workload.Options) {
				o.Strict, o.Warn = strict, func(m string) { warned = append(warned, m) }
				if f.NoHosts {
					o.Nodes = 3
				}
			}
		}
		res, _, err := Import(t, f, path, change(false))
		_, _, strict := Import(t, f, path, change(true))
		switch {
		case tt.Jobs == 0 && (err == nil || !strings.Contains(err.Error(), tt.Want) && !strings.Contains(strings.Join(warned, "\n"), tt.Want)):
			t.Errorf("%q: error is %v, warned of %q, want %q", tt.Text, err, warned, tt.Want)
		case tt.Jobs > 0 && (err != nil || res.Trace.Jobs != tt.Jobs || !strings.Contains(strings.Join(warned, "\n"), tt.Want)):
			t.Errorf("%q: %+v, %v, warned of %q, want %d jobs and %q", tt.Text, res, err, warned, tt.Jobs, tt.Want)
		}
		if strict == nil || !strings.Contains(strict.Error(), tt.Want) {
			t.Errorf("%q: strict says %v, want %q", tt.Text, strict, tt.Want)
		}
	}
}

// RefusedFiles checks that a strict import of a folder with these files fails with a message that has all of want.
func RefusedFiles(t *testing.T, f workload.Format, files map[string]string, want string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		Write(t, filepath.Join(dir, name), text)
	}
	Refused(t, f, []string{dir}, func(o *workload.Options) { o.Strict = true }, want)
}
