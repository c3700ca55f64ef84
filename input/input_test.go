package input

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Only regular files are opened; nothing is waited for.
func TestRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	pipe, sock := filepath.Join(dir, "pipe"), filepath.Join(dir, "s")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for path, is := range map[string]string{pipe: "a named pipe", link: "a named pipe", sock: "a socket", os.DevNull: "a device", dir: "a folder"} {
		_, err := ReadFile(path)
		var not *NotRegular
		if !errors.As(err, &not) || not.Is != is || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want that it is %s", path, err, is)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadFile(file); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want that there is none", err)
	}
}

// A file too long to be a text is refused by its size, before memory is taken for it.
func TestLongText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(maxText + 1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "want at most 268435456") {
		t.Errorf("%v", err)
	}
}
