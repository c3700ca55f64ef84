package cmdline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"replay/trace"
)

// OpenTrace opens the trace at dir. The error of a folder of traces names them.
func OpenTrace(dir string) (*trace.Trace, error) {
	t, err := trace.Open(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	entries, readErr := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if _, statErr := os.Stat(filepath.Join(dir, e.Name(), "trace.json")); statErr == nil {
			names = append(names, e.Name())
		}
	}
	if readErr != nil || len(names) == 0 {
		return nil, err
	}
	more := ""
	if n := len(names) - namedTraces; n > 1 {
		names, more = names[:namedTraces], fmt.Sprintf(" and %d more", n)
	}
	return nil, fmt.Errorf("%s: a folder of traces, want one of them: %s%s", dir, strings.Join(names, ", "), more)
}

// namedTraces is how many traces of a folder an error names.
const namedTraces = 20
