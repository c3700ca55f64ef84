package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Scratch makes a directory for files that nobody keeps, in that of the system. Those of programs that were killed go.
func Scratch(name string) (*Partial, error) {
	prefix := "." + name + "-"
	old, err := os.ReadDir(os.TempDir())
	if err != nil {
		return nil, temporary(err)
	}
	for _, e := range old {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		p := &Partial{temp: filepath.Join(os.TempDir(), e.Name())}
		if p.lock, err = own(p.temp); err == nil { // else somebody has it, perhaps another user
			p.Abort()
		}
	}
	temp, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, temporary(err)
	}
	p := &Partial{temp: temp}
	if p.lock, err = own(temp); err != nil {
		return nil, temporary(err)
	}
	p.keep()
	return p, nil
}

// A ScratchFile is a file that nobody keeps. It has no name where the system allows that, so that nothing is left of it
// however the program ends.
type ScratchFile struct {
	file  *os.File
	named bool
}

// NewScratchFile makes a scratch file in the system's directory for them.
func NewScratchFile(name string) (*ScratchFile, error) {
	pattern := "." + name + "-*"
	// A program that was killed before its file had lost its name left it; one that lives does without.
	if old, err := filepath.Glob(filepath.Join(os.TempDir(), pattern)); err == nil {
		for _, path := range old {
			os.Remove(path)
		}
	}
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, temporary(err)
	}
	err = os.Remove(f.Name())
	return &ScratchFile{f, err != nil && !errors.Is(err, fs.ErrNotExist)}, nil // another program that began may have been the first
}

// ReadAt is as of [os.File].
func (f *ScratchFile) ReadAt(b []byte, off int64) (int, error) { return f.file.ReadAt(b, off) }

// WriteAt is as of [os.File].
func (f *ScratchFile) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.file.WriteAt(b, off)
	return n, temporary(err)
}

// Close removes the file.
func (f *ScratchFile) Close() error {
	err := f.file.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}

// temporary says of an error what can be done about it.
func temporary(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (temporary files are written to %s, or where TMPDIR says: want a folder there that can be written, with room)", err, os.TempDir())
}
