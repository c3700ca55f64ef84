package wfcommons

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const fixtures = "../testdata/wfcommons"

func TestGolden(t *testing.T) {
	for _, name := range []string{"jobs-1.2.json", "split-1.5.json"} {
		res, m, err := importtest.Import(t, Format, filepath.Join(fixtures, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		importtest.Golden(t, name, res, m)
	}
}

// Before schema 1.5 the parents of a task are names or ids, and either end may have the edge.
func TestEdges(t *testing.T) {
	for what, text := range map[string]string{
		"names":    `{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","id":"1","runtimeInSeconds":1},{"name":"b","id":"2","runtimeInSeconds":2,"parents":["a"]}]}}`,
		"ids":      `{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","id":"1","runtimeInSeconds":1},{"name":"b","id":"2","runtimeInSeconds":2,"parents":["1"]}]}}`,
		"children": `{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"b","runtimeInSeconds":2},{"name":"a","runtimeInSeconds":1,"children":["b"]}]}}`,
	} {
		_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "x.json", text), func(o *workload.Options) { o.Nodes = 2 })
		if err != nil {
			t.Fatal(err)
		}
		j := m.JobList[0]
		if len(j.Stages) != 2 || len(j.Stages[1].Parents) != 1 || j.Stages[1].Tasks.DurationMS[0] != 2000 || m.OriginUnixMS != trace.Unset {
			t.Errorf("%s: %s", what, importtest.Text(m))
		}
	}
}

// Instances of WfCommons have times in several writings.
func TestTimes(t *testing.T) {
	for text, want := range map[string]int64{
		"20200401T102030+0200": 1585729230000, "2020-04-01T08:20:30Z": 1585729230000, "2020-04-01T10:20:30.25+02:00": 1585729230250,
		"12-20-20T04:58:50Z": 1608440330000, "20-12-20T04:58:50Z": 0, "tomorrow": 0,
	} {
		if ms, ok := instant(text); ms != want || ok != (want != 0) {
			t.Errorf("%s is %d, %t, want %d", text, ms, ok, want)
		}
	}
}

// A version that is a number is that version: memory of 1.3 is in KB.
func TestVersionAsNumber(t *testing.T) {
	const text = `{"schemaVersion":1.3,"createdAt":1585735200,"workflow":{"jobs":[{"name":"a","runtime":1,"memory":2097152}]}}`
	res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "x.json", text), func(o *workload.Options) { o.Nodes = 2 })
	if err != nil || m.JobList[0].Stages[0].TaskMemMiB != 2048 || res.Counts.Dropped["times_that_are_not_readable"] != 1 {
		t.Errorf("%v, %+v, dropped %v; want 2048 MiB and a time that is none", err, m.JobList, res.Counts.Dropped)
	}
}

// A file is one document: what comes after it is not passed over without a word.
func TestMoreAfterTheDocument(t *testing.T) {
	const one = `{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1}]}}` + "\n"
	for _, more := range []string{one, "x", "]"} {
		path := importtest.WriteNew(t, "x.json", one+more)
		importtest.Refused(t, Format, []string{path}, nil, path+": byte 80: there is more after the document, want one a file")
		res, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Lenient = true })
		if err != nil || res.Trace.Jobs != 1 || res.Counts.Dropped["rest_of_a_damaged_input"] != 1 {
			t.Errorf("%q: %+v, %v, want the first, and a rest that is left out", more, res, err)
		}
	}
}

// Tasks of one name are known by their ids, and machines of one name have one size.
func TestNamesOfSeveral(t *testing.T) {
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "a.json"), `{"schemaVersion":"1.4","workflow":{"machines":[{"nodeName":"m","cpu":{"coreCount":4}},{}],"tasks":[{"name":"a","id":"1","runtimeInSeconds":1},
		{"name":"b","id":"2","runtimeInSeconds":2,"parents":["1"]},{"name":"b","id":"3","runtimeInSeconds":3,"parents":["a"]},{"name":"c","id":"4","runtimeInSeconds":4,"parents":["2","3"]}]}}`)
	importtest.Write(t, filepath.Join(dir, "b.json"), `{"schemaVersion":"1.4","workflow":{"machines":[{"nodeName":"m","cpu":{"coreCount":8}}],"tasks":[{"name":"a","runtimeInSeconds":1}]}}`)
	res, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if st := m.JobList[0].Stages; len(st) != 3 || len(st[1].Tasks.DurationMS) != 2 || len(st[1].Parents) != 1 || len(st[2].Parents) != 1 {
		t.Errorf("%s\nwant a, two of b after it, and c after both", importtest.Text(m))
	}
	if d := res.Counts.Dropped; d["machines_with_another_size_before"] != 1 || d["machines_without_a_name"] != 1 || res.Counts.Defaulted["node_memory"] != 1 || m.Nodes[0].VCores != 4 {
		t.Errorf("dropped %v, defaulted %v, want a machine of another size, one without a name, and one memory", d, res.Counts.Defaulted)
	}
}

// A document of bytes whose machines would have less than 1 GiB has KB, as WfCommons takes them from Pegasus; a unit that is given is that of every field.
func TestMemoryUnits(t *testing.T) {
	const text = `{"schemaVersion":"%s","workflow":{"machines":[{"nodeName":"m","%s":%d,"cpu":{"coreCount":4}}],"tasks":[{"name":"a","runtimeInSeconds":1,"%[2]s":2097152}]}}`
	for _, tt := range []struct {
		schema, field, unit string
		machine             int64
		node, task, kb      int64
	}{
		{"1.3", "memory", "auto", 67108864, 65536, 2048, 0},
		{"1.5", "memoryInBytes", "auto", 68719476736, 65536, 2, 0},
		{"1.5", "memoryInBytes", "auto", 67108864, 65536, 2048, 1},
		{"1.5", "memory", "auto", 67108864, 65536, 2048, 1},
		{"1.5", "memoryInBytes", "B", 67108864, 64, 2, 0},
		{"1.5", "memoryInBytes", "KB", 67108864, 65536, 2048, 0},
	} {
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "x.json", fmt.Sprintf(text, tt.schema, tt.field, tt.machine)), func(o *workload.Options) {
			o.Params = map[string]string{"wf-mem-unit": tt.unit}
		})
		if err != nil {
			t.Fatal(err)
		}
		if node, task := m.Nodes[0].MemMiB, m.JobList[0].Stages[0].TaskMemMiB; node != tt.node || task != tt.task || res.Counts.Modelled["workflows_with_memory_in_kb"] != tt.kb {
			t.Errorf("%+v: a node of %d MiB, a task of %d MiB, modelled %v", tt, node, task, res.Counts.Modelled)
		}
	}
}

func TestBadDocuments(t *testing.T) {
	for text, want := range map[string]string{
		`{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":"soon"}]}}`:            "workflow.tasks[0]: runtimeInSeconds is a text, want a number",
		`{"schemaVersion":"1.4","workflow":{"tasks":[{"runtimeInSeconds":1}]}}`:                            "workflow.tasks[0]: has no name and no id",
		`{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a"}]}}`:                                      "task a: runtime is missing, want seconds",
		`{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":-1}]}}`:                "task a: runtime is -1, want seconds",
		`{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1e300}]}}`:             "task a: runtime is 1e+300, want seconds",
		`{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1,"parents":["a"]}]}}`: "comes after itself",
		`{"schemaVersion":"1.4","workflow":{"tasks":{}}}`:                                                  "workflow.tasks: is {, want a list",
		`{"schemaVersion":"1.4","workflow":[]}`:                                                            "workflow: is [, want an object",
		`{"schemaVersion":"1.4","workflow":{}}`:                                                            "has no jobs, tasks or specification",
		`{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1}`:                    "want a JSON document",
		`{"schemaVersion":"1.5","workflow":{"execution":{"tasks":[{"runtimeInSeconds":1}]}}}`:              "workflow.execution.tasks[0]: has no id",
		"": "want a JSON document",
	} {
		importtest.Refused(t, Format, []string{importtest.WriteNew(t, "x.json", text)}, func(o *workload.Options) { o.Nodes, o.Strict = 2, true }, want)
	}
	importtest.Refused(t, Format, []string{t.TempDir()}, func(o *workload.Options) { o.Nodes = 2 }, "no file, want instances")
}

// Files of a folder without any .json are taken by what they hold.
func TestOtherNames(t *testing.T) {
	path := importtest.WriteNew(t, "instance.bin", `{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1}]}}`)
	if res, _, err := importtest.Import(t, Format, filepath.Dir(path), nil); err != nil || res.Trace.Tasks != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

func FuzzDocument(f *testing.F) {
	var seeds [][]byte
	for _, name := range []string{"jobs-1.2.json", "split-1.5.json"} {
		data, err := os.ReadFile(filepath.Join(fixtures, name))
		if err != nil {
			f.Fatal(err)
		}
		seeds = append(seeds, data)
	}
	importtest.FuzzStdin(f, Format, seeds...)
}
