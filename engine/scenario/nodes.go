package scenario

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/trace"
)

// NodesBy says how many nodes more a cluster has at the start than that of the trace, or fewer. The zero value changes nothing.
type NodesBy struct {
	Text    string  // as [ParseNodes] read it
	More    int     // nodes
	Percent float64 // of those that there are; where it is not 0, More is
}

// ParseNodes reads a number of nodes (n > 0), or how many more or fewer there are than in the trace: +4, -4, +10%, -10%.
func ParseNodes(text string) (n int, by NodesBy, err error) {
	want := fmt.Errorf("want 1 to %d, or a change such as -4, +4, -10%% or +10%%", trace.MostNodes)
	signed := strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-")
	if share, ok := strings.CutSuffix(text, "%"); ok {
		x, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
		switch {
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0) || strings.ContainsAny(share, "xX"):
			return 0, by, want
		case !signed:
			return 0, by, fmt.Errorf("want a change with its sign: %+.4g%% for %g %% of the nodes", x-100, x)
		case x <= -100:
			return 0, by, errors.New("want a change that leaves a node")
		}
		return 0, NodesBy{Text: text, Percent: x}, nil
	}
	n, err = strconv.Atoi(text)
	switch {
	case err != nil || max(n, -n) > trace.MostNodes || n == 0 && !signed || n < 0 && !signed:
		return 0, by, want
	case signed:
		return 0, NodesBy{Text: text, More: n}, nil
	}
	return n, by, nil
}

// Of returns how many nodes there are where the trace has n: a share is rounded to whole nodes, and is one at least.
func (by NodesBy) Of(n int64) (int, error) {
	more := float64(by.More)
	if by.Percent != 0 {
		if more = math.Round(float64(by.Percent) * float64(n) / 100); more == 0 {
			more = math.Copysign(1, by.Percent)
		}
	}
	switch all := float64(n) + more; {
	case all < 1:
		return 0, fmt.Errorf("want a change that leaves a node; nodes at the start: %d", n)
	case all > trace.MostNodes:
		return 0, fmt.Errorf("want %d at most with the change; nodes at the start: %d", trace.MostNodes, n)
	default:
		return int(all), nil
	}
}
