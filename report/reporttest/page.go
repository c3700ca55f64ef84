package reporttest

import (
	"bytes"
	"regexp"
	"testing"
)

var fetches = regexp.MustCompile(`(?i)<(link|iframe|img|object|embed|base|audio|video)\b|@import|url\(|\bsrc="|href="http|action=|\bon[a-z]+="`)

// SelfContained reports what a page would fetch or run besides its own script, and whether it is a page with pictures at all.
func SelfContained(t *testing.T, page []byte) {
	t.Helper()
	html := page
	if i := bytes.LastIndex(page, []byte("<script>")); i >= 0 { // ours: nothing of the data is in it, and it runs by its hash
		html = page[:i]
	}
	for _, bad := range fetches.FindAll(html, 5) {
		t.Errorf("the page has %s in it", bad)
	}
	if n := bytes.Count(html, []byte("<script")) - bytes.Count(html, []byte(`<script type="text/plain" id="data">`)); n != 0 {
		t.Errorf("the page has %d scripts besides its own", n)
	}
	for _, good := range []string{"<svg", `name="viewport"`, "default-src 'none'", "script-src 'sha256-"} {
		if !bytes.Contains(page, []byte(good)) {
			t.Errorf("the page has no %s in it", good)
		}
	}
}
