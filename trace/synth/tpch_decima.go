package synth

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/synth/model"
)

// tpchDecima draws TPC-H queries as measured on Spark for seven sizes of the data.
//
// Each stage has its measured number of tasks and log-normal durations after those of its later waves; how much
// slower the first wave and a cold executor are goes into first_factor and fresh_factor. The stages without
// parents read tables: equal tables of a size are one file, so that jobs read the same blocks.
//
// tpch_stages.csv is our own summary (task counts, medians, deviations) of measurements that were published with
// the Decima scheduler (github.com/hongzimao/decima-sim); its raw data are not in here.
var tpchDecima = Preset{
	Name:     "tpch-decima",
	Usage:    "TPC-H queries of 2 to 100 GB as measured on Spark, one every 25 s on average",
	Defaults: Options{Jobs: 200, Nodes: 25, Racks: 5, Replication: 3},
	Kinds:    []string{trace.KindSpark},
	VCores:   16,
	MemMiB:   65536,
	Queues:   []string{"root.default"},
	Users:    []string{"user0"},
	Arrivals: poisson(25_000),
	Files:    tpchFiles,
	Job: func(g *Generator, id int64) *trace.Job {
		j := newJob(trace.KindSpark, 2048)
		j.Queue = 1
		executors(j, 14336, 4, 50)
		tpchStages(g, j, id)
		return j
	},
}

//go:embed tpch_stages.csv
var tpchCSV string

// wave is the log-normal law of the durations in a wave, ms; a median of 0 means that none was measured.
type wave struct{ median, sd float64 }

type tpchStage struct {
	parents            []int32
	tasks              int
	fresh, first, rest wave
}

type tpchQuery struct {
	sizeGB, query int
	stages        []tpchStage
}

// tpchQueries are all measured queries, by size and number.
var tpchQueries = parseTPCH(tpchCSV)

// parseTPCH reads the stage table. It is part of the program, so what is wrong with it is a bug.
func parseTPCH(csv string) (queries []tpchQuery) {
	number := func(s string) float64 {
		if s == "" {
			return 0
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			panic(fmt.Sprintf("tpch_stages.csv: %v", err))
		}
		return v
	}
	for _, line := range strings.Split(strings.TrimSpace(csv), "\n")[1:] {
		f := strings.Split(strings.TrimSpace(line), ",")
		size, query := int(number(f[0])), int(number(f[1]))
		if n := len(queries); n == 0 || queries[n-1].sizeGB != size || queries[n-1].query != query {
			queries = append(queries, tpchQuery{sizeGB: size, query: query})
		}
		q := &queries[len(queries)-1]
		s := tpchStage{tasks: int(number(f[4])), fresh: wave{number(f[5]), number(f[6])}, first: wave{number(f[7]), number(f[8])}, rest: wave{number(f[9]), number(f[10])}}
		for p := range strings.SplitSeq(f[3], "|") {
			if p != "" {
				s.parents = append(s.parents, int32(number(p)))
			}
		}
		q.stages = append(q.stages, s)
	}
	return queries
}

func tpchFileName(sizeGB, tasks int) string { return fmt.Sprintf("tpch-%dg-%d", sizeGB, tasks) }

// tpchFiles are the tables: one for each size and number of tasks that read it.
func tpchFiles(o Options) (files []trace.File) {
	seen := make(map[string]bool)
	for _, q := range tpchQueries {
		for _, s := range q.stages {
			name := tpchFileName(q.sizeGB, s.tasks)
			if len(s.parents) > 0 || seen[name] {
				continue
			}
			seen[name] = true
			files = append(files, trace.File{
				ID: int32(len(files)), Name: name, Bytes: int64(s.tasks) * blockBytes, BlockBytes: blockBytes,
				Blocks: int32(s.tasks), Replication: int32(o.Replication),
			})
		}
	}
	return files
}

// tpchStages gives job id, whose executors are set, a random query.
func tpchStages(g *Generator, j *trace.Job, id int64) {
	q := &tpchQueries[g.JobStream("query", id).IntN(len(tpchQueries))]
	j.Name = fmt.Sprintf("q%d-%dg", q.query, q.sizeGB)
	memMiB := j.ExecMemMiB / int64(j.ExecVCores)
	feeds := make([]bool, len(q.stages)) // another stage
	for i := range q.stages {
		for _, p := range q.stages[i].parents {
			feeds[p] = true
		}
	}
	r := g.JobStream("tasks", id)
	for i := range q.stages {
		m := &q.stages[i]
		kind := trace.StageShuffle
		if !feeds[i] {
			kind = trace.StageResult
		}
		s := newStage(int32(i), kind, m.tasks, memMiB, m.parents...)
		if len(m.parents) == 0 {
			g.ReadFile(&s, g.fileID(tpchFileName(q.sizeGB, m.tasks)), m.tasks)
		}
		base := m.rest
		for _, w := range []wave{m.first, m.fresh} { // a stage that never had a further wave
			if base.median == 0 {
				base = w
			}
		}
		if m.first.median > 0 {
			s.FirstFactor = float32(m.first.median / base.median)
		}
		if m.fresh.median > 0 {
			s.FreshFactor = float32(m.fresh.median / base.median)
		}
		for k := range s.Tasks.DurationMS {
			s.Tasks.DurationMS[k] = max(1, int64(model.LogNormal(r, base.median, base.sd)))
		}
		j.Stages = append(j.Stages, s)
	}
}

// fileID returns the id of a file that the preset has made.
func (g *Generator) fileID(name string) int32 {
	for i := range g.files {
		if g.files[i].Name == name {
			return int32(i)
		}
	}
	panic(fmt.Sprintf("no file %q among %d", name, len(g.files)))
}
