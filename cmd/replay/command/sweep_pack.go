package command

import (
	"bytes"
	"fmt"
	"path/filepath"

	"replay/engine/record"
	"replay/input"
	"replay/outdir"
	"replay/sealed"
	"replay/sweep"
)

// A packed plan is one as an engine is given it: with the texts of all files that it names but traces, such as configuration, policies and prices. They need
// not be where cells are replayed, and what changes in them after the sweep was handed over changes no cell.
type packed struct {
	Format string       `json:"format"`
	Plan   string       `json:"plan"` // absolute path of its file
	Files  *record.Made `json:"files"`
	Hash   string       `json:"hash"`
}

const packedFormat = "replay-plan"

// pack writes the plan with its files to the directory of the sweep, and returns where.
func (w *sweeping) pack(dir string) (string, error) {
	plan, err := filepath.Abs(w.plan)
	if err != nil {
		return "", err
	}
	k := packed{Format: packedFormat, Plan: plan, Files: w.p.files.made([]string{})}
	text, err := sealed.Marshal(&k, "", func(hash string) { k.Hash = hash })
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, sweep.PackedFile)
	return path, outdir.WriteShared(path, text)
}

// planFile reads the file of a plan, and says which one it is. From then on the files that the plan names are found from its folder; those of a packed plan are in it.
func (p *program) planFile(file string) (plan string, text []byte, err error) {
	if text, err = input.ReadFile(file); err != nil {
		return "", nil, err
	}
	if !bytes.HasPrefix(text, []byte(`{"format":"`+packedFormat+`"`)) {
		path, err := filepath.Abs(file)
		p.files.base, p.files.files[path] = filepath.Dir(file), text
		return file, text, err
	}
	var k packed
	if err := sealed.Unmarshal(text, &k); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	if k.Files == nil {
		return "", nil, fmt.Errorf("%s: files is missing, want those of the plan", file)
	}
	if p.files, err = filesOf(k.Files); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	p.files.base = filepath.Dir(k.Plan)
	text, err = p.files.read(k.Plan)
	return k.Plan, text, err
}
