// Package input opens the files that the program reads: regular files only, so that nothing waits for another process
// or reads without end.
package input

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file for reading. A folder, named pipe, device or socket is an error that says which it is.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err
	}
	// Another file may be in its place by the time it is opened: a pipe must not be waited for.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile returns the content of a regular file, which may be as long as [maxText].
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxText {
		return nil, fmt.Errorf("%s: has %d bytes, want at most %d", path, info.Size(), int64(maxText))
	}
	text := make([]byte, info.Size())
	n, err := io.ReadFull(f, text)
	if err == io.ErrUnexpectedEOF || err == io.EOF { // it has become shorter
		err = nil
	}
	return text[:n], err
}

// maxText is the largest file that is read as one text: a configuration, manifest or attached file.
const maxText = 256 << 20

// NotRegular is the error of a path that is no regular file.
type NotRegular struct {
	Path string
	Is   string // such as "a named pipe"
}

func (e *NotRegular) Error() string {
	return fmt.Sprintf("%s: is %s, want a regular file", e.Path, e.Is)
}

func regular(path string, info fs.FileInfo) error {
	for _, k := range []struct {
		mode fs.FileMode
		is   string
	}{
		{fs.ModeDir, "a folder"},
		{fs.ModeNamedPipe, "a named pipe"},
		{fs.ModeSocket, "a socket"},
		{fs.ModeCharDevice | fs.ModeDevice, "a device"},
		{fs.ModeIrregular, "irregular"},
	} {
		if info.Mode()&k.mode != 0 {
			return &NotRegular{path, k.is}
		}
	}
	return nil
}
