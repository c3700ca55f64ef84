package workload

import "testing"

// Names of other encodings stay apart from each other, and are UTF-8.
func TestTexts(t *testing.T) {
	for in, want := range map[string]string{"plain": "plain", "f\u00fcnf": "f\u00fcnf", "f\xfcnf": `f\xfcnf`, "f\xfdnf": `f\xfdnf`, "\xe2\x82": `\xe2\x82`, "\ufffd\xff": "\ufffd" + `\xff`} {
		if got := utf8Text(in); got != want {
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
