package starlark

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzRead: whatever a file of policies holds, it is read with a policy, or refused with an error that begins with its name.
func FuzzRead(f *testing.F) {
	examples, err := filepath.Glob("../../examples/policy/*.star")
	if err != nil || len(examples) == 0 {
		f.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{
		"", "x = 1\n", "def compare(a, b, cluster):\n    return 0\n", "def compare(a):\n    return 0\n", "compare = 3\n", "like = 'drf'\n", "like = [1]\n",
		"settings = {'a': 1}\ndef scale(shown, settings, state):\n    return 0\n", "settings = 1\n", "load('a', 'b')\n", "def f(:\n", "x = 1 // 0\n",
		"x = [i for i in range(1 << 40)]\n", "def f(x):\n    return f(x)\nf(1)\n", "x = math.sqrt(-1)\n", "x = ratio(1, 0)\nlong(x)\n", "fail('a\\nb')\n", "\x00", "\xff", "x = [[]] * 1000000\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := readWithin(1000, "p.star", text)
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "p.star:"):
			t.Errorf("%q: %v, want the file's name first", text, err)
		case err == nil && (len(file.functions) == 0 || len(file.Policies.Sharings)+len(file.Policies.Placements)+len(file.Policies.LeafOrders)+len(file.Policies.Autoscalers) == 0):
			t.Errorf("%q: a file without a policy: %+v", text, file)
		}
	})
}
