package alibaba

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

var formats = map[string]workload.Format{"alibaba-2017": V2017, "alibaba-2018": V2018, "alibaba-gpu-2020": GPU2020, "alibaba-gpu-2023": GPU2023}

func fixture(name string) string { return filepath.Join("..", "testdata", name, "small") }

func TestGolden(t *testing.T) {
	for name, f := range formats {
		res, m, err := importtest.Import(t, f, fixture(name), nil)
		if err != nil {
			t.Fatal(err)
		}
		importtest.Golden(t, name, res, m)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"M1": "1 []", "R2_1": "2 [1]", "J3_1_2": "3 [1 2]", "M5_Stg1": "5 []", "M5_1_Stg2_3": "5 [1]", "Reduce02_01_01": "2 [1]", "M1_1": "1 [1]",
		"task_Nzg3": "", "MergeTask": "", "": "", "1_2": "", "M": "", "M-1": "", "M1x_2": "", "J4_1__2": "4 [1]",
	} {
		got := ""
		if n, parents, ok := parseName(name); ok {
			got = fmt.Sprint(n, " ", parents)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// Tasks whose order the trace of 2017 does not say may be taken one after another.
func TestChain(t *testing.T) {
	_, m, err := importtest.Import(t, V2017, fixture("alibaba-2017"), func(o *workload.Options) { o.Params = map[string]string{"tasks-in": "chain"} })
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for i := range m.JobList[0].Stages {
		s := &m.JobList[0].Stages[i]
		order = append(order, fmt.Sprint(s.Name, s.Parents))
	}
	if want := []string{"4[]", "5[0]", "12[1]"}; !slices.Equal(order, want) {
		t.Errorf("stages %v, want %v", order, want)
	}
}

// Durations that are made up are as long as the task at most, the longest is as long, and they are the same for the same seed.
func TestDraw(t *testing.T) {
	a, b, c := draw(1, "x", 1000, 100_000), draw(1, "x", 1000, 100_000), draw(2, "x", 1000, 100_000)
	if !slices.Equal(a, b) || slices.Equal(a, c) || slices.Max(a) != 100_000 || slices.Min(a) <= 0 {
		t.Errorf("%v to %v", slices.Min(a), slices.Max(a))
	}
	if one := draw(1, "x", 1, 7); !slices.Equal(one, []int64{7}) {
		t.Error(one)
	}
}

func TestErrors(t *testing.T) {
	type files map[string]string
	for name, tt := range map[string]struct {
		format workload.Format
		files  files
		want   string
	}{
		"no table":            {V2018, files{"x.csv": "1"}, "no table of this format, want files or folders with one of these in their names: batch_task, batch_instance, machine_meta"},
		"no tasks":            {V2018, files{"machine_meta.csv": "m_1,0,1,7,96,100,USING\n"}, "no file of batch_task among the inputs"},
		"too few fields":      {V2018, files{"batch_task.csv": "M1,1,j\n", "machine_meta.csv": "m_1,0,1,7,96,100,USING\n"}, "batch_task.csv: line 1: has 3 fields, want 7 or more: task_name, instance_num,"},
		"a time that is none": {V2018, files{"batch_task.csv": "M1,1,j,1,Terminated,1,2,50,1\nM2,1,j,1,Terminated,x,2,50,1\n", "machine_meta.csv": "m_1,0,1,7,96,100,USING\n"}, `batch_task.csv: line 2: start_time is "x", want a whole number`},
		"a start below 0":     {V2018, files{"batch_task.csv": "M1,1,j,1,Terminated,-5,2,50,1\n", "machine_meta.csv": "m_1,0,1,7,96,100,USING\n"}, `batch_task.csv: line 1: start_time is "-5", want a whole number from 0`},
		"an instance's":       {V2018, files{"batch_task.csv": "M1,1,j,1,Terminated,1,2,50,1\n", "batch_instance.csv": "i,M1,j,1,Terminated,-1,2,m_1,1,1,1,1,1,1\n"}, `batch_instance.csv: line 1: start_time is "-1", want a whole number from 0`},
		"a job's":             {GPU2020, files{"pai_job_table.csv": "j,i,u,Terminated,-7,9\n", "pai_task_table.csv": "j,worker,1,Terminated,1,2,600,29,,\n", "pai_machine_spec.csv": "m,V100,96,512,8\n"}, `pai_job_table.csv: line 1: start_time is "-7", want a whole number from 0`},
		"a plan below 0":      {V2018, files{"batch_task.csv": "M1,1,j,1,Terminated,1,2,-50,1\n", "machine_meta.csv": "m_1,0,1,7,96,100,USING\n"}, `line 1: plan_cpu is "-50", want a number from 0`},
		"a cycle":             {V2018, files{"batch_task.csv": "M1_1,1,j,1,Terminated,1,2,50,1\n", "machine_meta.csv": "m_1,0,1,7,96,100,USING\n"}, "job j: M1_1 comes after itself"},
		"too many instances":  {V2018, files{"batch_task.csv": "M1,2000000000,j,1,Terminated,1,2,50,1\n", "machine_meta.csv": "m_1,0,1,7,96,100,USING\n"}, "task M1: job j: has 2000000000 tasks, want at most"},
		"no job":              {V2018, files{"batch_task.csv": "M1,1,,1,Terminated,1,2,50,1\n", "machine_meta.csv": "m_1,0,1,7,96,100,USING\n"}, `job_name is "", want a name`},
		"an unknown event":    {V2017, files{"batch_task.csv": "1,2,1,1,1,Terminated,50,1\n", "server_event.csv": "1,1,reboot,\n"}, `event_type is "reboot", want add, softerror or harderror`},
		"events out of order": {V2017, files{"batch_task.csv": "1,2,1,1,1,Terminated,50,1\n", "server_event.csv": "9,1,add,\n8,1,softerror,\n"}, "server_event.csv: line 2: timestamp is 8, want 9 or more"},
		"no times of pods":    {GPU2023, files{"node_list.csv": "sn,cpu_milli,memory_mib,gpu,model\n", "pod_list.csv": "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n"}, "pod_list.csv: line 1: no column creation_time"},
		"a pod twice":         {GPU2023, files{"node_list.csv": "sn,cpu_milli,memory_mib,gpu,model\n", "pod_list.csv": strings.Join(podList.Columns, ",") + "\np,1,1,0,0,,,,0,1,0\np,1,1,0,0,,,,0,1,0\n"}, `application "p": the source has several of this id, want one`},
		"a pod in two lists":  {GPU2023, files{"node_list.csv": "sn,cpu_milli,memory_mib,gpu,model\n", "pod_list_1.csv": strings.Join(podList.Columns, ",") + "\np,1,1,0,0,,,,0,1,0\n", "pod_list_2.csv": strings.Join(podList.Columns, ",") + "\np,1,1,0,0,,,,0,1,0\n"}, `line 2: name is "p", want a name that no row before has`},
		"deleted too early":   {GPU2023, files{"node_list.csv": "sn,cpu_milli,memory_mib,gpu,model\n", "pod_list.csv": strings.Join(podList.Columns, ",") + "\np,1,1,0,0,,,,0,1,2\n"}, `deletion_time is "1", want scheduled_time (2) or more`},
	} {
		t.Run(name, func(t *testing.T) {
			importtest.RefusedFiles(t, tt.format, tt.files, tt.want)
		})
	}
}

// The order of rows does not matter.
func TestOrderOfRows(t *testing.T) {
	var first *workload.Result
	for _, turned := range []bool{false, true} {
		dir := importtest.Copy(t, fixture("alibaba-2018"))
		if turned {
			for _, name := range []string{"batch_instance.csv", "machine_meta.csv"} {
				lines := strings.SplitAfter(string(importtest.Read(t, filepath.Join(dir, name))), "\n")
				slices.Reverse(lines)
				importtest.Write(t, filepath.Join(dir, name), strings.Join(lines, ""))
			}
		}
		res, m, err := importtest.Import(t, V2018, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = res
		}
		if res.Trace != first.Trace || len(m.Events) != 4 {
			t.Errorf("%+v with %d events, want %+v with 4", res.Trace, len(m.Events), first.Trace)
		}
	}
}

// The samples have what was counted in them in another way.
func TestSamples(t *testing.T) {
	for _, tt := range []struct {
		format workload.Format
		inputs []string
		change func(*workload.Options)
		read   workload.Counter
		want   trace.Counts
	}{
		{V2018, []string{"alibaba-2018", "alibaba-2018-format"}, nil, workload.Counter{"rows_of_machine_meta": 17592, "rows_of_batch_task": 11, "rows_of_batch_instance": 73}, trace.Counts{Nodes: 4034, NodeEvents: 146, Jobs: 3, Stages: 8, Tasks: 74}},
		{V2017, []string{"alibaba-2017"}, nil, workload.Counter{"rows_of_batch_task": 37284}, trace.Counts{Nodes: 1017, Jobs: 6192, Stages: 33872, Tasks: 5848085}},
		{GPU2023, []string{"alibaba-gpu-2023/openb_node_list_all_node.csv", "alibaba-gpu-2023/openb_pod_list_default.csv"}, nil, workload.Counter{"rows_of_node_list": 1523, "rows_of_pod_list": 8152}, trace.Counts{Nodes: 1523, Jobs: 7255, Stages: 7255, Tasks: 7255}},
	} {
		if testing.Short() && tt.want.Tasks > 1_000_000 {
			continue
		}
		var inputs []string
		for _, in := range tt.inputs {
			inputs = append(inputs, importtest.Sample(t, in))
		}
		opt := workload.DefaultOptions()
		opt.Out = filepath.Join(t.TempDir(), "trace")
		if tt.change != nil {
			tt.change(&opt)
		}
		res, err := tt.format.Import(t.Context(), "sample", inputs, opt)
		if err != nil {
			t.Fatal(err)
		}
		for k, n := range tt.read {
			if res.Counts.Read[k] != n {
				t.Errorf("%v: read %s is %d, want %d", tt.inputs, k, res.Counts.Read[k], n)
			}
		}
		if res.Trace != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.inputs, res.Trace, tt.want)
		}
		if tt.inputs[0] == "alibaba-2018" {
			present := 0
			for _, n := range res.Meta.Nodes {
				if n.Present {
					present++
				}
			}
			if present != 3887 {
				t.Errorf("%d machines at the start, want 3887", present)
			}
		}
	}
}

func FuzzAlibaba(f *testing.F) {
	for name := range formats {
		files, err := filepath.Glob(filepath.Join(fixture(name), "*.csv"))
		if err != nil || len(files) == 0 {
			f.Fatal(name, err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(name, filepath.Base(path), data)
		}
	}
	dirs := map[string]string{}
	for name := range formats {
		dirs[name] = importtest.Copy(f, fixture(name))
	}
	opt := workload.DefaultOptions()
	opt.Out = filepath.Join(f.TempDir(), "out")
	f.Fuzz(func(t *testing.T, name, file string, data []byte) {
		format, ok := formats[name]
		path := filepath.Join(dirs[name], file)
		if info, err := os.Stat(path); !ok || err != nil || info.IsDir() || file != filepath.Base(file) || strings.Contains(string(data), "00000") {
			return // large numbers of instances are another test's
		}
		importtest.Changed(t, path, data, func() { importtest.Try(t, format, []string{dirs[name]}, opt, data) })
	})
}

// Of lists of pods in one folder those are read that say when the pods came; one that is alone must say it.
func TestPodsWithoutTimes(t *testing.T) {
	dir := t.TempDir()
	nodes, times := "sn,cpu_milli,memory_mib,gpu,model\nn,4000,8192,0,\n", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time\np,1000,1024,0,0,1,9,2\n"
	importtest.Write(t, filepath.Join(dir, "node_list.csv"), nodes)
	importtest.Write(t, filepath.Join(dir, "pod_list_a.csv"), "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,0,0\n")
	importtest.Refused(t, GPU2023, []string{dir}, nil, "pod_list_a.csv: line 1: no column creation_time")
	importtest.Write(t, filepath.Join(dir, "pod_list_b.csv"), times)
	if res, _, err := importtest.Import(t, GPU2023, dir, nil); err != nil || res.Trace.Jobs != 1 || res.Counts.Dropped["files_that_are_not_read"] != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

// A value that is missing is no 0: an instance without a start has that of its task, a task without a start or a plan is left out and counted, and refused under strict.
func TestMissingValues(t *testing.T) {
	const nodes2018, server, spec = "m_1,0,1,z7/a,96,100,USING\n", "0,1,add,,64,1,1\n", "h1,T4,96,512,2\n"
	for name, tt := range map[string]struct {
		format  workload.Format
		files   map[string]string
		want    []string // parts of the trace in words
		dropped workload.Counter
		starts  int64 // of instances, as their task
		strict  string
	}{
		"2018": {V2018, map[string]string{
			"machine_meta.csv":   nodes2018,
			"batch_instance.csv": "i1,M1,a,1,Terminated,,87010,m_1,1,2\ni2,M1,a,1,Terminated,0,87008,m_1,1,1\ni3,M1,a,1,Terminated,,86000,m_1,1,1\n",
			"batch_task.csv": "M1,3,a,1,Terminated,87000,87010,100,0.3\nM2,1,a,1,Terminated,,87030,100,0.3\nM3,1,a,1,Terminated,0,87030,100,0.3\n" +
				"M4,1,a,1,Terminated,87000,87100,100,\nM5,1,a,1,Terminated,87000,87100,,0.3\nM6,0,a,1,Terminated,87000,87100,100,0.3\nM7,1,a,1,Terminated,87000,86000,100,0.3\n",
		}, []string{"node /zonez7_a/rack1/m_1", "job a \"\" generic: 0 to 10000 ms", "3 tasks of [10000 8000 "}, workload.Counter{
			"tasks_without_a_start": 2, "tasks_without_a_plan": 2, "tasks_without_an_instance": 1, "tasks_that_end_before_they_start": 1, "instances_that_end_before_they_start": 1,
		}, 2, "job a: task M2 ended at 87030 s and has no start, want one"},
		"2017": {V2017, map[string]string{
			"server_event.csv":   server,
			"batch_instance.csv": ",40,1,1,1,Terminated,1,1\n0,39,1,1,1,Terminated,1,1\n",
			"batch_task.csv":     "10,40,1,1,2,Terminated,100,0.01\n0,45,3,3,1,Terminated,100,0.01\n10,45,4,4,1,Terminated,50,\n",
		}, []string{"job 3 \"\" generic: 0 to 45000 ms", "2 tasks of [30000 29000] ms"}, workload.Counter{"tasks_without_a_plan": 1}, 2, "job 4: task 4 has ended and has no plan_cpu or no plan_mem, want both"},
		"GPUs of 2020": {GPU2020, map[string]string{
			"pai_machine_spec.csv":   spec,
			"pai_instance_table.csv": "a,worker,i1,w1,id,Terminated,,1291.0,h1\n",
			"pai_task_table.csv":     "a,worker,,Terminated,1205.0,1300,600.0,29,50.0,T4\na,ps,1.0,Terminated,1205.0,1300,600.0,,,\nb,worker,1.0,Terminated,,1020.0,600.0,29,50.0,T4\n",
		}, []string{"job a \"\" gang: 0 to 95000 ms", "1 tasks of [86000] ms"}, workload.Counter{"tasks_without_a_plan": 1, "tasks_without_a_start": 1}, 1, "job a: task ps has ended and has no plan_cpu or no plan_mem"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				importtest.Write(t, filepath.Join(dir, file), text)
			}
			res, m, err := importtest.Import(t, tt.format, dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			text := importtest.Text(m)
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("want %s in\n%s", want, text)
				}
			}
			for reason, n := range tt.dropped {
				if res.Counts.Dropped[reason] != n {
					t.Errorf("%s: %d, want %d", reason, res.Counts.Dropped[reason], n)
				}
			}
			if n := res.Counts.Modelled["starts_of_instances_that_are_those_of_their_task"]; n != tt.starts {
				t.Errorf("%d starts as of the task, want %d", n, tt.starts)
			}
			importtest.Refused(t, tt.format, []string{dir}, func(o *workload.Options) { o.Strict = true }, tt.strict)
		})
	}
}

// GPUs of which the share is not said are whole ones.
func TestWholeGPUs(t *testing.T) {
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "node_list.csv"), "sn,cpu_milli,memory_mib,gpu,model\nn,4000,8192,2,\n")
	importtest.Write(t, filepath.Join(dir, "pod_list.csv"), "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time\np,1000,1024,2,,1,9,2\n")
	res, m, err := importtest.Import(t, GPU2023, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.JobList[0].Stages[0].Extra; len(got) != 1 || got[0].Value != 2000 || res.Counts.Defaulted["shares_of_gpus"] != 2 {
		t.Errorf("%v, %v, want 2000 thousandths, 2 of them defaulted", got, res.Counts.Defaulted)
	}
}

// Of 2018 memories are 0 to 100; -1 and 101 stand for values that are none, as the schema says.
func TestInvalidMemory(t *testing.T) {
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "batch_task.csv"), "M1,1,a,1,Terminated,1,2,100,100\nM1,1,b,1,Terminated,1,2,100,101\nM1,1,c,1,Terminated,1,2,100,-1\n")
	importtest.Write(t, filepath.Join(dir, "machine_meta.csv"), "m_1,0,1,2,96,100,USING\nm_2,0,1,2,96,101,USING\n")
	res, m, err := importtest.Import(t, V2018, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := res.Counts.Dropped; len(m.JobList) != 1 || len(m.Nodes) != 1 || d["rows_of_batch_task_with_a_bad_value"] != 2 || d["rows_of_machine_meta_with_a_bad_value"] != 1 {
		t.Errorf("%d jobs, %d nodes, dropped %v, want 1 and 1, and 2 and 1 rows", len(m.JobList), len(m.Nodes), d)
	}
}

// A row of an instance that is there again, as where parts of a table overlap, is no attempt of its own.
func TestInstanceTwice(t *testing.T) {
	const first, second = "i1,M1,j,1,Failed,10,20,m1,1,2,,,,\n", "i1,M1,j,1,Terminated,20,50,m1,2,2,,,,\n"
	for name, instances := range map[string]string{"once": first + second, "the last twice": first + second + second, "both twice": first + first + second + second} {
		dir := t.TempDir()
		importtest.Write(t, filepath.Join(dir, "batch_task.csv"), "M1,1,j,1,Terminated,10,50,100,1\n")
		importtest.Write(t, filepath.Join(dir, "batch_instance.csv"), instances)
		res, m, err := importtest.Import(t, V2018, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		again := int64(strings.Count(instances, "\n") - 2)
		if s := m.JobList[0].Stages[0].Tasks; s.Retries[0] != 1 || s.DurationMS[0] != 30_000 || res.Counts.Dropped["instances_that_are_there_twice"] != again {
			t.Errorf("%s: %d retries, %d ms, dropped %v", name, s.Retries[0], s.DurationMS[0], res.Counts.Dropped)
		}
	}
}

// Times that are seconds by the format and go on for longer than any copy of the published trace are told: milliseconds would make jobs of days.
func TestTimesOfAnotherUnit(t *testing.T) {
	const task2018, task2017 = "M1,1,j_1,1,Terminated,%d,%d,100,0.3\n", "%d,%d,1,1,1,Terminated,50,0.1\n"
	for _, tt := range []struct {
		format, name, row string
		by                int64
		told              bool
	}{
		{"alibaba-2018", "batch_task.csv", task2018, 1, false}, {"alibaba-2018", "batch_task.csv", task2018, 1000, true},
		{"alibaba-2017", "batch_task.csv", task2017, 1, false}, {"alibaba-2017", "batch_task.csv", task2017, 1000, true},
	} {
		dir, warned := t.TempDir(), ""
		importtest.Write(t, filepath.Join(dir, tt.name), fmt.Sprintf(tt.row, 86000*tt.by, 86100*tt.by))
		if _, _, err := importtest.Import(t, formats[tt.format], dir, func(o *workload.Options) { o.Warn = func(m string) { warned += m } }); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(warned, fmt.Sprintf("the latest end of a task is %d s, which is %d days", 86100*tt.by, 86100*tt.by/86400)); told != tt.told {
			t.Errorf("%s, times %d: warned of %q, want it told: %v", tt.format, tt.by, warned, tt.told)
		}
	}
}
