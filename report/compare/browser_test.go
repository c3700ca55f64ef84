package compare

import (
	"testing"

	"replay/report/reporttest"
	"replay/report/reporttest/browser"
)

func TestPageInBrowser(t *testing.T) {
	c := of(t, variant(t, reporttest.Few, "base", 3), variant(t, reporttest.Usual, "a-name-of-a-variant-that-has-no-place-to-break-in", 3))
	page, err := c.page(c.pictures())
	if err != nil {
		t.Fatal(err)
	}
	browser.Check(t, page)
}
