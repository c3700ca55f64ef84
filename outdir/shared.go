package outdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// MakeShared makes a directory in which any number of processes write, if there is none yet.
func MakeShared(dir string) error {
	if _, err := target(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// WriteShared writes a file that other processes, on any machine, may write at the same time with the same bytes: each has its own beside it,
// and the last one stays. What a writer that was killed left behind goes with [TidyShared].
func WriteShared(path string, b []byte) error {
	for {
		f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"."+host()+".*"+partial)
		if err != nil {
			return err
		}
		lock(f)
		_, err = f.Write(b)
		err = errors.Join(err, f.Chmod(0o644), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, gone(f.Name()))
		}
		if _, there := os.Stat(filepath.Dir(path)); there != nil {
			return err
		}
		// It was tidied away while nothing held it.
	}
}

const partial = ".partial"

// abandoned is after how long nobody on another machine writes a file any more: one takes milliseconds.
const abandoned = time.Hour

// TidyShared removes what writers of files in the directory left that were killed, and nothing that may be under way: a process of this machine holds
// a lock as long as it writes; of another one nothing is known for an hour.
func TidyShared(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), partial)
		if !ok || !strings.HasPrefix(name, ".") || e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		here := strings.HasSuffix(strings.TrimRight(name, "0123456789"), "."+host()+".")
		info, err := e.Info()
		if err == nil && (time.Since(info.ModTime()) > abandoned || here && free(path)) {
			if err := gone(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// free reports whether nobody on this machine writes the file.
func free(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return canLock && lock(f) == nil
}

// host names this machine in the names of files.
func host() string {
	name, _ := os.Hostname()
	return strings.ReplaceAll(filepath.Base(name), "*", "")
}

// gone removes a file that may be in place by now.
func gone(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
