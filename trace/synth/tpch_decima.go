package synth

import (
	_ "embed"
	"fmt"
	"strings"

	"replay/trace"
	"replay/trace/decima"
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

// tpchQueries are all measured queries, by size and number.
var tpchQueries = parseTPCH(tpchCSV)

// parseTPCH reads the stage table. It is part of the program, so what is wrong with it is a bug.
func parseTPCH(text string) (queries []*decima.Query) {
	if err := decima.Each("tpch_stages.csv", strings.NewReader(text), func(q *decima.Query, bad *decima.Bad) error {
		if bad != nil {
			return bad
		}
		queries = append(queries, q)
		return nil
	}); err != nil {
		panic(err)
	}
	return queries
}

func tpchFileName(sizeGB float64, tasks int) string { return fmt.Sprintf("tpch-%gg-%d", sizeGB, tasks) }

// tpchFiles are the tables: one for each size and number of tasks that read it.
func tpchFiles(o Options) (files []trace.File) {
	seen := make(map[string]bool)
	for _, q := range tpchQueries {
		for _, s := range q.Stages {
			name := tpchFileName(q.SizeGB, s.Tasks)
			if len(s.Parents) > 0 || seen[name] {
				continue
			}
			seen[name] = true
			files = append(files, trace.File{
				ID: int32(len(files)), Name: name, Bytes: int64(s.Tasks) * blockBytes, BlockBytes: blockBytes,
				Blocks: int32(s.Tasks), Replication: int32(o.Replication),
			})
		}
	}
	return files
}

// tpchStages gives job id, whose executors are set, a random query.
func tpchStages(g *Generator, j *trace.Job, id int64) {
	q := tpchQueries[g.JobStream("query", id).IntN(len(tpchQueries))]
	j.Name = fmt.Sprintf("q%d-%gg", q.Query, q.SizeGB)
	memMiB := j.ExecMemMiB / int64(j.ExecVCores)
	feeds := q.Feeds()
	r := g.JobStream("tasks", id)
	for i := range q.Stages {
		m := &q.Stages[i]
		kind := trace.StageShuffle
		if !feeds[i] {
			kind = trace.StageResult
		}
		s := newStage(int32(i), kind, m.Tasks, memMiB, m.Parents...)
		if len(m.Parents) == 0 {
			g.ReadFile(&s, g.fileID(tpchFileName(q.SizeGB, m.Tasks)), m.Tasks)
		}
		m.Draw(&s, r)
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
