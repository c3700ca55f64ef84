package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"replay/input"
)

// files is a file system that is read.
type files interface {
	list(ctx context.Context, dir string) ([]entry, error)
	// read gives the content of a file to f, as often as it takes.
	read(ctx context.Context, path string, f func(io.Reader) error) error
	name(dir string) string
}

type entry struct {
	name  string
	dir   bool
	bytes int64
}

// folder is the one into which Spark writes event logs, spark.eventLog.dir.
type folder struct {
	files    files
	dir      string
	parallel int
	sync.Mutex
	logs map[string][]entry // by application
}

// String is where it is.
func (f *folder) String() string { return f.files.name(f.dir) }

func (f *folder) refresh(ctx context.Context) error {
	all, err := f.files.list(ctx, f.dir)
	if err != nil {
		return err
	}
	logs := map[string][]entry{}
	for _, e := range all {
		if m := logName.FindStringSubmatch(e.name); m != nil && (m[1] != "") == e.dir {
			logs[m[2]] = append(logs[m[2]], e)
		}
	}
	f.Lock()
	f.logs = logs
	f.Unlock()
	return nil
}

func (f *folder) take(ctx context.Context, a *Application, to *logWriter) (bool, error) {
	f.Lock()
	logs := slices.Clone(f.logs[a.ID])
	f.Unlock()
	if len(logs) == 0 {
		return false, nil
	}
	slices.SortFunc(logs, func(x, y entry) int { return strings.Compare(x.name, y.name) })
	type file struct {
		name  string
		bytes int64
	}
	var all []file
	whole := true
	for _, e := range logs {
		if !e.dir {
			whole = whole && !strings.HasSuffix(e.name, unfinished)
			all = append(all, file{e.name, e.bytes})
			continue
		}
		parts, err := f.files.list(ctx, path.Join(f.dir, e.name))
		if err != nil {
			return false, err
		}
		if len(parts) > maxEntries {
			return false, fmt.Errorf("%s has %d files, want at most %d", e.name, len(parts), maxEntries)
		}
		for _, p := range parts {
			if !p.dir && rollingPart.MatchString(p.name) {
				whole = whole && !strings.HasSuffix(p.name, unfinished)
				all = append(all, file{e.name + "/" + p.name, p.bytes})
			}
		}
	}
	if !whole && a.State == "FINISHED" { // the last lines are still to come
		return false, nil
	}
	if a.Log != nil && !slices.ContainsFunc(all, func(x file) bool { return !a.Log.covers(x.name, x.bytes) }) {
		return false, nil
	}
	for _, x := range all {
		before, left := len(to.files), to.left
		err := f.files.read(ctx, path.Join(f.dir, x.name), func(r io.Reader) error {
			to.files, to.left = to.files[:before], left
			if err := os.Remove(to.path(x.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return to.write(x.name, r)
		})
		if err != nil {
			return false, err
		}
		if got := to.files[before].Bytes; got < x.bytes {
			return false, fmt.Errorf("%s: has %d bytes, want the %d that it is listed with", x.name, got, x.bytes)
		}
	}
	return true, nil
}

// localFiles are those of this machine.
type localFiles struct{}

func (localFiles) name(dir string) string { return dir }

func (localFiles) list(_ context.Context, dir string) ([]entry, error) {
	all, err := os.ReadDir(dir)
	var out []entry
	for _, e := range all {
		info, err := e.Info()
		if err != nil {
			continue // renamed since
		}
		out = append(out, entry{e.Name(), e.IsDir(), info.Size()})
	}
	return out, err
}

func (localFiles) read(_ context.Context, path string, f func(io.Reader) error) error {
	file, err := input.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return f(file)
}
