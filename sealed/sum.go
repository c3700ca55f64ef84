package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"maps"
	"slices"
)

var errNoObject = errors.New("is null, want a JSON object")

// Sum is SHA-256, in hexadecimal digits, over a document of any layout: its JSON without space, keys sorted, numbers as they are written. What without names, by keys with dots between them,
// is left out. Memory is a few times the text, also of one with many values.
func Sum(text []byte, without ...string) (string, error) {
	s := summing{h: sha256.New(), without: without}
	s.strings = json.NewEncoder(&s.text)
	s.strings.SetEscapeHTML(false)
	if err := s.fields(text, ""); err != nil {
		return "", err
	}
	return hex.EncodeToString(s.h.Sum(nil)), nil
}

// summing is a Sum while it is made.
type summing struct {
	h       hash.Hash
	without []string
	strings *json.Encoder // to text
	text    bytes.Buffer
}

// value takes a value of valid JSON. path is that of its keys, with a dot behind it.
func (s *summing) value(v json.RawMessage, path string) error {
	v = bytes.TrimLeft(v, " \t\r\n")
	switch {
	case len(v) > 0 && v[0] == '{':
		return s.fields(v, path)
	case len(v) > 0 && v[0] == '[':
		return s.elements(v, path)
	case len(v) > 0 && v[0] == '"':
		var text string
		if err := json.Unmarshal(v, &text); err != nil {
			return err
		}
		return s.string(text)
	}
	s.h.Write(bytes.TrimRight(v, " \t\r\n"))
	return nil
}

func (s *summing) fields(v json.RawMessage, path string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(v, &fields); err != nil {
		return err
	}
	if fields == nil {
		return errNoObject
	}
	before := "{"
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(s.without, path+key) {
			continue
		}
		s.h.Write([]byte(before))
		before = ","
		if err := s.string(key); err != nil {
			return err
		}
		s.h.Write([]byte(":"))
		if err := s.value(fields[key], path+key+"."); err != nil {
			return err
		}
	}
	if before == "{" {
		s.h.Write([]byte(before))
	}
	s.h.Write([]byte("}"))
	return nil
}

func (s *summing) elements(v json.RawMessage, path string) error {
	d := json.NewDecoder(bytes.NewReader(v))
	if _, err := d.Token(); err != nil {
		return err
	}
	before := "["
	var e json.RawMessage // its memory serves one after another
	for d.More() {
		if err := d.Decode(&e); err != nil {
			return err
		}
		s.h.Write([]byte(before))
		before = ","
		if err := s.value(e, path); err != nil {
			return err
		}
	}
	if before == "[" {
		s.h.Write([]byte(before))
	}
	s.h.Write([]byte("]"))
	return nil
}

func (s *summing) string(text string) error {
	s.text.Reset()
	err := s.strings.Encode(text)
	s.h.Write(bytes.TrimSuffix(s.text.Bytes(), []byte("\n")))
	return err
}
