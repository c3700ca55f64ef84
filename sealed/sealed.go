// Package sealed says whether files are as they were written. A document, which is JSON, has its own hash at its top, and those of
// the files beside it, so that no damage is read as something else.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"replay/input"
)

// Key is where a document has its hash.
const Key = "hash"

// Decode reads a document, with its numbers as they are written.
func Decode(text []byte) (doc map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, errNoObject
	}
	return doc, nil
}

// Marshal returns v, of which set takes the hash, as JSON with it.
func Marshal(v any, indent string, set func(hash string)) ([]byte, error) {
	set("")
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	sum, err := Sum(text, Key)
	if err != nil {
		return nil, err
	}
	set(sum)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	err = e.Encode(v)
	return b.Bytes(), err
}

// Unmarshal reads a document into v. One without its hash, or with that of another, is an error.
func Unmarshal(text []byte, v any) error {
	if err := input.JSON(text, v); err != nil {
		return err
	}
	sum, err := Sum(text, Key)
	if err != nil {
		return err
	}
	var doc map[string]json.RawMessage
	var has any
	if err = json.Unmarshal(text, &doc); err == nil && doc[Key] != nil {
		err = json.Unmarshal(doc[Key], &has)
	}
	switch {
	case err != nil:
		return err
	case has == nil || has == "":
		return fmt.Errorf("%s is missing, want the hash with which it was written", Key)
	case has != sum:
		return fmt.Errorf("%s is %q, want %q, that of what is in it: it was changed", Key, has, sum)
	}
	return nil
}

// A File is one beside a document, as it was when the document was written.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Of describes the file called name in a directory.
func Of(dir, name string) (File, error) {
	size, sum, err := Hash(filepath.Join(dir, name))
	return File{name, size, sum}, err
}

// Check returns an error if the file is not in the directory as it was.
func (f File) Check(dir string) error {
	if f.Name != filepath.Base(f.Name) {
		return fmt.Errorf("a file is called %q, want a name without a folder", f.Name)
	}
	is, err := Of(dir, f.Name)
	if err == nil && is != f {
		err = fmt.Errorf("%s: has %d bytes with SHA-256 %s, want %d with %s: it was changed", filepath.Join(dir, f.Name), is.Bytes, is.SHA256, f.Bytes, f.SHA256)
	}
	return err
}

// Hash returns size and SHA-256 of a file.
func Hash(path string) (size int64, sum string, err error) {
	f, err := input.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, "", err
	}
	h := sha256.New()
	size, err = io.CopyBuffer(struct{ io.Writer }{h}, f, make([]byte, min(1<<18, max(512, info.Size()+1))))
	return size, hex.EncodeToString(h.Sum(nil)), err
}
