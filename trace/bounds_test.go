package trace

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// unbounded are the numbers that are no amounts: ids, places and counts that have rules of their own, and what may be any number.
var unbounded = map[string][]string{
	tableNodes: {"node_id", "extra.list.element.value"}, tableEvents: {"node_id"}, tableQueues: {"queue_id", "parent_id", "weight", "am_share"},
	tableUsers: {"user_id", "weight"}, tableFiles: {"file_id"}, tableExecutors: {"job_id", "node_id"},
	tableJobs:   {"job_id", "user_id", "queue_id", "priority", "num_stages", "num_tasks", "first_task_row", "depends_on.list.element"},
	tableStages: {"job_id", "stage_id", "num_tasks", "file_id", "cache_of", "parents.list.element", "after.list.element", "extra.list.element.value", "exec_extra.list.element.value", "start_fraction", "fresh_factor", "first_factor"},
	tableTasks:  {"job_id", "stage_id", "recorded_node", "pref_nodes.list.element"},
}

// Every column of numbers has a bound or is known to need none.
func TestEveryAmountIsBounded(t *testing.T) {
	for table, schema := range schemas {
		var numbers []string
		for _, path := range schema.Columns() {
			leaf, _ := schema.Lookup(path...)
			if kind := leaf.Node.Type().Kind(); kind == parquet.ByteArray || kind == parquet.Boolean {
				continue
			}
			name := strings.Join(path, ".")
			numbers = append(numbers, name)
			if _, ok := bounds[table][name]; ok == slices.Contains(unbounded[table], name) {
				t.Errorf("%s.%s: bounded %t, and without a bound %t; want one of them", table, name, ok, !ok)
			}
		}
		for name := range bounds[table] {
			if !slices.Contains(numbers, name) {
				t.Errorf("%s.%s has a bound and is no column of numbers", table, name)
			}
		}
	}
}

// What is above its bound is refused alike by the writer, the reader and the check, with place, value and what was wanted.
func TestBoundsHoldEverywhere(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		set        func(m *MemoryTrace)
		edit       func(*testing.T, string)
	}{
		{"longest number", "tasks.parquet: row %: duration_ms is 9223372036854775807, want 0 to 31622400000 (a year)",
			func(m *MemoryTrace) { m.JobList[0].Stages[0].Tasks.DurationMS[3] = math.MaxInt64 },
			change("tasks.parquet", 3, func(r *taskRow) { r.DurationMS = math.MaxInt64 })},
		{"31 years a task", "tasks.parquet: row %: duration_ms is 1000000000000, want 0 to 31622400000 (a year)",
			func(m *MemoryTrace) { m.JobList[0].Stages[0].Tasks.DurationMS[3] = 1e12 },
			change("tasks.parquet", 3, func(r *taskRow) { r.DurationMS = 1e12 })},
		{"just over", "tasks.parquet: row %: duration_ms is 31622400001, want 0 to 31622400000 (a year)",
			func(m *MemoryTrace) { m.JobList[0].Stages[0].Tasks.DurationMS[3] = LongestMS + 1 },
			change("tasks.parquet", 3, func(r *taskRow) { r.DurationMS = LongestMS + 1 })},
		{"memory of a node", "nodes.parquet: row %: mem_mib is 134217729, want 0 to 134217728 (128 TiB)",
			func(m *MemoryTrace) { m.Nodes[3].MemMiB = MostMemMiB + 1 },
			change("nodes.parquet", 3, func(r *nodeRow) { r.MemMiB = MostMemMiB + 1 })},
		{"host in Latin-1", `nodes.parquet: row %: host is "f\xfcnf", want text in UTF-8`,
			func(m *MemoryTrace) { m.Nodes[3].Host = "f\xfcnf" },
			change("nodes.parquet", 3, func(r *nodeRow) { r.Host = "f\xfcnf" })},
		{"job in Latin-1", `jobs.parquet: row %: name is "f\xfcnf", want text in UTF-8`,
			func(m *MemoryTrace) { m.JobList[3].Name = "f\xfcnf" },
			change("jobs.parquet", 3, func(r *jobRow) { r.Name = "f\xfcnf" })},
		{"submission", "jobs.parquet: row %: submit_ms is 3162240000001, want 0 to 3162240000000 (100 years)",
			func(m *MemoryTrace) { m.JobList[3].SubmitMS = LatestMS + 1 },
			change("jobs.parquet", 3, func(r *jobRow) { r.SubmitMS = LatestMS + 1 })},
		{"factor", "stages.parquet: row %: first_factor is 1001, want 0 to 1000, or null",
			func(m *MemoryTrace) { m.JobList[0].Stages[0].FirstFactor = 1001 },
			change("stages.parquet", 0, func(r *stageRow) { x := float32(1001); r.FirstFactor = &x })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, column, _ := strings.Cut(tt.want, ": row %: ")
			says := func(what string, err error) {
				if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), column) {
					t.Errorf("%s: %v, want %s", what, err, tt.want)
				}
			}
			m := checkedTrace()
			tt.set(m)
			says("write", m.Write(filepath.Join(t.TempDir(), "t")))
			dir := filepath.Join(t.TempDir(), "t")
			if err := checkedTrace().Write(dir); err != nil {
				t.Fatal(err)
			}
			tt.edit(t, dir)
			_, err := Load(dir)
			says("read", err)
			if r, err := Check(t.Context(), dir, 10); err != nil || r.OK() {
				t.Errorf("check: %v, %+v", err, r)
			} else {
				says("check", r.Problems[0])
			}
		})
	}
	m := checkedTrace()
	m.JobList[0].Stages[0].Tasks.DurationMS[3] = LongestMS
	m.Nodes[3].MemMiB = MostMemMiB
	if err := m.Write(filepath.Join(t.TempDir(), "t")); err != nil {
		t.Errorf("the largest values: %v", err)
	}
}
