package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

func TestBlocks(t *testing.T) {
	path := writeLog(t, "app-1", logText)
	_, m, err := importTo(t, "spark-eventlog", path, func(o *Options) {
		o.Blocks, o.Nodes, o.Racks, o.Replication = "hdfs", 12, 4, 3
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.LocalitySource != trace.LocalityModelled || len(m.Nodes) != 13 || m.Nodes[12].Host != "h1" || m.Nodes[12].Present || m.Nodes[0].Host != "host01" {
		t.Errorf("source %s, nodes %+v", m.LocalitySource, m.Nodes)
	}
	for i := range 2 {
		p := m.JobList[0].Stages[0].Tasks.Prefs(i)
		if len(p) != 3 || m.Nodes[p[0]].RackID == m.Nodes[p[1]].RackID || m.Nodes[p[1]].RackID != m.Nodes[p[2]].RackID {
			t.Errorf("block %d is on %v", i, p)
		}
	}
	if s := m.JobList[0].Stages[1]; s.Tasks.PrefStart != nil {
		t.Errorf("a stage without input prefers %v", s.Tasks.Pref)
	}
	if n := m.Nodes[m.JobList[0].Stages[0].Tasks.RecordedNode[0]].Host; n != "h1" {
		t.Errorf("the recorded node is %s", n)
	}
	_, m, err = importTo(t, "spark-eventlog", path, func(o *Options) { o.Blocks = "none" })
	if err != nil {
		t.Fatal(err)
	}
	if m.LocalitySource != trace.LocalityNone || m.JobList[0].Stages[0].Tasks.PrefStart != nil {
		t.Errorf("source %s, preferences %v", m.LocalitySource, m.JobList[0].Stages[0].Tasks.Pref)
	}
}

func TestObserve(t *testing.T) {
	c := newCluster()
	for i := range 9 {
		c.add(fmt.Sprint("h", i), fmt.Sprint("/rack", i%3), 1, 1, true)
	}
	p := preferences{mode: "observed", seed: 1, cluster: c, replication: 3, counts: newCounts()}
	s := &trace.Stage{Tasks: trace.Tasks{
		DurationMS: make([]int64, 5), RecordedNode: []int32{4, 4, 4, 4, trace.Unset},
		RecordedLocality: []string{"NODE_LOCAL", "RACK_LOCAL", "ANY", "PROCESS_LOCAL", ""},
	}}
	got := p.observe(s, "app")
	if len(got[0]) != 3 || got[0][0] != 4 || slices.Contains(got[0][1:], 4) {
		t.Errorf("NODE_LOCAL on 4 gives %v", got[0])
	}
	slices.Sort(got[1])
	if !slices.Equal(got[1], []int32{1, 7}) {
		t.Errorf("RACK_LOCAL on 4 of rack {1, 4, 7} gives %v", got[1])
	}
	if len(got[2]) != 3 || slices.ContainsFunc(got[2], func(n int32) bool { return n%3 == 1 }) {
		t.Errorf("ANY on 4 gives %v", got[2])
	}
	if len(got[3])+len(got[4]) > 0 {
		t.Errorf("PROCESS_LOCAL and unknown give %v, %v", got[3], got[4])
	}
	if again := p.observe(s, "app"); fmt.Sprint(again[0], again[2]) != fmt.Sprint(got[0], got[2]) {
		t.Errorf("the second answer is %v, the first %v", again, got)
	}
}

func TestArrivals(t *testing.T) {
	dir := t.TempDir()
	for i, at := range []string{"5000", "1000", "3000"} {
		text := strings.NewReplacer(`"app-1"`, fmt.Sprintf(`"app-%d"`, i), `"Timestamp":1000`, `"Timestamp":`+at).Replace(logText)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("app-", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, arrivals string
		copies         int
		want           string
	}{
		{"as recorded", "recorded", 1, "app-1@0 app-2@2000 app-0@4000"},
		{"copies come with the recorded", "recorded", 2, "app-1@0 app-1#1@0 app-2@2000 app-2#1@2000 app-0@4000 app-0#1@4000"},
		{"copies follow at fixed gaps", "fixed:10s", 2, "app-1@0 app-2@10000 app-0@20000 app-1#1@30000 app-2#1@40000 app-0#1@50000"},
		{"random gaps, pinned", "poisson:10s", 1, "app-1@0 app-2@5017 app-0@14956"},
	} {
		res, m, err := importTo(t, "spark-eventlog", dir, func(o *Options) { o.Arrivals, o.Copies = tt.arrivals, tt.copies })
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, j := range m.JobList {
			got = append(got, fmt.Sprintf("%s@%d", j.ExternalID, j.SubmitMS))
			if j.RecordedFinishMS < j.SubmitMS {
				t.Errorf("%s: %s finished at %d, before it came", tt.name, j.ExternalID, j.RecordedFinishMS)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, strings.Join(got, " "), tt.want)
		}
		if int(res.Counts.Modelled["copies"]) != 3*(tt.copies-1) {
			t.Errorf("%s: %v", tt.name, res.Counts.Modelled)
		}
	}
}

func TestAttempts(t *testing.T) {
	dir := t.TempDir()
	for _, attempt := range []string{"2", "10"} {
		text := strings.NewReplacer(`"User":"u"`, `"User":"u`+attempt+`","App Attempt ID":"`+attempt+`"`).Replace(logText)
		if err := os.WriteFile(filepath.Join(dir, "app-1_"+attempt), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res, m, err := importTo(t, "spark-eventlog", dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.JobList) != 1 || m.Users[m.JobList[0].User].Name != "u10" || res.Counts.Dropped["earlier_attempts_of_an_application"] != 1 {
		t.Errorf("%d jobs, users %v, dropped %v", len(m.JobList), m.Users, res.Counts.Dropped)
	}
}

func TestQueues(t *testing.T) {
	rule := func(s string) QueueRule {
		r, err := ParseQueueRule(s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	o := Options{QueueMap: []QueueRule{rule("^etl=etl.nightly"), rule("a=b=root.x")}}
	for _, tt := range []struct{ name, recorded, want string }{
		{"etl-1", "prod", "root.etl.nightly"},
		{"some a=b", "prod", "root.x"},
		{"other", "prod", "root.prod"},
		{"other", "root.prod.deep", "root.prod.deep"},
		{"other", "", "root.default"},
	} {
		if got := o.queueOf(tt.name, tt.recorded); got != tt.want {
			t.Errorf("queue of %s (%s) is %s, want %s", tt.name, tt.recorded, got, tt.want)
		}
	}
	queues, id := queueTable(map[string]bool{"root.a.b": true, "root.c": true})
	var got []string
	for _, q := range queues {
		got = append(got, fmt.Sprint(q.ID, q.Path, q.Parent))
	}
	if want := []string{"0root-1", "1root.a0", "2root.a.b1", "3root.c0"}; !slices.Equal(got, want) || id["root.c"] != 3 {
		t.Errorf("queues are %v, want %v", got, want)
	}
	for _, bad := range []string{"x", "x=", "(=q"} {
		if _, err := ParseQueueRule(bad); err == nil {
			t.Errorf("rule %q is taken", bad)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, tt := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Blocks = "some" }, `blocks is "some"`},
		{func(o *Options) { o.Arrivals = "poisson" }, `arrivals is "poisson"`},
		{func(o *Options) { o.Arrivals = "poisson:-3s" }, `arrivals is "poisson:-3s"`},
		{func(o *Options) { o.Copies = 0 }, "copies is 0"},
		{func(o *Options) { o.Nodes = 4 }, "observed hosts are the recorded ones"},
		{func(o *Options) { o.Racks = 0 }, "racks is 0"},
		{func(o *Options) { o.Replication = 0 }, "replication is 0"},
		{func(o *Options) { o.Lenient, o.Strict = true, true }, "exclude each other"},
	} {
		opt := DefaultOptions()
		tt.change(&opt)
		if err := opt.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error is %v, want %q", err, tt.want)
		}
	}
	if _, err := Import(context.Background(), "csv", nil, DefaultOptions()); err == nil || !strings.Contains(err.Error(), `unknown format "csv" (known: spark-eventlog, spark-on-yarn)`) {
		t.Errorf("error is %v", err)
	}
	if _, err := Import(context.Background(), "spark-eventlog", []string{sampleLog + ".zstd"}, DefaultOptions()); err == nil || !strings.Contains(err.Error(), "no output") {
		t.Errorf("error without output is %v", err)
	}
	for name := range Importers {
		opt := DefaultOptions()
		opt.Out = filepath.Join(t.TempDir(), "out")
		if _, err := Import(context.Background(), name, nil, opt); err == nil {
			t.Errorf("%s takes no input", name)
		}
	}
}

// The same input and seed give the same bytes, in every file.
func TestSameBytes(t *testing.T) {
	for _, tt := range []struct {
		format, input string
		change        func(*Options)
	}{
		{"spark-eventlog", sampleLog + ".lzf", func(o *Options) { o.Blocks, o.Nodes, o.Copies, o.Arrivals = "hdfs", 7, 3, "poisson:5s" }},
		{"spark-on-yarn", "testdata/locality-wait-0s", func(*Options) {}},
	} {
		var first map[string]string
		for range 3 {
			opt := DefaultOptions()
			opt.Out = filepath.Join(t.TempDir(), "trace")
			tt.change(&opt)
			if _, err := Import(context.Background(), tt.format, []string{tt.input}, opt); err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			entries, err := os.ReadDir(opt.Out)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				files[e.Name()] = string(mustRead(t, filepath.Join(opt.Out, e.Name())))
			}
			if first == nil {
				first = files
			}
			for name, data := range first {
				if files[name] != data {
					t.Errorf("%s: %s differs from the first time", tt.format, name)
				}
			}
		}
	}
}

func TestSparkConf(t *testing.T) {
	c := func(kv ...string) *sparkConf {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return &sparkConf{set: m}
	}
	for _, tt := range []struct {
		name string
		conf *sparkConf
		want shape
	}{
		{"4g: a tenth, truncated", c("spark.executor.memory", "4g"), shape{4096 + 409, 1}},
		{"1g: the least overhead", c(), shape{1024 + 384, 1}},
		{"overhead given", c("spark.executor.memory", "480m", "spark.executor.memoryOverhead", "1568", "spark.executor.cores", "2"), shape{2048, 2}},
		{"factor", c("spark.executor.memory", "10000", "spark.executor.memoryOverheadFactor", "0.4"), shape{14000, 1}},
		{"off heap", c("spark.memory.offHeap.enabled", "true", "spark.memory.offHeap.size", "1g"), shape{1024 + 384 + 1024, 1}},
		{"python memory counts for python only", c("spark.executor.pyspark.memory", "1g"), shape{1024 + 384, 1}},
		{"python", c("spark.executor.pyspark.memory", "1g", "spark.yarn.isPython", "true"), shape{1024 + 384 + 1024, 1}},
	} {
		if got := tt.conf.executorShape(nil); got != tt.want || tt.conf.err != nil {
			t.Errorf("%s: %+v (%v), want %+v", tt.name, got, tt.conf.err, tt.want)
		}
	}
	p := &resourceProfile{cores: 3, memMiB: 4096, overheadMiB: absent, pysparkMiB: absent, offHeapMiB: absent}
	if got := c("spark.executor.memory", "2g").executorShape(p); got != (shape{4096 + 384, 3}) {
		t.Errorf("a profile with more memory has %+v, want the overhead of the default profile", got)
	}
	if got := c("spark.submit.deployMode", "cluster", "spark.driver.memory", "8g", "spark.driver.cores", "4").amShape(); got != (shape{8192 + 819, 4}) {
		t.Errorf("a driver in the cluster has %+v", got)
	}
	if got := c().amShape(); got != (shape{512 + 384, 1}) {
		t.Errorf("a launcher of executors has %+v", got)
	}
	yarn := c("spark.master", "yarn", "spark.executor.instances", "4")
	for _, tt := range []struct {
		added []int64
		want  int64
	}{{[]int64{5, 6, 7, 800, 900}, 800}, {[]int64{5}, 30100}, {[]int64{1, 2, 3, 4}, 100}} { // 0.8 x 4 executors, or 30 s
		if got := yarn.gate(100, tt.added); got != tt.want {
			t.Errorf("executors at %v open the gate at %d, want %d", tt.added, got, tt.want)
		}
	}
	for _, bad := range []*sparkConf{
		c("spark.executor.memory", "1.5g"), c("spark.executor.cores", "-1"), c("spark.executor.memory", "9999999999999999p"),
		c("spark.memory.offHeap.enabled", "maybe"), c("spark.executor.memoryOverheadFactor", "NaN"),
	} {
		if bad.executorShape(nil); bad.err == nil || !strings.HasPrefix(bad.err.Error(), "spark property spark.") {
			t.Errorf("%v gives the error %v", bad.set, bad.err)
		}
	}
}
