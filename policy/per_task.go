package policy

import "slices"

// perTask walks over the tasks in order and gives each container the next PerExec of them: it
// prefers the hosts that all of those prefer or, if there is none, the hosts that any of them
// prefers. Containers beyond the last task have no preference. It is a baseline; Spark does not
// have it.
type perTask struct{}

var _ TaskPlacement = perTask{}

func (perTask) Requests(n int, _ *Hints) []Preference { return make([]Preference, max(0, n)) }

func (perTask) TaskRequests(n int, hints *Hints, tasks [][]int32) []Preference {
	out := make([]Preference, max(0, n))
	count := make([]int, len(hints.Tasks)) // tasks of the group that prefer the host
	var named []int32                      // hosts with count > 0
	for i := range out {
		group := tasks[:min(hints.PerExec, len(tasks))]
		tasks = tasks[len(group):]
		if len(group) == 0 {
			break
		}
		for _, hosts := range group {
			for k, h := range hosts {
				if slices.Contains(hosts[:k], h) {
					continue // two locations of a task on one host
				}
				if count[h] == 0 {
					named = append(named, h)
				}
				count[h]++
			}
		}
		slices.Sort(named)
		var common Preference
		for _, h := range named {
			if count[h] == len(group) {
				common = append(common, h)
			}
			count[h] = 0
		}
		if len(common) == 0 {
			common = append(common, named...)
		}
		out[i] = common
		named = named[:0]
	}
	return out
}
