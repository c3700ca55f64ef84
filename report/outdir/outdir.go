// Package outdir writes directories that appear whole or not at all, and that replace nothing but an earlier
// directory of their own kind.
package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Kind is what a sort of directory consists of.
type Kind struct {
	Mark  string   // the file that tells the kind
	Files []string // all files and directories that it may hold
}

// Check reports why dir cannot be replaced by a directory of the kind. It can when it is absent or empty, or has the
// mark and nothing besides what the kind consists of.
func (k Kind) Check(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, k.Mark)); err != nil {
		return fmt.Errorf("%s: has files and no %s, so it is not an earlier result; want a new or empty directory", dir, k.Mark)
	}
	for _, e := range entries {
		if !slices.Contains(k.Files, e.Name()) {
			return fmt.Errorf("%s: has %s, which would be lost; want a new or empty directory, or an earlier result and nothing else", dir, e.Name())
		}
	}
	return nil
}

// Partial is a directory that is being written beside the place where it will appear, on the same file system.
type Partial struct{ dir, temp string }

// Begin begins a directory that will appear at dir, which [Kind.Check] must allow to be replaced.
func (k Kind) Begin(dir string) (*Partial, error) {
	if err := k.Check(dir); err != nil {
		return nil, err
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(parent, "."+filepath.Base(filepath.Clean(dir))+".partial-")
	if err != nil {
		return nil, err
	}
	return &Partial{dir, temp}, os.Chmod(temp, 0o755)
}

// Path returns where the file or directory called name, with slashes, is written.
func (p *Partial) Path(name string) string { return filepath.Join(p.temp, filepath.FromSlash(name)) }

// WriteFile writes a file.
func (p *Partial) WriteFile(name string, b []byte) error {
	return os.WriteFile(p.Path(name), b, 0o644)
}

// Install puts the directory in its place, instead of what is there.
func (p *Partial) Install() error {
	if err := replace(p.temp, p.dir); err != nil {
		return err
	}
	p.temp = ""
	return nil
}

// Merge puts each file and directory in its place and leaves the others there as they are.
func (p *Partial) Merge() error {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(p.temp)
	if err != nil {
		return err
	}
	for _, e := range entries {
		from, to := filepath.Join(p.temp, e.Name()), filepath.Join(p.dir, e.Name())
		if e.IsDir() {
			err = replace(from, to)
		} else {
			err = os.Rename(from, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Abort removes what has not been put in place. After Install it does nothing.
func (p *Partial) Abort() {
	if p.temp != "" {
		os.RemoveAll(p.temp)
		p.temp = ""
	}
}

// replace moves temp to dir, instead of what is there.
func replace(temp, dir string) error {
	old := temp + ".old"
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(temp, dir); err != nil {
		return err
	}
	return os.RemoveAll(old)
}
