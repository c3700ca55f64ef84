package verify

import "replay/spill"

// readContainers looks at what a row says by itself and beside its job, and groups the rows by job and by node.
func (v *verifier) readContainers() error {
	const file = "containers.parquet"
	v.home = v.check("containers: (job, am_attempt, container) is unique and their job is there", file)
	order := v.check("containers: times in order, within their job", file)
	v.life = v.check("containers: on a node of the cluster, as long as it is one", file)
	var packed spill.Packer
	var failed error
	err := rows(v, file, func(row int64, r *containerRow) {
		if failed != nil {
			return
		}
		packed = packed[:0]
		r.pack(&packed, row)
		failed = v.byJob.Add(key(r.Job), packed)
		if !v.add(r) {
			v.life.that(false, row, "node", r.Node, "a node of nodes.parquet")
		} else if failed == nil {
			packed = packed[:0]
			on := onNode{row, or(r.Allocated), or(r.Ended), heldUntil(or(r.Ended), or(r.Allocated), v.manifest.Totals.EndMS), r.MemMiB, r.VCores}
			on.pack(&packed)
			failed = v.byNode.Add(key(int64(r.Node)), packed)
		}
		j := v.jobs[r.Job]
		if !v.home.holds(j != nil && r.AMAttempt >= 1 && r.Number >= 1) {
			v.home.not(row, "job, am_attempt, container", []int64{r.Job, r.AMAttempt, r.Number}, "a row of jobs.parquet, and numbers from 1")
		}
		if j == nil {
			return
		}
		if !v.home.holds(r.Queue == j.Queue) {
			v.home.not(row, "queue", r.Queue, "%s, that of its job", j.Queue)
		}
		r.checkTimes(row, j, order)
	})
	if err == nil {
		err = failed
	}
	return err
}

// checkTimes compares the times of a container with each other and with those of its job.
func (r *containerRow) checkTimes(row int64, j *job, order *checker) {
	at := j.Submit
	for _, s := range [...]struct {
		column string
		at     *int64
	}{{"asked_ms", r.Asked}, {"allocated_ms", r.Allocated}, {"acquired_ms", r.Acquired}, {"started_ms", r.Started}, {"registered_ms", r.Registered}, {"exited_ms", r.Exited}} {
		if s.at == nil {
			continue
		}
		if !order.holds(*s.at >= at) {
			order.not(row, s.column, *s.at, "%d or more, the time before", at)
		}
		at = max(at, *s.at)
	}
	if !order.holds(r.Allocated != nil) {
		order.not(row, "allocated_ms", "null", "a time")
	}
	if r.Ended != nil {
		from := max(or(r.Allocated), or(r.Acquired), or(r.Started))
		if !order.holds(*r.Ended >= from) {
			order.not(row, "ended_ms", *r.Ended, "%d or more, when it began", from)
		}
		if !order.holds(j.Finish == nil || *r.Ended <= *j.Finish) {
			order.not(row, "ended_ms", *r.Ended, "at most %d, the finish of its job", or(j.Finish))
		}
	}
	if !order.holds((r.Ended == nil) == (r.End == "running")) {
		order.not(row, "end", r.End, "running just without ended_ms")
	}
}

// add counts a container in the sums over all, and reports whether its node is one of nodes.parquet.
func (v *verifier) add(r *containerRow) bool {
	s := &v.sums
	allocated := or(r.Allocated)
	until := heldUntil(or(r.Ended), allocated, v.manifest.Totals.EndMS)
	s.containers++
	queue := v.held.queue(r.Queue)
	v.held.add(allocated, queue, state{mem: r.MemMiB, vcores: r.VCores, containers: 1})
	if r.Ended != nil {
		s.ended++
		v.held.add(*r.Ended, queue, state{mem: -r.MemMiB, vcores: -r.VCores, containers: -1})
	}
	ms := float64(max(until-allocated, 0))
	s.mem += float64(float64(r.MemMiB) * ms)
	s.vcores += float64(float64(r.VCores) * ms)
	if !r.AM {
		s.executors += float64(float64(r.VCores) * ms)
		s.busy += float64(r.BusyMS)
		s.ends[r.End]++
		if r.Asked != nil {
			s.asks.add(float64(allocated - *r.Asked))
		}
	}
	if p := v.manifest.Prices; p != nil {
		cost := v.cost(p, r)
		s.costByJob[r.Job] += cost
		s.costByQueue[v.held.queues[queue]] += cost
	}
	return r.Node >= 0 && int(r.Node) < len(v.nodes)
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
		if !order.holds(r.Seq == n && r.Time >= last) {
			order.not(row, "seq, time_ms", []int64{r.Seq, r.Time}, "%d, and %d or more", n, last)
		}
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
