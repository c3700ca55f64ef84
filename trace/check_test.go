package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// editManifest changes trace.json of dir. Without its list of files, hashes are not compared.
func editManifest(t testing.TB, dir string, edit func(m map[string]any)) {
	t.Helper()
	path := filepath.Join(dir, manifestName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "hash")
	edit(m)
	if data, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// rewrite returns an edit that reads a table's rows as In and writes what edit makes of them, in groups of 64 rows. The manifest says no more what the work is.
func rewrite[In, Out any](file string, edit func([]In) []Out) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		path := filepath.Join(dir, file)
		rows, err := parquet.ReadFile[In](path)
		if err != nil {
			t.Fatal(err)
		}
		if err := parquet.WriteFile(path, edit(rows), parquet.MaxRowsPerRowGroup(64)); err != nil {
			t.Fatal(err)
		}
		editManifest(t, dir, func(m map[string]any) { m["files"] = nil; delete(m, "work") })
	}
}

func change[T any](file string, row int, edit func(*T)) func(*testing.T, string) {
	return rewrite(file, func(rows []T) []T { edit(&rows[row]); return rows })
}

func manifest(edit func(m map[string]any)) func(*testing.T, string) {
	return func(t *testing.T, dir string) { editManifest(t, dir, edit) }
}

// checkedTrace is bigTrace with node events, files and executors.
func checkedTrace() *MemoryTrace {
	m := bigTrace(500)
	event := func(ms int64, seq int32, node int32, kind EventKind) NodeEvent {
		e := NewNodeEvent(ms, node, kind)
		e.Seq = seq
		return e
	}
	m.Events = []NodeEvent{event(5, 0, 3, Fail), event(5, 1, 4, Drain), event(9, 0, 3, Recover), event(9, 1, 4, Leave)}
	for i := range int32(3) {
		m.Files = append(m.Files, File{ID: i, Name: fmt.Sprint("file", i), Bytes: 300, BlockBytes: 100, Blocks: 3, Replication: 1})
	}
	m.ExecutorList = []Executor{{Job: 0, ID: 1, AddedMS: 3, RemovedMS: Unset}, {Job: 1, ID: 1, Node: 2, AddedMS: 3, RemovedMS: 4}}
	return m
}

func TestProblems(t *testing.T) {
	type noDuration struct {
		Job        int64   `parquet:"job_id"`
		Stage      int32   `parquet:"stage_id"`
		InputBytes int64   `parquet:"input_bytes"`
		Pref       []int32 `parquet:"pref_nodes,list"`
	}
	type textDuration struct {
		Job        int64   `parquet:"job_id"`
		Stage      int32   `parquet:"stage_id"`
		DurationMS string  `parquet:"duration_ms"`
		InputBytes int64   `parquet:"input_bytes"`
		Pref       []int64 `parquet:"pref_nodes,list"`
	}
	type nullDuration struct {
		Job        int64   `parquet:"job_id"`
		Stage      int32   `parquet:"stage_id"`
		DurationMS *int64  `parquet:"duration_ms"`
		InputBytes int64   `parquet:"input_bytes"`
		Pref       []int32 `parquet:"pref_nodes,list"`
	}
	type twice struct {
		Job        int64   `parquet:"job_id"`
		Stage      int32   `parquet:"stage_id"`
		DurationMS int64   `parquet:"duration_ms"`
		Again      int64   `parquet:"duration_mz"`
		InputBytes int64   `parquet:"input_bytes"`
		Pref       []int32 `parquet:"pref_nodes,list"`
	}
	type noParents struct {
		Job      int64   `parquet:"job_id"`
		ID       int32   `parquet:"stage_id"`
		Parents  []int32 `parquet:"parents,list,optional"`
		NumTasks int32   `parquet:"num_tasks"`
		MemMiB   int64   `parquet:"task_mem_mib"`
		VCores   int32   `parquet:"task_vcores"`
		Kind     string  `parquet:"kind"`
	}
	tests := []struct {
		name string
		edit func(*testing.T, string)
		want string // ends the message
	}{
		{"format", manifest(func(m map[string]any) { m["format"] = "x" }), `trace.json: format is "x" version "1.0", want "replay-trace" version 1.x`},
		{"major version", manifest(func(m map[string]any) { m["version"] = "2.0" }), `trace.json: format is "replay-trace" version "2.0", want "replay-trace" version 1.x`},
		{"time unit", manifest(func(m map[string]any) { m["time_unit"] = "s" }), `trace.json: time_unit is "s", want "ms"`},
		{"count", manifest(func(m map[string]any) { m["counts"].(map[string]any)["tasks"] = 7 }), "trace.json: counts.tasks is 7, want 500, the rows of the table"},
		{"source", manifest(func(m map[string]any) { m["locality_source"] = "guessed" }), `trace.json: locality_source is "guessed", want one of recorded, modelled, observed, none`},
		{"missing file", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "jobs.parquet")) }, "jobs.parquet: file is missing, want the table of jobs"},
		{"changed file", func(t *testing.T, dir string) {
			if err := parquet.WriteFile(filepath.Join(dir, "users.parquet"), []userRow{{Name: "v"}}); err != nil {
				t.Fatal(err)
			}
		}, " as in trace.json"},
		{"changed configuration", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "yarn-site.xml"), []byte("<configuration/>"), 0o644); err != nil {
				t.Fatal(err)
			}
			editManifest(t, dir, func(m map[string]any) {
				m["files"] = append(m["files"].([]any), map[string]any{"name": "yarn-site.xml", "bytes": 5})
			})
		}, "and a replay takes another by its flags (--config-dir, --yarn-site, ...)"},
		{"no permission", func(t *testing.T, dir string) {
			if os.Geteuid() == 0 {
				t.Skip("root may read all")
			}
			os.Chmod(filepath.Join(dir, "jobs.parquet"), 0)
		}, "jobs.parquet: file is not readable (permission denied), want the table of jobs"},
		{"missing column", rewrite("tasks.parquet", func(rows []taskRow) []noDuration { return make([]noDuration, len(rows)) }), "tasks.parquet: duration_ms is missing, want INT64"},
		{"mistyped columns", rewrite("tasks.parquet", func(rows []taskRow) []textDuration { return make([]textDuration, len(rows)) }),
			"tasks.parquet: duration_ms is BYTE_ARRAY, want INT64"},
		{"null", rewrite("tasks.parquet", func(rows []taskRow) (out []nullDuration) {
			for i, r := range rows {
				out = append(out, nullDuration{Job: r.Job, Stage: r.Stage, DurationMS: &rows[i].DurationMS, Pref: r.Pref})
			}
			out[70].DurationMS = nil
			return out
		}), "tasks.parquet: row group 1, row 70: duration_ms is null, want a value"},
		{"null lists", rewrite("stages.parquet", func(rows []stageRow) (out []noParents) {
			for _, r := range rows {
				out = append(out, noParents{Job: r.Job, ID: r.ID, Parents: r.Parents, NumTasks: r.NumTasks, MemMiB: r.MemMiB, VCores: r.VCores, Kind: r.Kind})
			}
			out[3].Parents = nil
			return out
		}), "stages.parquet: row group 0, row 3: parents is null, want a list, which may be empty"},
		{"-1 for null", change("jobs.parquet", 1, func(r *jobRow) { r.MaxExecs = new(int32(-1)) }), "jobs.parquet: row group 0, row 1: max_execs is -1, want null where it is unknown"},
		{"-1 for null among nulls", change("tasks.parquet", 70, func(r *taskRow) { r.RecordedWait = new(int64(-1)) }), "tasks.parquet: row group 1, row 70: recorded_wait_ms is -1, want null where it is unknown"},
		{"-1 for a fraction that is null", change("stages.parquet", 2, func(r *stageRow) { r.StartFraction = new(float32(-1)) }), "start_fraction is -1, want null where it is unknown"},
		{"NaN for null", change("queues.parquet", 0, func(r *queueRow) { r.Weight = new(math.NaN()) }), "queues.parquet: row group 0, row 0: weight is NaN, want null where it is unknown"},
		{"share of masters", change("queues.parquet", 0, func(r *queueRow) { r.AMShare = new(-0.5) }), "am_share is -0.5, want a share of 0 or more, -1 for no limit, or null"},
		{"negative profile", change("stages.parquet", 2, func(r *stageRow) { r.Profile = new(int32(-2)) }), "profile is -2, want 0 to 2147483647"},
		{"negative memory of a profile", change("stages.parquet", 2, func(r *stageRow) { r.ExecMemMiB = new(int64(-1000)) }), "exec_mem_mib is -1000, want 0 to 134217728 (128 TiB)"},
		{"longer deserialization than task", change("tasks.parquet", 70, func(r *taskRow) { r.DurationMS, r.Deserialize = 5, new(int64(6)) }), "deserialize_ms is 6, want duration_ms (5) or less, of which it is a part"},
		{"many resources", change("nodes.parquet", 0, func(r *nodeRow) {
			for i := range MostExtra + 1 {
				r.Extra = append(r.Extra, valueRow{fmt.Sprint("r", i), 1})
			}
		}), "nodes.parquet: row group 0, row 0: the number of extra is 33, want 32 at most"},
		{"a key in capitals", manifest(func(m map[string]any) { m["Name"] = "other" }), "trace.json: key Name is unknown, want name"},
		{"a key of a key in capitals", manifest(func(m map[string]any) { m["counts"].(map[string]any)["Jobs"] = 7 }), "trace.json: key Jobs is unknown, want jobs"},
		{"a key in capitals, of a later version", manifest(func(m map[string]any) { m["version"], m["Name"] = "1.7", "other" }), "trace.json: key Name is unknown, want name"},
		{"a column twice", func(t *testing.T, dir string) {
			rewrite("tasks.parquet", func(rows []taskRow) []twice { return make([]twice, len(rows)) })(t, dir)
			path := filepath.Join(dir, "tasks.parquet")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, bytes.ReplaceAll(b, []byte("duration_mz"), []byte("duration_ms")), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "tasks.parquet: duration_ms is there 2 times, want one column of the name"},
		{"negative duration", change("tasks.parquet", 70, func(r *taskRow) { r.DurationMS = -5 }), "tasks.parquet: row group 1, row 70: duration_ms is -5, want 0 to 31622400000 (a year)"},
		{"preferred node out of range", change("tasks.parquet", 70, func(r *taskRow) { r.Pref = []int32{1, 50} }), "tasks.parquet: row group 1, row 70: pref_nodes[1] is 50, want a row of nodes, which has 50"},
		{"preferred node twice", change("tasks.parquet", 70, func(r *taskRow) { r.Pref = []int32{1, 2, 1} }), "tasks.parquet: row group 1, row 70: pref_nodes[2] is 1, want each node once"},
		{"preferred node twice, first", change("tasks.parquet", 70, func(r *taskRow) { r.Pref = []int32{1, 1, 2} }), "tasks.parquet: row group 1, row 70: pref_nodes[1] is 1, want each node once"},
		{"preferred node twice, last", change("tasks.parquet", 70, func(r *taskRow) { r.Pref = []int32{1, 2, 2} }), "tasks.parquet: row group 1, row 70: pref_nodes[2] is 2, want each node once"},
		{"preferred third node out of range", change("tasks.parquet", 70, func(r *taskRow) { r.Pref = []int32{1, 2, 50} }), "tasks.parquet: row group 1, row 70: pref_nodes[2] is 50, want a row of nodes, which has 50"},
		{"preferred node twice among many", change("tasks.parquet", 70, func(r *taskRow) { r.Pref = []int32{1, 2, 3, 4, 5, 2} }), "tasks.parquet: row group 1, row 70: pref_nodes[5] is 2, want each node once"},
		{"unsorted tasks", rewrite("tasks.parquet", func(rows []taskRow) []taskRow { rows[400], rows[0] = rows[0], rows[400]; return rows }), "tasks.parquet: row group 0, row 0: job_id, stage_id is [3 1], want [0 0]: sorted rows, and 33 tasks of that stage, which has 0 so far"},
		{"task of no stage", change("tasks.parquet", 499, func(r *taskRow) { r.Job = 99 }), "tasks.parquet: row group 7, row 499: job_id, stage_id is [99 2], want [3 2]: sorted rows, and 28 tasks of that stage, which has 27 so far"},
		{"unsorted jobs", change("jobs.parquet", 2, func(r *jobRow) { r.SubmitMS = 5 }), "jobs.parquet: row group 0, row 2: submit_ms is 5, want 10 of the job before, or more"},
		{"job id", change("jobs.parquet", 2, func(r *jobRow) { r.ID = 1 }), "jobs.parquet: row group 0, row 2: job_id is 1, want 2, as ids count rows from 0"},
		{"queue id", change("jobs.parquet", 1, func(r *jobRow) { r.Queue = 1 }), "jobs.parquet: row group 0, row 1: queue_id is 1, want a row of its table, which has 1"},
		{"kind", change("jobs.parquet", 1, func(r *jobRow) { r.Kind = "flink" }), `row 1: kind is "flink", want one of spark, mapreduce, generic, gang, service`},
		{"maps and reduces and more", change("jobs.parquet", 1, func(r *jobRow) { r.Kind = KindMapReduce }), "row 1: num_stages is 3, want 1 or 2, maps and reduces, as the job is of kind mapreduce"},
		{"spark without executors", change("jobs.parquet", 1, func(r *jobRow) { r.Kind = KindSpark }), "row 1: exec_vcores is \"-1 with exec_mem_mib -1\", want the executor shape of a spark job"},
		{"first task row", change("jobs.parquet", 0, func(r *jobRow) { r.FirstTaskRow = 3 }), "row 0: first_task_row is 3, want 0, what follows in the tables below it"},
		{"parent after child", change("stages.parquet", 0, func(r *stageRow) { r.Parents = []int32{0} }), "stages.parquet: row group 0, row 0: parents[0] is 0, want a stage before 0"},
		{"task count", change("stages.parquet", 0, func(r *stageRow) { r.NumTasks++ }), "tasks.parquet: row group 0, row 33: job_id, stage_id is [0 1], want [0 0]: sorted rows, and 34 tasks of that stage, which has 33 so far"},
		{"task count too low", change("stages.parquet", 0, func(r *stageRow) { r.NumTasks-- }), "stages.parquet: row group 0, row 0: num_tasks is 32, want 33, what follows in the tables below it"},
		{"host twice", change("nodes.parquet", 7, func(r *nodeRow) { r.Host = "h3" }), `nodes.parquet: row group 0, row 7: host is "h3", want another name than row 3`},
		{"file twice", change("files.parquet", 2, func(r *fileRow) { r.Name = "file0" }), `files.parquet: row group 0, row 2: name is "file0", want another name than row 0`},
		{"file without a name", change("files.parquet", 2, func(r *fileRow) { r.Name = "" }), `files.parquet: row group 0, row 2: name is "", want a name`},
		{"file id", change("files.parquet", 2, func(r *fileRow) { r.ID = 1 }), `files.parquet: row group 0, row 2: file_id is 1, want 2, as ids count rows from 0`},
		{"no such file", change("stages.parquet", 2, func(r *stageRow) { r.FileID = new(int32(99)) }), `file_id is 99, want a row of its table, which has`},
		{"rack names", change("nodes.parquet", 7, func(r *nodeRow) { r.Rack = "/r9" }), `row 7: rack is "/r9", want one name for each rack_id (2) and one id for each name`},
		{"recover of a node that is up", change("node_events.parquet", 2, func(r *eventRow) { r.Node = 5 }), `node_events.parquet: row group 0, row 2: kind is "recover", want an event that can happen to node 5, which is up`},
		{"join of a present node", change("node_events.parquet", 2, func(r *eventRow) { r.Kind, r.Node = "join", 6 }), `want an event that can happen to node 6, which is up`},
		{"unsorted events", change("node_events.parquet", 2, func(r *eventRow) { r.TimeMS = 5 }), "row 2: time_ms, seq is [5 0], want more than [5 1] of the row before"},
		{"executor of no job", change("executors.parquet", 1, func(r *executorRow) { r.Job = 99 }), "executors.parquet: row group 0, row 1: job_id is 99, want a row of jobs, which has"},
		{"not parquet", func(t *testing.T, dir string) {
			os.WriteFile(filepath.Join(dir, "stages.parquet"), []byte("nothing of the kind"), 0o644)
		}, "want a readable Parquet file"},
	}
	good := filepath.Join(t.TempDir(), "t")
	if err := checkedTrace().Write(good); err != nil {
		t.Fatal(err)
	}
	if r, err := Check(t.Context(), good, 10); err != nil || !r.OK() || r.Counts.Tasks != 500 {
		t.Fatalf("before any change: %+v, %v", r, err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t")
			if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
				t.Fatal(err)
			}
			tt.edit(t, dir)
			_, err := Load(dir)
			if err == nil {
				t.Fatal("read without an error")
			}
			message := err.Error()
			if first, _, ok := strings.Cut(message, "\n"); ok {
				message = first
			}
			if !strings.Contains(message, tt.want) || !strings.HasPrefix(message, dir) {
				t.Errorf("read: %v\nwant %s", err, tt.want)
			}
			r, err := Check(t.Context(), dir, 1000)
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("check: %v\nwant %s", err, tt.want)
				}
				return
			}
			found := false
			for _, p := range r.Problems {
				found = found || strings.Contains(p.Error(), tt.want)
			}
			if !found {
				t.Errorf("check found %d problems, first %v\nwant %s", r.Total, r.Problems[:min(3, len(r.Problems))], tt.want)
			}
		})
	}
}

// A MapReduce job has maps, and reduces that read them.
func TestShapeOfMapReduce(t *testing.T) {
	for _, tt := range []struct {
		parents [][]int32
		want    string
	}{
		{[][]int32{nil}, ""},
		{[][]int32{nil, {0}}, ""},
		{[][]int32{nil, nil}, "parents is [], want none for the maps and stage 0 for the reduces, as job 0 is of kind mapreduce"},
		{[][]int32{nil, {0}, {1}}, "num_stages is 3, want 1 or 2"},
	} {
		j := NewJob(KindMapReduce)
		for i, p := range tt.parents {
			j.Stages = append(j.Stages, NewStage(int32(i), StageShuffle, p...))
		}
		m := MemoryTrace{Meta: Meta{LocalitySource: LocalityNone, DurationSource: DurationModelled, Queues: []Queue{NewQueue(0, "root")}, Users: []User{NewUser(0, "u")}}, JobList: []*Job{j}}
		err := m.Write(filepath.Join(t.TempDir(), "t"))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("parents %v: %v, want %q", tt.parents, err, tt.want)
		}
	}
}

// Problems of different tables are all found, and those over the limit are counted.
func TestCheckGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	if err := checkedTrace().Write(dir); err != nil {
		t.Fatal(err)
	}
	rewrite("tasks.parquet", func(rows []taskRow) []taskRow {
		for i := range 40 {
			rows[i].DurationMS = -1
		}
		return rows
	})(t, dir)
	change("nodes.parquet", 7, func(r *nodeRow) { r.Host = "h3" })(t, dir)
	change("executors.parquet", 0, func(r *executorRow) { r.Node = 77 })(t, dir)
	r, err := Check(t.Context(), dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	if r.Total != 42 || len(r.Problems) != 10 || r.Counts.Tasks != 500 {
		t.Errorf("%d problems, %d kept, %d tasks read; want 42, 10, 500", r.Total, len(r.Problems), r.Counts.Tasks)
	}
	editManifest(t, dir, func(m map[string]any) { m["resources"], m["span_ms"] = []string{"memory-mb", "vcores", "foo"}, 1 })
	r, err = Check(t.Context(), dir, 100)
	if err != nil || r.Total != 44 {
		t.Errorf("%d problems with a wrong manifest (%v), want 44", r.Total, err)
	}
	for _, want := range []string{"resources is memory-mb, vcores, foo, want memory-mb, vcores, those of the tables", "span_ms is 1, want "} {
		if !slices.ContainsFunc(r.Problems, func(p Problem) bool { return strings.Contains(p.Error(), want) }) {
			t.Errorf("%v, want %q among them", r.Problems, want)
		}
	}
	if r, err := Check(t.Context(), t.TempDir(), 10); err == nil {
		t.Errorf("an empty directory is a trace: %+v", r)
	} else if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want os.ErrNotExist", err)
	}
}

// The manifest says the work of all jobs as reading them gives it, to the last bit, and who reads them all refuses another. Without it the trace is the same one.
func TestWorkOfTheManifest(t *testing.T) {
	source := checkedTrace()
	for i, j := range source.JobList {
		j.Stages[0].Extra = []NamedValue{{GPU, 1}}
		j.Stages[0].TaskMilliVCores = 333
		if i > 0 {
			j.DependsOn = []int64{int64(i) - 1}
		}
	}
	dir := filepath.Join(t.TempDir(), "t")
	if err := source.Write(dir); err != nil {
		t.Fatal(err)
	}
	open := func() *Trace {
		t.Helper()
		opened, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { opened.Close() })
		return opened
	}
	whole := open()
	said := whole.Manifest.Work
	editManifest(t, dir, func(m map[string]any) { delete(m, "work") })
	without := open()
	read, err := without.Work()
	if err != nil || said == nil || !read.is(said) || read.Dependent != int64(len(source.JobList))-1 || read.Further[GPU] == 0 {
		t.Errorf("the manifest says %+v, the tables %+v, %v", said, read, err)
	}
	if without.Hash() != whole.Hash() {
		t.Errorf("identity %s without the work, %s with it", without.Hash(), whole.Hash())
	}
	for key, change := range map[string]func(*Work){
		"vcore_ms":          func(w *Work) { w.VCoreMS = math.Nextafter(w.VCoreMS, 0) },
		"mem_mib_ms":        func(w *Work) { w.MemMiBMS++ },
		"further_ms":        func(w *Work) { w.Further = map[string]float64{GPU: w.Further[GPU] - 1} },
		"jobs_after_others": func(w *Work) { w.Dependent-- },
	} {
		wrong := *said
		change(&wrong)
		editManifest(t, dir, func(m map[string]any) { m["work"] = wrong })
		opened := open()
		if got, err := opened.Work(); err != nil || !got.is(&wrong) {
			t.Errorf("%s: work %+v, %v, want %+v of the manifest", key, got, err, wrong)
		}
		var last error
		for _, err := range All(opened.Jobs()) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "trace.json: work is {") || !strings.HasSuffix(last.Error(), ", that of the jobs") {
			t.Errorf("%s: error %v", key, last)
		}
		if r, err := Check(t.Context(), dir, 10); err != nil || r.Total != 1 {
			t.Errorf("%s: %+v, %v, want one problem", key, r, err)
		}
	}
}

// A manifest that is wrong about the last submission is refused by whoever reads the jobs: offered loads go by it.
func TestSpanIsThatOfTheJobs(t *testing.T) {
	for _, change := range []float64{-1, 1} {
		dir := filepath.Join(t.TempDir(), "t")
		if err := checkedTrace().Write(dir); err != nil {
			t.Fatal(err)
		}
		editManifest(t, dir, func(m map[string]any) { m["span_ms"] = m["span_ms"].(float64) + change; delete(m, "work") })
		opened, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		_, work := opened.Work()
		var read error
		for _, err := range All(opened.Jobs()) {
			read = err
		}
		for _, err := range []error{work, read} {
			if err == nil || !strings.Contains(err.Error(), "trace.json: span_ms is ") || !strings.HasSuffix(err.Error(), ", the last submission") {
				t.Errorf("%v: error %v", change, err)
			}
		}
	}
}
