package verify_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"replay/engine"
	"replay/engine/price"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/policy/autoscale"
	"replay/report"
	"replay/report/verify"
	"replay/sealed/sealedtest"
	"replay/trace"
)

// A table is a Parquet file in memory.
type table struct {
	t      *testing.T
	schema *parquet.Schema
	rows   []parquet.Row
}

func read(t *testing.T, path string) *table {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	x := &table{t: t, schema: f.Schema()}
	r := parquet.NewReader(f)
	defer r.Close()
	for buf := make([]parquet.Row, 1); ; {
		n, _ := r.ReadRows(buf)
		if n == 0 {
			return x
		}
		x.rows = append(x.rows, buf[0].Clone())
	}
}

func (x *table) write(path string) {
	x.t.Helper()
	var b bytes.Buffer
	w := parquet.NewWriter(&b, x.schema)
	_, err := w.WriteRows(x.rows)
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *table) column(name string) parquet.LeafColumn {
	c, ok := x.schema.Lookup(name)
	if !ok {
		x.t.Fatalf("no column %s", name)
	}
	return c
}

func (x *table) at(row int, column string) parquet.Value {
	return x.rows[row][x.column(column).ColumnIndex]
}

func (x *table) number(row int, column string) int64 {
	v := x.at(row, column)
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func (x *table) set(row int, column string, value any) {
	c := x.column(column)
	v := parquet.ValueOf(value)
	if n, ok := value.(int64); ok && c.Node.Type().Kind() == parquet.Int32 {
		v = parquet.ValueOf(int32(n))
	}
	x.rows[row][c.ColumnIndex] = v.Level(0, c.MaxDefinitionLevel, c.ColumnIndex)
}

// add makes a value larger by some, unless it is null.
func (x *table) add(row int, column string, some int64) bool {
	if x.at(row, column).IsNull() {
		return false
	}
	x.set(row, column, x.number(row, column)+some)
	return true
}

func (x *table) swap(row, other int, columns ...string) {
	for _, name := range columns {
		i := x.column(name).ColumnIndex
		x.rows[row][i], x.rows[other][i] = x.rows[other][i], x.rows[row][i]
	}
}

// A corruption is one that a single check finds, in one of the results and at one of its rows or texts.
type corruption struct {
	check string
	file  string
	edit  func(x *table, row, other int) bool // of a table: reports whether it changed something; other is another row near it, or row
	from  string                              // of a text: pattern
	to    string
	drop  string // a file that the result then lacks
}

func one(edit func(x *table, row int) bool) func(*table, int, int) bool {
	return func(x *table, row, other int) bool { return row == other && edit(x, row) }
}

func two(edit func(x *table, row, other int) bool) func(*table, int, int) bool {
	return func(x *table, row, other int) bool { return row != other && edit(x, row, other) }
}

func plus(column string, some int64) func(*table, int, int) bool {
	return one(func(x *table, row int) bool { return x.add(row, column, some) })
}

var corruptions = []corruption{
	{check: "nodes: states in order of time", file: "nodes.parquet", edit: two(func(x *table, row, other int) bool {
		x.rows[row], x.rows[other] = x.rows[other], x.rows[row]
		return x.number(row, "node") != x.number(other, "node")
	})},
	{check: "nodes: numbers are fewer than rows", file: "nodes.parquet", edit: one(func(x *table, row int) bool {
		x.rows = slices.Insert(x.rows, row, slices.Clone(x.rows[row]))
		x.set(row, "node", int64(1<<30))
		x.set(row, "registered", false)
		return true
	})},
	{check: "costs: those of nodes are their seconds times the price", file: "costs.parquet", edit: plus("node_seconds", 1)},
	{check: "costs: those of jobs and queues are what their containers held", file: "costs.parquet", edit: one(func(x *table, row int) bool {
		return x.at(row, "of").String() == "job" && x.add(row, "cost_units", 1)
	})},
	{check: "costs: nodes, and jobs with what is unused, add up to the total", file: "costs.parquet", edit: one(func(x *table, row int) bool {
		return x.at(row, "of").String() == "unused" && x.add(row, "cost_units", -1)
	})},
	{check: "jobs: keys unique and in order", file: "jobs.parquet", edit: two(func(x *table, row, other int) bool {
		x.rows[row], x.rows[other] = x.rows[other], x.rows[row]
		return true
	})},
	{check: "jobs: times in order", file: "jobs.parquet", edit: plus("am_registered_ms", -1_000_000)},
	{check: "jobs: parts of the wait sum to it", file: "jobs.parquet", edit: plus("wait_job_part_am_start_ms", 1)},
	{check: "jobs: outcome, finish and tasks agree", file: "jobs.parquet", edit: plus("tasks_failed", 1)},
	{check: "jobs: slowdown is the time over the critical path", file: "jobs.parquet", edit: one(func(x *table, row int) bool {
		v := x.at(row, "slowdown")
		if v.IsNull() {
			return false
		}
		x.set(row, "slowdown", v.Double()+1)
		return true
	})},
	{check: "jobs: held back until the one that they name had ended", file: "jobs.parquet", edit: one(func(x *table, row int) bool {
		_, there := x.schema.Lookup("held_by")
		return there && x.add(row, "held_by", 1)
	})},
	{check: "containers: (job, am_attempt, container) is unique and their job is there", file: "containers.parquet", edit: two(func(x *table, row, other int) bool {
		x.set(row, "container", x.number(other, "container"))
		return !x.at(row, "am").Boolean() && x.number(row, "job") == x.number(other, "job") && x.number(row, "am_attempt") == x.number(other, "am_attempt")
	})},
	{check: "containers: times in order, within their job", file: "containers.parquet", edit: plus("acquired_ms", -1_000_000)},
	{check: "containers: one application master for each attempt, its first container", file: "containers.parquet", edit: two(func(x *table, row, other int) bool {
		x.swap(row, other, "container")
		return x.at(row, "am").Boolean() && x.number(row, "job") == x.number(other, "job") && x.number(row, "am_attempt") == x.number(other, "am_attempt") && x.number(other, "tasks") == 0
	})},
	{check: "containers: on a node of the cluster, as long as it is one", file: "containers.parquet", edit: one(func(x *table, row int) bool {
		x.set(row, "node", int64(1<<20))
		return x.number(row, "tasks") == 0
	})},
	{check: "containers: fit their node when they are allocated", file: "containers.parquet", edit: two(func(x *table, row, other int) bool {
		x.set(row, "node", x.number(other, "node"))
		return x.number(row, "tasks") == 0
	})},
	{check: "tasks: their container and job are there, and the node is its", file: "tasks.parquet", edit: plus("node", 1)},
	{check: "tasks: times in order, within the life of their container", file: "tasks.parquet", edit: one(func(x *table, row int) bool {
		if x.at(row, "finish_ms").IsNull() {
			return false
		}
		x.set(row, "freed_ms", x.number(row, "finish_ms")+1)
		return true
	})},
	{check: "tasks: (job, am_attempt, stage, stage_attempt, task, attempt) is unique", file: "tasks.parquet", edit: two(func(x *table, row, other int) bool {
		x.set(row, "attempt", x.number(other, "attempt"))
		for _, name := range []string{"job", "am_attempt", "stage", "stage_attempt", "task"} {
			if x.number(row, name) != x.number(other, name) {
				return false
			}
		}
		return true
	})},
	{check: "containers: tasks and busy core time are those of their task attempts", file: "containers.parquet", edit: plus("tasks", 1)},
	{check: "tasks: never more than the cores of their executor", file: "containers.parquet", edit: one(func(x *table, row int) bool {
		x.set(row, "cores", int64(0))
		return x.number(row, "tasks") > 0
	})},
	{check: "jobs: sums are those of their containers and task attempts", file: "jobs.parquet", edit: plus("memory_mib_ms", 1)},
	{check: "run.json: totals are those of the tables", file: "run.json", from: `("task_attempts": *)`, to: `${1}1`},
	{check: "series: (time, queue) is unique and in order of time", file: "series.parquet", drop: "series.arrow", edit: two(func(x *table, row, other int) bool {
		x.set(row, "queue", x.at(other, "queue").String())
		return x.at(row, "queue").String() != "" && x.number(row, "time_ms") == x.number(other, "time_ms")
	})},
	{check: "series: what a queue and those below it use is what containers and task attempts say", file: "series.parquet", drop: "series.arrow", edit: plus("containers", 1)},
	{check: "series: nodes and capacity are those of nodes.parquet", file: "series.parquet", drop: "series.arrow", edit: one(func(x *table, row int) bool {
		return x.at(row, "queue").String() != "" && x.add(row, "nodes", 1)
	})},
	{check: "series.arrow: the columns and rows of series.parquet", file: "series.parquet", edit: plus("pending_memory_mib", 1)},
	{check: "explanations: parts follow one another from submission to end", file: "explanations.parquet", edit: plus("part", 1)},
	{check: "explanations: parts until the first task sum to the wait", file: "explanations.parquet", edit: one(func(x *table, row int) bool {
		x.set(row, "until_first_task", !x.at(row, "until_first_task").Boolean())
		return true
	})},
	{check: "decisions: numbered from 1 and in order of time", file: "decisions.parquet", edit: plus("seq", 1)},
	{check: "decisions: as many allocations and ends as in the totals", file: "decisions.parquet", edit: one(func(x *table, row int) bool {
		x.set(row, "kind", "runnable")
		return true
	})},
	{check: "summary.json: every value is a number, or null with a reason", file: "summary.json", from: `("absent": \{\s*)"[a-z0-9_]+"`, to: `${1}"nothing"`},
	{check: "summary.json: metrics computed again from the tables", file: "summary.json", from: `("locality_tasks_any_share": )[0-9.]+`, to: `${1}7`},
	{check: "summary.json: outcome", file: "summary.json", from: `("refused": )`, to: `${1}1`},
	{check: "aggregates.cbor: the sums over the tables", file: "aggregates.cbor", from: `(Speculative)[\x00-\x17]`, to: "${1}\x17"},
}

// Every rule has a corruption that it alone finds.
func TestEachRuleAlone(t *testing.T) {
	dir := t.TempDir()
	var results []string
	for _, seed := range []uint64{9, 14, 1, priced, chained} {
		results = append(results, resultOf(t, filepath.Join(dir, fmt.Sprint(seed)), seed))
	}
	rules := map[string]bool{}
	for _, r := range results {
		if found, checks := violated(t, r); len(found) > 0 {
			t.Fatalf("%s: %v", r, found)
		} else {
			for _, name := range checks {
				rules[name] = true
			}
		}
	}
	for _, c := range corruptions {
		if !rules[c.check] {
			t.Errorf("there is no rule %q", c.check)
		}
		delete(rules, c.check)
		if !slices.ContainsFunc(results, func(r string) bool { return c.isFoundAlone(t, r) }) {
			t.Errorf("%s: no change of %s is found by this rule alone", c.check, c.file)
		}
	}
	for name := range rules {
		t.Errorf("no corruption is for the rule %q", name)
	}
}

// For how long jobs were held back is computed again, too.
func TestHeldBackIsComputedAgain(t *testing.T) {
	dir := resultOf(t, filepath.Join(t.TempDir(), "r"), chained)
	for _, name := range []string{"mean_ms", "p95_ms", "max_ms", "count"} {
		c := corruption{check: "summary.json: metrics computed again from the tables", file: "summary.json", from: `("wait_job_held_` + name + `": )([0-9])`, to: "${1}7$2"}
		if !c.isFoundAlone(t, dir) {
			t.Errorf("another wait_job_held_%s is not found", name)
		}
	}
}

// isFoundAlone reports whether some such change of the result is found by its check and no other. The result is as before afterwards.
func (c *corruption) isFoundAlone(t *testing.T, dir string) bool {
	path := filepath.Join(dir, c.file)
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return false
	}
	kept := map[string][]byte{}
	for _, name := range []string{c.file, "run.json", c.drop} {
		if name != "" {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			kept[name] = text
		}
	}
	defer func() {
		for name, text := range kept {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}()
	if c.drop != "" {
		if err := os.Remove(filepath.Join(dir, c.drop)); err != nil {
			t.Fatal(err)
		}
	}
	alone := func() bool {
		sealedtest.Seal(t, filepath.Join(dir, "run.json"))
		found, _ := violated(t, dir)
		return len(found) == 1 && found[0] == c.check
	}
	if c.edit == nil {
		changed := regexp.MustCompile(c.from).ReplaceAll(kept[c.file], []byte(c.to))
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		return !bytes.Equal(changed, kept[c.file]) && alone()
	}
	x := read(t, path)
	tries := 0
	for row := range x.rows {
		for other := row; other < min(row+40, len(x.rows)); other++ {
			edited := &table{t, x.schema, slices.Clone(x.rows)}
			edited.rows[row], edited.rows[other] = x.rows[row].Clone(), x.rows[other].Clone()
			if row == other {
				edited.rows[row] = x.rows[row].Clone()
			}
			if !c.edit(edited, row, other) {
				continue
			}
			edited.write(path)
			if alone() {
				return true
			}
			if tries++; tries == 40 {
				return false
			}
		}
	}
	return false
}

// violated returns the checks of a result that find something, and all of them.
func violated(t *testing.T, dir string) (found, all []string) {
	t.Helper()
	r, err := verify.Dir(dir, report.OwnChecks...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		all = append(all, c.Name)
		if c.Violations > 0 {
			found = append(found, c.Name)
		}
	}
	return found, all
}

// Seeds of clusters of which a result holds more.
const (
	priced  = 3 // it is scaled, and its nodes have prices
	chained = 4 // each of its jobs begins after the one before
)

// resultOf replays a random cluster with everything that a result can hold.
func resultOf(t *testing.T, dir string, seed uint64) string {
	t.Helper()
	c := scenariotest.Random(seed)
	c.Options.Decisions = true
	if seed == priced {
		c.Options.Scheduler, c.Options.Autoscale = "", "schedule"
		c.Options.AutoscaleSettings = autoscale.Settings{"steps.5s": {Value: "9+2"}, "steps.40s": {Value: "1"}, "steps.60s": {Value: "3+1"}, "provisioningTime": {Value: "3s"}, "interval": {Value: "1s"}, "gracefulDecommissionTimeout": {Value: "9s"}}
		var err error
		if c.Options.Prices, err = price.Read("prices", []byte("minimum=60s\nsecondary=0.1\n*=0.42")); err != nil {
			t.Fatal(err)
		}
	}
	in := c.Input()
	if seed == chained {
		in.Jobs = inAChain(t, in.Jobs)
	}
	sc, err := scenario.New(in, c.Options)
	if err != nil {
		t.Fatal(err)
	}
	w, err := report.NewWriter(dir, report.Options{Tasks: true, Decisions: true, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	w.Priced(sc.NodePrices())
	var sink record.Sink = w
	k := w.Explaining(sink, sc.Input.Nodes, sc.Kind().Central)
	sc.Input.Jobs = k.Watch(sc.Input.Jobs)
	m, err := engine.Run(t.Context(), sc, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(*m); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inAChain are jobs of which each begins after the one before.
func inAChain(t *testing.T, jobs trace.JobSource) trace.JobSource {
	t.Helper()
	var chain trace.MemoryTrace
	for {
		j, err := jobs.Next()
		if err == io.EOF {
			return chain.Jobs()
		}
		if err != nil {
			t.Fatal(err)
		}
		if j.ID > 0 {
			j.DependsOn = []int64{j.ID - 1}
		}
		chain.JobList = append(chain.JobList, j)
	}
}
