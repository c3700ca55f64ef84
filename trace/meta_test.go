package trace

import (
	"os"
	"path/filepath"
	"testing"
)

// An editor's byte order mark before a manifest changes nothing of the trace.
func TestMarkedManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trace")
	if err := os.CopyFS(dir, os.DirFS("../traces/uniform-micro")); err != nil {
		t.Fatal(err)
	}
	hash := func() string {
		tr, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		return tr.Hash()
	}
	want, path := hash(), filepath.Join(dir, manifestName)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("\xef\xbb\xbf"), text...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := hash(); got != want {
		t.Errorf("the trace has the hash %s with a mark, %s without", got, want)
	}
}

func TestElsewhere(t *testing.T) {
	of := func(list ...KindCount) *Source { return &Source{RecordedOn: list} }
	for want, s := range map[string]*Source{
		"": of(KindCount{YARN, 3}, KindCount{UnknownManager, 1}),
		"3 of 6 applications were not recorded on YARN and are replayed as if on it: Kubernetes (2), Mesos (1); of 1 it is not known": of(
			KindCount{YARN, 2}, KindCount{"Kubernetes", 2}, KindCount{"Mesos", 1}, KindCount{UnknownManager, 1}),
		"None of the 2 applications was recorded on YARN; they are replayed as if on it: Kubernetes (2)":                                                                            of(KindCount{"Kubernetes", 2}),
		"The machine of the log has no application masters: each node has 1 vcore more here, for them, which tasks may take too; loads and utilizations are of this larger cluster": {Format: "swf", AMVCores: 1},
	} {
		if got := s.Elsewhere(); got != want {
			t.Errorf("%+v: %q, want %q", s.RecordedOn, got, want)
		}
	}
}
