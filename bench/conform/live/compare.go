package live

import (
	"maps"
	"slices"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/capacity"
	"replay/engine/yarn/fair"
	"replay/policy/resource"
)

// liveState is what samples show.
type liveState struct {
	queues   map[string]yarn.QueueState
	apps     map[protocol.AppID]fair.AppState
	leaves   map[string]capacity.LeafState
	attempts map[protocol.AppID]int32
}

func (r *liveRun) state() liveState {
	s := liveState{attempts: maps.Clone(r.attempts)}
	if r.c != nil {
		s.leaves = map[string]capacity.LeafState{}
		for l := range r.c.Leaves {
			s.leaves[l.Path] = l
		}
		return s
	}
	s.queues, s.apps = map[string]yarn.QueueState{}, map[protocol.AppID]fair.AppState{}
	r.f.Queues(func(q *yarn.QueueState) { s.queues[q.Path] = *q })
	r.f.Apps(func(a fair.AppState) bool { s.apps[a.ID] = a; return true })
	return s
}

// differ reports a case that is not equal.
func (r *liveRun) differ(pos int, d golden.Difference) {
	r.at = append(r.at, pos)
	r.differences = append(r.differences, d)
}

// compare compares what happened at a call, whatever the order within it.
func (r *liveRun) compare(c *liveCall, pos int) {
	left := slices.Clone(r.got)
	var missing []liveFact
	for _, want := range c.want {
		if want.Part == partHeadroom && r.tookAM(c) {
			continue // the ResourceManager's own call: the replica hands over the container alone
		}
		r.counts[want.Part].cases++
		i := slices.IndexFunc(left, func(g liveFact) bool { return g.Part == want.Part && g.What == want.What })
		if i < 0 {
			missing = append(missing, want)
			continue
		}
		left = slices.Delete(left, i, i+1)
		r.counts[want.Part].equal++
	}
	for _, want := range missing {
		d := golden.Difference{
			Case: livePartNames[want.Part], Event: int(c.Seq), Expected: want.What, Got: "nothing", State: r.around(c, want.t),
		}
		if i := slices.IndexFunc(left, func(g liveFact) bool { return g.Part == want.Part }); i >= 0 {
			d.Got = left[i].What
			left = slices.Delete(left, i, i+1)
		}
		r.differ(pos, d)
	}
	for _, more := range left {
		r.counts[more.Part].cases++
		r.differ(pos, golden.Difference{Case: livePartNames[more.Part], Event: int(c.Seq), Expected: "nothing", Got: more.What, State: r.around(c, c.T)})
	}
}

func (r *liveRun) tookAM(c *liveCall) bool {
	return !slices.ContainsFunc(r.got, func(f liveFact) bool { return f.Part == partHeadroom }) &&
		slices.ContainsFunc(r.got, func(f liveFact) bool { return f.Part == partHandedOver }) && len(c.Ask) == 0
}

// around is the state at a difference: the time, the node of the call and the applications with their queues.
func (r *liveRun) around(c *liveCall, t int64) map[string]any {
	state := map[string]any{"t": t}
	if c.Node != "" {
		if n := r.s.Cluster().Node(r.Node(c.Node)); n != nil {
			state["node"] = map[string]any{"name": c.Node, "free": golden.Amounts(n.Free, r.Types)}
		}
	}
	if r.c != nil {
		var queues []any
		for l := range r.c.Leaves {
			if len(l.Apps) > 0 {
				queues = append(queues, l)
			}
		}
		state["queues"] = queues
		return state
	}
	now := r.state()
	var apps, queues []any
	r.f.Apps(func(a fair.AppState) bool {
		apps = append(apps, map[string]any{
			"app": int(a.ID), "fair_share": golden.Amounts(a.Fair, r.Types), "usage": golden.Amounts(a.Used, r.Types),
			"demand": golden.Amounts(a.Demand, r.Types), "runnable": a.Runnable,
		})
		return true
	})
	r.f.Queues(func(q *yarn.QueueState) {
		if q.Leaf && now.queues[q.Path].Demand != (resource.Resource{}) {
			queues = append(queues, map[string]any{"queue": q.Path, "fair_share": golden.Amounts(q.Fair, r.Types), "usage": golden.Amounts(q.Used, r.Types), "demand": golden.Amounts(q.Demand, r.Types)})
		}
	})
	state["apps"], state["queues"] = apps, queues
	return state
}

// A rowMember is one number or flag of a row of a sample, as recorded and as it is here.
type rowMember struct {
	name      string
	want, got any
	equal     bool
}

func member[T comparable](name string, want, got T) rowMember {
	return rowMember{name, want, got, want == got}
}

func (r *liveRun) size(name string, want []int64, got resource.Resource) rowMember {
	return rowMember{name, want, golden.Amounts(got, r.Types), golden.Size(want) == got.Clone()}
}

// absent is a row that is not there.
func absent(kind, name string) []rowMember { return []rowMember{{kind, name, "nothing", false}} }

// compareSample compares the rows of one second with the state between the calls next to it. A call that is under way may
// already or not yet have had its effect.
func (r *liveRun) compareSample(s *liveSample, pos int) {
	for i := range s.Queues {
		want := &s.Queues[i]
		if r.c != nil {
			r.compareLeaf(s, want, pos)
			continue
		}
		r.compareRow(s, pos, partQueue, want.Queue, func(state liveState) []rowMember {
			q := state.queues[want.Queue]
			return []rowMember{
				r.size("steady", want.Steady, q.Steady), r.size("fair_share", want.Fair, q.Fair), r.size("usage", want.Usage, q.Used),
				r.size("demand", want.Demand, q.Demand), r.size("am_usage", want.AM, q.AMUsed),
			}
		})
		for k := range want.Apps {
			app := &want.Apps[k]
			r.compareRow(s, pos, partApp, app.Attempt, func(state liveState) []rowMember {
				a, ok := state.apps[appNumber(app.Attempt)]
				if !ok || !state.has(app.Attempt) {
					return absent("application", app.Attempt)
				}
				return []rowMember{
					member("runnable", app.Runnable, a.Runnable), r.size("fair_share", app.Fair, a.Fair),
					r.size("usage", app.Usage, a.Used), r.size("demand", app.Demand, a.Demand),
				}
			})
		}
	}
}

// has tells whether an attempt is its application's present one.
func (s *liveState) has(attempt string) bool {
	return s.attempts[appNumber(attempt)] == attemptNumber(attempt)
}

// compareLeaf compares the rows of a leaf queue of the CapacityScheduler.
func (r *liveRun) compareLeaf(s *liveSample, want *liveQueue, pos int) {
	r.compareRow(s, pos, partQueue, want.Queue, func(state liveState) []rowMember {
		l := state.leaves[want.Queue]
		return []rowMember{
			member("capacity", want.Capacity, l.Capacity), member("max_capacity", want.MaxCapacity, l.MaxCapacity), member("used", want.Used, l.Used),
			r.size("usage", want.Usage, l.Usage), r.size("reserved", want.Reserved, l.Reserved), r.size("pending", want.Pending, l.Pending),
			r.size("am_usage", want.AM, l.AMUsed), r.size("am_limit", want.AMLimit, l.AMLimit),
		}
	})
	for k := range want.Users {
		user := &want.Users[k]
		r.compareRow(s, pos, partUser, want.Queue+" "+user.User, func(state liveState) []rowMember {
			l := state.leaves[want.Queue]
			i := slices.IndexFunc(l.Users, func(u capacity.UserState) bool { return u.Name == user.User })
			if i < 0 {
				return absent("user", user.User)
			}
			u := &l.Users[i]
			return []rowMember{
				member("active", user.Active, u.Active), r.size("usage", user.Usage, u.Usage),
				r.size("limit", user.Limit, u.Limit), r.size("am_usage", user.AM, u.AMUsed),
			}
		})
	}
	for k := range want.Apps {
		app := &want.Apps[k]
		r.compareRow(s, pos, partApp, app.Attempt, func(state liveState) []rowMember {
			l := state.leaves[want.Queue]
			i := slices.IndexFunc(l.Apps, func(a capacity.AppState) bool { return a.ID == appNumber(app.Attempt) })
			if i < 0 || !state.has(app.Attempt) {
				return absent("application", app.Attempt)
			}
			a := &l.Apps[i]
			return []rowMember{
				member("user", app.User, a.User), member("active", app.Active, a.Active), member("am_waiting", app.WaitingForAM, a.WaitingForAM),
				r.size("usage", app.Usage, a.Usage), r.size("reserved", app.Reserved, a.Reserved), r.size("pending", app.Pending, a.Pending),
			}
		})
	}
}

// compareRow compares a row with the state between the calls next to its sample, then with those before and after them and between
// their decisions. A row that was read in the middle of a decision may have each member from another one of these.
func (r *liveRun) compareRow(s *liveSample, pos int, part livePart, name string, members func(liveState) []rowMember) {
	r.counts[part].cases++
	row := members(r.states[1])
	first := slices.IndexFunc(row, func(m rowMember) bool { return !m.equal })
	if first < 0 {
		r.counts[part].equal++
		return
	}
	seen := map[string]bool{}
	for _, states := range [][]liveState{{r.states[1], r.states[0], r.states[2]}, r.during[0], r.during[1]} {
		for _, state := range states {
			for _, m := range members(state) {
				seen[m.name] = seen[m.name] || m.equal
			}
		}
	}
	if all := !slices.ContainsFunc(row, func(m rowMember) bool { return !seen[m.name] }); all {
		r.counts[part].equal++
		r.underWay++
		return
	}
	d := row[first]
	r.differ(pos, golden.Difference{
		Case: livePartNames[part], Event: int(s.Seq), Expected: map[string]any{name: map[string]any{d.name: d.want}}, Got: map[string]any{name: map[string]any{d.name: d.got}},
		State: map[string]any{"t": s.T},
	})
}
