// Package shown makes names safe to look at: they come from logs and files that anybody may have written, and go to
// terminals, pages and spreadsheets. What is kept for programs, in Parquet and JSON, stays as it is.
package shown

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// harmful reports whether a character steers who shows it instead of being shown: escape sequences and other controls,
// and what turns the direction of text or hides in it.
func harmful(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r): // also the second set, U+0080 to U+009F
		return true
	case r < 0x61c:
		return false
	}
	return r == 0x61c || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff || styles(r)
}

// Bytes returns text with every harmful character as \uXXXX, as JSON writes it, so that JSON stays what it is. Lines and
// tabs stay.
func Bytes(text []byte) []byte { return safe(text, false) }

// safe is [Bytes], with the escape sequences of styles where colour is.
func safe(text []byte, colour bool) []byte {
	at := calm(text)
	if at == len(text) {
		return text
	}
	out := append(make([]byte, 0, len(text)+16), text[:at]...)
	for len(text[at:]) > 0 {
		r, n := utf8.DecodeRune(text[at:])
		if colour && styles(r) {
			out = append(out, sequences[Style(r)]...)
		} else if harmful(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, text[at:at+n]...)
		}
		at += n
	}
	return out
}

// calm is how many bytes text has before its first harmful character.
func calm(text []byte) int {
	for at := 0; at < len(text); {
		if c := text[at]; plain(c) || c == '\n' {
			at++
			continue
		}
		r, n := utf8.DecodeRune(text[at:])
		if harmful(r) {
			return at
		}
		at += n
	}
	return len(text)
}

// plain reports whether a byte is a character that is one column wide wherever it stands.
func plain(c byte) bool { return c >= ' ' && c < 0x7f }

// Cell returns a name for a table that spreadsheets open: harmful characters as of [Bytes], and a quote before what they
// would take for a formula.
func Cell(name string) string {
	name = string(Bytes([]byte(name)))
	if strings.HasPrefix(strings.TrimLeft(name, " \t\n"), "=") || name != "" && strings.ContainsRune("=+-@\t\n", rune(name[0])) {
		return "'" + name
	}
	return name
}

// Writer writes what it is given as of [Bytes]. A character may come in several writes.
type Writer struct {
	Out    io.Writer
	Colour bool   // each [Style] becomes the escape sequence for it
	rest   []byte // the begin of a character
}

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	text := b
	if len(w.rest) > 0 {
		text = append(w.rest, b...)
		w.rest = nil
	}
	for k := 1; k < utf8.UTFMax && k <= len(text); k++ { // an unfinished character begins at most three bytes before the end
		if last := text[len(text)-k:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				w.rest = bytes.Clone(last)
				text = text[:len(text)-k]
			}
			break
		}
	}
	if _, err := w.Out.Write(safe(text, w.Colour)); err != nil {
		return 0, err
	}
	return len(b), nil
}
