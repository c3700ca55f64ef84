package importer

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

var update = flag.Bool("update", false, "rewrite testdata/golden")

// golden are the formats whose imports are kept as text.
var golden = []string{"sls"}

// What these formats make of their fixtures: read the difference, then update.
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
				got, path := importtest.Portrait(res, m), filepath.Join("testdata", "golden", base+".txt")
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if d := cmp.Diff(string(importtest.Read(t, path)), got); d != "" {
					t.Errorf("%s changed (-want +got); if meant, run with -update\n%s", path, d)
				}
			})
		}
	}
}
