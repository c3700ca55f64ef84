// Package outdir writes directories that appear whole or not at all, and that replace nothing but an earlier
// directory of their own kind. What a writer that was killed left behind goes when the next one writes there; two
// writers never write the same directory.
package outdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Kind is what a sort of directory consists of.
type Kind struct {
	Mark  string   // the file that tells the kind
	Files []string // all files that it may hold, such as plots/*.svg, as patterns of [path.Match]; responses/ is a directory with whatever is in it
}

// Check reports why dir cannot be replaced by a directory of the kind. It can when it is absent or empty, or has the
// mark and nothing besides what the kind consists of.
func (k Kind) Check(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		file := dir
		for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
			file = filepath.Dir(file)
		}
		return fmt.Errorf("%s: %s is a file; want a new or empty directory", dir, file)
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
	return fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", dir, err)
		case name == ".":
			return nil
		case e.IsDir() && slices.Contains(k.Files, name+"/"):
			return fs.SkipDir
		case !slices.ContainsFunc(k.Files, func(pattern string) bool { return matches(pattern, name, e.IsDir()) }):
			return fmt.Errorf("%s: has %s, which would be lost; want a new or empty directory, or an earlier result and nothing else", dir, name)
		}
		return nil
	})
}

// matches reports whether a pattern of files is that of one called name, or of some below the directory called name.
func matches(pattern, name string, isDir bool) bool {
	if isDir {
		parts := strings.Split(pattern, "/")
		depth := strings.Count(name, "/") + 1
		if depth >= len(parts) {
			return false
		}
		pattern = strings.Join(parts[:depth], "/")
	}
	ok, _ := path.Match(pattern, name)
	return ok
}

// Begin begins a directory that will appear at dir, which [Kind.Check] must allow to be replaced.
func (k Kind) Begin(dir string) (*Partial, error) {
	if err := k.Check(dir); err != nil {
		return nil, err
	}
	p, err := Begin(dir)
	if err != nil {
		return nil, err
	}
	if err := k.Check(dir); err != nil { // the writer that had it first may have made something else of it
		p.Abort()
		return nil, err
	}
	return p, nil
}

// Partial is a directory that is being written beside the place where it will appear, on the same file system. Its name
// says so, .NAME.partial, and it is locked while its writer lives.
type Partial struct {
	dir  string // absolute
	temp string // "" when it is in place or removed
	lock *os.File
}

// Said is the text of an error with what is being written called as it would be in the end: where it is meanwhile is nobody's concern.
func Said(text string) string { return meanwhile.ReplaceAllString(text, "/$1$2") }

var meanwhile = regexp.MustCompile(`/\.([^/\n]+)\.partial([/:])`)

// partials are those that are being written, for [AbortAll].
var partials struct {
	sync.Mutex
	open map[*Partial]bool
	over bool // the program ends: nothing is put in its place any more
}

// target follows a path to what a link there leads to. A link to nothing, such as to a disk that is not there, is an error: what is written would
// take its place, and not be where it leads.
func target(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	for at := path; err != nil; _, err = filepath.EvalSymlinks(at) { // it, or the first folder above it that is there, as a link at least
		if to, err := os.Readlink(at); err == nil {
			return "", fmt.Errorf("%s: is a link to %s, which is not there: make it, or remove the link", at, to)
		}
		above := filepath.Dir(at)
		if above == at {
			break
		}
		at = above
	}
	return path, nil
}

// Begin begins a directory that will appear at dir. It is an error if somebody else is writing it.
func Begin(dir string) (*Partial, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if abs, err = target(abs); err != nil {
		return nil, err
	}
	parent, name := filepath.Split(abs)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	p := &Partial{dir: abs, temp: filepath.Join(parent, "."+name+".partial")}
	if p.lock, err = own(p.temp); err != nil {
		if errors.Is(err, errLocked) {
			err = fmt.Errorf("%s: is being written by another program, which has %s", dir, p.temp)
		}
		return nil, err
	}
	if err := errors.Join(empty(p.temp), p.recover()); err != nil {
		p.Abort()
		return nil, err
	}
	p.keep()
	return p, nil
}

func (p *Partial) keep() {
	partials.Lock()
	defer partials.Unlock()
	if partials.open == nil {
		partials.open = make(map[*Partial]bool)
	}
	partials.open[p] = true
}

// old is where the directory that is replaced stands for a moment.
func (p *Partial) old() string {
	return filepath.Join(filepath.Dir(p.dir), "."+filepath.Base(p.dir)+".old")
}

// recover finishes what a writer that was killed began: the directory that it took away comes back, unless there is one.
func (p *Partial) recover() error {
	err := os.Rename(p.old(), p.dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return os.RemoveAll(p.old())
}

// Path returns where the file or directory called name, with slashes, is written.
func (p *Partial) Path(name string) string { return filepath.Join(p.temp, filepath.FromSlash(name)) }

// WriteFile writes a file.
func (p *Partial) WriteFile(name string, b []byte) error {
	return os.WriteFile(p.Path(name), b, 0o644)
}

// Install puts the directory in its place, instead of what is there.
func (p *Partial) Install() error {
	err := p.place(func() error {
		if err := os.Rename(p.temp, p.dir); err == nil { // an empty one gives way by itself
			return nil
		}
		if err := os.Rename(p.dir, p.old()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Rename(p.temp, p.dir); err != nil {
			return errors.Join(err, p.recover())
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(p.old()), p.unlock())
}

// place has a function put the directory in its place, unless the program ends.
func (p *Partial) place(rename func() error) error {
	partials.Lock()
	defer partials.Unlock()
	if partials.over {
		return fmt.Errorf("%s: not put in its place, as the program ends", p.dir)
	}
	if err := rename(); err != nil {
		return err
	}
	p.temp = ""
	return nil
}

// InstallNew is [Partial.Install] for a place that must be absent or empty.
func (p *Partial) InstallNew() error {
	if err := p.place(func() error { return os.Rename(p.temp, p.dir) }); err != nil {
		return err
	}
	return p.unlock()
}

// Merge puts the directory in its place together with what is there and not in it.
func (p *Partial) Merge() error {
	if err := linkAll(p.dir, p.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return p.Install()
}

// Abort removes what has not been put in place. After Install it does nothing.
func (p *Partial) Abort() {
	if p.temp != "" {
		os.RemoveAll(p.temp)
		p.temp = ""
	}
	p.unlock()
}

func (p *Partial) unlock() error {
	partials.Lock()
	defer partials.Unlock()
	delete(partials.open, p)
	if p.lock == nil {
		return nil
	}
	err := p.lock.Close()
	p.lock = nil
	return err
}

// AbortAll removes all directories that are being written, for a program that ends without the writers' doing. What was put in its place before stays, whole.
func AbortAll() {
	partials.Lock()
	defer partials.Unlock()
	partials.over = true
	for p := range partials.open {
		if temp := p.temp; temp != "" {
			for range 3 { // a writer may still be adding to it
				if os.RemoveAll(temp) == nil {
					break
				}
			}
		}
	}
}

var errLocked = errors.New("locked")

// own makes the directory at path, or takes one that a writer left, and locks it.
func own(path string) (*os.File, error) {
	for {
		if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its writer has just put it in place
		}
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			f.Close()
			return nil, err
		}
		locked, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if there, err := os.Stat(path); err == nil && os.SameFile(locked, there) {
			return f, os.Chmod(path, 0o755)
		}
		f.Close()
	}
}

// empty removes everything in a directory.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// linkAll makes everything in from also stand in to, unless to has something of that name.
func linkAll(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		a, b := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if _, err := os.Lstat(b); err == nil {
			continue
		}
		switch {
		case e.IsDir():
			if err = os.Mkdir(b, 0o755); err == nil {
				err = linkAll(a, b)
			}
		default:
			if err = os.Link(a, b); err != nil { // some file systems have no links
				err = copyFile(a, b)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
