// Package export writes traces in the formats of other programs. What a format cannot hold is left out and counted.
package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replay/outdir"
	"replay/trace"
)

// A format writes a trace into the files of a directory.
type format struct {
	usage string
	files []string
	write func(ctx context.Context, t *trace.Trace, files []*bufio.Writer, lost Lost) error
}

// formats are those that there are, by name.
var formats = map[string]format{
	"sls": {"jobs and nodes of the YARN Scheduler Load Simulator", []string{"sls-jobs.json", "sls-nodes.json"}, writeSLS},
	"swf": {"Standard Workload Format of the Parallel Workloads Archive", []string{"trace.swf"}, writeSWF},
	"wta": {"tables of the Workflow Trace Archive", []string{
		"tasks/schema-1.0/part.0.parquet", "workflows/schema-1.0/part.0.parquet", "resources/schema-1.0/part.0.parquet", "workload/schema-1.0/generic_information.json",
	}, writeWTA},
}

// Names lists the formats.
func Names() []string { return slices.Sorted(maps.Keys(formats)) }

// Usage says in one line what a format is.
func Usage(name string) string { return formats[name].usage }

// Lost counts what a format cannot hold, by what it is.
type Lost map[string]int64

// Write writes a trace to a directory that is not there or empty, whole or not at all. It returns the names of the files.
func Write(ctx context.Context, t *trace.Trace, name, dir string) (files []string, lost Lost, err error) {
	f, ok := formats[name]
	if !ok {
		return nil, nil, fmt.Errorf("unknown format %q (known: %s)", name, strings.Join(Names(), ", "))
	}
	if err := (outdir.Kind{}).Check(dir); err != nil {
		return nil, nil, err
	}
	p, err := outdir.Begin(dir)
	if err != nil {
		return nil, nil, err
	}
	defer p.Abort()
	lost = Lost{}
	var open []*os.File
	var writers []*bufio.Writer
	for _, n := range f.files {
		if err := os.MkdirAll(filepath.Dir(p.Path(n)), 0o777); err != nil {
			return nil, nil, err
		}
		file, err := os.Create(p.Path(n))
		if err != nil {
			return nil, nil, err
		}
		defer file.Close() // again where all went well
		open, writers = append(open, file), append(writers, bufio.NewWriterSize(file, 1<<18))
	}
	if err := f.write(ctx, t, writers, lost); err != nil {
		return nil, nil, err
	}
	for i := range open {
		if err := errors.Join(writers[i].Flush(), open[i].Close()); err != nil {
			return nil, nil, err
		}
	}
	return f.files, lost, p.InstallNew()
}

// count adds n to what is lost.
func (l Lost) count(what string, n int64) {
	if n > 0 {
		l[what] += n
	}
}

// vcores is what task k of a stage asks for in whole vcores, as YARN has them; those of which a part is not written are counted.
func (l Lost) vcores(s *trace.Stage, k int) int32 {
	if v := s.Tasks.VCores; v != nil && v[k] != trace.Unset {
		return v[k]
	}
	if s.TaskMilliVCores > 0 && s.TaskMilliVCores%1000 != 0 {
		l.count("fractional vcores of tasks (whole ones are written)", 1)
		return (s.TaskMilliVCores + 999) / 1000
	}
	return s.TaskVCores
}
