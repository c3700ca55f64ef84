package cmdline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"replay/trace"
)

// OpenTrace opens the trace at dir. The error of a folder of traces names them, that of something else says what it is.
func OpenTrace(dir string) (*trace.Trace, error) {
	if IsTrace(dir) {
		return trace.Open(dir)
	}
	entries, readErr := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if IsTrace(filepath.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	if readErr != nil || len(names) == 0 {
		return nil, NotTrace(dir)
	}
	more := ""
	if n := len(names) - namedTraces; n > 1 {
		names, more = names[:namedTraces], fmt.Sprintf(" and %d more", n)
	}
	return nil, fmt.Errorf("%s: a folder of traces, want one of them: %s%s", dir, strings.Join(names, ", "), more)
}

// namedTraces is how many traces of a folder an error names.
const namedTraces = 20
