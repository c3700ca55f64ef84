package engine

import (
	"fmt"

	"replay/engine/record"
)

// warnings counts what the user should know, in order of first occurrence. The first text of a code
// is kept.
type warnings struct {
	list []record.Warning
	at   map[string]int
}

func newWarnings() warnings { return warnings{at: map[string]int{}} }

func (w *warnings) add(code, format string, args ...any) {
	if i, ok := w.at[code]; ok {
		w.list[i].Count++
		return
	}
	w.at[code] = len(w.list)
	w.list = append(w.list, record.Warning{Code: code, Text: fmt.Sprintf(format, args...), Count: 1})
}
