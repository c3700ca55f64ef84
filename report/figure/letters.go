package figure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// letters lays out and draws texts in the characters that a format has: as gives for each of a text's what stands for it, the same for those that it gives.
type letters struct {
	text.Handler
	as func(r rune, f font.Font) string
}

// whole draws texts as they are: who shows them has the characters.
var whole = plot.DefaultTextHandler

// Box implements text.Handler.
func (l letters) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	return l.Handler.Box(l.of(txt, f), f)
}

// Draw implements text.Handler.
func (l letters) Draw(c vg.Canvas, txt string, sty text.Style, at vg.Point) {
	l.Handler.Draw(c, l.of(txt, sty.Font), sty, at)
}

func (l letters) of(txt string, f font.Font) string {
	var b strings.Builder
	for _, r := range txt {
		b.WriteString(l.as(r, f))
	}
	return b.String()
}

// inFont has the characters of the embedded fonts, and a box for others: without one two names would look alike that are not. Those of scripts
// from right to left are boxes, too: nothing here sets them in their order.
var inFont = letters{whole, func(r rune, f font.Font) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	if i, err := whole.Cache().Lookup(f, f.Size).Face.GlyphIndex(nil, r); err != nil || i == 0 || unicode.In(r, unicode.Hebrew, unicode.Arabic) {
		return "□"
	}
	return string(r)
}}

// inCodePage has the characters of code page 1252, the only ones that the PDF canvas embeds, and what reads like them or a question mark for others.
var inCodePage = letters{whole, func(r rune, _ font.Font) string {
	if like, ok := alike[r]; ok {
		return like
	}
	if _, ok := charmap.Windows1252.EncodeRune(r); !ok {
		return "?"
	}
	return string(r)
}}

// alike are characters of our own texts that code page 1252 has not.
var alike = map[rune]string{'−': "–", '≈': "~", '≤': "<=", '≥': ">=", '→': "->", '′': "'", '\u202f': "\u00a0", '\u2009': "\u00a0"}

// codePage writes the texts of a canvas in code page 1252, which the PDF canvas takes its bytes for.
type codePage struct{ vg.Canvas }

// FillString implements vg.Canvas.
func (c codePage) FillString(f font.Face, at vg.Point, txt string) {
	b := make([]byte, 0, len(txt))
	for _, r := range txt {
		code, _ := charmap.Windows1252.EncodeRune(r) // of a text of inCodePage: each is one
		b = append(b, code)
	}
	c.Canvas.FillString(f, at, string(b))
}

// fit cuts a name to what fits into the room, as [ShortName] does.
func fit(s text.Style, name string, room vg.Length) string {
	short := name
	for n := utf8.RuneCountInString(name); n > 1 && s.Width(short) > room; n-- {
		short = ShortName(name, n-1)
	}
	return short
}
