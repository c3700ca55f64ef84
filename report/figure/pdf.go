package figure

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"

	"replay/outdir"
)

func pdf(f *Figure, s Style) ([]byte, error) {
	if err := fontsMade[s.variant()](); err != nil {
		return nil, err
	}
	w, h := s.size(f)
	c := vgpdf.New(w, h)
	f.drawIn(codePage{c}, s, inCodePage)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return titled(undated(b.Bytes()), f.title())
}

var trailer = regexp.MustCompile(`(?s)trailer\s*<<\s*/Size (\d+)\s*/Root (\d+) 0 R\s*/Info (\d+) 0 R\s*>>\s*startxref\s*(\d+)\s*%%EOF\s*$`)

// titled appends a title to a PDF, as an update of its information: the library has no way to set it.
func titled(pdf []byte, title string) ([]byte, error) {
	m := trailer.FindSubmatch(pdf)
	if m == nil {
		return nil, errors.New("pdf: the file has no trailer to add a title to")
	}
	var name strings.Builder
	for _, u := range utf16.Encode([]rune(title)) {
		fmt.Fprintf(&name, "%04X", u)
	}
	at := len(pdf)
	out := fmt.Appendf(slices.Clip(pdf), "%s 0 obj\n<< /Title <FEFF%s> /Producer (replay) /CreationDate (D:20000101000000) >>\nendobj\n", m[3], name.String())
	xref := len(out)
	return fmt.Appendf(out, "xref\n%s 1\n%010d 00000 n \ntrailer\n<< /Size %s /Root %s 0 R /Info %s 0 R /Prev %s >>\nstartxref\n%d\n%%%%EOF\n", m[3], at, m[1], m[2], m[3], m[4], xref), nil
}

// fontsMade has the fonts of a variant made once, when it is used first.
var fontsMade = func() map[string]func() error {
	made := map[string]func() error{}
	for _, name := range Fonts {
		variant := Style{Font: name}.variant()
		made[variant] = sync.OnceValue(func() error { return makeFonts(variant) })
	}
	return made
}()

// making is held while TMPDIR is another one.
var making sync.Mutex

// makeFonts makes the fonts of all texts in a variant known to the library, which keeps them. The library makes them in a folder of TMPDIR; that folder is
// in one of ours, so that it goes with the next run if the program is killed meanwhile.
func makeFonts(variant string) (err error) {
	making.Lock()
	defer making.Unlock()
	scratch, err := outdir.Scratch("replay-fonts")
	if err != nil {
		return err
	}
	defer scratch.Abort()
	// What others begin meanwhile is not there: their folders are made before they draw, their files have no name.
	before, set := os.LookupEnv("TMPDIR")
	if err := os.Setenv("TMPDIR", scratch.Path("")); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil { // so the library says that it could not write
			err = fmt.Errorf("fonts: %v", p)
		}
		if set {
			err = errors.Join(err, os.Setenv("TMPDIR", before))
		} else {
			err = errors.Join(err, os.Unsetenv("TMPDIR"))
		}
	}()
	c := vgpdf.New(1, 1)
	for _, size := range sizes {
		s := style(size)
		s.Font.Variant = font.Variant(variant)
		c.FillString(font.DefaultCache.Lookup(s.Font, vg.Length(size)), vg.Point{}, "a")
	}
	return nil
}

var pdfDate = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]{14}[^)]*\)`)

// undated replaces the dates that the PDF writer puts in by one of the same length, so that
// offsets in the file stay true and equal plots have equal bytes.
func undated(pdf []byte) []byte {
	return pdfDate.ReplaceAllFunc(pdf, func(m []byte) []byte {
		at := bytes.Index(m, []byte("(D:")) + 3
		out := bytes.Clone(m)
		copy(out[at:at+14], "20000101000000")
		return out
	})
}
