package rows

import (
	"replay/trace"
	"replay/trace/importer/delimited"
	"replay/trace/importer/workload"
)

// AddMachine adds the node of a row that begins with its name, which no row before has. It is there from the start, has so many GPUs and, where that is not empty,
// their model as a label.
func AddMachine(b *workload.Builder, r *delimited.Row, seen map[string]bool, vcores int32, memMiB int64, gpus trace.NamedValue, model string) error {
	n := trace.Node{Host: r.Name(0), VCores: vcores, MemMiB: memMiB, Present: true, Extra: []trace.NamedValue{}}
	if gpus.Value > 0 {
		n.Extra = append(n.Extra, gpus)
	}
	if model != "" {
		n.Labels = []string{model}
	}
	if seen[n.Host] {
		r.Bad(0, "a name that no row before has")
	}
	if r.Err() == nil {
		seen[n.Host] = true
		b.AddNode(n)
	}
	return r.Err()
}
