package cmdline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A kind is what a folder of this program may be.
type kind struct {
	name, manifest string // the manifest is the file that tells
	advice         string // what makes one; PATH is where there is none
}

var (
	traces   = kind{"trace", "trace.json", "replay import auto PATH --out DIR makes one of event logs, recorded clusters and tables"}
	results  = kind{"result", "run.json", "replay run TRACE --out DIR makes one"}
	compared = kind{"comparison", "comparison.json", "replay compare TRACE --variant … --out DIR makes one"}
	kinds    = []kind{traces, results, compared, {"sweep", "sweep.json", ""}}
)

// Operand is a path as an argument of a command: one whose name begins with a dash would be taken for a flag.
func Operand(path string) string {
	if strings.HasPrefix(path, "-") {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// Operands are paths as arguments of a command, each an [Operand].
func Operands(paths []string) (args []string) {
	for _, path := range paths {
		args = append(args, Operand(path))
	}
	return args
}

// IsTrace reports whether dir has the manifest of a trace.
func IsTrace(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, traces.manifest))
	return err == nil
}

// IsResult reports whether there is a result of replay run in dir.
func IsResult(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, results.manifest))
	return err == nil
}

// Kept is where the results of the replays of a comparison are; ok is false where dir is none, or has kept none.
func Kept(dir string) (runs string, ok bool) {
	if _, err := os.Stat(filepath.Join(dir, compared.manifest)); err != nil {
		return "", false
	}
	runs = filepath.Join(dir, "runs")
	info, err := os.Stat(runs)
	return runs, err == nil && info.IsDir()
}

// Takes says of a path that is given without a command what is there and which command takes it; "" where there is nothing.
func Takes(path string) string {
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	switch path := Operand(path); {
	case IsTrace(path):
		return fmt.Sprintf(": it is a trace, which replay run %s takes", path)
	case IsResult(path):
		return fmt.Sprintf(": it is a result, which replay report %s shows again", path)
	default:
		return fmt.Sprintf(": it is no command but a path, of which replay import auto %s --out DIR makes a trace", path)
	}
}

// NotTrace is the error of a path at which there is no trace: what is there instead, and what to do.
func NotTrace(path string) error { return traces.missing(path) }

// NotResult is the error of a path at which there is no result of replay run.
func NotResult(path string) error { return results.missing(path) }

// NotComparison is the error of a path at which there is no comparison.
func NotComparison(path string) error { return compared.missing(path) }

func (k *kind) missing(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: not a %s directory: there is no such file or folder", path, k.name)
	}
	if err != nil {
		return fmt.Errorf("%s: not a %s directory: %w", path, k.name, err)
	}
	folder, what := path, ": it has no "+k.manifest
	if !info.IsDir() {
		folder, what = filepath.Dir(path), " but a file"
	}
	for _, other := range kinds {
		if _, err := os.Stat(filepath.Join(folder, other.manifest)); err != nil {
			continue
		}
		switch {
		case folder != path && other.name == k.name:
			return fmt.Errorf("%s: not a %s directory but a file of one; is %s meant?", path, k.name, folder)
		case folder == path && other.name == "trace":
			return fmt.Errorf("%s: not a %s directory but a trace; replay run %s --out DIR makes a result of it", path, k.name, path)
		case folder == path && other.name == "comparison" && k.name == "result":
			if runs, ok := Kept(path); ok {
				return fmt.Errorf("%s: not a result directory but a comparison; the results of its replays are below %s", path, runs)
			}
			return fmt.Errorf("%s: not a result directory but a comparison, which was made without --results; replay compare --from %[1]s --results --out DIR TRACE makes it with them", path)
		case folder == path:
			return fmt.Errorf("%s: not a %s directory but a %s", path, k.name, other.name)
		}
	}
	return fmt.Errorf("%s: not a %s directory%s; %s", path, k.name, what, strings.ReplaceAll(k.advice, "PATH", path))
}
