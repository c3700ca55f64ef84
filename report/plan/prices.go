package plan

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/trace"
)

// Prices are what nodes cost an hour, by type.
type Prices struct {
	Currency string // empty when nobody says
	of       map[string]float64
}

// any is the type of all nodes that have no price of their own.
const anyNode = "*"

// EachNode is one price for all nodes.
func EachNode(amount float64) *Prices { return &Prices{of: map[string]float64{anyNode: amount}} }

// ReadPrices reads lines TYPE=AMOUNT, where a type is a label of nodes, a size as MEMORYxVCORES such as 65536x16 with the memory in MiB, or * for all
// others; currency=NAME says what amounts are in. # begins a comment. Errors call the file by its name.
func ReadPrices(name string, text []byte) (*Prices, error) {
	p := &Prices{of: map[string]float64{}}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		said, _, _ := strings.Cut(string(line), "#")
		if said = strings.TrimSpace(said); said == "" {
			continue
		}
		kind, value, ok := strings.Cut(said, "=")
		kind, value = strings.TrimSpace(kind), strings.TrimSpace(value)
		if kind == "currency" && value != "" {
			p.Currency = value
			continue
		}
		amount, err := strconv.ParseFloat(value, 64)
		if !ok || kind == "" || err != nil || !(amount >= 0) || math.IsInf(amount, 0) {
			return nil, fmt.Errorf("%s:%d: %q, want TYPE=AMOUNT, an amount of 0 or more for a label of nodes, a size such as 65536x16, or *; or currency=NAME", name, n, said)
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

// Of is what the nodes that are there at the start cost an hour. A label counts before a size.
func (p *Prices) Of(nodes []trace.Node) (float64, error) {
	sum := 0.0
	for i := range nodes {
		n := &nodes[i]
		if !n.Present {
			continue
		}
		size := fmt.Sprintf("%dx%d", n.MemMiB, n.VCores)
		amount, ok := 0.0, false
		for _, kind := range append(append([]string{}, n.Labels...), size, anyNode) {
			if amount, ok = p.of[kind]; ok {
				break
			}
		}
		if !ok {
			return 0, fmt.Errorf("no price of node %s: want one of %s", n.Host, strings.Join(append(append([]string{}, n.Labels...), size, anyNode), ", "))
		}
		sum += amount
	}
	return sum, nil
}
