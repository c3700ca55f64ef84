package result

import (
	"encoding/json"
	"strings"
	"testing"

	"replay/report/tables"
)

// Every column of every table says what it is, and times and memory in what unit.
func TestColumnsAreDescribed(t *testing.T) {
	for name, text := range map[string]string{
		"jobs": tables.Describe[dependentRow](), "containers": tables.Describe[containerRow](), "tasks": tables.Describe[taskRow](), "series": tables.Describe[sampleRow](), "nodes": tables.Describe[nodeRow](), "decisions": tables.Describe[decisionRow](), "explanations": tables.Describe[partRow](), "views": tables.Describe[viewRow](), "costs": tables.Describe[costRow](),
	} {
		var columns map[string]struct{ Unit, About string }
		if err := json.Unmarshal([]byte(text), &columns); err != nil {
			t.Fatal(err)
		}
		for column, c := range columns {
			want := ""
			switch {
			case column == "memory_mib_ms":
				want = "MiB ms"
			case column == "vcore_ms":
				want = "vcore ms"
			case strings.HasSuffix(column, "_core_ms"):
				want = "core ms"
			case strings.HasSuffix(column, "_ms"):
				want = "ms"
			case strings.HasSuffix(column, "_mib"):
				want = "MiB"
			case strings.HasSuffix(column, "cores"):
				want = strings.TrimPrefix(column[strings.LastIndexByte(column, '_')+1:], "_")
			}
			if c.Unit != want || c.About == "" {
				t.Errorf("%s: column %s is %q in %q, want %q", name, column, c.About, c.Unit, want)
			}
		}
	}
}
