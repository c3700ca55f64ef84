package starlark

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var number = regexp.MustCompile(`(<<[ \t(]*)?(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[0-9]+([eE][+-]?[0-9]+)?)`)

// large tells whether a line has numbers by which a single step could repeat something so often that it takes all memory, which is not limited:
// [0] * 1000000000 does. More than [repeats] allows is refused.
func large(text []byte) bool {
	const repeats = 1 << 30
	for line := range bytes.Lines(text) {
		product := 1.0
		for _, n := range number.FindAllSubmatch(line, -1) {
			v, err := strconv.ParseFloat(string(n[2]), 64)
			if whole, not := strconv.ParseInt(string(n[2]), 0, 64); not == nil {
				v, err = float64(whole), nil
			}
			if n[1] != nil {
				v = math.Exp2(v)
			}
			if err == nil && v > 1 && v <= repeats {
				product *= v
			}
		}
		if product > 1<<20 {
			return true
		}
	}
	return false
}

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
		if large(text) {
			f.Errorf("%s is taken for large", path)
		}
		f.Add(text)
	}
	for _, text := range []string{
		"", "x = 1\n", "def compare(a, b, cluster):\n    return 0\n", "def compare(a):\n    return 0\n", "compare = 3\n", "like = 'drf'\n", "like = [1]\n",
		"settings = {'a': 1}\ndef scale(shown, settings, state):\n    return 0\n", "settings = 1\n", "load('a', 'b')\n", "def f(:\n", "x = 1 // 0\n",
		"x = [i for i in range(1 << 40)]\n", "def f(x):\n    return f(x)\nf(1)\n", "x = math.sqrt(-1)\n", "x = ratio(1, 0)\nlong(x)\n", "fail('a\\nb')\n", "\x00", "\xff", "x = [[]] * 1000000\n", "x = list(range(1 << 62))\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if large(text) {
			t.Skip("one step of it may take all memory")
		}
		file, err := readWithin(1000, "p.star", text)
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "p.star:"):
			t.Errorf("%q: %v, want the file's name first", text, err)
		case err == nil && (len(file.functions) == 0 || len(file.Policies.Sharings)+len(file.Policies.Placements)+len(file.Policies.LeafOrders)+len(file.Policies.Autoscalers) == 0):
			t.Errorf("%q: a file without a policy: %+v", text, file)
		}
	})
}
