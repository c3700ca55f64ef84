package sweep

import (
	"fmt"
	"slices"
	"strings"
)

// Warnings are those of the replays of cells, each text once.
type Warnings struct {
	texts   []string
	chatter map[string]bool // those that --quiet leaves out
	more    map[string]bool // those beyond [mostWarnings], which are counted
}

// mostWarnings are as many as anyone looks at.
const mostWarnings = 100

// Add takes in those of a cell. What they call its trace becomes the name that the plan has for it.
func (w *Warnings) Add(r *Record, trace string) {
	if w.chatter == nil {
		w.chatter, w.more = map[string]bool{}, map[string]bool{}
	}
	called := func(text string) string {
		if about, ok := strings.CutPrefix(text, r.Trace+": "); ok && r.Trace != "" {
			return trace + ": " + about
		}
		return text
	}
	for _, text := range r.Chatter {
		w.chatter[called(text)] = true
	}
	for _, text := range r.Warnings {
		text = called(text)
		switch {
		case slices.Contains(w.texts, text):
		case len(w.texts) < mostWarnings:
			w.texts = append(w.texts, text)
		default:
			w.more[text] = true
		}
	}
}

// First puts texts about all cells before those of replays.
func (w *Warnings) First(texts ...string) { w.texts = slices.Concat(texts, w.texts) }

// Texts returns them in order of the cells; of too many the last line says how many more there are.
func (w *Warnings) Texts() []string {
	if len(w.more) == 0 {
		return w.texts
	}
	return append(slices.Clip(w.texts), fmt.Sprintf("and %d more warnings, which the records of the cells have", len(w.more)))
}

// Said returns those that are printed.
func (w *Warnings) Said(quiet bool) []string {
	if !quiet {
		return w.Texts()
	}
	return slices.DeleteFunc(slices.Clone(w.Texts()), func(text string) bool { return w.chatter[text] })
}
