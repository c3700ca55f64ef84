package parting

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/shown"
)

// A Setting is one of the things that the decisions of a replay depend on, as each of two replays has it: "" where nobody set it, so that it is what YARN, Spark
// or the trace has.
type Setting struct {
	Name   string    `json:"name"`
	Values [2]string `json:"values"` // of the first replay and the second
}

// Settings returns what two replays of one trace were told differently: the program, what it was asked for, keys of configuration, values of the model, and
// files of policies. Of a text of several lines the first that differs stands for it.
func Settings(a, b *record.Manifest) (out []Setting) {
	add := func(name, x, y string) {
		if x != y {
			out = append(out, Setting{name, [2]string{x, y}})
		}
	}
	each := func(prefix string, x, y map[string]string) {
		names := map[string]bool{}
		for name := range x {
			names[name] = true
		}
		for name := range y {
			names[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if x[name] != y[name] {
				v, w := apart(x[name], y[name])
				add(prefix+name, v, w)
			}
		}
	}
	add("program", program(a), program(b))
	add("scheduler", a.Scheduler, b.Scheduler)
	add("sharing", a.Sharing, b.Sharing)
	add("placement", a.Placement, b.Placement)
	add("seed", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed))
	add("nodes", quantity.Thousands(a.Nodes), quantity.Thousands(b.Nodes))
	add("load", number(a.Load), number(b.Load))
	add("faster", number(a.Faster), number(b.Faster))
	add("until", ending(a.Until), ending(b.Until))
	add("window", span(a.Window), span(b.Window))
	add("override", yes(a.Override), yes(b.Override))
	each("", a.Config, b.Config)
	each("model ", a.Model, b.Model)
	files := func(m *record.Manifest) map[string]string {
		texts := map[string]string{}
		for _, f := range m.Policies {
			texts[f.Name] = "SHA-256 " + f.SHA256[:min(len(f.SHA256), 12)]
		}
		return texts
	}
	each("policy ", files(a), files(b))
	return out
}

func program(m *record.Manifest) string {
	text := m.ProgramVersion
	if m.Commit != "" {
		text += " of commit " + m.Commit[:min(len(m.Commit), 12)]
	}
	if m.Modified {
		text += ", changed"
	}
	return text
}

func number(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprint(x)
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

func ending(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return quantity.Duration(float64(ms))
}

func span(w *record.Window) string {
	if w == nil {
		return ""
	}
	return quantity.Duration(float64(w.FromMS)) + " to " + quantity.Duration(float64(w.ToMS))
}

// How much of a long line is shown: some bytes before the first that differs, and so many runes in all.
const (
	bytesBefore = 20
	runesShown  = 60
)

// apart returns two texts that differ as they are, or of long ones what they differ in first. They stay different.
func apart(x, y string) (string, string) {
	line := 0
	if strings.Contains(x, "\n") || strings.Contains(y, "\n") {
		xs, ys := strings.Split(strings.TrimSpace(x), "\n"), strings.Split(strings.TrimSpace(y), "\n")
		for line < min(len(xs), len(ys)) && xs[line] == ys[line] {
			line++
		}
		at := func(lines []string) string {
			if line < len(lines) {
				return strings.TrimSpace(lines[line])
			}
			return ""
		}
		switch {
		case x != "" && y != "" && at(xs) == at(ys):
			return "a text", "another in its blanks"
		case x != "" && y != "":
			x, y = at(xs), at(ys)
		case x != "":
			return "a file", ""
		default:
			return "", "a file"
		}
		line++
	}
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	cut := func(text string) string {
		from := 0
		if len(text) > runesShown {
			for from = max(0, min(same, len(text))-bytesBefore); from > 0 && !utf8.RuneStart(text[from]); from-- {
			}
		}
		runes := []rune(text[from:])
		more := ""
		if len(runes) > runesShown {
			runes, more = runes[:runesShown], "…"
		}
		text = string(runes) + more
		if from > 0 {
			text = "…" + text
		}
		if line > 0 {
			text = fmt.Sprintf("line %d: %s", line, text)
		}
		return text
	}
	return cut(x), cut(y)
}

// WriteSettings writes what two replays were told differently, which is what makes them differ; nothing where that is nothing.
func WriteSettings(w io.Writer, list []Setting, sides [2]string) {
	if len(list) == 0 {
		return
	}
	t := &shown.Table{}
	t.Head("told differently", sides[0], sides[1])
	for _, s := range list {
		values := s.Values
		for i := range values {
			if values[i] == "" {
				values[i] = "–"
			}
		}
		t.Row(s.Name, values[0], values[1])
	}
	t.Write(w)
	if slices.ContainsFunc(list, func(s Setting) bool { return s.Values[0] == "" || s.Values[1] == "" }) {
		shown.Paragraph(w, "–: not set, so as YARN, Spark or the trace has it.", "")
	}
}
