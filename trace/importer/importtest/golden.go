package importtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
