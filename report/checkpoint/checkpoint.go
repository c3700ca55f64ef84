// Package checkpoint keeps in a result directory the states from which its replay can go on: a folder for each, called after its time, in the folder checkpoints.
//
//	checkpoints/2h0m0s/checkpoint.json   what the state is of: program, trace, configuration, seed, time; and how many rows the tables had
//	checkpoints/2h0m0s/engine.zst        the state of the replay, by package engine
//	checkpoints/2h0m0s/sums.zst          what the result's rows had added up to, by package report/result
//
// Rows are not kept again: those that were there at the time are the first ones of the result's tables. The document has its own hash and those of the files beside it.
package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"replay/engine/record"
	"replay/input"
	"replay/sealed"
)

// Folder is the folder of a result directory that holds its checkpoints.
const Folder = "checkpoints"

const (
	document = "checkpoint.json"
	engine   = "engine.zst"
	sums     = "sums.zst"

	format  = "replay checkpoint"
	version = "1"
)

// Files are those of checkpoints in a result directory, as [outdir.Kind] has them.
var Files = []string{Folder + "/*/" + document, Folder + "/*/" + engine, Folder + "/*/" + sums}

// Header says what a state is of.
type Header struct {
	Format        string           `json:"format"`
	FormatVersion string           `json:"format_version"`
	Decisions     string           `json:"decisions"` // version of the program's decisions
	Layout        string           `json:"layout"`    // hash over the types of the program that a state holds
	AtMS          int64            `json:"at_ms"`     // nothing at this time or later has been executed
	Arriving      int64            `json:"arriving"`  // number of the job that is submitted next, -1 when all were
	Rows          map[string]int64 `json:"rows"`      // of the tables, by file
	Manifest      record.Manifest  `json:"manifest"`  // of the replay as it begins
	Files         []sealed.File    `json:"files"`
	Hash          string           `json:"hash"`
}

// State is a checkpoint.
type State struct {
	Header
	Dir    string // of the checkpoint
	Engine []byte
	Sums   []byte
}

// Result is the directory of the result that a checkpoint belongs to.
func (s *State) Result() string { return filepath.Dir(filepath.Dir(filepath.Clean(s.Dir))) }

// Name is what the folder of a checkpoint at a time in ms is called.
func Name(at int64) string { return (time.Duration(at) * time.Millisecond).String() }

// Write writes a checkpoint below a result directory that is being written.
func Write(result string, s *State) error {
	dir := filepath.Join(result, Folder, Name(s.AtMS))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	h := s.Header
	h.Format, h.FormatVersion, h.Files = format, version, nil
	for name, state := range map[string][]byte{engine: s.Engine, sums: s.Sums} {
		if err := pack(filepath.Join(dir, name), state); err != nil {
			return err
		}
	}
	for _, name := range []string{engine, sums} {
		f, err := sealed.Of(dir, name)
		if err != nil {
			return err
		}
		h.Files = append(h.Files, f)
	}
	text, err := sealed.Marshal(&h, "  ", func(hash string) { h.Hash = hash })
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, document), text, 0o644)
}

func pack(path string, state []byte) error {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return os.WriteFile(path, w.EncodeAll(state, nil), 0o644)
}

// mostTimes is how many times its size a packed state may have: lists by node and by task are mostly equal numbers.
const mostTimes = 4000

func unpack(path string) ([]byte, error) {
	packed, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	state, err := unpacked(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return state, nil
}

func unpacked(packed []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(input.Unpacked(r, int64(len(packed)), mostTimes*int64(len(packed))))
}

// readHeader reads what a checkpoint is of. Dir is its folder.
func readHeader(dir string) (*Header, error) {
	path := filepath.Join(dir, document)
	text, err := input.ReadFile(path)
	if err != nil {
		if _, there := os.Stat(path); errors.Is(there, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: is no checkpoint: it has no %s; want a folder in the folder %s of a result of replay run --checkpoint-at", dir, document, Folder)
		}
		return nil, err
	}
	h, err := header(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// header reads the text of a document.
func header(text []byte) (*Header, error) {
	var h Header
	if err := sealed.Unmarshal(text, &h); err != nil {
		return nil, err
	}
	if h.Format != format || h.FormatVersion != version {
		return nil, fmt.Errorf("format is %q version %q, want %q version %s", h.Format, h.FormatVersion, format, version)
	}
	if h.AtMS < 1 || h.Arriving < -1 || len(h.Files) != 2 || h.Files[0].Name != engine || h.Files[1].Name != sums {
		return nil, fmt.Errorf("at_ms is %d, arriving %d, and there are %d files; want a time of 1 ms or more, a job or -1, and the files %s and %s", h.AtMS, h.Arriving, len(h.Files), engine, sums)
	}
	return &h, nil
}

// Read reads a checkpoint. Files that are not as they were written are refused.
func Read(dir string) (*State, error) {
	h, err := readHeader(dir)
	if err != nil {
		return nil, err
	}
	s := &State{Header: *h, Dir: dir}
	for i, to := range []*[]byte{&s.Engine, &s.Sums} {
		if err := h.Files[i].Check(dir); err != nil {
			return nil, err
		}
		if *to, err = unpack(filepath.Join(dir, h.Files[i].Name)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Of lists the folders of the checkpoints of a result with their headers, by time; none where it has none.
func Of(result string) (dirs []string, headers []*Header, err error) {
	entries, err := os.ReadDir(filepath.Join(result, Folder))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	at := map[*Header]string{}
	for _, e := range entries {
		dir := filepath.Join(result, Folder, e.Name())
		h, err := readHeader(dir)
		if err != nil {
			return nil, nil, err
		}
		at[h] = dir
		headers = append(headers, h)
	}
	slices.SortFunc(headers, func(a, b *Header) int { return cmp.Compare(a.AtMS, b.AtMS) })
	for _, h := range headers {
		dirs = append(dirs, at[h])
	}
	return dirs, headers, nil
}

// A Difference is a value of a manifest that is another one.
type Difference struct{ Name, Is, Was string }

func (d Difference) String() string { return d.Name + " is " + d.Is + ", in the checkpoint " + d.Was }

// Differences says in what a replay that is to go on is another one than the one that wrote the checkpoint: what the field of the manifest is, and what it is there.
// How everything is driven, how long a replay goes on, what is warned of and which program it is are no differences of the replay.
func (h *Header) Differences(m *record.Manifest) []Difference {
	is, was := fields(m), fields(&h.Manifest)
	for _, name := range []string{"engine", "until_ms", "warnings", "program_version", "program_commit", "program_modified", "made", "files", "hash"} {
		delete(is, name)
		delete(was, name)
	}
	var out []Difference
	for _, name := range slices.Sorted(maps.Keys(merged(is, was))) {
		a, b := text(is[name]), text(was[name])
		if x, ok := is[name].(map[string]any); ok {
			if y, ok := was[name].(map[string]any); ok {
				for _, key := range slices.Sorted(maps.Keys(merged(x, y))) {
					if a, b := text(x[key]), text(y[key]); a != b {
						out = append(out, Difference{name + " " + key, a, b})
					}
				}
				continue
			}
		}
		if a != b {
			out = append(out, Difference{name, a, b})
		}
	}
	return out
}

func fields(m *record.Manifest) (out map[string]any) {
	b, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		panic(err) // it is our own type
	}
	return out
}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// text is a value in a line.
func text(v any) string {
	if v == nil {
		return "not set"
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was JSON
	}
	s := strings.Join(strings.Fields(string(b)), " ")
	if len(s) > 80 {
		s = s[:77] + "..."
	}
	return s
}
