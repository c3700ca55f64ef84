package command

import (
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
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// configurations are the structs that hold what was read from files and flags, and the files of their
// package that give them their values: what those files read is no use of an exported field, nor is what
// only the conformance cases read.
var configurations = []struct {
	pkg     string
	structs []string
	filling []string
}{
	{"replay/engine/spark/conf", []string{"Conf", "CustomResource", "SpeculationConf", "ExcludeConf", "Notes", "Warning"}, []string{"keys.go", "parse.go"}},
	{"replay/engine/yarn/conf", []string{"Site", "Capacity", "CapacityQueue", "Allocations", "QueueSettings"}, []string{"site.go", "capacity_parse.go", "allocations_parse.go"}},
}

// unread are the fields that nobody reads.
var unread = []string{
	"replay/engine.kind.number", // the table of events says it to its reader
	"replay/engine/yarn.Event.Acquired",
	"replay/engine/yarn.QueueState.Weight",
	"replay/engine/yarn/fair.QueueInForce.Dynamic",
}

// TestFieldsAreRead holds that each field of a struct below replay/engine is read: a key of a configuration
// that is parsed and then ignored, or a number that is kept and that nobody looks at, is found here. Neither
// a test nor an assignment to the field counts.
func TestFieldsAreRead(t *testing.T) {
	if testing.Short() {
		t.Skip("types of the whole module")
	}
	m, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	never := map[field]bool{}
	read := m.fieldsRead(func(string, string) bool { return true })
	for _, f := range m.fields("replay/engine") {
		never[f] = !read[f]
	}
	for _, c := range configurations {
		read := m.fieldsRead(func(pkg, file string) bool {
			return !strings.HasPrefix(pkg, "replay/bench/conform") && (pkg != c.pkg || !slices.Contains(c.filling, file))
		})
		for _, f := range m.fields(c.pkg) {
			if f.pkg == c.pkg && slices.Contains(c.structs, f.owner) && token.IsExported(f.name) {
				never[f] = !read[f]
			}
		}
	}
	for _, f := range m.fields("replay/engine") {
		if never[f] && !slices.Contains(unread, f.String()) {
			t.Errorf("%s is never read", f)
		}
	}
	for _, name := range unread {
		i := strings.LastIndex(name, "/") + 1
		parts := strings.Split(name[i:], ".")
		if !never[field{name[:i] + parts[0], parts[1], parts[2]}] {
			t.Errorf("%s stands among the fields that are not read, but it is read or does not exist", name)
		}
	}
}

// field is a field of a named struct.
type field struct{ pkg, owner, name string }

func (f field) String() string { return f.pkg + "." + f.owner + "." + f.name }

// module is the type-checked source of our packages, tests left out.
type module []checkedPackage

type checkedPackage struct {
	*types.Package
	files map[string]*ast.File
	info  *types.Info
}

// loadModule checks each package against the export data of those that it imports.
func loadModule() (module, error) {
	cmd := exec.Command("go", "list", "-pgo=off", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export", "replay/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	var ours []listed
	export := map[string]string{}
	for d := json.NewDecoder(out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		export[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "replay/") {
			ours = append(ours, p)
		}
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	fset := token.NewFileSet()
	check := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })}
	var m module
	for _, p := range ours {
		c := checkedPackage{files: map[string]*ast.File{}, info: &types.Info{
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{}}}
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			c.files[name] = f
			files = append(files, f)
		}
		if c.Package, err = check.Check(p.ImportPath, fset, files, c.info); err != nil {
			return nil, err
		}
		m = append(m, c)
	}
	return m, nil
}

// fields returns the fields of the named structs in the packages at and below path. Fields with a tag are
// left out: what encodes the struct reads them.
func (m module) fields(path string) (all []field) {
	for _, pkg := range m {
		if pkg.Path() != path && !strings.HasPrefix(pkg.Path(), path+"/") {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			obj, isType := pkg.Scope().Lookup(name).(*types.TypeName)
			if !isType {
				continue
			}
			s, isStruct := obj.Type().Underlying().(*types.Struct)
			if !isStruct {
				continue
			}
			for i := range s.NumFields() {
				if f := s.Field(i); !f.Embedded() && f.Name() != "_" && s.Tag(i) == "" {
					all = append(all, field{pkg.Path(), name, f.Name()})
				}
			}
		}
	}
	return all
}

// fieldsRead returns the fields that are read in the files called for: by a selector, or with their whole
// struct where it is compared, is the key of a map, or is converted to another type.
func (m module) fieldsRead(in func(pkg, file string) bool) map[field]bool {
	read := map[field]bool{}
	for _, pkg := range m {
		for name, file := range pkg.files {
			if !in(pkg.Path(), name) {
				continue
			}
			whole := func(t types.Type) {
				if owner, s := namedStruct(t); s != nil {
					for f := range s.Fields() {
						read[field{owner.Pkg().Path(), owner.Name(), f.Name()}] = true
					}
				}
			}
			assigned := map[ast.Expr]bool{}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, x := range n.Lhs {
						assigned[ast.Unparen(x)] = true
					}
				case *ast.IncDecStmt:
					assigned[ast.Unparen(n.X)] = true
				case *ast.BinaryExpr:
					if n.Op == token.EQL || n.Op == token.NEQ {
						whole(pkg.info.TypeOf(n.X))
					}
				case *ast.MapType:
					whole(pkg.info.TypeOf(n.Key))
				case *ast.CallExpr:
					if pkg.info.Types[n.Fun].IsType() {
						whole(pkg.info.TypeOf(n.Args[0]))
					}
				case *ast.SelectorExpr:
					if s := pkg.info.Selections[n]; s != nil && s.Kind() == types.FieldVal && !assigned[n] {
						if f, ok := fieldOf(s); ok {
							read[f] = true
						}
					}
				}
				return true
			})
		}
	}
	return read
}

// fieldOf returns the field of a named struct that a selection ends at.
func fieldOf(s *types.Selection) (field, bool) {
	at := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		at = pointedTo(at).Underlying().(*types.Struct).Field(i).Type()
	}
	owner, _ := namedStruct(pointedTo(at))
	if owner == nil {
		return field{}, false
	}
	return field{owner.Pkg().Path(), owner.Name(), s.Obj().Name()}, true
}

func pointedTo(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// namedStruct returns the name and the struct of a type, nil if it is none.
func namedStruct(t types.Type) (*types.TypeName, *types.Struct) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil, nil
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil, nil
	}
	return named.Origin().Obj(), s
}
