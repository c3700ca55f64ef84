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

// add counts a warning that concerns no single job.
func (w *warnings) add(code, format string, args ...any) *record.Warning {
	i, ok := w.at[code]
	if !ok {
		i = len(w.list)
		w.at[code] = i
		w.list = append(w.list, record.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	w.list[i].Count++
	return &w.list[i]
}

// ofJob counts a warning about a job; again says that the job was counted under this code before.
func (w *warnings) ofJob(code string, again bool, format string, args ...any) {
	x := w.add(code, format, args...)
	if !again {
		x.Jobs++
	}
}

// ended counts a job that did not succeed: what was computed from the jobs does not hold for it.
func (w *warnings) ended(code, format string, args ...any) {
	x := w.add(code, format, args...)
	x.Jobs++
	x.Voids = true
}

// voids counts a warning about the whole replay after which its result does not hold.
func (w *warnings) voids(code, format string, args ...any) {
	w.add(code, format, args...).Voids = true
}
