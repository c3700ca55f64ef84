package importtest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"replay/trace"
	"replay/trace/importer/workload"
)

var update = flag.Bool("update", false, "write golden files")

// Golden compares what an import made with testdata/NAME.golden: the counts, then the nodes, events and jobs as text.
func Golden(t testing.TB, name string, res *workload.Result, m *trace.MemoryTrace) {
	t.Helper()
	counts, err := workload.JSON(res.Counts)
	if err != nil {
		t.Fatal(err)
	}
	got := string(counts) + Text(m)
	path := filepath.Join("testdata", name+".golden")
	if *update {
		Write(t, path, got)
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("%s (%v) differs; -update writes it. Got\n%s", path, err, got)
	}
}

// Text is a trace in words: its nodes, events and jobs with their stages and tasks.
func Text(m *trace.MemoryTrace) string {
	var b strings.Builder
	for _, n := range m.Nodes {
		fmt.Fprintf(&b, "node %s%s/%s %d MiB %d vcores %v", map[bool]string{false: "absent "}[n.Present], n.Rack, n.Host, n.MemMiB, n.VCores, n.Labels)
		fmt.Fprintln(&b, n.Extra)
	}
	for _, e := range m.Events {
		fmt.Fprintf(&b, "%d ms: %s %s %d MiB %d vcores %s\n", e.TimeMS, m.Nodes[e.Node].Host, e.Kind, e.MemMiB, e.VCores, e.Reason)
	}
	for _, j := range m.JobList {
		fmt.Fprintf(&b, "job %s %q %s: %d to %d ms, user %s, queue %s, priority %d, after %v %s\n", j.ExternalID, j.Name, j.Kind, j.SubmitMS, j.RecordedFinishMS,
			m.Users[j.User].Name, m.Queues[j.Queue].Path, j.Priority, j.DependsOn, j.RecordedOutcome)
		for i := range j.Stages {
			s := &j.Stages[i]
			t := &s.Tasks
			fmt.Fprintf(&b, "  stage %s %s: after %v, %d MiB %d vcores (%d milli) %v, priority %d: %d tasks", s.Name, s.Kind, s.Parents, s.TaskMemMiB, s.TaskVCores, s.TaskMilliVCores, s.Extra, s.Priority, t.Len())
			n := min(t.Len(), 10)
			fmt.Fprintf(&b, " of %v ms", t.DurationMS[:n])
			for _, c := range []struct {
				name string
				v    any
				is   bool
			}{{"waits", t.RecordedWaitMS, t.RecordedWaitMS != nil}, {"retries", t.Retries, t.Retries != nil}, {"nodes", t.RecordedNode, t.RecordedNode != nil}, {"MiB", t.MemMiB, t.MemMiB != nil}} {
				if c.is && t.Len() <= 10 {
					fmt.Fprintf(&b, ", %s %v", c.name, c.v)
				}
			}
			fmt.Fprintln(&b)
		}
	}
	return b.String()
}

// Fixture compares a file that the tests import with what a test makes it of; -update writes it.
func Fixture(t testing.TB, path string, made []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		Write(t, path, string(made))
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != string(made) {
		t.Errorf("%s (%v) is not what the test makes; -update writes it", path, err)
	}
}

// Parquet is a Parquet file of rows.
func Parquet[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, append([]parquet.WriterOption{parquet.CreatedBy("replay", "test", "parquet-go")}, options...)...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Refused checks that an import fails with a message that has all the words, or with want "" does not.
func Refused(t testing.TB, f workload.Format, inputs []string, change func(*workload.Options), want string) {
	t.Helper()
	_, _, err := ImportAll(t, f, inputs, change)
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("the error is %v, want %q", err, want)
	}
}
