package importer

import (
	"path/filepath"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// golden are the formats whose imports are kept as text; others keep theirs in their rooms.
var golden = []string{"jhist", "rumen", "sls", "swf", "swim"}

// What these formats make of their fixtures: read the difference, then run with -update.
func TestGolden(t *testing.T) {
	for _, name := range golden {
		f := Importers[name]
		for _, input := range fixtures(t, name) {
			base := name + "-" + filepath.Base(input)
			t.Run(base, func(t *testing.T) {
				res, m, err := importtest.Import(t, f, input, func(o *workload.Options) {
					if f.NoHosts {
						o.Nodes = 4
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				importtest.Golden(t, filepath.Join("golden", base), res, m)
			})
		}
	}
}
