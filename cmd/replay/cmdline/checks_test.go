package cmdline

import "testing"

func TestMebibytes(t *testing.T) {
	for text, want := range map[string]int64{
		"65536": 65536, "010": 10, "0": 0, "-1": -1, "48g": 49152, "48G": 49152, "48 GiB": 49152, "48Gi": 49152, "512m": 512, "512MB": 512, "1t": 1 << 20, "-1g": -1024,
	} {
		if n, err := mebibytes(text); n != want || err != nil {
			t.Errorf("%q: %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "g", "1.5g", "1024b", "1024k", "48i", "48bg", "x", "0x10", "9223372036854775807g", "1 2", "+1g"} {
		if n, err := mebibytes(text); err == nil {
			t.Errorf("%q is taken for %d", text, n)
		}
	}
}
