package command

import (
	"strings"
	"testing"
)

// A cluster that would not fit the memory is refused before it is made.
func TestMostNodes(t *testing.T) {
	for _, words := range []string{"gen uniform-micro --out none --nodes 1000001", "run none --nodes 1000001"} {
		if code, _, stderr := replay(t, strings.Fields(words)...); code != exitUsage || !strings.Contains(stderr, `--nodes is "1000001", want 1 to 1000000`) {
			t.Errorf("%s: exit %d, %s", words, code, stderr)
		}
	}
}

func TestReadSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "500MiB": 500 << 20, "20 GiB": 20 << 30, "1TiB": 1 << 40, "3KiB": 3 << 10,
		"": 0, "0": 0, "-1GiB": 0, "1.5GiB": 0, "GiB": 0, "20GB": 0, "9000000TiB": 0, "4611686018427387904": 0, "1e9": 0, " ": 0, "+5": 0,
	} {
		if got, err := readSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %d (%v), want %d", text, got, err, want)
		}
	}
}
