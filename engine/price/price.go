// Package price reads what nodes cost an hour and finds the price of each.
package price

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"replay/duration"
	"replay/engine/record"
	"replay/trace"
)

// List says what nodes cost an hour, by type, in millionths of a currency.
type List struct {
	Currency  string // empty when nobody says
	MinimumMS int64  // that a node is billed for each time that it is there
	of        map[string]int64
}

// anyNode is the type of all nodes that have no price of their own.
const anyNode = "*"

// Millionth is how many of what amounts are counted in make one of the currency.
const Millionth = 1_000_000

// Each is one price for all nodes.
func Each(amount float64) (*List, error) {
	n, ok := millionths(strconv.FormatFloat(amount, 'f', -1, 64))
	if !ok {
		return nil, fmt.Errorf("price is %v, want an amount from 0 to 1000 with at most six digits behind the point", amount)
	}
	return &List{of: map[string]int64{anyNode: n}}, nil
}

// millionths reads a decimal amount exactly.
func millionths(text string) (int64, bool) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > 6 || whole+part == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+(part + "000000")[:6], 10, 63)
	return int64(n), err == nil && n <= 1000*Millionth
}

// Read reads lines TYPE=AMOUNT, where a type is a label of nodes, a size as MEMORYxVCORES such as 65536x16 with the memory in MiB, or * for all
// others; currency=NAME says what amounts are in, and minimum=TIME what is billed at least each time that a node is there. # begins a comment. Errors call
// the file by its name.
func Read(name string, text []byte) (*List, error) {
	p := &List{of: map[string]int64{}}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		said, _, _ := strings.Cut(string(line), "#")
		if said = strings.TrimSpace(said); said == "" {
			continue
		}
		kind, value, ok := strings.Cut(said, "=")
		kind, value = strings.TrimSpace(kind), strings.TrimSpace(value)
		switch {
		case kind == "currency" && value != "":
			p.Currency = value
			continue
		case kind == "minimum":
			d, err := duration.Parse(value)
			if err != nil || d < 0 || d > 24*time.Hour || d%time.Second != 0 {
				return nil, fmt.Errorf("%s:%d: minimum is %q, want whole seconds up to a day, such as 60s", name, n, value)
			}
			p.MinimumMS = d.Milliseconds()
			continue
		}
		amount, exact := millionths(value)
		if !ok || kind == "" || !exact {
			return nil, fmt.Errorf("%s:%d: %q, want TYPE=AMOUNT, an amount from 0 to 1000 with at most six digits behind the point for a label of nodes, a size such as 65536x16, or *; currency=NAME; or minimum=60s", name, n, said)
		}
		if _, twice := p.of[kind]; twice {
			return nil, fmt.Errorf("%s:%d: a second price of %s", name, n, kind)
		}
		p.of[kind] = amount
	}
	if len(p.of) == 0 {
		return nil, fmt.Errorf("%s: no price in it, want lines such as 65536x16=0.42", name)
	}
	return p, nil
}

// typeOf is the type of a node that has a price: a label counts before a size.
func (p *List) typeOf(n *trace.Node) (string, error) {
	kinds := append(append([]string{}, n.Labels...), fmt.Sprintf("%dx%d", n.MemMiB, n.VCores), anyNode)
	for _, kind := range kinds {
		if _, ok := p.of[kind]; ok {
			return kind, nil
		}
	}
	return "", fmt.Errorf("no price of node %s: want one of %s", n.Host, strings.Join(kinds, ", "))
}

// Of finds the price of every node, types in the order in which nodes have them. It fails for a node that has none.
func (p *List) Of(nodes []trace.Node) (*record.Prices, error) {
	out := &record.Prices{Currency: p.Currency, MinimumMS: p.MinimumMS}
	place := map[string]int{}
	for i := range nodes {
		kind, err := p.typeOf(&nodes[i])
		if err != nil {
			return nil, err
		}
		at, ok := place[kind]
		if !ok {
			at = len(out.Types)
			place[kind] = at
			out.Types = append(out.Types, record.NodeType{Name: kind, Hour: p.of[kind]})
		}
		out.TypeOf = append(out.TypeOf, at)
	}
	return out, nil
}
