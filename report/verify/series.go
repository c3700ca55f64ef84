package verify

import (
	"cmp"
	"slices"
	"strings"
)

// clusterSums are integrals of the samples of the cluster, each of which holds until the next.
type clusterSums struct {
	ms, nodeMS, memMS, vcoreMS, dominantMS float64
}

// change is what begins or ends at a time.
type change struct {
	at                      int64
	queue                   int
	mem, vcores, containers int64
	busy                    int64
}

// state is what a queue's containers and task attempts hold at one moment.
type state struct{ mem, vcores, containers, busy int64 }

// changes returns what containers and task attempts change in their queues, in order of time, and the queues.
func (v *verifier) changes() (list []change, queues []string) {
	place := map[string]int{}
	of := func(queue string) int {
		i, ok := place[queue]
		if !ok {
			i = len(queues)
			place[queue] = i
			queues = append(queues, queue)
		}
		return i
	}
	for i := range v.containers {
		c := &v.containers[i]
		q := of(c.Queue)
		list = append(list, change{at: or(c.Allocated), queue: q, mem: c.MemMiB, vcores: c.VCores, containers: 1})
		if c.Ended != nil {
			list = append(list, change{at: *c.Ended, queue: q, mem: -c.MemMiB, vcores: -c.VCores, containers: -1})
		}
	}
	for i := range v.tasks {
		t := &v.tasks[i]
		q := of(v.jobList[t.job].Queue)
		list = append(list, change{at: t.launch, queue: q, busy: int64(t.cores)}, change{at: t.freed, queue: q, busy: -int64(t.cores)})
	}
	slices.SortFunc(list, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return list, queues
}

// checkSeries compares each sample with what containers, task attempts and nodes say of its moment, at the end of the millisecond.
func (v *verifier) checkSeries() error {
	const file = "series.parquet"
	key := v.check("series: (time, queue) is unique and in order of time", file)
	used := v.check("series: what a queue and those below it use is what containers and task attempts say", file)
	capacity := v.check("series: nodes and capacity are those of nodes.parquet", file)
	list, queues := v.changes()
	states := make([]state, len(queues))
	seen := map[string]bool{}
	last, next := int64(none), 0
	var before *sampleRow // of the cluster
	err := rows(v, file, func(row int64, r *sampleRow) {
		if r.Time != last {
			clear(seen)
		}
		key.that(r.Time >= last && !seen[r.Queue], row, "time_ms, queue", []any{r.Time, r.Queue}, "a later time than %d, or another queue at it", last)
		seen[r.Queue], last = true, r.Time
		for ; next < len(list) && list[next].at <= r.Time; next++ {
			c := &list[next]
			s := &states[c.queue]
			s.mem, s.vcores, s.containers, s.busy = s.mem+c.mem, s.vcores+c.vcores, s.containers+c.containers, s.busy+c.busy
		}
		var sum state
		for i, q := range queues {
			if under(q, r.Queue) {
				s := &states[i]
				sum = state{sum.mem + s.mem, sum.vcores + s.vcores, sum.containers + s.containers, sum.busy + s.busy}
			}
		}
		const from = "what its rows say of that moment"
		used.equal(r.UsedMem, sum.mem, row, "used_memory_mib", from)
		used.equal(r.UsedVCores, sum.vcores, row, "used_vcores", from)
		used.equal(r.Containers, sum.containers, row, "containers", from)
		if v.hasTasks {
			used.equal(r.BusyCores, sum.busy, row, "busy_cores", from)
		}
		nodes, mem, vcores := v.capacityAt(r.Time)
		capacity.equal(r.Nodes, nodes, row, "nodes", "those registered at that moment")
		if r.Queue != "" {
			return
		}
		capacity.equal(r.CapacityMem, mem, row, "capacity_memory_mib", "that of the nodes")
		capacity.equal(r.CapacityVCores, vcores, row, "capacity_vcores", "that of the nodes")
		if before != nil {
			v.cluster.add(before, r.Time)
		}
		kept := *r
		before = &kept
	})
	if before != nil {
		v.cluster.add(before, max(v.manifest.Totals.EndMS, before.Time))
	}
	return err
}

// add integrates a sample until a time.
func (c *clusterSums) add(r *sampleRow, until int64) {
	ms := float64(until - r.Time)
	c.ms += ms
	c.nodeMS += float64(float64(r.Nodes) * ms)
	c.memMS += float64(float64(r.CapacityMem) * ms)
	c.vcoreMS += float64(float64(r.CapacityVCores) * ms)
	part := func(a, b int64) float64 {
		if b == 0 {
			return 0
		}
		return float64(a) / float64(b)
	}
	c.dominantMS += float64(max(part(r.UsedMem, r.CapacityMem), part(r.UsedVCores, r.CapacityVCores)) * ms)
}

// capacityAt returns what is registered at the end of a millisecond. Times must not fall between calls.
func (v *verifier) capacityAt(at int64) (nodes, mem, vcores int64) {
	if v.nodeAt == nil {
		v.nodeAt = make([]int, len(v.nodes))
	}
	for n, states := range v.nodes {
		k := v.nodeAt[n]
		for k < len(states) && states[k].Time <= at {
			k++
		}
		v.nodeAt[n] = k
		if k > 0 && states[k-1].Registered {
			nodes++
			mem += states[k-1].MemMiB
			vcores += states[k-1].VCores
		}
	}
	return nodes, mem, vcores
}

// notANumber reports whether a text of JSON is none: NaN and the infinities have no place in it.
func notANumber(text string) bool {
	return strings.Contains(text, "NaN") || strings.Contains(text, "Inf")
}
