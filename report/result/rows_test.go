package result

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func TestColumnsAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*parquet.Schema{
		parquet.SchemaOf(new(jobRow)), parquet.SchemaOf(new(containerRow)), parquet.SchemaOf(new(taskRow)),
		parquet.SchemaOf(new(sampleRow)), parquet.SchemaOf(new(decisionRow)),
	} {
		for _, path := range s.Columns() {
			if name := path[0]; !bytes.Contains(b, []byte("`"+name+"`")) && !strings.HasPrefix(name, "wait_job_part_") {
				t.Errorf("docs/results.md does not name column %s", name)
			}
		}
	}
}

func TestJain(t *testing.T) {
	for _, tt := range []struct {
		xs   []float64
		want float64
	}{{[]float64{2, 2, 2}, 1}, {[]float64{5, 0, 0, 0}, .25}, {[]float64{1, 3}, .8}} {
		if got := jain(tt.xs); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("Jain's index of %v is %v, want %v", tt.xs, got, tt.want)
		}
	}
	if !math.IsNaN(jain([]float64{0, 0})) || !math.IsNaN(jain(nil)) {
		t.Error("an index of nothing")
	}
}
