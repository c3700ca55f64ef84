package starlark

import (
	"go.starlark.net/starlark"

	"replay/policy"
)

// placement says which hosts container requests name.
type placement struct{ requests *call }

// taskPlacement looks at single tasks, too.
type taskPlacement struct {
	*placement
	ofTasks *call
}

func (f *File) newPlacement() policy.Placement {
	p := &placement{f.call("requests")}
	if c := f.call("requests_of_tasks"); c != nil {
		return taskPlacement{p, c}
	}
	return p
}

// Requests names no host where the file looks at single tasks and there are none.
func (p *placement) Requests(n int, h *policy.Hints) []policy.Preference {
	switch {
	case n <= 0:
		return nil
	case p.requests == nil:
		return make([]policy.Preference, n)
	}
	return ask(p.requests, n, h)
}

func (p taskPlacement) TaskRequests(n int, h *policy.Hints, tasks [][]int32) []policy.Preference {
	if n <= 0 {
		return nil
	}
	all := make(starlark.Tuple, len(tasks))
	for i, hosts := range tasks {
		all[i] = ints(hosts)
	}
	return ask(p.ofTasks, n, h, all)
}

// ask calls a function for n requests.
func ask(c *call, n int, h *policy.Hints, more ...starlark.Value) []policy.Preference {
	c.args[0] = starlark.MakeInt(n)
	c.args[1] = record("hints", starlark.StringDict{"local_tasks": starlark.MakeInt(h.LocalTasks), "per_exec": starlark.MakeInt(h.PerExec),
		"tasks": ints(h.Tasks), "existing": ints(h.Existing), "pending": ints(h.Pending),
		"pending_requests": starlark.MakeInt(h.PendingRequests), "pending_names": starlark.MakeInt(h.PendingNames)})
	copy(c.args[2:], more)
	v := c.do()
	all := c.list(v, v, n, "a list with the hosts of each request")
	out := make([]policy.Preference, n)
	for i := range out {
		hosts, ok := all.Index(i).(starlark.Indexable)
		if !ok {
			c.refuse(v, "a list with the hosts of each request; %s is no list of hosts", all.Index(i))
		}
		before := int64(-1)
		for k := range hosts.Len() {
			at, ok := whole(hosts.Index(k), before+1, int64(len(h.Tasks))-1)
			if !ok {
				c.refuse(v, "hosts by their position among the %d, each once and in ascending order; a request names %s", len(h.Tasks), all.Index(i))
			}
			before = at
			out[i] = append(out[i], int32(at))
		}
	}
	return out
}
