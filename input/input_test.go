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

// What is packed, or no text at all, is called so before anybody looks for lines in it.
func TestTextsThatAreNone(t *testing.T) {
	for head, is := range map[string]string{
		"\x1f\x8b\b": "gzip", "(\xb5/\xfd$": "zstd", "BZh91AY": "bzip2", "\xfd7zXZ\x00": "xz", "PK\x03\x04": "a zip archive",
		"PAR1": "a Parquet file", "version https://git-lfs.github.com/spec/v1\n": "a pointer of Git LFS",
	} {
		path := filepath.Join(t.TempDir(), "yarn-site.xml")
		if err := os.WriteFile(path, []byte(head+"rest"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadText(path); err == nil || !strings.HasPrefix(err.Error(), path+": is ") || !strings.Contains(err.Error(), is) {
			t.Errorf("%q: %v, want that it is %s", head, err, is)
		}
	}
	path := filepath.Join(t.TempDir(), "conditions")
	if err := os.WriteFile(path, []byte("version of this: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadText(path); err != nil || string(text) != "version of this: 1\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A document that is not in the encoding that it is read in says where, or what of its declaration is wrong.
func TestEncodingsOfXML(t *testing.T) {
	if _, err := XML([]byte("<a>\n\u00f6\n<b>\xf6</b></a>")); err == nil || !strings.HasPrefix(err.Error(), "the text is not UTF-8: line 3 has the byte 0xf6;") {
		t.Errorf("%v", err)
	}
	if _, err := XML([]byte("<a>\xe2\x82")); err == nil || !strings.HasPrefix(err.Error(), "the text is not UTF-8: line 1 has the byte 0xe2;") {
		t.Errorf("cut in a character: %v", err)
	}
	d, err := XML([]byte(`<?xml version="1.0" encoding="UTF-16"?><a/>`))
	if err == nil {
		_, err = d.RawToken()
	}
	if err == nil || !strings.Contains(err.Error(), "encoding UTF-16 is declared, and the text has no byte order mark of it") {
		t.Errorf("a declaration alone: %v", err)
	}
}
