package verify

import (
	"cmp"
	"slices"
)

// container is a row of containers.parquet with what its task attempts add up to.
type container struct {
	containerRow
	tasks, late, busyMS int64 // late: of tasks, those launched in the millisecond in which the process had gone
}

type containerKey struct{ job, attempt, number int64 }

// until is the time up to which the container is held, of a replay that ends at end.
func (c *container) until(end int64) int64 {
	if c.Ended == nil {
		return max(end, or(c.Allocated))
	}
	return *c.Ended
}

func (v *verifier) readContainers() error {
	const file = "containers.parquet"
	key := v.check("containers: (job, am_attempt, container) is unique and their job is there", file)
	order := v.check("containers: times in order, within their job", file)
	ams := v.check("containers: one application master for each attempt, its first container", file)
	err := rows(v, file, func(row int64, r *containerRow) {
		k := containerKey{r.Job, r.AMAttempt, r.Number}
		before, twice := v.byKey[k]
		key.that(!twice, row, "job, am_attempt, container", k, "another key than row %d", before)
		v.byKey[k] = int32(len(v.containers))
		v.containers = append(v.containers, container{containerRow: *r})
		j := v.jobs[r.Job]
		key.that(j != nil && r.AMAttempt >= 1 && r.Number >= 1, row, "job, am_attempt, container", k, "a row of jobs.parquet, and numbers from 1")
		if j == nil {
			return
		}
		j.amAttempts = max(j.amAttempts, r.AMAttempt)
		key.that(r.Queue == j.Queue, row, "queue", r.Queue, "%s, that of its job", j.Queue)
		at := j.Submit
		for _, s := range []struct {
			column string
			at     *int64
		}{{"asked_ms", r.Asked}, {"allocated_ms", r.Allocated}, {"acquired_ms", r.Acquired}, {"started_ms", r.Started}, {"registered_ms", r.Registered}, {"exited_ms", r.Exited}} {
			if s.at != nil {
				order.that(*s.at >= at, row, s.column, *s.at, "%d or more, the time before", at)
				at = max(at, *s.at)
			}
		}
		order.that(r.Allocated != nil, row, "allocated_ms", "null", "a time")
		if r.Ended != nil {
			from := max(or(r.Allocated), or(r.Acquired), or(r.Started))
			order.that(*r.Ended >= from, row, "ended_ms", *r.Ended, "%d or more, when it began", from)
			order.that(j.Finish == nil || *r.Ended <= *j.Finish, row, "ended_ms", *r.Ended, "at most %d, the finish of its job", or(j.Finish))
		}
		order.that((r.Ended == nil) == (r.End == "running"), row, "end", r.End, "running just without ended_ms")
	})
	masters := map[containerKey]int64{} // by job and attempt: number of the master's container
	for i := range v.containers {
		if c := &v.containers[i]; c.AM {
			k := containerKey{job: c.Job, attempt: c.AMAttempt}
			ams.that(masters[k] == 0, int64(i), "am", true, "one master for each attempt, and container %d is one", masters[k])
			masters[k] = c.Number
		}
	}
	for i := range v.containers {
		c := &v.containers[i]
		number, ok := masters[containerKey{job: c.Job, attempt: c.AMAttempt}]
		if v.manifest.masters() {
			ams.that(ok && number <= c.Number, int64(i), "container", c.Number, "a number from that of the attempt's master, %d", number)
		} else {
			ams.that(!ok, int64(i), "am", ok, "no master under the %s scheduler", v.manifest.Scheduler)
		}
	}
	return err
}

func (v *verifier) readNodes() error {
	const file = "nodes.parquet"
	c := v.check("nodes: states in order of time", file)
	numbers := v.check("nodes: numbers are fewer than rows", file)
	last := int64(0)
	var all []nodeRow
	err := rows(v, file, func(_ int64, r *nodeRow) { all = append(all, *r) })
	for row, r := range all {
		c.that(r.Time >= last, int64(row), "time_ms", r.Time, "%d of the row before, or more", last)
		last = r.Time
		ok := r.Node >= 0 && int(r.Node) < len(all)
		numbers.that(ok, int64(row), "node", r.Node, "0 to %d, as each node has a row", len(all)-1)
		if !ok {
			continue
		}
		for int(r.Node) >= len(v.nodes) {
			v.nodes = append(v.nodes, nil)
		}
		v.nodes[r.Node] = append(v.nodes[r.Node], r)
	}
	return err
}

// checkNodes goes through the life of each node: containers begin while it is registered and end with it, and when one begins all fit.
func (v *verifier) checkNodes() {
	const file = "containers.parquet"
	life := v.check("containers: on a node of the cluster, as long as it is one", file)
	fit := v.check("containers: fit their node when they are allocated", file)
	byNode := make([][]int32, len(v.nodes))
	for i := range v.containers {
		n := v.containers[i].Node
		if n < 0 || int(n) >= len(byNode) {
			life.that(false, int64(i), "node", n, "a node of nodes.parquet")
			continue
		}
		byNode[n] = append(byNode[n], int32(i))
	}
	memoryOnly := v.manifest.warned("oversubscribed")
	for n, list := range byNode {
		v.checkNode(v.nodes[n], list, memoryOnly, life, fit)
	}
}

// checkNode sweeps over the times of one node: ends, then states, then allocations of a millisecond.
func (v *verifier) checkNode(states []nodeRow, list []int32, memoryOnly bool, life, fit *checker) {
	ends := slices.Clone(list)
	end := v.manifest.Totals.EndMS
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(or(v.containers[a].Allocated), or(v.containers[b].Allocated)), cmp.Compare(a, b))
	})
	slices.SortFunc(ends, func(a, b int32) int {
		return cmp.Or(cmp.Compare(v.containers[a].until(end), v.containers[b].until(end)), cmp.Compare(a, b))
	})
	var mem, vcores int64
	s, e := 0, 0
	var most, mostBefore nodeRow // the most memory and vcores since the node registered, and until it left
	open := map[int32]bool{}
	leave := func(at int64) { // everything has ended when the node is no longer registered
		for i := range open {
			life.that(v.containers[i].Ended != nil && *v.containers[i].Ended <= at, int64(i), "ended_ms", or(v.containers[i].Ended), "%d or before, when its node left", at)
		}
	}
	for _, i := range list {
		c := &v.containers[i]
		at := or(c.Allocated)
		for {
			nextEnd := e < len(ends) && v.containers[ends[e]].until(end) <= at && open[ends[e]]
			nextState := s < len(states) && states[s].Time <= at
			switch {
			case nextEnd && (!nextState || v.containers[ends[e]].until(end) <= states[s].Time):
				x := &v.containers[ends[e]]
				mem, vcores = mem-x.MemMiB, vcores-x.VCores
				delete(open, ends[e])
				e++
				continue
			case nextState:
				if !states[s].Registered {
					leave(states[s].Time)
					most, mostBefore = nodeRow{}, most
					mostBefore.Time = states[s].Time
				} else {
					most.MemMiB, most.VCores = max(most.MemMiB, states[s].MemMiB), max(most.VCores, states[s].VCores)
				}
				s++
				continue
			}
			break
		}
		there := s > 0 && (states[s-1].Registered || s > 1 && states[s-1].Time == at)
		life.that(there, int64(i), "allocated_ms", at, "a time at which node %d is registered", c.Node)
		open[i] = true
		mem, vcores = mem+c.MemMiB, vcores+c.VCores
		if !there {
			continue
		}
		has := states[s-1]
		for k := s - 1; k > 0 && states[k].Time == at; k-- { // what held before this millisecond, where that is more
			has.MemMiB, has.VCores, has.Draining = max(has.MemMiB, states[k-1].MemMiB), max(has.VCores, states[k-1].VCores), has.Draining || states[k-1].Draining
		}
		if has.Draining { // its total is what it holds, and that may be more than a capacity that was taken back
			has.MemMiB, has.VCores = max(has.MemMiB, most.MemMiB), max(has.VCores, most.VCores)
			if mostBefore.Time == at { // it left in this millisecond, perhaps after the allocation
				has.MemMiB, has.VCores = max(has.MemMiB, mostBefore.MemMiB), max(has.VCores, mostBefore.VCores)
			}
		}
		fit.that(mem <= has.MemMiB, int64(i), "memory_mib", c.MemMiB, "room on node %d: then %d of its %d MiB are in use", c.Node, mem, has.MemMiB)
		fit.that(vcores <= has.VCores || memoryOnly, int64(i), "vcores", c.VCores, "room on node %d: then %d of its %d vcores are in use, and run.json does not say that they are oversubscribed", c.Node, vcores, has.VCores)
	}
	for ; s < len(states); s++ {
		for e < len(ends) && v.containers[ends[e]].until(end) <= states[s].Time {
			delete(open, ends[e])
			e++
		}
		if !states[s].Registered {
			leave(states[s].Time)
		}
	}
}

func (v *verifier) readDecisions() error {
	const file = "decisions.parquet"
	if ok, err := v.exists(file); err != nil || !ok {
		return err
	}
	order := v.check("decisions: numbered from 1 and in order of time", file)
	counts := map[string]int64{}
	last, n := int64(0), int64(0)
	if err := rows(v, file, func(row int64, r *decisionRow) {
		n++
		order.that(r.Seq == n && r.Time >= last, row, "seq, time_ms", []int64{r.Seq, r.Time}, "%d, and %d or more", n, last)
		last = r.Time
		counts[r.Kind]++
	}); err != nil {
		return err
	}
	total := v.check("decisions: as many allocations and ends as in the totals", file)
	total.equal(counts["allocate"], v.manifest.Totals.ContainersAllocated, none, "kind allocate", "the totals of run.json")
	total.equal(counts["complete"], v.manifest.Totals.ContainersEnded, none, "kind complete", "the totals of run.json")
	return nil
}
