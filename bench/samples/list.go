package main

// A sample is input that another program made.
type sample struct {
	name   string // a short one, without blanks
	format string // that import auto is to recognise
	words  string // what import auto is told, input first; IN/ stands for the folder of samples
	want   counts // what a count by other means has of it
}

// counts are numbers of an import by their names: jobs, stages, tasks, nodes and node_events of the trace, and read.NAME and
// dropped.NAME of what import.json has.
type counts map[string]int64

// list has the samples, those that are replayed soon first. The clusters are those that the sources describe, or have room for what ran.
var list = []sample{
	{"jhist", "jhist", "IN/jhist/job_1329348432655_0001-1329348443227-user-Sleep+job-1329348468601-10-1-SUCCEEDED-default.jhist",
		counts{"jobs": 1, "stages": 2, "tasks": 12, "nodes": 1, "read.maps": 10, "read.reduces": 2}},
	{"jhist-failed", "jhist", "IN/jhist/job_2.4.0-FAILED.jhist", counts{"jobs": 1, "tasks": 3, "nodes": 1, "read.failed_attempts": 4, "read.queue_changes": 1}},
	{"rumen", "rumen", "IN/rumen/2jobs2min-rumen-jh.json", counts{"jobs": 2, "stages": 2, "tasks": 192, "nodes": 4, "read.maps": 192, "read.reduces": 0}},
	{"rumen-wordcount", "rumen", "IN/rumen/wordcount.json", counts{"jobs": 1, "stages": 2, "tasks": 4, "nodes": 1, "read.maps": 3, "read.reduces": 1}},
	{"sls", "sls", "IN/sls/inputsls.json", counts{"jobs": 2, "tasks": 5, "nodes": 3}},
	{"sls-nodes", "sls", "IN/sls/inputsls.json IN/sls/nodes.json",
		counts{"jobs": 2, "tasks": 5, "nodes": 19, "read.racks": 5, "read.nodes": 19, "read.empty_nodes": 1, "dropped.nodes_without_a_name": 1}},
	{"sls-resources", "sls", "IN/sls/inputsls.json IN/sls/nodes-with-resources.json", counts{"jobs": 2, "tasks": 5, "nodes": 4, "read.racks": 1}},
	{"sls-synth", "sls", "IN/sls/syn_generic.json", counts{"jobs": 10, "stages": 20, "nodes": 20}},
	{"alibaba-2018", "alibaba-2018", "IN/alibaba-2018-format IN/alibaba-2018/machine_meta.csv",
		counts{"jobs": 3, "stages": 8, "nodes": 4034, "tasks": 74, "read.rows_of_machine_meta": 17_592, "read.rows_of_batch_task": 11, "read.rows_of_batch_instance": 73}},
	{"google-2011", "google-2011", "IN/google-2011-format", counts{"jobs": 3, "tasks": 9, "nodes": 8, "read.rows_of_machine_events": 12, "read.rows_of_job_events": 9, "read.rows_of_task_events": 31}},
	{"azure-vm", "azure-vm", "IN/azure-vm --nodes 10 --node-vcores 64 --node-mem 524288", counts{"jobs": 10, "read.rows_of_vmtable": 10}},
	{"gwf", "gwf", "IN/gwf/trace.gwf --nodes 20", counts{"jobs": 10, "tasks": 70, "read.jobs": 70}},
	{"wfcommons", "wfcommons", "IN/wfcommons/trace.json --nodes 20", counts{"jobs": 1, "tasks": 26, "read.tasks": 26}},
	{"opendc-workflow", "opendc", "IN/opendc/workflow_example --nodes 20", counts{"jobs": 1, "stages": 3, "tasks": 4, "read.fragments": 4}},
	{"opendc-failures", "opendc", "IN/opendc/workflow_example IN/opendc-failures/two_failures.parquet --nodes 20", counts{"jobs": 1, "tasks": 4, "node_events": 80, "read.failures": 2}},
	{"opendc-2.1", "opendc", "IN/opendc/trace-v2.1 --nodes 20", counts{"jobs": 4, "tasks": 4, "read.fragments": 16_667}},
	{"wta", "wta", "IN/wta/shell --nodes 20", counts{"jobs": 3403, "stages": 10_208, "tasks": 10_208, "read.tasks": 10_208, "read.workflows": 3403}},
	{"decima", "decima", "IN/tpch-decima/stages.csv --nodes 25", counts{"jobs": 154, "stages": 1414, "read.queries": 154, "read.stages": 1414}},
	{"eventlogs", "spark-eventlog", "IN/eventlogs", counts{"jobs": 18, "read.applications_without_an_end": 1}},
	{"metacentrum", "swf", "IN/swf/metacentrum-excerpt.swf --nodes 20", counts{"jobs": 25, "tasks": 460, "read.records": 25}},
	{"openb", "alibaba-gpu-2023", "IN/alibaba-gpu-2023/openb_node_list_all_node.csv IN/alibaba-gpu-2023/openb_pod_list_default.csv", counts{"nodes": 1523, "jobs": 7255, "read.rows_of_node_list": 1523, "read.rows_of_pod_list": 8152}},
	{"surf-week", "opendc", "IN/opendc/surf_week --nodes 300 --node-vcores 32 --node-mem 262144", counts{"jobs": 6295, "tasks": 6295, "read.tasks": 6295, "read.fragments": 2_323_475}},
	{"surf-facebook", "opendc", "IN/opendc/surf_week IN/opendc-failures/Facebook_user_reported.parquet --nodes 300 --node-vcores 32 --node-mem 262144", counts{"jobs": 6295, "read.failures": 4069}},
	{"surf-instagram", "opendc", "IN/opendc/surf_week IN/opendc-failures/Instagram_user_reported.parquet --nodes 300 --node-vcores 32 --node-mem 262144", counts{"jobs": 6295, "read.failures": 3926}},
	{"bitbrains", "opendc", "IN/opendc/bitbrains-small --nodes 20", counts{"jobs": 50, "tasks": 50, "read.fragments": 276_979}},
	{"nasa", "swf", "IN/swf/NASA-iPSC-1993-3.1-cln-oct-nov.swf --nodes 10 --node-vcores 32",
		counts{"jobs": 11_369, "tasks": 201_272, "read.records": 11_466, "dropped.records_without_a_run_time": 97}},
	{"facebook-2009", "swim", "IN/swim/FB-2009_samples_24_times_1hr_0.tsv --nodes 600 --racks 15 --node-vcores 8 --node-mem 24576", counts{"jobs": 5894, "read.lines": 5894, "read.maps": 205_713}},
	{"tasks-100k", "opendc", "IN/opendc/tasks_100k --nodes 300", counts{"jobs": 100_000, "tasks": 100_000, "read.fragments": 100_000}},
	{"alibaba-2017", "alibaba-2017", "IN/alibaba-2017 --nodes 1300 --node-vcores 64 --node-mem 262144", counts{"jobs": 6192, "nodes": 1300, "read.rows_of_batch_task": 37_284}},
	{"facebook-2010", "swim", "IN/swim/FB-2010_samples_24_times_1hr_0.tsv --nodes 3000 --racks 75 --node-vcores 16 --node-mem 65536", counts{"jobs": 24_442, "read.maps": 8_084_865}},
	{"facebook-2010-paths", "swim", "IN/swim/FB-2010_samples_24_times_1hr_withInputPaths_0.tsv --nodes 3000 --racks 75 --node-vcores 16 --node-mem 65536", counts{"jobs": 25_428, "read.input_paths": 17_158}},
}
