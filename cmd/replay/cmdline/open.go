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
	names, more := Named(names, namedTraces)
	return nil, fmt.Errorf("%s: a folder of traces, want one of them: %s%s", dir, strings.Join(names, ", "), more)
}

// Named are the first of a list, most of them at most, which an error names, and what it says of the others; a single other one is named, too.
func Named[T any](list []T, most int) (first []T, more string) {
	if n := len(list) - most; n > 1 {
		return list[:most], fmt.Sprintf(" and %d more", n)
	}
	return list, ""
}

// namedTraces is how many traces of a folder an error names.
const namedTraces = 20
