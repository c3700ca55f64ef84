package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// top is the folder of the module.
const top = "../../.."

// additions reads the list of docs/architecture.md: what can be added, and the table and file of its line.
func additions(t *testing.T) (rows []struct{ what, files, table, file string }) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("(?m)^\\| (an? [^|]*|one of [^|]*) \\| ([^|]*) \\| `(\\w+)`, `([^`]+)` \\|")
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, struct{ what, files, table, file string }{m[1], m[2], m[3], m[4]})
	}
	return rows
}

// TestEveryAdditionHasItsPlace holds the list of docs/architecture.md against the code: the tables that it names are where
// it says, no entry of a table shares the file that it is made in with another one, and the folders are there.
func TestEveryAdditionHasItsPlace(t *testing.T) {
	rows := additions(t)
	for _, want := range []string{"a sharing policy", "a container placement", "a metric", "a plot", "an importer", "a preset of the generator",
		"a latency or factor of the model", "a key of yarn-site.xml", "a kind of event of the cluster", "a kind of application"} {
		if !slices.ContainsFunc(rows, func(r struct{ what, files, table, file string }) bool { return r.what == want }) {
			t.Errorf("docs/architecture.md does not say where %s goes", want)
		}
	}
	folder := regexp.MustCompile("`([a-z/]+/)[^`]*`")
	for _, r := range rows {
		t.Run(r.what, func(t *testing.T) {
			for _, m := range folder.FindAllStringSubmatch(r.files, -1) {
				if s, err := os.Stat(filepath.Join(top, m[1])); err != nil || !s.IsDir() {
					t.Errorf("%s: there is no folder %s", r.files, m[1])
				}
			}
			p := readPackage(t, filepath.Dir(r.file))
			if p.file[r.table] != filepath.Base(r.file) {
				t.Fatalf("%s stands in %q, the list says %s", r.table, p.file[r.table], r.file)
			}
			if p.table[r.table] == nil || !strings.Contains(r.files, "<name>") {
				return // a function, or a table of rows that need no file
			}
			owner := map[string]string{} // by file: what is made in it
			for _, entry := range p.table[r.table].Elts {
				made := p.madeBy(entry, filepath.Base(r.file))
				for name, file := range made {
					if other, ok := owner[file]; ok && other != name {
						t.Errorf("%s and %s are both made in %s, want a file for each", other, name, file)
					}
					owner[file] = name
				}
			}
			if len(owner) < 2 {
				t.Errorf("%s has entries made in %d files beside %s, want one for each", r.table, len(owner), r.file)
			}
		})
	}
}

// source is what a package declares at its top, without tests.
type source struct {
	file  map[string]string            // by name of a variable, type or function
	table map[string]*ast.CompositeLit // by name of a variable that is a literal
}

func readPackage(t *testing.T, dir string) source {
	t.Helper()
	s := source{map[string]string{}, map[string]*ast.CompositeLit{}}
	paths, err := filepath.Glob(filepath.Join(top, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					s.file[d.Name.Name] = filepath.Base(path)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s.declare(spec, filepath.Base(path))
				}
			}
		}
	}
	return s
}

func (s *source) declare(spec ast.Spec, file string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		s.file[spec.Name.Name] = file
	case *ast.ValueSpec:
		for i, name := range spec.Names {
			s.file[name.Name] = file
			if i < len(spec.Values) {
				if lit, ok := spec.Values[i].(*ast.CompositeLit); ok {
					s.table[name.Name] = lit
				}
			}
		}
	}
}

// madeBy returns what an entry of a table is made by, with the file of each, leaving out what the table's own file declares.
func (s *source) madeBy(entry ast.Expr, own string) map[string]string {
	if kv, ok := entry.(*ast.KeyValueExpr); ok {
		entry = kv.Value
	}
	out := map[string]string{}
	ast.Inspect(entry, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType, *ast.SelectorExpr: // settings and results are not what makes it
			return false
		case *ast.KeyValueExpr:
			for name, file := range s.madeBy(n.Value, own) {
				out[name] = file
			}
			return false
		case *ast.Ident:
			if file, ok := s.file[n.Name]; ok && file != own {
				out[n.Name] = file
			}
		}
		return true
	})
	return out
}
