// Package swim reads the workloads of SWIM, the Statistical Workload Injector for MapReduce: a job a line, by what it read, shuffled and wrote.
//
// Source: the workloads of github.com/SWIMProjectUCB/SWIM and its description of them.
package swim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/importer/delimited"
	"replay/trace/importer/workload"
	"replay/trace/synth/model"
)

// Format is that of SWIM's tables.
var Format = workload.Format{
	Usage:   "SWIM workloads: tab-separated, a MapReduce job a line by its bytes",
	NoHosts: true,
	Params: []workload.Param{
		{Name: "split", Default: "128MiB", Usage: "input bytes of a map"},
		{Name: "bytes-per-reducer", Default: "1GiB", Usage: "shuffled bytes of a reduce"},
		{Name: "max-tasks", Default: "0", Usage: "a job has at most so many maps, and as many reduces, which then read more each; 0 = any number"},
	},
	Detect: detect,
	Read:   read,
}

// detect tells the format by its columns, of which the third is the time since the row before, as in few other tables of numbers. One row alone is known by its job. A row
// may be broken, but not the first.
func detect(_ string, head []byte) string {
	rows, fit, before := 0, 0, int64(0)
	for line := range bytes.Lines(head) {
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		if rows > 0 && (!whole || len(bytes.TrimSpace(text)) == 0) { // of the last one there may be a part
			break
		}
		r, err := rowOf(bytes.TrimSuffix(text, []byte("\r")))
		if err != nil && rows == 0 {
			return ""
		}
		rows++
		switch {
		case err != nil:
		case rows == 1 && strings.HasPrefix(r.id, "job"), rows > 1 && r.submitS-before == r.gapS:
			fit++
		}
		before = r.submitS
	}
	if rows == 0 || 2*fit < rows {
		return ""
	}
	return "columns of a job, its time, the time since the job before and three amounts with tabs between them, and no header"
}

// What the format does not say: how long tasks take. A stage's median and its tasks around it are log-normal, some tasks straggle; a reduce takes longer by what it shuffles above its share.
// The numbers are those of the generator's Facebook presets.
var (
	mapTimes    = model.Durations{MedianS: 20, StageLnSD: 0.9, TaskLnSD: 0.4, MostS: 86_400}
	reduceTimes = model.Durations{MedianS: 60, StageLnSD: 1.3, TaskLnSD: 0.5, MostS: 86_400}
	stragglers  = model.Stragglers{P: 0.05, Low: 1.5, Alpha: 1.6, Cap: 10}
)

const (
	reduceBytesPerMS = 20_000 // of what a reduce shuffles above its share
	taskMiB          = 1024
	taskVCores       = 1
)

// row is a line.
type row struct {
	id                     string
	submitS, gapS          int64
	input, shuffle, output int64
	path                   string // label of the input, "" = none
}

func rowOf(line []byte) (r row, err error) {
	f := strings.Split(string(line), "\t")
	if len(f) < 6 || len(f) > 9 {
		return r, fmt.Errorf("has %d columns with tabs between them, want 6 to 9", len(f))
	}
	if r.id = strings.TrimSpace(f[0]); r.id == "" {
		return r, errors.New("column 1 (job) is empty, want its id")
	}
	for _, c := range []struct {
		column int
		name   string
		most   int64
		to     *int64
	}{
		{2, "submission", trace.LatestMS / 1000, &r.submitS}, {3, "gap", trace.LatestMS / 1000, &r.gapS}, {4, "map input", 1 << 59, &r.input}, {5, "shuffle", 1 << 59, &r.shuffle},
		{6, "output", 1 << 59, &r.output},
	} {
		text := strings.TrimSpace(f[c.column-1])
		if *c.to, err = strconv.ParseInt(text, 10, 64); err != nil || *c.to < 0 || *c.to > c.most {
			return r, fmt.Errorf("column %d (%s) is %q, want a whole number from 0 to %d", c.column, c.name, strings.ToValidUTF8(text, "?"), c.most)
		}
	}
	if len(f) > 6 {
		r.path = strings.TrimSpace(f[6])
	}
	return r, nil
}

// reading is an import.
type reading struct {
	*workload.Builder
	split, perReducer, most int64
	paths                   map[string]bool
}

func read(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	b.NoEpoch, b.Durations = true, trace.DurationModelled
	if b.Options.Blocks == "observed" { // there is nothing to observe
		b.Options.Blocks = "hdfs"
	}
	r := &reading{Builder: b, paths: map[string]bool{}}
	if r.split, err = b.ParamBytes("split"); err != nil {
		return err
	}
	if r.perReducer, err = b.ParamBytes("bytes-per-reducer"); err != nil {
		return err
	}
	if r.most, err = b.ParamInt("max-tasks", 0); err != nil {
		return err
	}
	if r.most == 0 {
		r.most = math.MaxInt64
	}
	files, err := b.Parts(inputs, nil)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("no file among the inputs, want tab-separated tables")
	}
	for i, path := range files {
		if err := b.EachLine(ctx, path, r.line); err != nil {
			return err
		}
		b.Progress(i+1, len(files), "files")
	}
	if len(files) > 1 {
		b.Warn("%d files are laid over one another, as times count from the beginning of each: import them one by one if they are other days", len(files))
	}
	b.Counts.Read["input_paths"] = int64(len(r.paths))
	return nil
}

// line adds the job of a line.
func (r *reading) line(s *workload.Source, n int, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if err := delimited.Line(text); err != nil {
		return fmt.Errorf("%s: line %d: %w", s.Name, n, err)
	}
	r.Counts.Read["lines"]++
	x, err := rowOf(text)
	maps, reduces := int64(0), int64(0)
	if err == nil {
		maps = min(max((x.input+r.split-1)/r.split, 1), r.most)
		if x.shuffle > 0 {
			reduces = min((x.shuffle+r.perReducer-1)/r.perReducer, r.most)
		}
		err = r.CheckTasks(maps + reduces)
	}
	if err == nil && x.input/maps > trace.MostBytes {
		err = fmt.Errorf("a map reads %d bytes, want at most %d: --max-tasks is too low", x.input/maps, int64(trace.MostBytes))
	}
	if err != nil {
		return r.Drop("lines_that_are_no_job", "%s: line %d: %w", s.Name, n, err)
	}
	return r.job(&x, int(maps), int(reduces))
}

// job adds a job.
func (r *reading) job(x *row, maps, reduces int) error {
	r.Counts.Read["jobs"]++
	r.Counts.Read["maps"] += int64(maps)
	r.Counts.Read["reduces"] += int64(reduces)
	r.Begin()
	a := &workload.Application{Job: *trace.NewJob(trace.KindMapReduce)}
	j := &a.Job
	j.ExternalID, j.SubmitMS, j.AMMemMiB, j.AMVCores = x.id, x.submitS*1000, 1024, 1
	r.Counts.Defaulted["sizes_of_application_masters"]++
	r.Counts.Defaulted["sizes_of_tasks"] += int64(maps + reduces)
	r.Counts.Modelled["durations_of_tasks"] += int64(maps + reduces)
	times, straggling := trace.Stream(r.Options.Seed, "swim/"+x.id+"/tasks"), trace.Stream(r.Options.Seed, "swim/"+x.id+"/stragglers")

	first := trace.NewStage(0, trace.StageInput)
	first.Name, first.TaskMemMiB, first.TaskVCores = "map", taskMiB, taskVCores
	first.Tasks = trace.NewTasks(maps)
	split := r.split
	if int64(maps) == r.most {
		split = max(split, (x.input+int64(maps)-1)/int64(maps))
	}
	for i, left := 0, x.input; i < maps; i++ {
		first.Tasks.InputBytes[i] = min(split, left)
		left -= first.Tasks.InputBytes[i]
	}
	mapTimes.Fill(times, straggling, mapTimes.Stage(times), &stragglers, first.Tasks.DurationMS)
	if x.path != "" {
		r.paths[x.path] = true
	}
	if x.input > 0 && x.path != "" {
		a.ReadFile(&first, x.path, true)
	} else if x.input > 0 {
		a.ReadFile(&first, "input", false)
	}
	j.Stages = []trace.Stage{first}
	if reduces > 0 {
		second := trace.NewStage(1, trace.StageResult, 0)
		second.Name, second.TaskMemMiB, second.TaskVCores, second.ShuffleReadBytes = "reduce", taskMiB, taskVCores, x.shuffle
		second.Tasks = trace.NewTasks(reduces)
		median := reduceTimes.Stage(times)
		if more := x.shuffle/int64(reduces) - r.perReducer; more > 0 {
			median += float64(more) / reduceBytesPerMS
		}
		reduceTimes.Fill(times, straggling, median, &stragglers, second.Tasks.DurationMS)
		j.Stages = append(j.Stages, second)
	}
	_, err := r.Add(a)
	return err
}
