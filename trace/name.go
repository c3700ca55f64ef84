package trace

import (
	"errors"
	"slices"
	"unicode"
	"unicode/utf8"
)

// longestName is how many characters a name has at most.
const longestName = 200

// CheckName says what the name of a trace is to be. It stands in titles, tables and messages.
func CheckName(name string) error {
	if n := utf8.RuneCountInString(name); !utf8.ValidString(name) || n == 0 || n > longestName {
		return errors.New("1 to 200 characters")
	}
	if name[0] == '-' {
		return errors.New("no - at the beginning")
	}
	for _, c := range name {
		if !unicode.IsPrint(c) {
			return errors.New("characters that can be printed, and spaces")
		}
	}
	return nil
}

// Name is what results call the trace: the name in its manifest, else its preset or format and the beginning of its hash. It does not
// depend on the folder that the trace is in.
func (t *Trace) Name() string {
	start := t.Hash()[:8]
	switch {
	case t.Meta.Name != "":
		return t.Meta.Name
	case t.Generator != nil && CheckName(t.Generator.Preset+" "+start) == nil:
		return t.Generator.Preset + " " + start
	case t.Source != nil && CheckName(t.Source.Format+" "+start) == nil:
		return t.Source.Format + " " + start
	}
	return "trace " + start
}

// HashAt returns the hash of the trace in a directory as its manifest has it, without reading its tables. ok is false where there is no
// trace, or one whose manifest does not list its files.
func HashAt(dir string) (hash string, ok bool) {
	m, err := readManifest(dir)
	if err != nil || len(m.Files) == 0 || slices.ContainsFunc(m.Files, func(f FileEntry) bool { return f.SHA256 == "" }) {
		return "", false
	}
	return m.identity(m.Files), true
}
