package sls

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// job is a job of one task, with other members.
func job(id, more string) string {
	return fmt.Sprintf(`{"job.id":%q,"job.queue.name":"q","job.start.ms":5,"job.tasks":[{"container.host":"/r/h","duration.ms":10}]%s}`+"\n", id, more)
}

func TestBadInput(t *testing.T) {
	good := job("good", "")
	importtest.CheckBad(t, Format, []struct {
		Text, Want string
		Jobs       int64
	}{
		{"", "no application", 0},
		{good + `{"job.id":`, "in: line 2: the text ends within an object; --lenient keeps what comes before", 0},
		{good + "," + good, "objects follow each other with a comma", 0},
		{good + "// end", "--json-comments", 0},
		{good + `{"x":1}`, "in: object 2, from line 2: has no job.tasks, nodes, num.nodes or workloads", 1},
		{good + `{"job.tasks":[{"duration.ms":1}]}`, "in: object 2, from line 2: job.queue.name is missing", 1},
		{good + `{"job.queue.name":"q","job.tasks":[]}`, "job.tasks is empty", 1},
		{good + `{"job.queue.name":"q","job.tasks":null}`, "job.tasks is empty", 1},
		{good + `{"job.queue.name":"q","job.tasks":5}`, "in: line 2: want an array", 0},
		{good + "{\"job.queue.name\":\"q\",\"job.tasks\":[\n{\"duration.ms\":1},\n{\"container.start.ms\":5,\"container.end.ms\":5}]}", "from line 2: line 4: container.end.ms is 5 and container.start.ms 5 (-1 is none)", 1},
		{good + "{\"job.queue.name\":\"q\",\"job.tasks\":[\n{\"container.end.ms\":5}]}", "container.end.ms is 5 and container.start.ms -1 (-1 is none)", 1},
		{good + `{"job.queue.name":"q","job.tasks":[{"duration.ms":-1}]}`, "duration.ms is -1", 1},
		{good + `{"job.queue.name":"q","job.tasks":[{"duration.ms":99999999999999999999}]}`, "duration.ms is 99999999999999999999, want a whole number", 1},
		{good + `{"job.queue.name":"q","job.tasks":[{"duration.ms":1e6}]}`, "duration.ms is 1e6, want a whole number", 1},
		{good + `{"job.queue.name":"q","job.tasks":[{"duration.ms":99999999999999}]}`, "duration.ms is 99999999999999, want 1 to", 1},
		{good + `{"job.queue.name":"q","job.tasks":[{"duration.ms":1,"container.memory-mb":-5}]}`, "container.memory-mb is -5, want 0 to", 1},
		{good + `{"job.queue.name":"q","job.tasks":[{"duration.ms":1,"container.host":"/r/"}]}`, `container.host is "/r/"`, 1},
		{good + `{"job.queue.name":"q","job.tasks":[{"duration.ms":1,"container.execution.type":"MAYBE"}]}`, `container.execution.type is "MAYBE"`, 1},
		{good + `{"job.queue.name":"q","job.tasks":[{"count":2000000000,"duration.ms":1}]}`, "has 2000000000 tasks, want at most 2000000; --max-job-tasks allows more", 1},
		{good + `{"job.queue.name":"q","job.tasks":[7]}`, "want an object, found 7", 1},
		{good + job("late", `,"job.start.ms":-7`), `job.start.ms is "-7", want 0 to`, 1},
		{good + job("list", `,"job.start.ms":[99000]`), `job.start.ms is [99000], want text or a number`, 1},
		{good + job("yes", `,"job.end.ms":true`), `job.end.ms is true, want text or a number`, 1},
		{good + job("many", `,"job.count":1000000000`), `job.count is "1000000000"`, 1},
		{good + job("dots", `,"job.queue.name":"a..b"`), `application dots: queue is "root.a..b"`, 1},
		{good + `{"rack":"r","nodes":[{"node":"h","memory-mb":"much"}]}`, `memory-mb is "much"`, 1},
		{good + `{"nodes":[{"node":"h"}]}`, `rack is ""`, 1},
		{good + `{"rack":"r","nodes":[{"node":"h"},{"node":"h"}]}`, `node "h" of rack /r is there already`, 1},
		{good + `{"num.nodes":"0"}`, `num.nodes is "0", want 1 to 1000000`, 1},
		{`{"num_jobs":3,"workloads":[]}`, "0 workloads", 0},
		{`{"num_jobs":-3,"workloads":[]}`, `num_jobs is "-3"`, 0},
		{`{"num_jobs":3,"workloads":[{"job_classes":[]}]}`, "workloads[0]: 0 job_classes", 0},
		{synthText(`{"val":5,"std":-1}`), "workloads[0]: job_classes[0].tasks[0].count is val 5 with std -1", 0},
		{synthText(`{"val":0,"std":1}`), "count is val 0 with std 1", 0},
		{synthText(`{"val":5,"std":1,"dist":"WEIBULL"}`), `count has dist "WEIBULL", want NORM or LOGNORM`, 0},
		{synthText(`{"discrete":["x"]}`), "count has the value x, want a number", 0},
		{synthText(`{"val":-5}`), "workloads[0]: job_classes[0].tasks[0].count is val -5, want 0 or more", 0},
		{synthText(`{"discrete":[1,-1]}`), "count has the value -1, want a number of 0 or more", 0},
		{synthText(`{"val":"5"}`), "workloads: job_classes.tasks.count.val is a text, want a number", 0},
		{synthText(`{"discrete":[1,2],"weights":[0,0]}`), "weights add up to 0", 0},
		{synthText(`{}`), "count has 0 values", 0},
		{synthText(`null`), "count is missing", 0},
	})
}

// A second job of an id is another job, which gets a number.
func TestIDThereTwice(t *testing.T) {
	res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "in", job("a", "")+job("a", "")), nil)
	if err != nil || m.JobList[0].ExternalID != "a" || m.JobList[1].ExternalID != "a (2)" || res.Counts.Modelled["ids_of_applications_that_had_that_of_another"] != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	if _, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "in", job("a", "")+job("a", "")), func(o *workload.Options) { o.Strict = true }); err == nil || !strings.Contains(err.Error(), `application "a": the source has several of this id`) {
		t.Errorf("strict says %v", err)
	}
}

func TestComments(t *testing.T) {
	path := importtest.WriteNew(t, "in", "// jobs\n"+strings.Replace(job("a", ""), `"job.tasks"`, "/* all */ \"job.tasks\"", 1))
	if _, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Params = map[string]string{"json-comments": "true"} }); err != nil || len(m.JobList) != 1 {
		t.Errorf("%v", err)
	}
}

// What comes before the damage is kept under lenient.
func TestLenient(t *testing.T) {
	path := importtest.WriteNew(t, "in", job("a", "")+`{"job.tasks":[{`)
	res, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Lenient = true })
	if err != nil || len(m.JobList) != 1 || res.Counts.Dropped["rest_of_a_damaged_input"] != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

// Files of other data among those of the simulator are named, one by one and not object by object.
func TestFilesOfOtherData(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"jobs.json":   job("a", "") + `{"x":1}` + `{"y":1}`,
		"app.log":     strings.Repeat(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}`+"\n", 7),
		"others.json": `{"a":1}{"b":2}`,
	} {
		importtest.Write(t, filepath.Join(dir, name), text)
	}
	var warned []string
	res, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(warned, "\n")
	for _, want := range []string{
		"app.log: an event log of Spark (7 events), want jobs, nodes or workloads",
		"others.json: none of its 2 objects has job.tasks",
		"jobs.json: object 2, from line 2: has no job.tasks",
		"and 1 more left out: objects of another kind",
	} {
		if strings.Count(all, want) != 1 {
			t.Errorf("warned\n%s\nwant once %q", all, want)
		}
	}
	if n := res.Counts.Dropped["files_of_another_kind"]; n != 2 {
		t.Errorf("%d files of another kind, want 2", n)
	}
}

func synthText(count string) string {
	return `{"num_nodes":4,"nodes_per_rack":0,"num_jobs":2000,"rand_seed":3,"workloads":[{"workload_weight":1,"queue_name":"q","time_distribution":[{"time":10,"weight":1},{"time":30,"weight":3},{"time":110}],
"job_classes":[{"class_name":"c","class_weight":1,"type":"mapreduce","tasks":[{"type":"map","priority":20,"count":` + count + `,"time":{"val":50,"std":20},"max_memory":{"val":100},"max_vcores":{"val":2,"std":0}}]}]}]}`
}

// Drawn jobs have the distributions of the file, others for another seed and the same for the same.
func TestSynthDistributions(t *testing.T) {
	path := importtest.WriteNew(t, "in", synthText(`{"discrete":[1,5],"weights":[3,1]}`))
	jobsOf := func(seed uint64) []*trace.Job {
		_, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Seed = seed })
		if err != nil {
			t.Fatal(err)
		}
		if len(m.JobList) != 2000 || len(m.Nodes) != 4 || m.Nodes[3].Rack != "/rack3" || m.DurationSource != trace.DurationModelled {
			t.Fatalf("%d jobs, %+v", len(m.JobList), m.Meta)
		}
		return m.JobList
	}
	list := jobsOf(1)
	early, fives, sum, square, n := 0, 0, 0.0, 0.0, 0.0
	for _, j := range list {
		if j.SubmitMS < 20_000 { // the first bucket is from 10 s to 30 s; the trace begins at its first submission, which is near
			early++
		}
		s := &j.Stages[0]
		if s.Tasks.Len() == 5 {
			fives++
		}
		for _, ms := range s.Tasks.DurationMS {
			x := float64(ms) / 1000
			sum, square, n = sum+x, square+x*x, n+1
		}
		if s.TaskMemMiB != 1024 || s.TaskVCores != 2 {
			t.Fatalf("%+v", s)
		}
	}
	mean := sum / n
	sd := math.Sqrt(square/n - mean*mean)
	if within(float64(early)/2000, .25, .04) != nil || within(float64(fives)/2000, .25, .04) != nil || within(mean, 50, 1.5) != nil || within(sd, 20, 1.5) != nil {
		t.Errorf("%d of 2000 jobs come early, %d have five tasks, times have mean %.1f s and deviation %.1f s; want 500, 500, 50 and 20", early, fives, mean, sd)
	}
	same := func(a, b []*trace.Job) bool {
		return slices.EqualFunc(a, b, func(x, y *trace.Job) bool {
			return x.SubmitMS == y.SubmitMS && slices.Equal(x.Stages[0].Tasks.DurationMS, y.Stages[0].Tasks.DurationMS)
		})
	}
	if !same(list, jobsOf(1)) || same(list, jobsOf(2)) {
		t.Error("a seed does not decide the jobs")
	}
}

func within(x, want, by float64) error {
	if math.Abs(x-want) > by {
		return fmt.Errorf("%v, want %v", x, want)
	}
	return nil
}

func FuzzSLS(f *testing.F) {
	var seeds [][]byte
	for _, name := range []string{"jobs.json", "header.json", "synth.json", "cluster/nodes.json"} {
		seeds = append(seeds, importtest.Read(f, "../testdata/sls/"+name))
	}
	importtest.FuzzStdin(f, Format, seeds...)
}

// Durations are of containers, so the start of a process is in them and is not added again.
func TestTimesHaveTheStartOfProcesses(t *testing.T) {
	const maps = `,"job.tasks":[{"container.type":"map","duration.ms":10},{"container.type":"reduce","container.start.ms":5,"container.end.ms":25}]`
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "in", strings.Replace(job("a", ""), `,"job.tasks":[{"container.host":"/r/h","duration.ms":10}]`, maps, 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	j := m.JobList[0]
	if j.Kind != trace.KindMapReduce || len(j.Stages) != 2 {
		t.Fatalf("a job of kind %s with %d stages", j.Kind, len(j.Stages))
	}
	for i, want := range []int64{10, 20} {
		if s := &j.Stages[i].Tasks; !slices.Equal(s.SchedDelayMS, []int64{0}) || s.DurationMS[0] != want {
			t.Errorf("stage %d: %v ms before %v ms of work, want 0 before %d", i, s.SchedDelayMS, s.DurationMS, want)
		}
	}
}

// Times that may be seconds are told by a first one of January or February 1970, and by tasks none of which takes a second.
func TestTimesInSeconds(t *testing.T) {
	for _, c := range []struct {
		start, ms int64
		said      []bool // of the first time, of the longest task
	}{{0, 17_000, []bool{false, false}}, {0, 1000, []bool{false, false}}, {0, 999, []bool{false, true}}, {1_700_000_000, 60, []bool{true, true}}, {1_700_000_000_000, 60_000, []bool{false, false}}} {
		text := strings.NewReplacer(`"job.start.ms":5`, fmt.Sprintf(`"job.start.ms":%d`, c.start), `"duration.ms":10`, fmt.Sprintf(`"duration.ms":%d`, c.ms)).Replace(job("a", ""))
		var warned []string
		if _, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "in", text), func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } }); err != nil {
			t.Fatal(err)
		}
		all := strings.Join(warned, "\n")
		for i, part := range []string{"the first time is", "the longest task takes"} {
			if strings.Contains(all, part) != c.said[i] {
				t.Errorf("from %d ms on, %d ms each: warned %q", c.start, c.ms, all)
			}
		}
	}
}
