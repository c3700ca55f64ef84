package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/engine/remark"
	"replay/engine/yarn/conf"
)

// singleKeys is what remarks on keys of --conf call their place.
const singleKeys = "--conf"

// notes gathers the remarks on configuration files until all are read.
type notes struct {
	places []string // files, and singleKeys, in the order in which they were read
	lists  map[string]remark.List
	noun   map[string]string // what their settings are called
}

// note adds remarks on the settings of a place.
func (n *notes) note(place, noun string, list ...remark.Remark) {
	if n.lists == nil {
		n.lists, n.noun = map[string]remark.List{}, map[string]string{}
	}
	for _, r := range list {
		at := cmp.Or(r.File, place)
		if !slices.Contains(n.places, at) {
			n.places = append(n.places, at)
		}
		n.noun[at] = noun
		if r.File = ""; !slices.Contains(n.lists[at], r) { // a file can be read twice
			n.lists[at] = append(n.lists[at], r)
		}
	}
}

// noteKey adds a remark on one of the settings; otherwise is the file of those of which no place is known.
func (n *notes) noteKey(s settings, otherwise string, r remark.Remark) {
	at := s.placeOf(r.Of, otherwise)
	if r.Line == 0 {
		r.Line = at.Line
	}
	n.note(at.File, "keys", r)
}

// sayRemarks turns what was noted to warnings. First comes what decides in YARN or Spark and is not followed, then
// what else was warned of, then what is not what it looks like; what is unknown or has no effect takes one line of each place.
func (sc *Scenario) sayRemarks() {
	rest := sc.Warnings
	sc.Warnings = nil
	n := &sc.notes
	each := func(kind remark.Kind, say func(place string, rows []remark.Remark)) {
		for _, place := range n.places {
			var texts []string
			rows := map[string][]remark.Remark{}
			for _, r := range n.lists[place] {
				if r.Kind == kind {
					if rows[r.Text] == nil {
						texts = append(texts, r.Text)
					}
					rows[r.Text] = append(rows[r.Text], r)
				}
			}
			for _, text := range texts {
				say(place, rows[text])
			}
		}
	}
	each(remark.Unmodelled, func(place string, rows []remark.Remark) {
		sc.warn("unmodelled", "%s: %s: not modelled: %s", place, settingsOf(rows), rows[0].Text)
	})
	sc.folderRemark()
	sc.Warnings = append(sc.Warnings, rest...)
	each(remark.Odd, func(place string, rows []remark.Remark) {
		sc.warn("odd", "%s: %s: %s", place, settingsOf(rows), rows[0].Text)
	})
	each(remark.Unknown, func(place string, rows []remark.Remark) {
		names := namesOf(rows)
		if more := len(names) - 4; more > 1 && !sc.Verbose {
			names = append(names[:4], fmt.Sprintf("%d more (--verbose lists them)", more))
		}
		sc.warn("unknown", "%s: unknown %s have no effect: %s", place, n.noun[place], strings.Join(names, ", "))
	})
	sc.sayIdle(each)
}

// sayIdle counts the settings without effect of each place, names a single one, or lists them by reason. Those of the files that came
// with the trace are nobody's wish and are listed alone.
func (sc *Scenario) sayIdle(each func(remark.Kind, func(string, []remark.Remark))) {
	counts, only := map[string]int{}, map[string]string{}
	each(remark.NoEffect, func(place string, rows []remark.Remark) {
		counts[place] += len(namesOf(rows))
		only[place] = fmt.Sprintf("%s (%s)", namesOf(rows)[0], rows[0].Text)
		if sc.Verbose {
			sc.warn("no-effect", "%s: no effect (%s): %s", place, rows[0].Text, strings.Join(namesOf(rows), ", "))
		}
	})
	for _, place := range sc.notes.places {
		switch c := counts[place]; {
		case c == 0 || sc.Verbose || sc.ofTrace(place):
		case c == 1:
			sc.warn("no-effect", "%s: no effect on a replay: %s", place, only[place])
		default:
			sc.warn("no-effect", "%s: %d %s have no effect on a replay (--verbose lists them)", place, c, sc.notes.noun[place])
		}
	}
}

// ofTrace reports whether a place is a file that came with the trace.
func (sc *Scenario) ofTrace(place string) bool {
	for kind, f := range sc.Input.Files {
		if place == cmp.Or(f.Name, kind) {
			return true
		}
	}
	return false
}

// namesOf returns what remarks are about, each once, in their order.
func namesOf(rows []remark.Remark) (names []string) {
	for _, r := range rows {
		if !slices.Contains(names, r.Of) {
			names = append(names, r.Of)
		}
	}
	return names
}

// theFirst are the first of some names, and how many more there are.
func theFirst(names []string) string {
	const most = 8
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}

// settingsOf names the first setting that remarks are about, with its line, and counts the others.
func settingsOf(rows []remark.Remark) string {
	text := rows[0].Of
	if rows[0].Line > 0 {
		text = fmt.Sprintf("line %d: %s", rows[0].Line, text)
	}
	if n := len(rows) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// refused names the file of an error of one of YARN's, and says where YARN refuses the file too and what to write instead.
func refused(place string, err error) error {
	var e *conf.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", place, err)
	}
	if e.File == "" {
		err = fmt.Errorf("%s: %w", place, err)
	}
	switch {
	case e.OfYARN() && e.Instead != "":
		return fmt.Errorf("%w. YARN 3.4.1 refuses this too; write %s", err, e.Instead)
	case e.OfYARN():
		return fmt.Errorf("%w. YARN 3.4.1 refuses this too", err)
	}
	return err
}

// warn adds a warning. Each is said once, whatever is read twice.
func (sc *Scenario) warn(code, format string, args ...any) {
	w := record.Warning{Code: code, Text: fmt.Sprintf(format, args...), Count: 1}
	if !slices.Contains(sc.Warnings, w) {
		sc.Warnings = append(sc.Warnings, w)
	}
}
