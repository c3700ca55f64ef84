// Package conformtest runs the vectors that come with the project in the tests of the packages that they hold.
package conformtest

import (
	"strings"
	"testing"

	"replay/bench/conform"
)

// Run plays the vectors of a directory, or of its file only; a difference fails the test, and so does a directory in
// which nothing is compared.
func Run(t *testing.T, dir, only string) {
	t.Helper()
	s, err := conform.Dir(dir, only)
	if err != nil {
		t.Fatal(err)
	}
	if s.OK() && s.Totals.Equal > 0 {
		return
	}
	var b strings.Builder
	if err := s.WriteText(&b, 10); err != nil {
		t.Fatal(err)
	}
	t.Error(b.String())
}
