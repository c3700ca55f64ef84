package eventlog

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/trace/importer/workload"
)

// bigLog writes a log of one stage with n tasks, each start and end like those of the sample log.
func bigLog(b *testing.B, path string, n int) int64 {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := sampleLines(b)
	var head, start, end []byte
	for _, l := range lines {
		switch {
		case bytes.Contains(l[:50], []byte("TaskStart")):
			start = l
		case bytes.Contains(l[:50], []byte("TaskEnd")):
			end = l
		case start == nil:
			head = append(append(head, l...), '\n')
		}
	}
	stage := testStage{id: 99, name: "big", rdd: 1, tasks: n}
	var s script
	s.job(99, 1795243745000, "", stage)
	fmt.Fprintf(&s, `{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":1795243745000,%s}}`+"\n", stage.info())
	if _, err := f.Write(append(head, s.String()...)); err != nil {
		b.Fatal(err)
	}
	task := func(line []byte, i int) []byte {
		text := string(line)
		for _, field := range []string{"Stage ID", "Task ID", "Index", "Partition ID"} {
			v := i
			if field == "Stage ID" {
				v = 99
			}
			at := strings.Index(text, `"`+field+`":`) + len(field) + 3
			text = text[:at] + fmt.Sprint(v) + text[at+strings.IndexAny(text[at:], ",}"):]
		}
		return []byte(text + "\n")
	}
	var buf bytes.Buffer
	for i := range n {
		buf.Write(task(start, i))
		buf.Write(task(end, i))
		if buf.Len() > 1<<20 || i == n-1 {
			if _, err := buf.WriteTo(f); err != nil {
				b.Fatal(err)
			}
		}
	}
	if _, err := f.WriteString(`{"Event":"SparkListenerApplicationEnd","Timestamp":1795249999999}` + "\n"); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkReadLog reads a plain event log; MB/s is of its text.
func BenchmarkReadLog(b *testing.B) {
	for _, tasks := range []int{1_000, 20_000} {
		b.Run(fmt.Sprintf("tasks=%d", tasks), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "app-1")
			size := bigLog(b, path, tasks)
			log := Log{Path: path, Files: []string{path}}
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				app := newAppLog()
				r := reading{mode: workload.Normal, counts: workload.NewCounts(), warn: func(string, ...any) {}}
				if err := r.readLog(context.Background(), log, app); err != nil {
					b.Fatal(err)
				}
				if app.ends.all != int64(tasks) {
					b.Fatalf("%d tasks, want %d", app.ends.all, tasks)
				}
			}
			b.ReportMetric(float64(b.N)*float64(tasks)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}
