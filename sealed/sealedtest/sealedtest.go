// Package sealedtest makes sealed files for tests.
package sealedtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"replay/sealed"
)

// Seal makes the hashes of a document, and those of the regular files beside it that it names, what they would be if they had been written
// as they are, for tests of what a program finds in such files.
func Seal(t testing.TB, path string) {
	t.Helper()
	dir := filepath.Dir(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := sealed.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	var files []sealed.File
	names, _ := doc["files"].([]any)
	for _, entry := range names {
		name, _ := entry.(map[string]any)["name"].(string)
		if f, err := sealed.Of(dir, name); err == nil {
			files = append(files, f)
		}
	}
	if names != nil {
		doc["files"] = files
	}
	if text, err = json.Marshal(doc); err == nil {
		err = os.WriteFile(path, Text(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Text returns a document with the hash of what it holds, and any other text as it is.
func Text(text []byte) []byte {
	doc, err := sealed.Decode(text)
	if err != nil {
		return text
	}
	if doc[sealed.Key], err = sealed.Sum(text, sealed.Key); err != nil {
		return text
	}
	if out, err := json.Marshal(doc); err == nil {
		return out
	}
	return text
}
