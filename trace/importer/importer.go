// Package importer turns foreign formats into traces. A format is one folder, or one file, and one line in
// [Importers].
//
// Whatever an import reads, drops, defaults or makes up is counted, and the counts are stored with
// the trace as import.json. What a source does not say stays unknown in the trace.
package importer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/trace/importer/alibaba"
	"replay/trace/importer/azure"
	"replay/trace/importer/decima"
	"replay/trace/importer/eventlog"
	"replay/trace/importer/google"
	"replay/trace/importer/gwf"
	"replay/trace/importer/jhist"
	"replay/trace/importer/opendc"
	"replay/trace/importer/rumen"
	"replay/trace/importer/sls"
	"replay/trace/importer/sparkonyarn"
	"replay/trace/importer/swf"
	"replay/trace/importer/swim"
	"replay/trace/importer/table"
	"replay/trace/importer/training"
	"replay/trace/importer/wfcommons"
	"replay/trace/importer/workload"
	"replay/trace/importer/wta"
)

// MemoryBudget is the memory in bytes that an import of any length needs, for [replay/heap.Within]: about twice what is alive at most in one of a million rows.
const MemoryBudget = 48 << 20

// Importers maps the name of a format to its importer.
var Importers = map[string]workload.Format{
	"acme":              training.Acme,
	"alibaba-2017":      alibaba.V2017,
	"alibaba-2018":      alibaba.V2018,
	"alibaba-gpu-2020":  alibaba.GPU2020,
	"alibaba-gpu-2023":  alibaba.GPU2023,
	"azure-packing":     azure.Packing,
	"azure-vm":          azure.VM,
	"csv":               table.CSV,
	"decima":            decima.Format,
	"google-2011":       google.V2011,
	"google-2019":       google.V2019,
	"gwf":               gwf.Format,
	"helios":            training.Helios,
	"jhist":             jhist.Format,
	"mapreduce-on-yarn": sparkonyarn.MapReduceFormat,
	"opendc":            opendc.Format,
	"parquet":           table.Parquet,
	"philly":            training.Philly,
	"rumen":             rumen.Format,
	"sls":               sls.Format,
	"spark-eventlog":    eventlog.Format,
	"swf":               swf.Format,
	"swim":              swim.Format,
	"spark-on-yarn":     sparkonyarn.Format,
	"wfcommons":         wfcommons.Format,
	"wta":               wta.Format,
}

// Find returns the format called name. The error for an unknown name lists the known ones.
func Find(name string) (workload.Format, error) {
	f, ok := Importers[name]
	if !ok {
		return f, fmt.Errorf("unknown format %q (known: %s)", name, strings.Join(slices.Sorted(maps.Keys(Importers)), ", "))
	}
	return f, nil
}

// CheckParams tells which of the given options is no option of the format called name, and which formats have it.
func CheckParams(name string, params map[string]string) error {
	f, err := Find(name)
	if err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(params)) {
		if !f.Has(p) {
			return fmt.Errorf("--%s is an option of %s, not of %s", p, strings.Join(Having(p), ", "), name)
		}
	}
	return nil
}

// Having lists the formats that have an option.
func Having(param string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(Importers)) {
		if Importers[name].Has(param) {
			names = append(names, name)
		}
	}
	return names
}

// Import reads inputs in the format called name and writes a trace.
// The error for an unknown name lists the known ones.
func Import(ctx context.Context, name string, inputs []string, opt workload.Options) (*workload.Result, error) {
	f, err := Find(name)
	if err != nil {
		return nil, err
	}
	return f.Import(ctx, name, inputs, opt)
}
