package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"replay/engine/scenario"
	"replay/input"
	"replay/input/yamltext"
	"replay/policy/autoscale"
)

// readSettings reads a YAML mapping of mappings; the keys of a value are joined by dots. Values are as they are written.
func readSettings(f scenario.File) (autoscale.Settings, error) {
	body, err := yamltext.Parse(input.Unmarked(f.Text), "the settings of an autoscaler")
	var at *yamltext.Error
	switch {
	case errors.As(err, &at) && at.Line > 0:
		return nil, fmt.Errorf("%s:%d: %w", f.Name, at.Line, at.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	out := autoscale.Settings{}
	return out, settingsOf(f.Name, "", body, out)
}

func settingsOf(file, before string, n ast.Node, to autoscale.Settings) error {
	place := fmt.Sprintf("%s:%d", file, n.GetToken().Position.Line)
	switch x := n.(type) {
	case ast.MapNode:
		for it := x.MapRange(); it.Next(); {
			key, ok := it.Key().(ast.ScalarNode)
			if _, merge := it.Key().(*ast.MergeKeyNode); !ok || merge {
				return fmt.Errorf("%s: %q is no plain key", place, it.Key().String())
			}
			name := key.GetToken().Value
			if before != "" {
				name = before + "." + name
			}
			if _, twice := to[name]; twice {
				return fmt.Errorf("%s: a second value of %s", place, name)
			}
			if err := settingsOf(file, name, it.Value(), to); err != nil {
				return err
			}
		}
		return nil
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		if before != "" {
			to[before] = autoscale.Setting{Value: n.GetToken().Value, Place: place}
			return nil
		}
	}
	said, _, _ := strings.Cut(strings.TrimSpace(n.String()), "\n")
	if before == "" {
		return fmt.Errorf("%s: the file is %q, want keys with values", place, said)
	}
	return fmt.Errorf("%s: %s is %q, want a single value or keys with values", place, before, said)
}
