// Command fused lists floating-point products that are added to or subtracted from something without being rounded first. Where a processor
// multiplies and adds in one instruction, Go's compiler may fuse the two, and the sum differs in its last bit from that of other processors:
//
//	go run ./scripts/fused ./...
//
// An explicit conversion, float64(a*b), rounds the product everywhere. Exit code 1: there are such products.
package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

func main() {
	found, err := look(os.Args[1:])
	for _, f := range found {
		fmt.Println(f)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "fused:", err)
		os.Exit(2)
	case len(found) > 0:
		os.Exit(1)
	}
}

// look returns a line for each product, with its place.
func look(patterns []string) (found []string, err error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, BuildFlags: []string{"-pgo=off"}}, patterns...)
	if err != nil {
		return nil, err
	}
	s := seeker{held: map[string][]ast.Expr{}, terms: map[string]bool{}, seen: map[ast.Expr]bool{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		s.Package = p
		for _, file := range p.Syntax {
			s.file(file)
		}
	}
	for name := range s.terms {
		for _, e := range s.held[name] {
			s.found(e)
		}
	}
	slices.Sort(s.lines)
	return s.lines, nil
}

// seeker looks for products that are terms of sums, also by way of a variable or of what a function returns.
type seeker struct {
	*packages.Package
	held  map[string][]ast.Expr // products by the place of the variable or function that has them
	terms map[string]bool       // variables and functions that are terms, by place
	seen  map[ast.Expr]bool
	lines []string
}

func (s *seeker) found(e ast.Expr) {
	if !s.seen[e] {
		s.seen[e] = true
		s.lines = append(s.lines, fmt.Sprintf("%s: a product that is not rounded on every processor is added: want a conversion around it, as float64(a*b)", s.Fset.Position(e.Pos())))
	}
}

func (s *seeker) file(file *ast.File) {
	var within []types.Object // functions, of which the last one is the innermost
	ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
		switch x := n.(type) {
		case *ast.BinaryExpr:
			if x.Op == token.ADD || x.Op == token.SUB {
				s.term(x.X)
				s.term(x.Y)
			}
		case *ast.AssignStmt:
			switch {
			case x.Tok == token.ADD_ASSIGN || x.Tok == token.SUB_ASSIGN:
				s.term(x.Lhs[0])
				s.term(x.Rhs[0])
			case len(x.Lhs) == len(x.Rhs):
				for i, e := range x.Rhs {
					if id, ok := x.Lhs[i].(*ast.Ident); ok {
						s.holds(s.TypesInfo.ObjectOf(id), e)
					}
				}
			}
		case *ast.FuncDecl:
			within = []types.Object{s.TypesInfo.Defs[x.Name]}
		case *ast.ReturnStmt:
			inner := slices.ContainsFunc(stack, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
			if len(x.Results) == 1 && len(within) > 0 && !inner {
				s.holds(within[0], x.Results[0])
			}
		}
		return true
	})
}

// holds notes that a variable or function may have a product.
func (s *seeker) holds(o types.Object, e ast.Expr) {
	if e = bare(e); o != nil && s.product(e) {
		at := s.place(o)
		s.held[at] = append(s.held[at], e)
	}
}

func (s *seeker) place(o types.Object) string { return s.Fset.Position(o.Pos()).String() }

// term takes a term of a sum.
func (s *seeker) term(e ast.Expr) {
	switch x := bare(e).(type) {
	case *ast.BinaryExpr:
		if s.product(x) {
			s.found(x)
		}
	case *ast.Ident:
		if o := s.TypesInfo.ObjectOf(x); o != nil {
			s.terms[s.place(o)] = true
		}
	case *ast.CallExpr:
		if f := typeutil.Callee(s.TypesInfo, x); f != nil {
			s.terms[s.place(f)] = true
		}
	}
}

// bare is an expression without parentheses and signs.
func bare(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		default:
			return e
		}
	}
}

// product reports whether an expression is a product that may have to be rounded.
func (s *seeker) product(e ast.Expr) bool {
	x, ok := e.(*ast.BinaryExpr)
	return ok && x.Op == token.MUL && floating(s.TypesInfo, x) && !whole(s.TypesInfo, x.X) && !whole(s.TypesInfo, x.Y)
}

// floating reports whether an expression is a floating-point number that is computed when the program runs.
func floating(info *types.Info, e ast.Expr) bool {
	t := info.Types[e]
	b, ok := t.Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0 && t.Value == nil
}

// whole reports whether a factor is a power of two, with which every product is exact.
func whole(info *types.Info, e ast.Expr) bool {
	v := info.Types[e].Value
	if v == nil {
		return false
	}
	f, _ := constant.Float64Val(constant.ToFloat(v))
	for f != 0 && f == float64(int64(f)) && int64(f)%2 == 0 {
		f /= 2
	}
	for f != 0 && f > -1 && f < 1 {
		f *= 2
	}
	return f == 0 || f == 1 || f == -1
}
