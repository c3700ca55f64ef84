package figure

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"

	"replay/outdir"
)

func pdf(f *Figure) ([]byte, error) {
	if err := fontsMade(); err != nil {
		return nil, err
	}
	c := vgpdf.New(width, vg.Length(f.Height))
	f.draw(draw.New(c))
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return undated(b.Bytes()), err
}

var fontsMade = sync.OnceValue(makeFonts)

// makeFonts makes the fonts of all texts known to the library, which keeps them. The library makes them in a folder of TMPDIR; that folder is
// in one of ours, so that it goes with the next run if the program is killed meanwhile.
func makeFonts() (err error) {
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
		c.FillString(font.DefaultCache.Lookup(style(size).Font, vg.Length(size)), vg.Point{}, "a")
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
