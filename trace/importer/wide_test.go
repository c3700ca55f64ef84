package importer

import (
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// A table of a million columns is refused in a few words, in every format of tables.
func TestMillionColumns(t *testing.T) {
	header := strings.Repeat("x,", 1e6) + "x\n"
	row := strings.Repeat("1,", 1e6) + "1\n"
	for _, name := range []string{"csv", "gwf", "decima", "swf", "swim", "alibaba-2018", "alibaba-gpu-2023", "azure-vm", "azure-packing", "google-2011", "google-2019"} {
		format, ok := Importers[name]
		if !ok {
			t.Fatalf("no format %s", name)
		}
		path := importtest.WriteNew(t, "in.csv", header+row)
		opt := workload.DefaultOptions()
		opt.Out, opt.Nodes = t.TempDir()+"/out", 2
		if _, err := format.Import(t.Context(), "test", []string{path}, opt); err == nil || len(err.Error()) > 2000 {
			text := ""
			if err != nil {
				text = err.Error()
			}
			t.Errorf("%s: error of %d bytes: %.300s", name, len(text), text)
		}
	}
}
