package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"replay/trace"
	"replay/trace/synth/model"
)

// mapReduce are MapReduce jobs by what they read and shuffle: a map for each block of the input, a reduce for each GiB or so of the
// shuffle. What jobs write is not in a trace, and not drawn.
type mapReduce struct {
	Classes model.Classes // of bytes; without any, Maps says how many maps there are, and there are no reduces
	Maps    model.Bins

	SplitMiB, MostMaps int64
	ReducerGiB         float64
	MostReduces        int64
	SlowStart          float64
	MapMiB, ReduceMiB  int64
	AMMiB              int64
	Map, Reduce        model.Durations
	ReduceMBps         float64 // of the shuffle above ReducerGiB
	Stragglers         model.Stragglers
	Popularity         model.Popularity

	file []int32 // of each job, or Unset
}

// newMapReduce has the parameters that the presets share. A reduce's tail is limited by their number, as no source says more.
func newMapReduce() *mapReduce {
	return &mapReduce{
		SplitMiB: 128, MostMaps: 56_000, ReducerGiB: 1, MostReduces: 2000, SlowStart: 0.05, MapMiB: 2048, ReduceMiB: 4096, AMMiB: 1536,
		Map: model.Durations{MedianS: 20, StageLnSD: 0.9, TaskLnSD: 0.4, MostS: 86_400}, Reduce: model.Durations{MedianS: 60, StageLnSD: 1.3, TaskLnSD: 0.5, MostS: 86_400},
		ReduceMBps: 20, Stragglers: model.Stragglers{P: 0.05, Low: 1.5, Alpha: 1.6, Cap: 10},
		Popularity: model.Popularity{Reread: 0.325, Zipf: 0.9, Shared: 0.1, Catalogue: 10_000},
	}
}

func (m *mapReduce) Parameters(p *model.Parameters) {
	p.In("jobs", func(p *model.Parameters) {
		p.Int("split_mib", &m.SplitMiB, 1, 1<<20, "bytes of a map, MiB, which are a block")
		p.Int("max_maps", &m.MostMaps, 1, 10_000_000, "the most maps of a job")
		p.Int("map_mib", &m.MapMiB, 1, 1<<30, "container of a map")
		p.Int("am_mib", &m.AMMiB, 1, 1<<30, "container of an application master")
		if len(m.Classes.List) > 0 {
			p.Float("reducer_gib", &m.ReducerGiB, 1e-6, 1e6, "bytes of a reduce, GiB")
			p.Int("max_reduces", &m.MostReduces, 1, 10_000_000, "the most reduces of a job")
			p.Int("reduce_mib", &m.ReduceMiB, 1, 1<<30, "container of a reduce")
			p.Float("slowstart", &m.SlowStart, 0, 1, "share of the maps that must have finished before reduces start")
			m.Classes.Parameters(p)
		} else {
			m.Maps.Parameter(p, "maps", "maps of a job, drawn evenly on a logarithmic scale inside a range")
		}
	})
	m.Map.Parameters(p, "map")
	if len(m.Classes.List) > 0 {
		m.Reduce.Parameters(p, "reduce")
		p.Float("reduce.mb_per_s", &m.ReduceMBps, 0.001, 1e6, "speed at which a reduce takes what is more than reducer_gib")
	}
	m.Stragglers.Parameters(p)
	m.Popularity.Parameters(p)
}

// size returns the input and the shuffle of a job in bytes.
func (m *mapReduce) size(r *rand.Rand) (input, shuffle int64) {
	if len(m.Classes.List) == 0 {
		return m.Maps.Draw(r) * m.SplitMiB * mib, 0
	}
	return m.Classes.Draw(r)
}

func (m *mapReduce) sizeOf(g *Generator, id int64) (input, shuffle int64) {
	input, shuffle = m.size(g.JobStream("bytes", id))
	return min(input, m.MostMaps*m.SplitMiB*mib), shuffle
}

// Plan lets each job choose the file that it reads, in order.
func (m *mapReduce) Plan(g *Generator, ids []int64) []trace.File {
	m.Popularity.Replication = int64(g.Replication)
	files := m.Popularity.NewFiles()
	m.file = make([]int32, ids[len(ids)-1]+1)
	for _, id := range ids {
		m.file[id] = trace.Unset
		if input, _ := m.sizeOf(g, id); input > 0 {
			m.file[id] = files.Choose(g.JobStream("file", id), fmt.Sprintf("input%d", id), input, m.SplitMiB*mib)
		}
	}
	return files.List
}

func (m *mapReduce) Job(g *Generator, id int64) *trace.Job {
	input, shuffle := m.sizeOf(g, id)
	j := newJob(trace.KindMapReduce, m.AMMiB)
	j.Name = "job"
	maps := int(max(1, (input+m.SplitMiB*mib-1)/(m.SplitMiB*mib)))
	read := newStage(0, trace.StageInput, maps, m.MapMiB)
	read.Priority, read.Name = 20, "map"
	r, straggling := g.JobStream("tasks", id), g.JobStream("stragglers", id)
	m.Map.Fill(r, straggling, m.Map.Stage(r), &m.Stragglers, read.Tasks.DurationMS)
	if input > 0 && !g.sizing {
		g.ReadFile(&read, m.file[id], maps)
		last := &read.Tasks.InputBytes[maps-1] // of a file that is longer
		*last = min(*last, input-int64(maps-1)*m.SplitMiB*mib)
	}
	j.Stages = []trace.Stage{read}
	if shuffle == 0 {
		return j
	}
	each := m.ReducerGiB * (1 << 30)
	reduces := int(min(math.Ceil(float64(shuffle)/each), float64(m.MostReduces)))
	rest := newStage(1, trace.StageResult, reduces, m.ReduceMiB, 0)
	rest.Priority, rest.StartFraction, rest.ShuffleReadBytes, rest.Name = 10, float32(m.SlowStart), shuffle, "reduce"
	median := m.Reduce.Stage(r)
	if more := float64(shuffle)/float64(reduces) - each; more > 0 {
		median += more / (m.ReduceMBps * 1000) // 1 MB/s is 1000 bytes a ms
	}
	m.Reduce.Fill(r, straggling, median, &m.Stragglers, rest.Tasks.DurationMS)
	j.Stages = append(j.Stages, rest)
	return j
}
