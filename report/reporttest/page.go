package reporttest

import (
	"bytes"
	"testing"
)

// SelfContained reports what a page would fetch or run, and whether it is a page with pictures at all.
func SelfContained(t *testing.T, page []byte) {
	t.Helper()
	for _, bad := range []string{"<script", "<link", "<iframe", "<img", "@import", "url(", "src=\"", "href=\"http"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("the page has %s in it", bad)
		}
	}
	for _, good := range []string{"<svg", `name="viewport"`} {
		if !bytes.Contains(page, []byte(good)) {
			t.Errorf("the page has no %s in it", good)
		}
	}
}
