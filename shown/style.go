package shown

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// A Style says what a part of a text is to whoever reads it on a terminal.
type Style rune

// Styles are noncharacters of Unicode, which stand before a part of a text; none stands after it. [Writer] makes escape sequences of them.
const (
	none    Style = 0xfdd0 + iota
	Heading       // what others stand under
	Good
	Bad
	Doubt // what may be either, and warnings
	Quiet // what is read last
	beyond
)

var sequences = map[Style]string{none: "\x1b[0m", Heading: "\x1b[1m", Good: "\x1b[32m", Bad: "\x1b[31m", Doubt: "\x1b[33m", Quiet: "\x1b[2m"}

func styles(r rune) bool { return r >= rune(none) && r < rune(beyond) }

// A Painter gives parts of a text their styles, if it goes where they are seen.
type Painter bool

// Paint returns the painter for what goes to w.
func Paint(w io.Writer) Painter {
	p, ok := w.(interface{ Coloured() bool })
	return Painter(ok && p.Coloured())
}

// In returns text in a style; empty text stays so.
func (p Painter) In(s Style, text string) string {
	if !p || s < none || text == "" {
		return text
	}
	return string(rune(s)) + text + string(rune(none))
}

// width is how many columns a text takes on a terminal.
func width(text string) int {
	n := 0
	for n < len(text) && plain(text[n]) {
		n++
	}
	if n == len(text) {
		return n
	}
	n = 0
	for part := range strings.FieldsFuncSeq(text, styles) {
		n += uniseg.StringWidth(part)
	}
	return n
}

// together is text on its way to a writer that is told of as if it were that.
type together struct {
	strings.Builder
	to io.Writer
}

func (t *together) Columns() int   { return Columns(t.to) }
func (t *together) Coloured() bool { return bool(Paint(t.to)) }

// Whole writes what a function writes to w in one piece, as wide and in such styles as w has them.
func Whole(w io.Writer, write func(io.Writer)) error {
	t := &together{to: w}
	write(t)
	_, err := io.WriteString(w, t.String())
	return err
}
