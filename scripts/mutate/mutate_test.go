package main

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const example = `package p

func f(a, b int, s []int) int {
	if a > b && s != nil {
		a++
		return a
	}
	if ok(s) {
		println(a)
	}
	x := 7
	x = b
	return x
}
`

func TestMutationsOfEveryKind(t *testing.T) {
	all, err := mutate("p/p.go", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range all {
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", all[i].text, 0); err != nil {
			t.Errorf("%s: %v", &all[i], err)
		}
		got = append(got, all[i].String())
	}
	want := []string{
		"p/p.go:4: negated: a > b && s != nil => !(a > b && s != nil)",
		"p/p.go:4: exchanged: a > b && s != nil => a > b || s != nil",
		"p/p.go:4: operand dropped: a > b && s != nil => a > b",
		"p/p.go:4: operand dropped: a > b && s != nil => s != nil",
		"p/p.go:4: limit: a > b => a >= b",
		"p/p.go:4: negated: a > b => a <= b",
		"p/p.go:4: negated: s != nil => s == nil",
		"p/p.go:5: dropped: a++ => (nothing)",
		"p/p.go:6: dropped: return a => (nothing)",
		"p/p.go:8: negated: ok(s) => !(ok(s))",
		"p/p.go:9: dropped: println(a) => (nothing)",
		"p/p.go:11: one more: 7 => 8",
		"p/p.go:11: one less: 7 => 6",
		"p/p.go:12: dropped: x = b => (nothing)",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// An operand goes whole, where it is a chain of operands itself.
func TestOperandsThatAreChainsAreDropped(t *testing.T) {
	all, err := mutate("p/p.go", []byte("package p\n\nfunc f(a, b, c bool) bool { return a || b || c }\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "((false && (a || b)) || c)"
	if !slices.ContainsFunc(all, func(m mutant) bool { return m.place.code == want && strings.Contains(string(m.text), want) }) {
		t.Errorf("no mutant is %s: %+v", want, all)
	}
}

// A module whose test sees the sum and not the sign.
func module(t *testing.T, list string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                   "module m\n\ngo 1.26\n",
		"sub/sum.go":               "package sub\n\nfunc Sum(a, b int) int {\n\tif a < 0 {\n\t\ta = 0\n\t}\n\treturn a + b\n}\n",
		"sub/sum_test.go":          "package sub\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fatal(\"sum\")\n\t}\n}\n",
		"scripts/mutate/named.txt": list,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	return root
}

func TestNamedMutants(t *testing.T) {
	const ( // "sign" names a file that does not have it: it is found by its source
		dies   = "mutant minus\nfile sum.go\n- return a + b\n+ return a - b\ntest ./sub\n"
		lives  = "mutant sign\nfile moved.go\n- if a < 0 {\n- a = 0\n+ if a < 0 {\n+ a = 1\ntest ./sub\n"
		gone   = "mutant gone\nfile sum.go\n- return b + a\ntest ./sub\n"
		broken = "mutant broken\nfile sum.go\n- return a + b\n+ return x\ntest ./sub\n"
	)
	const deadLine = "killed    sub/sum.go:7: minus: return a + b => return a - b (./sub TestSum)\n"
	tests := []struct {
		name, list string
		code       int
		want       string
	}{
		{"killed", dies, 0, deadLine + "1 mutant: 1 killed, 0 survived, 0 timed out, 0 did not compile, 0 not found\n"},
		{"others", dies + lives + gone + broken, 1,
			"NOT FOUND named.txt:13: gone: no file has \"return b + a\"\n" + deadLine +
				"SURVIVED  sub/sum.go:4: sign: if a < 0 { a = 0 => if a < 0 { a = 1 (./sub ./sub)\n" +
				"no build  sub/sum.go:7: broken: return a + b => return x (sub/sum.go:7:9: undefined: x)\n" +
				"4 mutants: 1 killed, 1 survived, 0 timed out, 1 did not compile, 1 not found\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := module(t, tt.list)
			before := read(t, root)
			var out strings.Builder
			code, err := run(context.Background(), nil, &out, io.Discard)
			if err != nil || code != tt.code {
				t.Errorf("exit code %d (%v), want %d", code, err, tt.code)
			}
			if d := cmp.Diff(tt.want, out.String()); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			if after := read(t, root); after != before {
				t.Errorf("the source has changed to\n%s", after)
			}
		})
	}
}

func read(t *testing.T, root string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "sub", "sum.go"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMutationsOfAFile(t *testing.T) {
	module(t, "")
	var out strings.Builder
	code, err := run(context.Background(), []string{"-only", "a < 0", filepath.Join("sub", "sum.go")}, &out, io.Discard)
	want := "SURVIVED  sub/sum.go:4: limit: a < 0 => a <= 0 (./sub)\n2 mutants: 1 killed, 1 survived, 0 timed out, 0 did not compile\n"
	if d := cmp.Diff(want, out.String()); d != "" || err != nil || code != 0 {
		t.Errorf("exit code %d, %v, -want +got:\n%s", code, err, d)
	}
}

func TestOnlyTestsOfANameAreRun(t *testing.T) {
	module(t, "")
	for name, killed := range map[string]int{"TestSum": 1, "TestNone": 0} {
		var out strings.Builder
		_, err := run(context.Background(), []string{"-run", name, "-only", "a < 0", filepath.Join("sub", "sum.go")}, &out, io.Discard)
		if want := fmt.Sprintf("2 mutants: %d killed, %d survived,", killed, 2-killed); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("-run %s: %v, got\n%s\nwant %s", name, err, &out, want)
		}
	}
}

// What cannot be compiled with the others is compiled alone: a constant, a condition with a function in it. Where a
// last return cannot go, that is said.
func TestAllMutationsOfAFile(t *testing.T) {
	root := module(t, "")
	for name, text := range map[string]string{
		"kind.go": `package sub

import "slices"

type level int8

func Kind(list []int, at level) level {
	const least = 2
	if slices.ContainsFunc(list, func(x int) bool { return x > least }) {
		return at + 1
	} else {
		return 7
	}
}
`, "kind_test.go": `package sub

import "testing"

func TestKind(t *testing.T) {
	if Kind([]int{2, 3}, 1) != 2 || Kind([]int{2}, 1) != 7 {
		t.Error("kind")
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(root, "sub", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if code, err := run(context.Background(), []string{filepath.Join("sub", "kind.go")}, &out, &out); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v", code, err)
	}
	const alone, together = " (./sub TestKind)\n", " (m/sub TestKind)\n"
	negated := "slices.ContainsFunc(list, func(x int) bool { return x > l... => !(slices.ContainsFunc(list, func(x int) bool { return x >..."
	want := "killed    sub/kind.go:8: one more: 2 => 3" + alone +
		"killed    sub/kind.go:8: one less: 2 => 1" + alone +
		"killed    sub/kind.go:9: negated: " + negated + alone +
		"killed    sub/kind.go:9: limit: x > least => x >= least" + together +
		"killed    sub/kind.go:9: negated: x > least => x <= least" + together +
		"no build  sub/kind.go:10: dropped: return at + 1 => (nothing) (sub/kind.go:14:1: missing return)\n" +
		"killed    sub/kind.go:10: one more: 1 => 2" + together +
		"killed    sub/kind.go:10: one less: 1 => 0" + together +
		"killed    sub/kind.go:12: one more: 7 => 8" + together +
		"killed    sub/kind.go:12: one less: 7 => 6" + together +
		"10 mutants: 9 killed, 0 survived, 0 timed out, 1 did not compile\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// The list names each mutant by source that is there once.
func TestListFitsTheSource(t *testing.T) {
	root := filepath.Join("..", "..")
	all, err := readNamed(filepath.Join(root, filepath.FromSlash(namedFile)))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Error("the list is empty")
	}
	for _, n := range all {
		if _, err := n.find(root); err != nil {
			t.Error(err)
		}
	}
}

func TestListErrors(t *testing.T) {
	for text, want := range map[string]string{
		"- x\n":             `list.txt:1: "- x" comes before the first line "mutant NAME"`,
		"mutant a\nx y\n":   `list.txt:2: line begins with "x", want mutant, file, test, - or +`,
		"\nmutant a\n- x\n": `list.txt:2: a mutant needs a name, a file and at least one line with -`,
	} {
		path := filepath.Join(t.TempDir(), "list.txt")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readNamed(path); err == nil || err.Error() != want {
			t.Errorf("%q: error is %v, want %s", text, err, want)
		}
	}
}
