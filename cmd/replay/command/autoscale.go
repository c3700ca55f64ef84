package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/urfave/cli/v2"

	"replay/engine/scenario"
	"replay/policy/autoscale"
)

// scalingFlags are those of nodes that come and go, and of what they cost.
func scalingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "autoscale", Usage: "policy that adds and removes nodes: " + autoscale.Names(), DefaultText: "none"},
		&cli.StringFlag{Name: "autoscale-conf", Usage: "its settings, a YAML `FILE` with the keys of docs/autoscale.md; a single one is --conf autoscale.KEY=VALUE"},
		&cli.StringFlag{Name: "prices", Usage: "what nodes cost an hour by type, lines of `FILE`: a label of nodes, a size as MIBxVCORES or * with =AMOUNT; currency=NAME; minimum=60s"},
	}
}

// readScaling reads the flags of scalingFlags that are set.
func (p *program) readScaling(c *cli.Context, o *scenario.Options) error {
	if c.IsSet("autoscale") {
		o.Autoscale = c.String("autoscale")
	}
	if c.IsSet("autoscale-conf") {
		f, err := p.files.file(c.String("autoscale-conf"))
		if err != nil {
			return err
		}
		if o.AutoscaleSettings, err = readSettings(f); err != nil {
			return err
		}
	}
	if c.IsSet("prices") {
		f, err := p.files.file(c.String("prices"))
		if err != nil {
			return err
		}
		if o.Prices, err = scenario.ReadPrices(f.Name, f.Text); err != nil {
			return err
		}
	}
	return nil
}

// readSettings reads a YAML mapping of mappings; the keys of a value are joined by dots. Values are as they are written.
func readSettings(f scenario.File) (autoscale.Settings, error) {
	doc, err := parser.ParseBytes(f.Text, 0)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			return nil, fmt.Errorf("%s:%d: %s", f.Name, at.GetToken().Position.Line, at.GetMessage())
		}
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if len(doc.Docs) != 1 || doc.Docs[0].Body == nil {
		return nil, fmt.Errorf("%s: has %d documents, want one with the settings of an autoscaler", f.Name, len(doc.Docs))
	}
	out := autoscale.Settings{}
	return out, settingsOf(f.Name, "", doc.Docs[0].Body, out)
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
