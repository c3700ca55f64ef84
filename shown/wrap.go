package shown

import (
	"fmt"
	"io"
	"strings"
)

// Columns returns how many columns of text the terminal has that a writer writes to; 0 when it is none, or does not say.
func Columns(w io.Writer) int {
	if t, ok := w.(interface{ Columns() int }); ok {
		return t.Columns()
	}
	return 0
}

// Text for people takes at most widest columns, and that many where no terminal says how wide it is; below narrowest, lines break
// as the terminal does.
const (
	widest    = 100
	narrowest = 60
)

// Width is how many columns text for people takes on w.
func Width(w io.Writer) int {
	if n := Columns(w); n > 0 {
		return min(max(n, narrowest), widest)
	}
	return widest
}

// Paragraph writes text in lines of [Width]; those after the first begin with indent.
func Paragraph(w io.Writer, text, indent string) { Wrap(w, text, indent, Width(w)) }

// Wrap writes text in lines of at most so many columns; those after the first begin with indent. A longer word keeps a line
// to itself. Without columns all of it is one line.
func Wrap(w io.Writer, text, indent string, columns int) {
	if columns <= 0 {
		fmt.Fprintln(w, text)
		return
	}
	start := text[:len(text)-len(strings.TrimLeft(text, " "))]
	flow(w, start, indent, text[len(start):], columns)
}

// Hang writes text in lines of [Width], with something before the first and before the others.
func Hang(w io.Writer, first, others, text string) { flow(w, first, others, text, Width(w)) }

func flow(w io.Writer, first, others, text string, columns int) {
	line, begun := first, false
	for word := range strings.SplitSeq(strings.ReplaceAll(text, " %", "\u00a0%"), " ") { // a number keeps its unit
		word = strings.ReplaceAll(word, "\u00a0", " ")
		switch {
		case !begun:
			line += word
		case width(line)+1+width(word) > columns:
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = others + word
		default:
			line += " " + word
		}
		begun = begun || word != ""
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}
