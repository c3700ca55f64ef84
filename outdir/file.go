package outdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file that is there whole or as it was before. What a writer that was killed left behind goes with the next.
// What is no regular file, such as a terminal, is written as it is.
func WriteFile(path string, b []byte) error {
	path, err := target(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, b, 0o644)
	}
	mode := fs.FileMode(0o644)
	if err == nil {
		mode = info.Mode().Perm()
	}
	dir, name := filepath.Split(path)
	temp := filepath.Join(dir, "."+name+".partial")
	if err := os.WriteFile(temp, b, mode); err != nil {
		if named := new(fs.PathError); errors.As(err, &named) { // for people it is the file itself
			err = &fs.PathError{Op: named.Op, Path: path, Err: named.Err}
		}
		return errors.Join(err, gone(temp))
	}
	return errors.Join(os.Rename(temp, path), gone(temp))
}
