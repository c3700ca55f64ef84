package workload

import (
	"cmp"
	"slices"
	"strings"

	"replay/counted"
)

// muchLeftOut is the part of a source's work without which a trace is no picture of it.
const muchLeftOut = 0.1

// work says by which counts it shows how much of the work of a source a trace does not have.
var work = []struct {
	things string
	prefix []string // of what is dropped
	read   []string // of how many there were, the first of these; else those of the trace and these
}{
	{"tasks", []string{"tasks_with", "tasks_that_did", "tasks_that_end_", "tasks_that_still_", "tasks_that_were_", "tasks_never_"}, []string{"rows_of_batch_task", "rows_of_pai_task_table"}},
	{"rows", []string{"rows_with", "rows_of_vmtable_with", "rows_that_"}, []string{"rows", "rows_of_vmtable"}},
	{"records", []string{"records_without_", "records_of_an_", "records_of_too_", "records_of_more_", "records_of_times_"}, []string{"records"}},
	{"pods", []string{"pods_"}, nil},
	{"virtual machines", []string{"virtual_machines_that_", "virtual_machines_of_"}, nil},
}

// sayMuchLeftOut warns where a good part of the work is left out: what is replayed then is less than what was recorded, and shorter where it is what did not end.
func (b *Builder) sayMuchLeftOut() {
	for _, w := range work {
		var names []string
		var left int64
		for name, n := range b.Counts.Dropped {
			if n > 0 && slices.ContainsFunc(w.prefix, func(p string) bool { return strings.HasPrefix(name, p) }) {
				names, left = append(names, name), left+n
			}
		}
		all := left + b.tasks
		for _, read := range slices.Backward(w.read) {
			all = cmp.Or(b.Counts.Read[read], all)
		}
		if left == 0 || float64(left) < muchLeftOut*float64(all) {
			continue
		}
		slices.SortFunc(names, func(x, y string) int {
			return cmp.Or(cmp.Compare(b.Counts.Dropped[y], b.Counts.Dropped[x]), cmp.Compare(x, y))
		})
		var texts []string
		for _, name := range names {
			texts = append(texts, counted.Of(b.Counts.Dropped[name], name))
		}
		b.Warn("left out: %d of %s (%.0f %%): %s; the trace has so much less work than its source", left, counted.Of(all, w.things), 100*float64(left)/float64(all), strings.Join(texts, ", "))
	}
}
