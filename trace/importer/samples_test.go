package importer

import (
	"path/filepath"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// A sample is input that another program made, with what a count by other means has of it.
type sample struct {
	format  string
	inputs  []string
	change  func(*workload.Options)
	trace   trace.Counts     // of which those above 0 are compared
	read    workload.Counter // some of the counts
	dropped workload.Counter
}

var samples = []sample{
	{"jhist", []string{"jhist/job_1329348432655_0001-1329348443227-user-Sleep+job-1329348468601-10-1-SUCCEEDED-default.jhist"}, nil, trace.Counts{Jobs: 1, Stages: 2, Tasks: 12, Nodes: 1}, workload.Counter{"maps": 10, "reduces": 2}, nil},
	{"jhist", []string{"jhist/job_2.4.0-FAILED.jhist"}, nil, trace.Counts{Jobs: 1, Tasks: 3, Nodes: 1}, workload.Counter{"failed_attempts": 4, "queue_changes": 1}, nil},
	{"rumen", []string{"rumen/2jobs2min-rumen-jh.json"}, nil, trace.Counts{Jobs: 2, Stages: 2, Tasks: 192, Nodes: 4}, workload.Counter{"maps": 192, "reduces": 0}, nil},
	{"rumen", []string{"rumen/wordcount.json"}, nil, trace.Counts{Jobs: 1, Stages: 2, Tasks: 4, Nodes: 1}, workload.Counter{"maps": 3, "reduces": 1}, nil},
	{"sls", []string{"sls/inputsls.json"}, nil, trace.Counts{Jobs: 2, Tasks: 5, Nodes: 3}, nil, nil},
	{"sls", []string{"sls/inputsls.json", "sls/nodes.json"}, nil, trace.Counts{Jobs: 2, Tasks: 5, Nodes: 19}, workload.Counter{"racks": 5, "nodes": 19, "empty_nodes": 1}, workload.Counter{"nodes_without_a_name": 1}},
	{"sls", []string{"sls/inputsls.json", "sls/nodes-with-resources.json"}, nil, trace.Counts{Jobs: 2, Tasks: 5, Nodes: 4}, workload.Counter{"racks": 1}, nil},
	{"sls", []string{"sls/syn_generic.json"}, nil, trace.Counts{Jobs: 10, Stages: 20, Nodes: 20}, nil, nil},
	{"wta", []string{"wta/shell"}, nodes(20), trace.Counts{Jobs: 3403, Stages: 10_208, Tasks: 10_208}, workload.Counter{"tasks": 10_208, "workflows": 3403}, nil},
	{"opendc", []string{"opendc/surf_week"}, nodes(20), trace.Counts{Jobs: 6295, Tasks: 6295}, workload.Counter{"tasks": 6295, "fragments": 2_323_475}, nil},
	{"opendc", []string{"opendc/workflow_example"}, nodes(20), trace.Counts{Jobs: 1, Stages: 3, Tasks: 4}, workload.Counter{"fragments": 4}, nil},
	{"opendc", []string{"opendc/trace-v2.1"}, nodes(20), trace.Counts{Jobs: 4, Tasks: 4}, workload.Counter{"fragments": 16_667}, nil},
	{"opendc", []string{"opendc/bitbrains-small"}, nodes(20), trace.Counts{Jobs: 50, Tasks: 50}, workload.Counter{"fragments": 276_979}, nil},
	{"opendc", []string{"opendc/tasks_100k"}, nodes(20), trace.Counts{Jobs: 100_000, Tasks: 100_000}, workload.Counter{"fragments": 100_000}, nil},
	{"opendc", []string{"opendc/workflow_example", "opendc-failures/two_failures.parquet"}, nodes(20), trace.Counts{Jobs: 1, Tasks: 4, NodeEvents: 80}, workload.Counter{"failures": 2}, nil},
	{"opendc", []string{"opendc/surf_week", "opendc-failures/Facebook_user_reported.parquet"}, nodes(20), trace.Counts{Jobs: 6295}, workload.Counter{"failures": 4069}, nil},
	{"opendc", []string{"opendc/surf_week", "opendc-failures/Instagram_user_reported.parquet"}, nodes(20), trace.Counts{Jobs: 6295}, workload.Counter{"failures": 3926}, nil},
	{"wfcommons", []string{"wfcommons/trace.json"}, nodes(20), trace.Counts{Jobs: 1, Tasks: 26}, workload.Counter{"tasks": 26}, nil},
	{"gwf", []string{"gwf/trace.gwf"}, nodes(20), trace.Counts{Jobs: 10, Tasks: 70}, workload.Counter{"jobs": 70}, nil},
	{"decima", []string{"tpch-decima/stages.csv"}, nodes(25), trace.Counts{Jobs: 154, Stages: 1414}, workload.Counter{"queries": 154, "stages": 1414}, nil},
	{"swf", []string{"swf/NASA-iPSC-1993-3.1-cln-oct-nov.swf"}, nodes(12), trace.Counts{Jobs: 11_369, Tasks: 201_272}, workload.Counter{"records": 11_466}, workload.Counter{"records_without_a_run_time": 97}},
	{"swf", []string{"swf/metacentrum-excerpt.swf"}, nodes(20), trace.Counts{Jobs: 25, Tasks: 460}, workload.Counter{"records": 25}, nil},
	{"swim", []string{"swim/FB-2009_samples_24_times_1hr_0.tsv"}, nodes(100), trace.Counts{Jobs: 5894}, workload.Counter{"lines": 5894, "maps": 205_713}, nil},
	{"swim", []string{"swim/FB-2010_samples_24_times_1hr_withInputPaths_0.tsv"}, mapsOf("16GiB"), trace.Counts{Jobs: 25_428}, workload.Counter{"lines": 25_428, "input_paths": 17_158}, nil},
}

// nodes gives a cluster.
func nodes(n int) func(*workload.Options) { return func(o *workload.Options) { o.Nodes = n } }

// mapsOf gives a cluster, and maps that read so much: there are fewer of them.
func mapsOf(split string) func(*workload.Options) {
	return func(o *workload.Options) {
		o.Nodes, o.Params = 100, map[string]string{"split": split, "bytes-per-reducer": "64GiB"}
	}
}

// Every sample is recognised, imports with the counts that it has, and follows all rules.
func TestSamples(t *testing.T) {
	for _, s := range samples {
		t.Run(s.format+"/"+filepath.Base(s.inputs[len(s.inputs)-1]), func(t *testing.T) {
			opt := workload.DefaultOptions()
			opt.Out = filepath.Join(t.TempDir(), "trace")
			var inputs []string
			for _, in := range s.inputs {
				inputs = append(inputs, importtest.Sample(t, in))
			}
			if s.change != nil {
				s.change(&opt)
			}
			if name, how, err := Detect(inputs, &opt); err != nil || name != s.format {
				t.Errorf("recognised as %q (%s), %v", name, how, err)
			}
			res, err := Import(t.Context(), s.format, inputs, opt)
			if err != nil {
				t.Fatal(err)
			}
			check, err := trace.Check(t.Context(), opt.Out, 5)
			if err != nil || !check.OK() {
				t.Errorf("%+v, %v", check, err)
			}
			for what, n := range map[string][2]int64{
				"jobs": {res.Trace.Jobs, s.trace.Jobs}, "stages": {res.Trace.Stages, s.trace.Stages}, "tasks": {res.Trace.Tasks, s.trace.Tasks},
				"nodes": {res.Trace.Nodes, s.trace.Nodes}, "node events": {res.Trace.NodeEvents, s.trace.NodeEvents},
			} {
				if n[1] > 0 && n[0] != n[1] {
					t.Errorf("%d %s, want %d", n[0], what, n[1])
				}
			}
			for name, want := range s.read {
				if got := res.Counts.Read[name]; got != want {
					t.Errorf("read %d %s, want %d", got, name, want)
				}
			}
			for name, want := range s.dropped {
				if got := res.Counts.Dropped[name]; got != want {
					t.Errorf("dropped %d %s, want %d", got, name, want)
				}
			}
		})
	}
}
