package result

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"replay/input"
)

// A Difference is a part of [AggregatesFile] that is not what the tables add up to.
type Difference struct{ Part, Kept, Want string }

// CheckAggregates adds up the tables of a result directory and compares what is kept of them: nil where they agree, or nothing is kept.
// The error is for tables that cannot be read, or contradict each other.
func CheckAggregates(dir string) (*Difference, error) {
	kept, err := input.ReadFile(filepath.Join(dir, AggregatesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := manifestOf(dir)
	if err != nil {
		return nil, err
	}
	d, err := readRows(dir, m)
	if err != nil {
		return nil, err
	}
	want, err := d.Aggregates()
	if err != nil || bytes.Equal(kept, want) {
		return nil, err
	}
	a, b, err := decodeAny(kept, want)
	if err != nil {
		return &Difference{"content", err.Error(), "what the tables add up to"}, nil
	}
	if x := difference("content", a, b); x != nil {
		return x, nil
	}
	return &Difference{"content", "the same in other bytes", "those that are written"}, nil
}

// decodeAny decodes two files, with the data in them in place of its text.
func decodeAny(texts ...[]byte) (a, b any, err error) {
	var out [2]map[any]any
	for i, text := range texts {
		var in aggregates
		if err := decodeAggregates.Unmarshal(text, &in); err != nil {
			return nil, nil, err
		}
		var data any
		if err := decodeAggregates.Unmarshal(in.Data, &data); err != nil {
			return nil, nil, err
		}
		out[i] = map[any]any{"version": in.Version, "of": in.Of, "data": data}
	}
	return out[0], out[1], nil
}

// difference is the first difference between two values of CBOR below a path, nil where they are equal.
func difference(path string, kept, want any) *Difference {
	switch w := want.(type) {
	case map[any]any:
		k, ok := kept.(map[any]any)
		if !ok {
			break
		}
		all := maps.Clone(w)
		maps.Copy(all, k)
		for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
			if x := difference(fmt.Sprintf("%s.%v", path, name), k[name], w[name]); x != nil {
				return x
			}
		}
		return nil
	case []any:
		k, ok := kept.([]any)
		if !ok || len(k) != len(w) {
			break
		}
		for i := range w {
			if x := difference(fmt.Sprintf("%s[%d]", path, i), k[i], w[i]); x != nil {
				return x
			}
		}
		return nil
	}
	if k, w := fmt.Sprint(kept), fmt.Sprint(want); k != w {
		return &Difference{path, shortened(k), shortened(w)}
	}
	return nil
}

// shortened is a text that fits a line.
func shortened(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
