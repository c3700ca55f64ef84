package workload

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Names of other encodings stay apart from each other, and are UTF-8.
func TestTexts(t *testing.T) {
	for in, want := range map[string]string{"plain": "plain", "f\u00fcnf": "f\u00fcnf", "f\xfcnf": `f\xfcnf`, "f\xfdnf": `f\xfdnf`, "\xe2\x82": `\xe2\x82`, "\ufffd\xff": "\ufffd" + `\xff`} {
		if got := tableText(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	a := sample("b\xe9", 5)
	a.User, a.Queue, a.Job.Name = "u\xe9", "q\xe9", "n\xe9"
	_, tr := made(t, of(a), nil)
	if tr.Users[0].Name != `u\xe9` || tr.JobList[0].Name != `n\xe9` || tr.JobList[0].ExternalID != `b\xe9` || tr.Queues[len(tr.Queues)-1].Path != `root.q\xe9` {
		t.Errorf("users %v, queues %v, job %q %q", tr.Users, tr.Queues, tr.JobList[0].Name, tr.JobList[0].ExternalID)
	}
}

// Long names stay different, and are no longer than a table can hold.
func TestLongText(t *testing.T) {
	long := strings.Repeat("é", 5000)
	a, b := tableText(long+"a"), tableText(long+"b")
	if a == b || len(a) > longestText+32 || !utf8.ValidString(a) || tableText(long+"a") != a {
		t.Errorf("%d and %d bytes: %.20q, %.20q", len(a), len(b), a[len(a)-20:], b[len(b)-20:])
	}
	if whole := strings.Repeat("x", longestText); tableText(whole) != whole {
		t.Error("the longest text is cut")
	}
}
