package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Mutations of files are compiled all together, a package at a time: each place asks the variable mutantOn, which is set
// from the environment when the tests start, whether it is the one that is changed. So a mutant costs a run of the tests
// and no compilation. The few mutations that cannot be written so are compiled one by one.

// switchFile is what a package gets beside its own files.
const (
	switchFile     = "zz_mutant_switch.go"
	switchVariable = "MUTANT_ON"
	switchSource   = `
import (
	"os"
	"strconv"
)

var mutantOn, _ = strconv.Atoi(os.Getenv("` + switchVariable + `"))

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantMore[T mutantNumber](number int, v T) T {
	if mutantOn == number {
		return v + 1
	}
	return v
}

func mutantLess[T mutantNumber](number int, v T) T {
	if mutantOn == number {
		return v - 1
	}
	return v
}
`
)

// A sourcePackage is one that is changed.
type sourcePackage struct {
	Dir, ImportPath, Name string
	GoFiles               []string
	exports               map[string]string // import path -> file of what it exports
	src                   map[string][]byte // by name of the file
	mutants               map[string][]*mutant
}

// loadPackage reads the package in a folder of the module, and what the ones that it imports export.
func (t *trial) loadPackage(dir string) (*sourcePackage, error) {
	p := &sourcePackage{exports: map[string]string{}, src: map[string][]byte{}, mutants: map[string][]*mutant{}}
	out, err := t.command("go", "list", "-json=Dir,ImportPath,Name,GoFiles", "./"+dir)
	if err == nil {
		err = json.Unmarshal(out, p)
	}
	if err != nil {
		return nil, fmt.Errorf("go list ./%s: %w\n%s", dir, err, out)
	}
	out, err = t.command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "./"+dir, "os", "strconv")
	if err != nil {
		return nil, fmt.Errorf("go list -export ./%s: %w\n%s", dir, err, out)
	}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		p.exports[name] = file
	}
	for _, f := range p.GoFiles {
		if p.src[f], err = os.ReadFile(filepath.Join(p.Dir, f)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// check parses and type-checks sources of the package. The errors of types are told to report.
func (p *sourcePackage) check(src map[string][]byte, report func(types.Error)) (map[string]*ast.File, *types.Info, error) {
	set := token.NewFileSet()
	files := map[string]*ast.File{}
	var list []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, name, src[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files[name] = f
		list = append(list, f)
	}
	if text := src[switchFile]; text != nil {
		f, err := parser.ParseFile(set, switchFile, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, f)
	}
	open := func(name string) (io.ReadCloser, error) {
		if p.exports[name] == "" {
			return nil, errors.New("not imported: " + name)
		}
		return os.Open(p.exports[name])
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	c := types.Config{Importer: importer.ForCompiler(set, "gc", open), Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			report(e)
		}
	}}
	c.Check(p.ImportPath, set, list, info) // its error is the first that was reported
	return files, info, nil
}

// number gives the mutants of the package their numbers, and writes the type of whole numbers into their code. Mutants
// that cannot be compiled together keep 0.
func (p *sourcePackage) number(next *int) error {
	var failed error
	files, info, err := p.check(p.src, func(e types.Error) { failed = errors.Join(failed, e) })
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	for name, f := range files {
		kinds := map[int]string{}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.INT {
				kinds[int(l.Pos()-f.FileStart)] = p.nameOf(info.Types[l].Type, f)
			}
			return true
		})
		for _, m := range p.mutants[name] {
			switch m.place.of {
			case number:
				kind := kinds[m.place.start]
				if kind == "" {
					continue
				}
				call := "mutantMore"
				if m.name == lessName {
					call = "mutantLess"
				}
				m.place.code = call + "[" + kind + "]"
			case condition:
				if strings.Contains(m.place.code, "func(") || strings.Contains(m.place.code, "//") {
					continue
				}
				m.place.code = strings.ReplaceAll(m.place.code, "\n", " ")
			}
			m.number = -1
		}
	}
	for _, name := range p.GoFiles {
		for _, m := range p.mutants[name] {
			if m.number < 0 {
				*next++
				m.number = *next
			}
		}
	}
	return p.settle()
}

// nameOf writes a type as the file names it, or nothing when it has no name there.
func (p *sourcePackage) nameOf(t types.Type, f *ast.File) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsUntyped == 0 {
			return t.Name()
		}
	case *types.TypeParam:
		return t.Obj().Name()
	case *types.Named:
		if t.Obj().Pkg() == nil || t.TypeArgs().Len() > 0 {
			return ""
		}
		if t.Obj().Pkg().Path() == p.ImportPath {
			return t.Obj().Name()
		}
		for _, i := range f.Imports {
			if strings.Trim(i.Path.Value, `"`) == t.Obj().Pkg().Path() && i.Name == nil {
				return t.Obj().Pkg().Name() + "." + t.Obj().Name()
			}
		}
	}
	return ""
}

// settle takes the numbers from mutants in the lines that do not compile, until all others do.
func (p *sourcePackage) settle() error {
	for {
		failed := map[string][]int{} // file -> lines
		var first error
		_, _, err := p.check(p.changed(), func(e types.Error) {
			at := e.Fset.Position(e.Pos)
			failed[at.Filename] = append(failed[at.Filename], at.Line)
			if first == nil {
				first = e
			}
		})
		if err != nil || len(failed) == 0 {
			return err
		}
		taken := false
		for name, lines := range failed {
			for _, m := range p.mutants[name] {
				if m.number > 0 && slices.Contains(lines, m.line) {
					m.number, taken = 0, true
				}
			}
		}
		if taken {
			continue
		}
		// A function without its last return is told at its end.
		for name, lines := range failed {
			for _, m := range p.mutants[name] {
				if m.number > 0 && m.place.of == statement && slices.ContainsFunc(lines, func(l int) bool { return m.line < l && m.line > l-12 }) {
					m.number, taken = 0, true
				}
			}
		}
		if !taken {
			return first
		}
	}
}

// changed returns the sources with all numbered mutants in them.
func (p *sourcePackage) changed() map[string][]byte {
	out := map[string][]byte{switchFile: []byte("package " + p.Name + "\n" + switchSource)}
	for name, src := range p.src {
		var in []*mutant
		for _, m := range p.mutants[name] {
			if m.number > 0 {
				in = append(in, m)
			}
		}
		// Outer places first; the mutants of one place stay in their order.
		slices.SortStableFunc(in, func(a, b *mutant) int {
			if a.place.start != b.place.start {
				return a.place.start - b.place.start
			}
			return b.place.end - a.place.end
		})
		var b bytes.Buffer
		at, rest := 0, in
		for len(rest) > 0 {
			b.Write(src[at:rest[0].place.start])
			at = rest[0].place.end
			rest = writePlace(&b, src, rest)
		}
		b.Write(src[at:])
		out[name] = b.Bytes()
	}
	return out
}

// writePlace writes the first place of a list with its mutants and those inside it, and returns those behind it.
func writePlace(b *bytes.Buffer, src []byte, list []*mutant) []*mutant {
	first := list[0].place
	n := 1
	for n < len(list) && list[n].place.start == first.start && list[n].place.end == first.end && list[n].place.of == first.of {
		n++
	}
	here, rest := list[:n], list[n:]
	inside := func(b *bytes.Buffer) {
		at := first.start
		for len(rest) > 0 && rest[0].place.start < first.end {
			b.Write(src[at:rest[0].place.start])
			at = rest[0].place.end
			rest = writePlace(b, src, rest)
		}
		b.Write(src[at:first.end])
	}
	switch first.of {
	case statement:
		fmt.Fprintf(b, "if mutantOn != %d { ", here[0].number)
		inside(b)
		b.WriteString(" }")
	case number:
		var text bytes.Buffer
		inside(&text)
		for _, m := range here {
			s := fmt.Sprintf("%s(%d, %s)", m.place.code, m.number, text.String())
			text.Reset()
			text.WriteString(s)
		}
		b.Write(text.Bytes())
	case condition:
		b.WriteString("(")
		for i, m := range here {
			if i > 0 {
				b.WriteString(" && ")
			}
			fmt.Fprintf(b, "mutantOn != %d", m.number)
		}
		b.WriteString(" && (")
		inside(b)
		b.WriteString(")")
		for _, m := range here {
			fmt.Fprintf(b, " || mutantOn == %d && (%s)", m.number, m.place.code)
		}
		b.WriteString(")")
	}
	return rest
}

// A binary is the compiled tests of a package.
type binary struct{ name, path, dir string }

// together compiles the packages of tests with all mutants of one package in them. It gives the mutants their numbers.
func (t *trial) together(dir string, mutants []*mutant, tests []string) ([]binary, error) {
	p, err := t.loadPackage(dir)
	if err != nil {
		return nil, err
	}
	for _, m := range mutants {
		p.mutants[path.Base(m.file)] = append(p.mutants[path.Base(m.file)], m)
	}
	next := 0
	if err := p.number(&next); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	replace := map[string]string{}
	for name, text := range p.changed() {
		file := filepath.Join(t.dir, "together_"+name)
		replace[filepath.Join(p.Dir, name)] = file
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(t.dir, "together.json")
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		return nil, err
	}
	var out []binary
	for _, pattern := range tests {
		list, err := t.command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}", pattern)
		if err != nil {
			return nil, fmt.Errorf("go list %s: %w\n%s", pattern, err, list)
		}
		for line := range strings.Lines(string(list)) {
			name, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name == "" || slices.ContainsFunc(out, func(b binary) bool { return b.name == name }) {
				continue
			}
			b := binary{name, filepath.Join(t.dir, fmt.Sprintf("tests%d", len(out))), dir}
			if said, err := t.command("go", "test", "-c", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-o", b.path, name); err != nil {
				return nil, fmt.Errorf("go test -c %s: %w\n%s", name, err, said)
			}
			if _, err := os.Stat(b.path); err == nil {
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// tryTogether runs compiled tests in turn, with one of their mutants, until one fails.
func (t *trial) tryTogether(m *mutant, tests []binary) (v verdict, why string, err error) {
	for _, b := range tests {
		if err := t.measureBinary(b); err != nil {
			return "", "", err
		}
		out, err := t.runBinary(b, m.number)
		switch {
		case t.ctx.Err() != nil:
			return "", "", t.ctx.Err()
		case err == nil:
		case bytes.Contains(out, []byte("panic: test timed out")):
			return timedOut, b.name, nil
		default:
			return killed, b.name + " " + firstFailure(out), nil
		}
	}
	return survived, strings.Join(m.tests, " "), nil
}

// measureBinary runs compiled tests without a mutant, once: they must pass.
func (t *trial) measureBinary(b binary) error {
	if _, ok := t.timeout[b.path]; ok {
		return nil
	}
	t.timeout[b.path] = time.Hour
	start := time.Now()
	if out, err := t.runBinary(b, 0); err != nil {
		return fmt.Errorf("%s: tests fail without a mutation: %w\n%s", b.name, err, out)
	}
	t.timeout[b.path] = 10*time.Second + 5*time.Since(start)
	return nil
}

func (t *trial) runBinary(b binary, number int) ([]byte, error) {
	c := t.limited(b.path, "-test.failfast", "-test.run="+t.run, fmt.Sprintf("-test.short=%v", t.short), "-test.timeout="+t.timeout[b.path].String())
	c.Dir = b.dir
	c.Env = append(c.Env, fmt.Sprintf("%s=%d", switchVariable, number))
	return c.CombinedOutput()
}
