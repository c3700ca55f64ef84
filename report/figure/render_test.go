package figure

import (
	"regexp"
	"testing"
)

func TestPDFHasNoDate(t *testing.T) {
	f := New("title", "x", "y")
	f.Line("line", 0, Points{{X: 0, Y: 0}, {X: 1, Y: 1}})
	b, err := f.Render("pdf")
	if err != nil {
		t.Fatal(err)
	}
	dates := regexp.MustCompile(`\(D:([0-9]*)`).FindAllSubmatch(b, -1)
	if len(dates) == 0 {
		t.Fatal("the PDF writer puts dates elsewhere now: undated misses them")
	}
	for _, d := range dates {
		if string(d[1]) != "20000101000000" {
			t.Errorf("date %s", d[1])
		}
	}
}
