package eventlog

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"replay/input"
	"replay/trace/importer/codec"
	"replay/trace/importer/workload"
)

// zipMagic begins an archive as a history server gives it for the logs of an application.
const zipMagic = "PK\x03\x04"

// archive is a zip archive. The path of a file in it is that of the archive, and its name within it. Nil stands for none: its files
// lie alone.
type archive struct {
	path   string
	reader *zip.Reader // of what ReadAt gives
	file   *os.File    // nil while no file of it is open: there may be many archives
	users  int
}

// openArchive reads what is in a zip archive. It is open until its close.
func openArchive(path string) (*archive, error) {
	a := &archive{path: path}
	if err := a.open(); err != nil {
		return nil, err
	}
	info, err := a.file.Stat()
	if err == nil {
		a.reader, err = zip.NewReader(a, info.Size())
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *archive) open() (err error) {
	if a.users == 0 {
		a.file, err = os.Open(a.path)
	}
	if err == nil {
		a.users++
	}
	return err
}

func (a *archive) close() error {
	if a.users--; a.users > 0 {
		return nil
	}
	return a.file.Close()
}

// ReadAt reads the archive while it is open.
func (a *archive) ReadAt(p []byte, at int64) (int, error) { return a.file.ReadAt(p, at) }

// at is the path of a file.
func (a *archive) at(name string) string { return filepath.Join(a.path, filepath.FromSlash(name)) }

// stat is [os.Stat]; of a file in the archive the size is the one that it has there.
func (a *archive) stat(file string) (size int64, regular bool, err error) {
	if a == nil {
		info, err := os.Stat(file)
		if err != nil {
			return 0, false, err
		}
		return info.Size(), info.Mode().IsRegular(), nil
	}
	in, err := a.member(file)
	if err != nil {
		return 0, false, err
	}
	defer in.Close()
	return int64(in.header.CompressedSize64), in.header.Mode().IsRegular(), nil
}

// opens returns what opens a file of the archive as [codec.OpenHashed] does one that lies alone, which plain opens.
func (a *archive) opens(plain func(path, name string, most int64) (*codec.File, error)) func(path, name string, most int64) (*codec.File, error) {
	if a == nil {
		return plain
	}
	return func(path, _ string, most int64) (*codec.File, error) {
		in, err := a.member(path)
		if err != nil {
			return nil, err
		}
		if in.header.Flags&1 != 0 {
			in.Close()
			return nil, errors.New("is encrypted")
		}
		in.Reader = input.Unpacked(in.File, int64(in.header.CompressedSize64), most)
		out, err := codec.Reader(in, most)
		if err != nil {
			in.Close()
		}
		return out, err
	}
}

// member is a file of an archive, which is open as long as it is.
type member struct {
	fs.File
	io.Reader
	header  *zip.FileHeader
	archive *archive
}

func (m *member) Read(b []byte) (int, error) { return m.Reader.Read(b) }

func (m *member) Close() error { return errors.Join(m.File.Close(), m.archive.close()) }

func (a *archive) member(file string) (*member, error) {
	name, err := filepath.Rel(a.path, file)
	if err != nil {
		return nil, err
	}
	if err := a.open(); err != nil {
		return nil, err
	}
	f, err := a.reader.Open(filepath.ToSlash(name))
	if err != nil {
		a.close()
		return nil, withoutPath(err)
	}
	m := &member{File: f, archive: a}
	info, err := f.Stat()
	if err != nil {
		m.Close()
		return nil, err
	}
	if header, ok := info.Sys().(*zip.FileHeader); ok {
		m.header = header
		return m, nil
	}
	m.Close()
	return nil, errors.New("a directory")
}

// zipped takes what is in a zip archive: its files and rolling logs, at any depth.
func (f *finder) zipped(path string) {
	if f.given == "" {
		f.given = path
		defer func() { f.given = "" }()
	}
	a, err := openArchive(path)
	if err != nil {
		f.leave(path, workload.Damaged, "%w", withoutPath(err))
		return
	}
	defer a.close()
	f.archive = a
	defer func() { f.archive = nil }()
	var files []string
	fs.WalkDir(a.reader, ".", func(name string, e fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch hidden := strings.HasPrefix(base, ".") && name != "."; {
		case err != nil:
			f.leave(a.at(name), workload.Damaged, "%w", withoutPath(err))
		case hidden:
			if f.Passed = append(f.Passed, base); e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir():
			files = append(files, a.at(name))
		case strings.HasPrefix(base, rollingPrefix):
			entries, err := fs.ReadDir(a.reader, name)
			if err != nil {
				return err // comes back as that of the directory
			}
			f.rolling(a.at(name), entries)
			return fs.SkipDir
		}
		return nil
	})
	f.files(files)
}

// detectZipped tells by the begin of a zip archive whether its first file is an event log, by its name or by its text.
func detectZipped(head []byte) string {
	const fixed = 30 // bytes of the header of a file, then its name and what extends it
	if !bytes.HasPrefix(head, []byte(zipMagic)) || len(head) < fixed {
		return ""
	}
	length := func(at int) int { return int(binary.LittleEndian.Uint16(head[at:])) }
	name, text := length(26), fixed+length(26)+length(28)
	if len(head) < text {
		return ""
	}
	first := string(head[fixed : fixed+name])
	log := parseLogName(first)
	if is := log.meant() || strings.Contains(first, rollingPrefix); is {
		return fmt.Sprintf("a zip archive that begins with %.80q", first)
	}
	if length(8) != int(zip.Deflate) {
		return ""
	}
	begin := make([]byte, 256)
	n, _ := io.ReadFull(flate.NewReader(bytes.NewReader(head[text:])), begin)
	if detectText(begin[:n]) != "" {
		return fmt.Sprintf("a zip archive whose first file, %.80q, has events of Spark's listener as JSON", first)
	}
	return ""
}
