package workload

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/hdfs"
)

// stream returns the random stream of a purpose.
func stream(seed uint64, purpose ...string) *rand.Rand {
	return trace.Stream(seed, strings.Join(purpose, "/"))
}

// preferences fills the preferred nodes of a job's stages.
type preferences struct {
	mode        string // Options.Blocks
	recorded    bool   // the source has all preferences
	seed        uint64
	cluster     *cluster
	topology    *hdfs.Topology
	replication int
	counts      *Counts
	any         bool // a task has preferred nodes
}

func (b *Builder) makePreferences(c *cluster) (*preferences, error) {
	opt := b.Options
	p := &preferences{
		mode: opt.Blocks, recorded: b.Locality == trace.LocalityRecorded, seed: opt.Seed, cluster: c,
		replication: opt.Replication, counts: b.Counts,
	}
	var err error
	if opt.Blocks == "hdfs" {
		p.topology, err = hdfs.NewTopology(c.nodes)
	}
	return p, err
}

// localitySource is what the trace says of its preferences.
func (b *Builder) localitySource() string {
	switch b.Options.Blocks {
	case "hdfs":
		return trace.LocalityModelled
	case "none":
		return trace.LocalityNone
	}
	return b.Locality
}

// fill sets the preferences of all stages. app names the application, and its copy, in random streams. Nodes are
// already those of the trace, files still those of the application.
func (p *preferences) fill(j *trace.Job, files []File, app string) {
	placed := map[int32][][]int32{} // file -> block -> nodes
	for i := range j.Stages {
		s := &j.Stages[i]
		var prefs [][]int32
		switch {
		case s.CacheOf != trace.Unset:
			prefs = p.behindCache(s, &j.Stages[s.CacheOf])
		case p.mode == "none":
		case p.mode == "hdfs" && s.FileID != trace.Unset:
			if placed[s.FileID] == nil {
				placed[s.FileID] = p.place(&files[s.FileID], app)
			}
			prefs = blocksOf(s, placed[s.FileID])
			p.counts.Modelled["tasks_with_placed_blocks"] += notEmpty(prefs)
		case p.mode == "hdfs":
		case p.recorded || s.Tasks.PrefStart != nil:
			p.any = p.any || len(s.Tasks.Pref) > 0
			continue // they are there
		case s.Tasks.RecordedLocality != nil && (len(s.Parents) == 0 || s.FileID != trace.Unset):
			prefs = p.observe(s, app)
			p.counts.Modelled["tasks_with_observed_blocks"] += notEmpty(prefs)
		}
		p.any = p.any || notEmpty(prefs) > 0
		s.Tasks.SetPrefs(prefs)
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

// place puts the blocks of a file on the cluster; each has a writer of its own. Those of a shared file are where
// they are for every application.
func (p *preferences) place(f *File, app string) [][]int32 {
	r := stream(p.seed, "blocks", app, f.Name)
	if f.Shared {
		r = stream(p.seed, "shared-blocks", f.Name)
	}
	blocks := make([][]int32, f.Blocks)
	for i := range blocks {
		blocks[i] = p.topology.PlaceBlock(r, p.replication, hdfs.AnyWriter)
	}
	return blocks
}

// blocksOf gives each task that read input the nodes of its block.
func blocksOf(s *trace.Stage, blocks [][]int32) [][]int32 {
	prefs := make([][]int32, s.Tasks.Len())
	for i, n := range s.Tasks.InputBytes {
		if n > 0 {
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
