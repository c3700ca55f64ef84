package scenario

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replay/engine/yarn/conf"
)

// Layer says where a setting comes from. There is one order for every kind of configuration:
//
//	default   of YARN, Spark and the model, and the few that a replay has of its own
//	trace     the file that came with the trace
//	file      the user's file of that kind; one given by itself wins over that of a folder
//	key       a single setting: --conf, --model
//
// A whole file replaces a whole file: under a user's file nothing of the trace's is in force. A single key
// lies over every file. In which order files and keys were given plays no part; of one key given twice
// the later one holds, and a variant's over the common one.
//
// Spark's keys have one layer more: what was recorded with a job lies between the file and the keys,
// as spark-submit's own arguments lie over spark-defaults.conf.
//
// docs/configuration.md says the same to users.
type Layer uint8

// The layers, from the lowest.
const (
	OfDefault Layer = iota
	OfTrace
	OfFile
	OfKey
)

// File returns the file of a kind that is in force, and its layer, which is OfDefault when there is none.
func (sc *Scenario) File(kind string) (File, Layer) {
	for _, l := range []struct {
		files Files
		layer Layer
	}{{sc.Files, OfFile}, {sc.Folder.Files, OfFile}, {sc.Input.Files, OfTrace}} {
		if f, ok := l.files[kind]; ok {
			if f.Name == "" {
				f.Name = kind
			}
			return f, l.layer
		}
	}
	return File{Name: kind}, OfDefault
}

// setting is a value in force.
type setting struct {
	text string
	from Layer
	at   conf.Place // where it stands, nowhere unless in a file of Hadoop's
}

// settings are the keys of one kind of configuration.
type settings map[string]setting

// lay lays the keys of one kind over each other: defaults, those of the file in force, single ones.
func lay(defaults, file map[string]string, of Layer, keys map[string]string) settings {
	out := settings{}
	for _, l := range []struct {
		values map[string]string
		from   Layer
	}{{defaults, OfDefault}, {file, of}, {keys, OfKey}} {
		for k, v := range l.values {
			out[k] = setting{text: v, from: l.from}
		}
	}
	return out
}

// standing notes where the keys of files stand.
func (s settings) standing(places map[string]conf.Place) settings {
	for key, at := range places {
		if x, ok := s[key]; ok && x.from != OfKey {
			x.at = at
			s[key] = x
		}
	}
	return s
}

// placeOf returns where what an error or a remark is about stands: a key, or one with its value. It is in the file otherwise if that is not known.
func (s settings) placeOf(of, otherwise string) conf.Place {
	key, _, _ := strings.Cut(of, "=")
	switch x := s[key]; {
	case x.from == OfKey:
		return conf.Place{File: singleKeys}
	case x.at.File != "":
		return x.at
	}
	return conf.Place{File: otherwise}
}

// refused names the place of a key that YARN's configuration refuses.
func (s settings) refused(err error, otherwise string) error {
	var e *conf.Error
	if !errors.As(err, &e) {
		return err
	}
	at := s.placeOf(e.Field, otherwise)
	if e.Line == 0 {
		e.Line = at.Line
	}
	return refused(at.File, err)
}

// texts returns the values without their layers.
func (s settings) texts() map[string]string {
	out := make(map[string]string, len(s))
	for k, v := range s {
		out[k] = v.text
	}
	return out
}

// named reads the file that a setting names. A relative name begins at the folder of the file that holds the
// setting, or at the working directory for a single key. A name from a file that is not there is looked
// for beside that file by its last part: the folders of a cluster's configuration are often copied to
// another place. In a configuration folder what lies beside comes first, because a name such as
// /etc/hadoop/conf is that of the cluster and not of this machine. The error is fs.ErrNotExist when neither is there.
func (sc *Scenario) named(s setting, holder File) (File, error) {
	read := sc.Read
	if read == nil {
		read = os.ReadFile
	}
	path := strings.TrimPrefix(s.text, "file://")
	if s.from == OfKey {
		text, err := read(path)
		return File{Name: path, Text: text}, err
	}
	first, second := path, filepath.Join(filepath.Dir(holder.Name), filepath.Base(path))
	if !filepath.IsAbs(path) {
		first = filepath.Join(filepath.Dir(holder.Name), path)
	} else if sc.Folder.inFolder(holder) {
		first, second = second, first
	}
	text, err := read(first)
	if errors.Is(err, fs.ErrNotExist) && second != first {
		first = second
		text, err = read(first)
	}
	return File{Name: first, Text: text}, err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
