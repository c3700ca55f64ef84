package compare_test

import (
	"testing"

	"replay/report/compare"
	"replay/report/reporttest"
	"replay/report/reporttest/browser"
)

func TestPageInBrowser(t *testing.T) {
	c := compare.Compared(t, compare.MadeUp(t, reporttest.Few, "base", 3), compare.MadeUp(t, reporttest.Usual, "a-name-of-a-variant-that-has-no-place-to-break-in", 3))
	browser.Check(t, written(t, c))
}
