package compare_test

import (
	"strings"
	"testing"

	"replay/report/compare"
	"replay/report/reporttest"
	"replay/report/reporttest/browser"
)

func TestPageInBrowser(t *testing.T) {
	c := compare.Compared(t, compare.MadeUp(t, reporttest.Few, "base", 3), compare.MadeUp(t, reporttest.Usual, "a-name-of-a-variant-that-has-no-place-to-break-in", 3))
	browser.Check(t, written(t, c))
}

// So does the page of many variants with the names and queues of a large cluster.
func TestPageOfManyVariantsInBrowser(t *testing.T) {
	m := reporttest.Few
	for _, queue := range strings.Fields("a b c d e f g h i j k l m") {
		m.Queues = append(m.Queues, "root.a-department-with-a-long-name."+queue)
	}
	var vs []compare.Variant
	for _, name := range strings.Fields("base a-name-of-a-variant-that-has-no-place-to-break-in third fourth fifth sixth") {
		vs = append(vs, compare.MadeUp(t, m, name, 5))
		m.WaitMS += 20_000
	}
	browser.Check(t, written(t, compare.Compared(t, vs...)))
}
