package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/yarn"
	"replay/trace"
)

// A Change is one thing that is otherwise than in the trace and its configuration.
type Change struct {
	Text string // as [ParseChange] reads it

	without int64  // number of a job that is not submitted, -1 for none
	keep    string // host that does not fail, leave, drain or shrink
	idle    bool   // it does not anyhow
	queue   string // without limits, or with a weight
	user    string // without limits on running applications
	weight  float64
	job     int64 // of a container that is somewhere else
	bar     yarn.Bar
	host    string // of the bar
}

// Changes are the forms that [ParseChange] reads.
const Changes = `"without job N", "keep node HOST", "queue Q without limits", "queue Q weight W", "user U without limits", "container N of job J on HOST", "container N of job J not on HOST"`

// ParseChange reads a change. The error does not repeat its text.
func ParseChange(text string) (Change, error) {
	c := Change{Text: strings.Join(strings.Fields(text), " "), without: -1, job: -1}
	w := strings.Fields(text)
	is := func(form string) (args []string, ok bool) {
		f := strings.Fields(form)
		if len(f) != len(w) {
			return nil, false
		}
		for i := range f {
			if f[i] == "_" {
				args = append(args, w[i])
			} else if f[i] != w[i] {
				return nil, false
			}
		}
		return args, true
	}
	number := func(text string) (n int64, err error) {
		if n, err = strconv.ParseInt(text, 10, 64); err != nil || n < 0 {
			err = fmt.Errorf("and %q is no number of a job or container, want one as replay explain and the tables say it", text)
		}
		return n, err
	}
	var err error
	if a, ok := is("without job _"); ok {
		c.without, err = number(a[0])
		return c, err
	}
	if a, ok := is(record.KeepNode + "_"); ok {
		c.keep = a[0]
		return c, nil
	}
	if a, ok := is("queue _ without limits"); ok {
		c.queue, c.weight = a[0], math.NaN()
		return c, nil
	}
	if a, ok := is("queue _ weight _"); ok {
		c.queue = a[0]
		if c.weight, err = strconv.ParseFloat(a[1], 64); err != nil || !(c.weight > 0) || c.weight > 1e9 {
			err = fmt.Errorf("and the weight is %q, want a number above 0", a[1])
		}
		return c, err
	}
	if a, ok := is("user _ without limits"); ok {
		c.user = a[0]
		return c, nil
	}
	for _, form := range []string{"container _ of job _ on _", "container _ of job _ not on _"} {
		a, ok := is(form)
		if !ok {
			continue
		}
		if c.bar.Container, err = number(a[0]); err == nil {
			c.job, err = number(a[1])
		}
		c.host, c.bar.Others = a[2], !strings.Contains(form, "not")
		return c, err
	}
	return c, fmt.Errorf("want one of %s (a flag of replay run, such as --nodes -10%%, stands beside --change, not in it)", Changes)
}

// Later reports whether all that a change has an effect on comes after a state of the replay without it: one at a time, at which job arriving is submitted next
// (-1 for none) and before which it was read. Cluster returns the nodes and events of the replay, and is asked for changes of a node alone. False is not certain, true is,
// but for a container of a job that has been submitted: whether it is yet to come the state tells, which is refused then.
func (c *Change) Later(at, arriving int64, cluster func() ([]trace.Node, []trace.NodeEvent)) bool {
	switch {
	case c.without >= 0:
		return 0 <= arriving && arriving < c.without
	case c.job >= 0:
		return true
	case c.keep != "":
		nodes, events := cluster()
		return nothingOf(c.keep, nodes, events, at)
	}
	return false
}

// nothingOf reports whether a replay in which nothing happens to a host is the same up to a time: none of the events before it are of the host, and if nodes drain others do,
// too, on which it depends what is kept of processes.
func nothingOf(host string, nodes []trace.Node, events []trace.NodeEvent, at int64) bool {
	node := slices.IndexFunc(nodes, func(n trace.Node) bool { return n.Host == host })
	goes := func(e trace.NodeEvent) bool { return e.Node == int32(node) && e.Kind != trace.Join }
	drains := func(e trace.NodeEvent) bool { return e.Kind == trace.Drain }
	if node < 0 || slices.ContainsFunc(events, drains) && !slices.ContainsFunc(events, func(e trace.NodeEvent) bool { return drains(e) && !goes(e) }) {
		return false
	}
	return !slices.ContainsFunc(events, func(e trace.NodeEvent) bool { return e.TimeMS < at && goes(e) })
}

// change puts the changes into the trace. Errors name the change.
func (sc *Scenario) change() error {
	sc.Changes = slices.Clone(sc.Changes) // others may replay the same options
	for i := range sc.Changes {
		c := &sc.Changes[i]
		if c.keep != "" {
			node, err := sc.nodeCalled(c, c.keep)
			if err != nil {
				return err
			}
			before := len(sc.Input.Events)
			sc.Input.Events = slices.DeleteFunc(slices.Clone(sc.Input.Events), func(e trace.NodeEvent) bool { return e.Node == node && e.Kind != trace.Join })
			c.idle = len(sc.Input.Events) == before
		}
		if c.job >= 0 {
			node, err := sc.nodeCalled(c, c.host)
			if err != nil {
				return err
			}
			c.bar.Node = protocol.NodeID(node)
			if c.job >= sc.Input.NumJobs {
				return optionf("--change %q: there is no job %d, only 0 to %d", c.Text, c.job, sc.Input.NumJobs-1)
			}
			for k := range sc.Changes[:i] {
				if o := &sc.Changes[k]; o.excludes(c) {
					return optionf("--change %q and --change %q leave the container no node: the application would wait for it for ever", o.Text, c.Text)
				}
			}
		}
		if c.user != "" && !slices.ContainsFunc(sc.Input.Users, func(u trace.User) bool { return u.Name == c.user }) {
			var users []string
			for j := range sc.Input.Users {
				users = append(users, sc.Input.Users[j].Name)
			}
			return c.unknown("user", c.user, users)
		}
	}
	var gone []int64
	for i := range sc.Changes {
		c := &sc.Changes[i]
		if c.without < 0 || slices.Contains(gone, c.without) {
			continue
		}
		if c.without >= sc.Input.NumJobs {
			return optionf("--change %q: there is no job %d, only 0 to %d", c.Text, c.without, sc.Input.NumJobs-1)
		}
		gone = append(gone, c.without)
	}
	if len(gone) > 0 {
		sc.Input.Jobs = &fewer{sc.Input.Jobs, gone}
		sc.Input.NumJobs -= int64(len(gone))
	}
	return nil
}

func (sc *Scenario) nodeCalled(c *Change, host string) (int32, error) {
	var hosts []string
	for i := range sc.Input.Nodes {
		if sc.Input.Nodes[i].Host == host {
			return int32(i), nil
		}
		hosts = append(hosts, sc.Input.Nodes[i].Host)
	}
	return 0, c.unknown("node", host, hosts)
}

// fewer is a source without some jobs.
type fewer struct {
	trace.JobSource
	gone []int64
}

func (f *fewer) Next() (*trace.Job, error) {
	for {
		j, err := f.JobSource.Next()
		if err != nil || !slices.Contains(f.gone, j.ID) {
			return j, err
		}
	}
}

// excludes reports whether two changes are about one container and no node is as both of them want it.
func (c *Change) excludes(o *Change) bool {
	if c.job != o.job || c.bar.Container != o.bar.Container || !c.bar.Others && !o.bar.Others {
		return false
	}
	return (c.bar.Others && o.bar.Others) == (c.host != o.host)
}

// Keeps reports whether a change keeps the node in the cluster.
func (sc *Scenario) Keeps(node protocol.NodeID) bool {
	return slices.ContainsFunc(sc.Changes, func(c Change) bool { return c.keep != "" && c.keep == sc.Input.Nodes[node].Host })
}

// Unchanged says which nodes are to be kept to which nothing happens in the trace, unless an autoscaler may take them out. It is said at the end of a replay,
// which may go on from a state without the change.
func (sc *Scenario) Unchanged() (warnings []record.Warning) {
	for i := range sc.Changes {
		if c := &sc.Changes[i]; c.idle && sc.Scaling == nil {
			text := fmt.Sprintf("--change %q changes nothing: the node does not fail, leave, drain or change its size", c.Text)
			warnings = append(warnings, record.Warning{Code: "change", Text: text, Count: 1})
		}
	}
	return warnings
}

// Container returns the container that a change is about, if it is about one.
func (c *Change) Container() (job, number int64, ok bool) { return c.job, c.bar.Container, c.job >= 0 }

// Bars are what changes say of the nodes for containers of a job.
func (sc *Scenario) Bars(job int64) (bars []yarn.Bar) {
	for i := range sc.Changes {
		if c := &sc.Changes[i]; c.job >= 0 && c.job == job {
			bars = append(bars, c.bar)
		}
	}
	return bars
}
