package reporttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Table checks the rule of a room that has one table: the variable called table lists variables of type kind, each is
// declared in a file of its own that is called as its first field, after a prefix, and none is left out. It returns
// these names in the order of the table. The room is the directory of the test.
func Table(t *testing.T, kind, table, prefix string) (names []string) {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]string{} // name by variable
	var listed []string
	files := token.NewFileSet()
	for _, path := range sources {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if len(v.Values) != 1 {
					continue
				}
				literal, ok := v.Values[0].(*ast.CompositeLit)
				if !ok {
					continue
				}
				variable := v.Names[0].Name
				switch {
				case variable == table:
					for _, e := range literal.Elts {
						entry, ok := e.(*ast.Ident)
						if !ok {
							t.Fatalf("%s: an entry is no variable", files.Position(e.Pos()))
						}
						listed = append(listed, entry.Name)
					}
				case isNamed(literal.Type, kind):
					name := firstField(literal)
					if prefix+name+".go" != path {
						t.Errorf("%s is called %q and declared in %s: want a file of its own called as it", variable, name, path)
					}
					declared[variable] = name
				}
			}
		}
	}
	for _, variable := range listed {
		name, ok := declared[variable]
		if !ok {
			t.Errorf("%s lists %s, which is no %s of its own", table, variable, kind)
		}
		names = append(names, name)
		delete(declared, variable)
	}
	for variable := range declared {
		t.Errorf("%s is not in %s", variable, table)
	}
	if len(names) == 0 {
		t.Errorf("there is no table %s", table)
	}
	return names
}

func isNamed(e ast.Expr, name string) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == name
}

// firstField returns the text that is the first field of a literal, or the one called Name.
func firstField(l *ast.CompositeLit) string {
	for _, e := range l.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if !isNamed(kv.Key, "Name") {
				continue
			}
			e = kv.Value
		}
		b, ok := e.(*ast.BasicLit)
		if !ok {
			return ""
		}
		text, err := strconv.Unquote(b.Value)
		if err != nil {
			return ""
		}
		return text
	}
	return ""
}

// Listed checks that a table has what is declared, in this order; name returns what row i is called.
func Listed(t *testing.T, kind string, declared []string, rows int, name func(i int) string) {
	t.Helper()
	if len(declared) != rows {
		t.Fatalf("%d %ss are declared, %d are in the table", len(declared), kind, rows)
	}
	for i, want := range declared {
		if got := name(i); got != want {
			t.Errorf("%s %d is %q, want %q", kind, i, got, want)
		}
	}
}

// Goldens checks that testdata holds a golden file with the ending for each name, and no others with it.
func Goldens(t *testing.T, names []string, ending string) {
	t.Helper()
	stray := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join("testdata", "*"+ending+".golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		stray[strings.TrimSuffix(filepath.Base(path), ending+".golden")] = true
	}
	for _, name := range names {
		if !stray[name] {
			t.Errorf("testdata has no %s%s.golden", name, ending)
		}
		delete(stray, name)
	}
	for name := range stray {
		t.Errorf("testdata/%s%s.golden belongs to nothing", name, ending)
	}
}

// Documented checks that docs/architecture.md says to add a thing in a file, under report.
func Documented(t *testing.T, thing, file string) {
	t.Helper()
	top, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for filepath.Base(top) != "report" {
		if filepath.Dir(top) == top {
			t.Fatal("the test is not of a package under report")
		}
		top = filepath.Dir(top)
	}
	b, err := os.ReadFile(filepath.Join(filepath.Dir(top), "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	if row := "| " + thing + " | `report/" + file + "` |"; !strings.Contains(string(b), row) {
		t.Errorf("docs/architecture.md has no row that begins %q", row)
	}
}
