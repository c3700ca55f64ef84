package verify

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// clusterSums are integrals of the samples of the cluster, each of which holds until the next.
type clusterSums struct {
	ms, nodeMS, memMS, vcoreMS, dominantMS float64
}

// state is what a queue's containers and task attempts hold at one moment, or what a moment changes in it.
type state struct{ mem, vcores, containers, busy int64 }

func (s *state) plus(o state) {
	s.mem, s.vcores, s.containers, s.busy = s.mem+o.mem, s.vcores+o.vcores, s.containers+o.containers, s.busy+o.busy
}

// A grid has what containers and task attempts change in their queues from each sample to the next. What is kept does not grow with their number
// but with those of samples and queues.
type grid struct {
	times   []int64  // of samples, each once, in order
	sampled []string // the queues that have some
	queues  []string
	number  map[string]int32
	cells   map[cell]state
}

// cell is what a queue has at a sample that it had not at the one before.
type cell struct{ sample, queue int32 }

// queue is the number of a queue.
func (g *grid) queue(name string) int32 {
	n, ok := g.number[name]
	if !ok {
		name = strings.Clone(name)
		n = int32(len(g.queues))
		g.number[name] = n
		g.queues = append(g.queues, name)
	}
	return n
}

// add counts a change, which the first sample at or after its time sees.
func (g *grid) add(at int64, queue int32, change state) {
	sample, _ := slices.BinarySearch(g.times, at)
	if sample == len(g.times) {
		return
	}
	k := cell{int32(sample), queue}
	s := g.cells[k]
	s.plus(change)
	g.cells[k] = s
}

// readTimes makes the grid of the times in series.parquet.
func (v *verifier) readTimes() error {
	v.held = &grid{number: map[string]int32{}, cells: map[cell]state{}}
	seen := map[string]bool{}
	err := rows(v, "series.parquet", func(_ int64, r *struct {
		Time  int64  `parquet:"time_ms"`
		Queue string `parquet:"queue"`
	}) {
		if !seen[r.Queue] {
			name := strings.Clone(r.Queue)
			seen[name] = true
			v.held.sampled = append(v.held.sampled, name)
		}
		if n := len(v.held.times); n == 0 || v.held.times[n-1] != r.Time {
			v.held.times = append(v.held.times, r.Time)
		}
	})
	slices.Sort(v.held.times)
	v.held.times = slices.Compact(v.held.times)
	return err
}

// checkSeries compares each sample with what containers, task attempts and nodes say of its moment, at the end of the millisecond.
func (v *verifier) checkSeries() error {
	const file = "series.parquet"
	keys := v.check("series: (time, queue) is unique and in order of time", file)
	used := v.check("series: what a queue and those below it use is what containers and task attempts say", file)
	capacity := v.check("series: nodes and capacity are those of nodes.parquet", file)
	changes := slices.SortedFunc(maps.Keys(v.held.cells), func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.sample, b.sample), cmp.Compare(a.queue, b.queue))
	})
	states := make([]state, len(v.held.queues))
	below := map[string][]int32{} // by queue of a sample: its own number and those of the queues below it
	seen := map[string]bool{}
	last, next := int64(none), 0
	nodes := nodesAt{states: v.nodes}
	var before *sampleRow // of the cluster
	err := rows(v, file, func(row int64, r *sampleRow) {
		if r.Time != last {
			clear(seen)
		}
		if !keys.holds(r.Time >= last && !seen[r.Queue]) {
			keys.not(row, "time_ms, queue", []any{r.Time, r.Queue}, "a later time than %d, or another queue at it", last)
		}
		list, ok := below[r.Queue]
		if !ok {
			for i, q := range v.held.queues {
				if under(q, r.Queue) {
					list = append(list, int32(i))
				}
			}
			r.Queue = strings.Clone(r.Queue)
			below[r.Queue] = list
		}
		seen[r.Queue], last = true, r.Time
		for ; next < len(changes) && v.held.times[changes[next].sample] <= r.Time; next++ {
			states[changes[next].queue].plus(v.held.cells[changes[next]])
		}
		var sum state
		for _, i := range list {
			sum.plus(states[i])
		}
		const from = "what its rows say of that moment"
		used.equal(r.UsedMem, sum.mem, row, "used_memory_mib", from)
		used.equal(r.UsedVCores, sum.vcores, row, "used_vcores", from)
		used.equal(r.Containers, sum.containers, row, "containers", from)
		if v.hasTasks {
			used.equal(r.BusyCores, sum.busy, row, "busy_cores", from)
		}
		nodes.advance(r.Time)
		capacity.equal(r.Nodes, nodes.nodes, row, "nodes", "those registered at that moment")
		if r.Queue != "" {
			return
		}
		capacity.equal(r.CapacityMem, nodes.mem, row, "capacity_memory_mib", "that of the nodes")
		capacity.equal(r.CapacityVCores, nodes.vcores, row, "capacity_vcores", "that of the nodes")
		if end := v.manifest.Totals.EndMS; before != nil && before.Time < end {
			v.cluster.add(before, min(r.Time, end))
		}
		kept := *r
		before = &kept
	})
	if before != nil {
		v.cluster.add(before, max(v.manifest.Totals.EndMS, before.Time))
	}
	v.cluster.has(v.nodes, v.manifest.Totals.EndMS)
	return err
}

// has integrates what nodes have while they are registered, until the end of the replay.
func (c *clusterSums) has(nodes [][]nodeRow, end int64) {
	for _, states := range nodes {
		for i, s := range states {
			until := end
			if i+1 < len(states) {
				until = min(end, states[i+1].Time)
			}
			if s.Registered && until > s.Time {
				c.memMS += float64(float64(s.MemMiB) * float64(until-s.Time))
				c.vcoreMS += float64(float64(s.VCores) * float64(until-s.Time))
			}
		}
	}
}

// add integrates a sample until a time.
func (c *clusterSums) add(r *sampleRow, until int64) {
	ms := float64(until - r.Time)
	c.ms += ms
	c.nodeMS += float64(float64(r.Nodes) * ms)
	c.dominantMS += float64(max(part(r.UsedMem, float64(r.CapacityMem)), part(r.UsedVCores, float64(r.CapacityVCores))) * ms)
}

// notANumber reports whether a text of JSON is none: NaN and the infinities have no place in it.
func notANumber(text string) bool {
	return strings.Contains(text, "NaN") || strings.Contains(text, "Inf")
}
