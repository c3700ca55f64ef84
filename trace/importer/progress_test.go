package importer

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// How far an import is shows within a file, too, and while applications are written: a large one is often a single file.
func TestProgressWithinFile(t *testing.T) {
	var table, log bytes.Buffer
	table.WriteString("job,submit_ms,duration_ms,name\n")
	for i := range 9000 {
		fmt.Fprintf(&table, "%d,%d,1000,%s\n", i, i, strings.Repeat("n", 1000))
	}
	log.WriteString(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}` + "\n")
	for range 9000 {
		fmt.Fprintf(&log, `{"Event":"SparkListenerNews","Text":"%s"}`+"\n", strings.Repeat("n", 1000))
	}
	for _, tt := range []struct {
		format, text string
		want         []string
	}{
		{"csv", table.String(), []string{"8 of 0 MiB of ", "4096 of 9000 applications written", "8192 of 9000 applications written"}},
		{"spark-eventlog", log.String(), []string{"8 of 0 MiB of "}},
	} {
		path := importtest.WriteNew(t, "input", tt.text)
		opt := workload.DefaultOptions()
		opt.Out = filepath.Join(t.TempDir(), "trace")
		var mu sync.Mutex
		var told []string
		opt.Progress = func(done, all int, what string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf("%d of %d %s", done, all, strings.TrimSuffix(what, path)))
		}
		if _, err := Import(t.Context(), tt.format, []string{path}, opt); err != nil && tt.format == "csv" {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if n := strings.Count(strings.Join(told, "\n")+"\n", want+"\n"); n != 1 {
				t.Errorf("%s: %q was told %d times, want once, in %q", tt.format, want, n, told)
			}
		}
	}
}
