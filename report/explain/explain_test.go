package explain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/report"
	"replay/report/explain"
	"replay/report/parting"
	"replay/trace"
)

var plainNames = &parting.Names{
	Job:  func(id int64) (string, string) { return fmt.Sprintf("job %d", id), "root.q" },
	Node: func(node int32) (string, int64, int64) { return fmt.Sprintf("node%d", node), 0, 0 },
}

// The parts of every job sum to its wait and to its time, whatever the scheduler and the kind; [explained] checks it. Every job has a
// text.
func TestRandomJobsSum(t *testing.T) {
	n := uint64(40)
	if testing.Short() {
		n = 8
	}
	for seed := uint64(1); seed <= n; seed++ {
		c := scenariotest.Random(seed)
		for _, j := range explained(t, c) {
			var text strings.Builder
			j.WriteText(&text, plainNames)
			if strings.Contains(text.String(), "{") || strings.Contains(text.String(), "%!") {
				t.Fatalf("seed %d:\n%s", seed, text.String())
			}
		}
	}
}

// The same under the ideal scheduler.
func TestIdealJobsSum(t *testing.T) {
	for seed := uint64(1); seed <= 8; seed++ {
		c := scenariotest.Random(seed)
		o := scenario.DefaultOptions()
		o.Scheduler = "ideal"
		c.Options = o
		causes := map[record.Cause]bool{}
		for _, j := range explained(t, c) {
			for _, p := range j.Parts {
				causes[p.Cause] = true
			}
		}
		if !causes[explain.Work] || causes[explain.AMStart] {
			t.Errorf("seed %d: %v", seed, causes)
		}
	}
}

// Asking why changes no decision, and not asking costs none: the decision hash is that of a replay without.
func TestAskingChangesNothing(t *testing.T) {
	for seed := uint64(100); seed < 120; seed++ {
		c := scenariotest.Random(seed)
		var hashes []string
		for range 2 {
			sc, err := scenario.New(c.Input(), c.Options)
			if err != nil {
				t.Fatal(err)
			}
			var sink record.Sink = report.NewMemory()
			if hashes != nil {
				sink = &explain.Collector{Sink: sink, Wants: func(int64) bool { return true }, Tell: func(*explain.Life, *explain.Job) {}}
			}
			m, err := engine.Run(t.Context(), sc, sink, nil)
			if err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, m.DecisionHash)
		}
		if hashes[0] != hashes[1] {
			t.Errorf("seed %d: decision hash %s, and %s when asked", seed, hashes[0], hashes[1])
		}
	}
}

// Recorded traces of the project: the parts sum, and what a trace was recorded for is among the causes.
func TestRecordedTraces(t *testing.T) {
	for name, want := range map[string]record.Cause{"locality-wait-3s": explain.LocalityWait, "node-lost": explain.LostWork, "fair-weights": record.CauseNoRoom} {
		dir := filepath.Join("..", "..", "traces", name)
		if _, err := os.Stat(dir); err != nil {
			t.Fatal(err)
		}
		tr, err := trace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		sc, err := scenario.FromTrace(tr, scenario.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		stages := map[int64][]explain.Stage{}
		sc.Input.Jobs = explain.Watch(sc.Input.Jobs, func(j *trace.Job) { stages[j.ID] = explain.StageOf(j) })
		var totals explain.Totals
		why := &explain.Collector{Sink: report.NewMemory(), Wants: func(int64) bool { return true }, Stages: func(id int64) []explain.Stage { return stages[id] },
			Tell: func(_ *explain.Life, j *explain.Job) { totals.Add(j) }}
		m, err := engine.Run(t.Context(), sc, why, nil)
		if err != nil {
			t.Fatal(err)
		}
		why.Close(m.Totals.EndMS)
		if totals.Wrong > 0 || totals.Jobs != m.Totals.Jobs {
			t.Errorf("%s: %d of %d jobs, %d wrong: %s", name, totals.Jobs, m.Totals.Jobs, totals.Wrong, totals.FirstWrong)
		}
		if !slices.ContainsFunc(totals.Wholes(), func(s explain.Share) bool { return s.Cause == want }) {
			t.Errorf("%s: %v, want %s among them", name, totals.Wholes(), want)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What adds up jobs says how many of them have no first task or no end.
func TestTotalsSayWhatIsOpen(t *testing.T) {
	var totals explain.Totals
	add := func(outcome string, firstTask, end int64) {
		j := &explain.Job{Job: record.Job{Outcome: outcome, FirstTask: firstTask}, End: end}
		j.Parts = []explain.Part{{To: end, Cause: record.CauseNoRoom}}
		if firstTask != record.None {
			j.Parts = []explain.Part{{To: firstTask, Cause: record.CauseNoRoom}, {From: firstTask, To: end, Cause: explain.Work}}
		}
		totals.Add(j)
	}
	text := func() string {
		var b strings.Builder
		totals.WriteText(&b, " of the result")
		first, _, _ := strings.Cut(b.String(), ":")
		return first
	}
	add(record.JobSucceeded, 2000, 5000)
	if got := text(); got != "1 job of the result" {
		t.Errorf("of a job that is over it says %q", got)
	}
	add(record.JobUnfinished, record.None, 9000)
	add(record.JobUnfinished, 1000, 9000)
	if got, want := text(), "3 jobs of the result (1 without a first task, 2 not finished"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if told := totals.Tell(); told.NoTask != 1 || told.Open != 2 {
		t.Errorf("as JSON %+v, want 1 without a first task and 2 unfinished", told)
	}
}
