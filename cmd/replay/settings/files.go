package settings

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/input"
)

// Files are all files that a command reads besides traces: each is read once, so that all replays see the same text and a
// result can say what it was made from. With those that a result was made from, the disk is not looked at.
// Several may use it at the same time.
type Files struct {
	mu       sync.Mutex
	recorded bool   // from a result
	base     string // of relative paths; "" for where the program runs
	files    map[string][]byte
	folders  map[string]scenario.Folder
	attached map[string][]byte // to the trace, by name
}

func newFiles() *Files {
	return &Files{files: map[string][]byte{}, folders: map[string]scenario.Folder{}, attached: map[string][]byte{}}
}

// Read returns the text of a file.
func (in *Files) Read(path string) ([]byte, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if text, ok := in.files[path]; ok {
		return text, nil
	}
	if in.recorded {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	text, err := input.ReadText(in.At(path))
	if err == nil {
		in.files[path] = text
	}
	return text, err
}

// From says where relative paths begin. It comes before any is read.
func (in *Files) From(base string) { in.base = base }

// Put adds a file that was read elsewhere.
func (in *Files) Put(path string, text []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.files[path] = text
}

// ReadOthers lets those of a result be more than it was made from: others are read from the disk. It comes before any is read.
func (in *Files) ReadOthers() { in.recorded = false }

// file returns a file that a flag names.
func (in *Files) file(path string) (scenario.File, error) {
	text, err := in.Read(path)
	return scenario.File{Name: path, Text: text}, err
}

// folder returns a folder of configuration files.
func (in *Files) folder(dir string) (scenario.Folder, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if f, ok := in.folders[dir]; ok {
		return f, nil
	}
	if in.recorded {
		return scenario.Folder{}, fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
	}
	f, err := scenario.ReadFolder(in.At(dir))
	if err == nil {
		f.Name = dir // what is said of it does not depend on the base
		for kind, file := range f.Files {
			if rel, err := filepath.Rel(in.At(dir), file.Name); err == nil {
				file.Name = filepath.Join(dir, rel)
				f.Files[kind] = file
			}
		}
		in.folders[dir] = f
		for _, file := range f.Files {
			in.files[file.Name] = file.Text
		}
	}
	return f, err
}

// At is where a path is.
func (in *Files) At(path string) string {
	if in.base == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(in.base, path)
}

// Attach notes the configuration that came with a trace. The prefix tells files of several traces apart.
func (in *Files) Attach(prefix string, files scenario.Files) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for kind, f := range files {
		in.attached[prefix+kind] = f.Text
	}
}

// Made says how a result was made by the words of a command: with all that was read so far.
func (in *Files) Made(words []string) *record.Made {
	in.mu.Lock()
	defer in.mu.Unlock()
	m := &record.Made{Command: words, Files: []record.Text{}, Folders: []record.Folder{}, Trace: []record.Text{}}
	for _, name := range slices.Sorted(maps.Keys(in.attached)) {
		m.Trace = append(m.Trace, textOf(name, in.attached[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(in.files)) {
		m.Files = append(m.Files, textOf(name, in.files[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(in.folders)) {
		f := in.folders[name]
		kinds := map[string]string{}
		for kind, file := range f.Files {
			kinds[kind] = file.Name
		}
		m.Folders = append(m.Folders, record.Folder{Name: name, Files: kinds, Others: append([]string{}, f.Others...)})
	}
	return m
}

// textOf is a file as a result keeps it.
func textOf(name string, text []byte) record.Text {
	sum := sha256.Sum256(text)
	t := record.Text{Name: name, SHA256: hex.EncodeToString(sum[:])}
	if utf8.Valid(text) {
		t.Text = string(text)
	} else {
		t.Base64 = base64.StdEncoding.EncodeToString(text)
	}
	return t
}

// FilesOf are those from which a result was made. A text that does not have its hash is an error.
func FilesOf(m *record.Made) (*Files, error) {
	in := newFiles()
	in.recorded = true
	for _, f := range m.Files {
		text := []byte(f.Text)
		if f.Base64 != "" {
			var err error
			if text, err = base64.StdEncoding.DecodeString(f.Base64); err != nil {
				return nil, fmt.Errorf("the text of %s: %w", f.Name, err)
			}
		}
		if got := textOf(f.Name, text).SHA256; got != f.SHA256 {
			return nil, fmt.Errorf("the text of %s has the hash %s, want %s as it says itself", f.Name, got, f.SHA256)
		}
		in.files[f.Name] = text
	}
	for _, f := range m.Folders {
		folder := scenario.Folder{Name: f.Name, Files: scenario.Files{}, Others: f.Others}
		for kind, name := range f.Files {
			text, ok := in.files[name]
			if !ok {
				return nil, fmt.Errorf("folder %s: the text of %s is missing", f.Name, name)
			}
			folder.Files[kind] = scenario.File{Name: name, Text: text}
		}
		in.folders[f.Name] = folder
	}
	return in, nil
}
