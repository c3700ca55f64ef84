package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replay/report/quantity"
	"replay/trace"
	"replay/trace/view"
)

// ofSizes says of which sizes a number of nodes is, where those of the trace are of several: a plan counts nodes as if they were alike. Empty where they are.
func ofSizes(t *trace.Trace, n int) string {
	type kind struct {
		size  string
		nodes int
	}
	kindsOf := func(nodes []trace.Node) (kinds []kind) {
		for i := range nodes {
			if !nodes[i].Present {
				continue
			}
			size := fmt.Sprintf("%s MiB and %s", quantity.Thousands(nodes[i].MemMiB), quantity.Counted(int64(nodes[i].VCores), "vcores"))
			for _, x := range nodes[i].Extra {
				size += fmt.Sprintf(" and %s %s", quantity.Thousands(x.Value), x.Name)
			}
			k := slices.IndexFunc(kinds, func(k kind) bool { return k.size == size })
			if k < 0 {
				k, kinds = len(kinds), append(kinds, kind{size, 0})
			}
			kinds[k].nodes++
		}
		slices.SortStableFunc(kinds, func(a, b kind) int { return cmp.Compare(b.nodes, a.nodes) })
		return kinds
	}
	all := kindsOf(t.Nodes)
	if len(all) < 2 {
		return ""
	}
	r, err := view.Resize(t.Nodes, t.Events, n)
	if err != nil {
		return ""
	}
	const most = 4
	var texts []string
	kinds := kindsOf(r.Nodes)
	for _, k := range kinds[:min(most, len(kinds))] {
		texts = append(texts, fmt.Sprintf("%d of %s", k.nodes, k.size))
	}
	if more := len(kinds) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("others of %d more sizes", more))
	}
	return fmt.Sprintf("The nodes of the trace are of %d sizes: of nodes = %d there are %s. Added ones are like those of the trace in turn, and the last of the largest rack are taken away first.", len(all), n, strings.Join(texts, ", "))
}
