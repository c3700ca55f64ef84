// Package opendc imports workloads of the OpenDC simulator: Parquet tables of tasks and of fragments, of any of its versions, and traces of
// failures.
package opendc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"replay/spill"
	"replay/trace/importer/columns"
	"replay/trace/importer/workflow"
	"replay/trace/importer/workload"
)

// Format is the format of OpenDC.
var Format = workload.Format{
	Usage:         "a workload of OpenDC: Parquet tables of tasks and fragments, and of failures",
	NoHosts:       true,
	NoPreferences: true,
	Params: []workload.Param{
		{Name: "opendc-mem-unit", Default: "MB", Usage: "`UNIT` of mem_capacity: B, KB, MB, GB"},
		{Name: "opendc-failures", Usage: "`FILE` of failures, whose hosts are drawn"},
		{Name: "opendc-failures-repeat", Default: "false", Usage: "begin the failures again when they end before the tasks do"},
	},
	Detect: func(_ string, head []byte) string {
		names, ok := strings.CutPrefix(string(head), "PAR1\n")
		if !ok {
			return ""
		}
		has := func(names []string, any ...string) bool {
			return slices.ContainsFunc(any, func(n string) bool { return slices.Contains(names, n) })
		}
		switch list := strings.Split(names, "\n"); {
		case has(list, submitNames...) && has(list, memNames...):
			return "columns of a submission and of a memory, as OpenDC's tasks have"
		case has(list, startNames...) && has(list, stopNames...) && has(list, capacityNames...) && has(list, memNames...):
			return "columns of a start, a stop, and capacities of CPU and memory, as tasks of OpenDC's first version have"
		case has(list, intervalNames...):
			return "a column failure_interval, as OpenDC's failures have"
		}
		return ""
	},
	Read: read,
}

// Names that columns have in the versions.
var (
	idNames       = []string{"id"}
	submitNames   = []string{"submission_time", "submissionTime", "submit_time"}
	startNames    = []string{"start_time", "startTime"}
	stopNames     = []string{"stop_time", "stopTime", "end_time", "endTime"}
	durationNames = []string{"duration"}
	countNames    = []string{"cpu_count", "cpuCount", "maxCores", "cores"}
	capacityNames = []string{"cpu_capacity", "cpuCapacity"}
	memNames      = []string{"mem_capacity", "memCapacity", "requiredMemory", "required_memory"}
	gpuNames      = []string{"gpu_count", "gpuCount", "gpuMaxCores"}
	usageNames    = []string{"cpu_usage", "cpuUsage"}
	intervalNames = []string{"failure_interval"}
)

// largeMiB is more memory than machines have.
const largeMiB = 32 << 20

// What a file is, by its columns.
const (
	isOther = iota
	isTasks
	isFragments
	isFailures
)

func kindOf(f *columns.File) int {
	switch {
	case f.Has(intervalNames...):
		return isFailures
	case f.Has(memNames...):
		return isTasks
	case f.Has(usageNames...):
		return isFragments
	}
	return isOther
}

// reader reads the files of a workload.
type reader struct {
	b       *workload.Builder
	unit    float64 // of memory, MiB
	graph   graph
	jobs    *spill.Groups
	ran     *ran    // nil without fragments
	took    float64 // MHz-ms of these
	ask     float64 // MHz-ms that tasks with fragments asked for
	first   int64   // submission
	last    int64   // end of a task that starts when it is submitted
	mostMiB float64 // of a task
	unlike  string  // the first task whose fragments took another time
	buf     []byte
}

func read(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	r := &reader{b: b, jobs: spill.NewGroups("workflow"), graph: newGraph(), first: math.MaxInt64}
	defer func() { err = errors.Join(err, r.jobs.Close()) }()
	if r.unit, err = workflow.Unit(b, "opendc-mem-unit"); err != nil {
		return err
	}
	repeat, err := b.ParamBool("opendc-failures-repeat")
	if err != nil {
		return err
	}
	files, err := r.files(inputs)
	if err != nil {
		return err
	}
	if len(files[isFragments]) > 0 {
		r.ran = newRan()
		defer func() { err = errors.Join(err, r.ran.close()) }()
	}
	for _, path := range files[isTasks] {
		if err := r.ids(ctx, path); err != nil {
			return err
		}
	}
	for i, path := range files[isFragments] {
		if err := r.fragments(ctx, path); err != nil {
			return err
		}
		b.Progress(i+1, len(files[isFragments])+len(files[isTasks]), "files")
	}
	if r.ran != nil {
		if err := r.ran.join(); err != nil {
			return err
		}
	}
	for i, path := range files[isTasks] {
		if err := r.tasks(ctx, path); err != nil {
			return err
		}
		b.Progress(len(files[isFragments])+i+1, len(files[isFragments])+len(files[isTasks]), "files")
	}
	r.sayUse()
	if r.mostMiB > largeMiB {
		b.Warn("a task has %.0f GiB of memory: if the source counts in KB, say --opendc-mem-unit KB", r.mostMiB/1024)
	}
	b.NoEpoch, b.MS = r.first < 100_000_000_000, true // in 1973: times from a start of their own
	err = r.jobs.Each(ctx, func(id []byte, records [][]byte) error { return workflow.Add(b, string(id), records, nil) })
	if full := errors.Is(err, workload.ErrLimit); err != nil && !full || r.first == math.MaxInt64 {
		return err
	}
	for _, path := range files[isFailures] { // also of the first applications alone
		if err := r.failures(ctx, path, repeat); err != nil {
			return err
		}
	}
	return err
}

// files lists the files by what they are.
func (r *reader) files(inputs []string) (files [isFailures + 1][]string, err error) {
	all, err := columns.Parts(r.b, inputs)
	if err != nil {
		return files, err
	}
	if f := r.b.Param("opendc-failures"); f != "" {
		all = append(all, f)
	}
	for _, path := range all {
		if path == workload.Stdin {
			return files, errors.New("standard input: Parquet files can't be read from it, want files")
		}
		f, err := columns.Peek(path)
		if err != nil {
			return files, err
		}
		is := kindOf(f)
		if is == isOther {
			r.b.Counts.Read["rows_of_other_tables"] += f.Rows()
		}
		if err := f.Close(); err != nil {
			return files, err
		}
		files[is] = append(files[is], path)
	}
	if len(files[isTasks]) == 0 {
		return files, fmt.Errorf("%s: no Parquet file with a column %s, want OpenDC's table of tasks", strings.Join(inputs, ", "), memNames[0])
	}
	if err := workload.OneFolder(files[isTasks]); err != nil {
		return files, err
	}
	if err := cmp.Or(oneVersion(files[isTasks], "meta.parquet", "tasks.parquet"), oneVersion(files[isFragments], "trace.parquet", "fragments.parquet")); err != nil {
		return files, err
	}
	if len(files[isFailures]) > 1 {
		return files, fmt.Errorf("%s: %d traces of failures, want at most one", strings.Join(files[isFailures], ", "), len(files[isFailures]))
	}
	return files, nil
}

// oneVersion refuses a table beside the same one under the name that a newer version of OpenDC gives it: its rows would count twice.
func oneVersion(tables []string, older, newer string) error {
	var of [2]string
	for _, path := range tables {
		switch filepath.Base(path) {
		case older:
			of[0] = path
		case newer:
			of[1] = path
		}
	}
	if of[0] != "" && of[1] != "" {
		return fmt.Errorf("%s and %s: one table under the names of two versions of OpenDC, want the files of one version", of[0], of[1])
	}
	return nil
}
