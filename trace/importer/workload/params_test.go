package workload

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "500MiB": 500 << 20, "20 GiB": 20 << 30, "1TiB": 1 << 40, "3KiB": 3 << 10,
		"": 0, "0": 0, "-1GiB": 0, "1.5GiB": 0, "GiB": 0, "20GB": 0, "9000000TiB": 0, "4611686018427387904": 0, "1e9": 0, " ": 0, "+5": 0,
	} {
		if got, ok := ParseSize(text); got != want || ok != (want > 0) {
			t.Errorf("%q is %d (%v), want %d", text, got, ok, want)
		}
	}
}
