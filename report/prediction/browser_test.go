package prediction

import (
	"testing"

	"replay/report/reporttest/browser"
)

func TestPageInBrowser(t *testing.T) {
	r := byHand()
	page, err := r.page(r.pictures())
	if err != nil {
		t.Fatal(err)
	}
	browser.Check(t, page)
}
