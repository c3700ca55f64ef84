package importer

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"replay/trace"
)

// stream returns the random stream of a purpose.
func stream(seed uint64, purpose ...string) *rand.Rand {
	return trace.Stream(seed, strings.Join(purpose, "/"))
}

// preferences fills the preferred nodes of a job's stages.
type preferences struct {
	mode        string // "observed", "hdfs", "none" or "recorded"
	seed        uint64
	cluster     *cluster
	topology    *trace.Topology
	replication int
	counts      *Counts
}

// fill sets the preferences of all stages. app names the application, and its copy, in random streams;
// recorded nodes are already those of the trace.
func (p *preferences) fill(j *trace.Job, files []trace.File, app string) {
	placed := map[int32][][]int32{} // file -> block -> nodes
	for i := range j.Stages {
		s := &j.Stages[i]
		var prefs [][]int32
		switch {
		case s.CacheOf != trace.Unset:
			prefs = p.behindCache(s, &j.Stages[s.CacheOf])
		case p.mode == "hdfs" && s.FileID != trace.Unset:
			if placed[s.FileID] == nil {
				placed[s.FileID] = p.place(&files[s.FileID], app)
			}
			prefs = blocksOf(s, placed[s.FileID])
			p.counts.Modelled["tasks_with_placed_blocks"] += notEmpty(prefs)
		case p.mode == "observed" && (len(s.Parents) == 0 || s.FileID != trace.Unset):
			prefs = p.observe(s, app)
			p.counts.Modelled["tasks_with_observed_blocks"] += notEmpty(prefs)
		case p.mode == "recorded":
			continue // they are there
		}
		setPrefs(&s.Tasks, prefs)
	}
}

// behindCache returns the nodes of the input behind a cached block: they are preferred when the block is gone.
func (p *preferences) behindCache(s, maker *trace.Stage) [][]int32 {
	prefs := make([][]int32, s.Tasks.Len())
	for i := range prefs {
		if prefs[i] = s.Tasks.Prefs(i); len(prefs[i]) == 0 {
			prefs[i] = maker.Tasks.Prefs(i)
		}
	}
	return prefs
}

// place puts the blocks of a file on the cluster; each has a writer of its own.
func (p *preferences) place(f *trace.File, app string) [][]int32 {
	r := stream(p.seed, "blocks", app, f.Name)
	blocks := make([][]int32, f.Blocks)
	for i := range blocks {
		blocks[i] = p.topology.PlaceBlock(r, p.replication, trace.AnyWriter)
	}
	return blocks
}

// blocksOf gives each task that read input the nodes of its block.
func blocksOf(s *trace.Stage, blocks [][]int32) [][]int32 {
	prefs := make([][]int32, s.Tasks.Len())
	for i := range prefs {
		if s.Tasks.InputBytes[i] > 0 {
			prefs[i] = blocks[i]
		}
	}
	return prefs
}

// observe infers where the input of tasks was from the level at which they ran: NODE_LOCAL on a host
// means that it had the block, and further replicas are drawn; RACK_LOCAL and ANY mean that it had not;
// PROCESS_LOCAL without a cache means that there was no preference.
func (p *preferences) observe(s *trace.Stage, app string) [][]int32 {
	prefs := make([][]int32, s.Tasks.Len())
	for i := range prefs {
		host := s.Tasks.RecordedNode[i]
		if host == trace.Unset {
			continue
		}
		r := stream(p.seed, "observed", app, strconv.Itoa(int(s.ID)), strconv.Itoa(i))
		rack := p.cluster.nodes[host].RackID
		switch s.Tasks.RecordedLocality[i] {
		case "NODE_LOCAL":
			prefs[i] = p.draw(r, p.cluster.there, []int32{host}, nil)
		case "RACK_LOCAL":
			prefs[i] = p.draw(r, p.cluster.inRack[rack], nil, func(n int32) bool { return n != host })
		case "ANY":
			prefs[i] = p.draw(r, p.cluster.there, nil, func(n int32) bool {
				return n != host && (len(p.cluster.inRack) == 1 || p.cluster.nodes[n].RackID != rack)
			})
		}
	}
	return prefs
}

// draw adds nodes of from that ok accepts to have, up to the replication.
func (p *preferences) draw(r *rand.Rand, from, have []int32, ok func(int32) bool) []int32 {
	left := make([]int32, 0, len(from))
	for _, n := range from {
		if (ok == nil || ok(n)) && (len(have) == 0 || n != have[0]) {
			left = append(left, n)
		}
	}
	for len(have) < p.replication && len(left) > 0 {
		k := r.IntN(len(left))
		have = append(have, left[k])
		left[k] = left[len(left)-1]
		left = left[:len(left)-1]
	}
	return have
}

func notEmpty(prefs [][]int32) (n int64) {
	for _, p := range prefs {
		n += int64(min(len(p), 1))
	}
	return n
}

// setPrefs stores preferences as columns; none at all is nil.
func setPrefs(t *trace.Tasks, prefs [][]int32) {
	t.PrefStart, t.Pref = nil, nil
	if notEmpty(prefs) == 0 {
		return
	}
	start := make([]int32, 1, len(prefs)+1)
	var all []int32
	for _, p := range prefs {
		all = append(all, p...)
		start = append(start, int32(len(all)))
	}
	t.PrefStart, t.Pref = start, all
}
