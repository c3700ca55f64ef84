package portrait

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"replay/trace"
)

// Every cell starts where the one before ends, and the quantiles are close to those of the sorted numbers.
func TestQuantiles(t *testing.T) {
	for c := range 5000 {
		if start := cellStart(c); cellOf(start) != c || start > 0 && cellOf(start-1) != c-1 {
			t.Fatalf("cell %d starts at %d, which is in cell %d, the one before in %d", c, start, cellOf(start), cellOf(start-1))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, rapid.SampledFrom([]int64{10, 600, 1 << 40}).Draw(rt, "range")), 1, 300).Draw(rt, "values")
		var c counter
		for _, v := range values {
			c.add(v)
		}
		slices.Sort(values)
		q := c.quantiles()
		if q.Min != values[0] || q.Max != values[len(values)-1] || q.Count != int64(len(values)) {
			rt.Fatalf("%+v of %v", q, values)
		}
		for _, p := range []struct {
			per100 int
			got    int64
		}{{5, q.P05}, {50, q.P50}, {99, q.P99}} {
			want := values[(len(values)*p.per100+99)/100-1]
			if p.got > want || float64(p.got) < float64(want)*0.996 || want < 512 && p.got != want {
				rt.Errorf("p%d is %d, want %d", p.per100, p.got, want)
			}
		}
	})
}

// portraitOf writes a trace and describes it.
func portraitOf(t *testing.T, m *trace.MemoryTrace) *Portrait {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "t")
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	p, err := Of(t.Context(), tr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cluster is a trace of fifty nodes without a job.
func cluster() *trace.MemoryTrace {
	m := &trace.MemoryTrace{Meta: trace.Meta{
		OriginUnixMS: trace.Unset, LocalitySource: trace.LocalityModelled, DurationSource: trace.DurationModelled,
		Queues: []trace.Queue{trace.NewQueue(0, "root.default")}, Users: []trace.User{trace.NewUser(0, "u")},
	}}
	for i := range 50 {
		m.Nodes = append(m.Nodes, trace.Node{ID: int32(i), Host: fmt.Sprint("h", i), RackID: int32(i % 5), Rack: fmt.Sprint("/r", i%5), MemMiB: 1 << 16, VCores: 16, Present: true})
	}
	return m
}

// job is one of stages with the given parents, of one task of 100 ms each.
func job(id, submitMS int64, parents ...[]int32) *trace.Job {
	j := trace.NewJob(trace.KindGeneric)
	j.ID, j.SubmitMS, j.AMMemMiB, j.AMVCores, j.TailMS = id, submitMS, 1, 1, 0
	for i, ps := range parents {
		s := trace.NewStage(int32(i), trace.StageInput, ps...)
		s.TaskVCores, s.TaskMemMiB = 2, 1000
		s.Tasks = trace.NewTasks(1)
		s.Tasks.DurationMS[0] = 100
		j.Stages = append(j.Stages, s)
	}
	return j
}

func TestPortrait(t *testing.T) {
	m := cluster()
	first := job(0, 0, nil, nil)
	first.Stages[0].Tasks = trace.Tasks{DurationMS: []int64{100, 300}, InputBytes: []int64{1, 2}, PrefStart: []int32{0, 0, 1}, Pref: []int32{4}}
	first.Stages[1].Tasks = trace.Tasks{DurationMS: []int64{50}, InputBytes: []int64{0}, VCores: []int32{3}, Retries: []int32{2}}
	spark := *first
	spark.ID, spark.SubmitMS, spark.Kind, spark.ExecMemMiB, spark.ExecVCores, spark.TaskCPUs = 1, 1000, trace.KindSpark, 4096, 4, 1
	m.JobList = []*trace.Job{first, &spark}
	p := portraitOf(t, m)
	generic := trace.Work{VCoreMS: 400*2 + 50*3, MemMiBMS: 450 * 1000}
	sparks := trace.Work{VCoreMS: 450, MemMiBMS: 450 * 1024}
	if w := trace.WorkOf(first); !reflect.DeepEqual(w, generic) {
		t.Errorf("work of the generic job %v, want %v", w, generic)
	}
	if w := trace.WorkOf(&spark); !reflect.DeepEqual(w, sparks) {
		t.Errorf("work of the spark job %v, want %v", w, sparks)
	}
	if want := (generic.VCoreMS + sparks.VCoreMS) / (1000 * 50 * 16); *p.Load.VCores != want {
		t.Errorf("load %v, want %v", *p.Load.VCores, want)
	}
	if p.Counts != (trace.Counts{Jobs: 2, Stages: 4, Tasks: 6, Nodes: 50}) || p.PreferTasks != 2 || p.Retries != 4 || p.InputBytes != 6 || p.Users != 1 {
		t.Errorf("%+v", p)
	}
	if p.DurationMS.P50 != 100 || p.DurationMS.Max != 300 || p.GapMS.P50 != 1000 || p.Queues[0].Jobs != 2 || p.Held != nil {
		t.Errorf("%+v", p)
	}
	if l := p.Locality; l.PrefsPerTask.Mean != 1 || l.TopNodes != 1 {
		t.Errorf("%+v", l)
	}
	var out bytes.Buffer
	if err := p.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2, 4, 6 over 1s", "1 generic, 1 spark", "50 nodes in 5 racks, 800 vcores", "from     256ms", "█"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("text has no %q:\n%s", want, out.String())
		}
	}
}

func TestShapes(t *testing.T) {
	m := cluster()
	for i, parents := range [][][]int32{
		{nil},                   // single
		{nil, {0}, {1}},         // chain
		{nil, nil, {0, 1}},      // tree
		{nil, nil},              // two trees
		{nil, {0}, {0}, {1, 2}}, // diamond
	} {
		m.JobList = append(m.JobList, job(int64(i), int64(i), parents...))
	}
	s := portraitOf(t, m).Shapes
	if s.Single != 1 || s.Chains != 1 || s.Trees != 2 || s.Others != 1 {
		t.Errorf("%+v", s)
	}
	if s.Depth.Max != 3 || s.Depth.Min != 1 || s.Width.Max != 2 || fmt.Sprint(s.Stages) != "[{1 1} {2 1} {3 2} {4 1}]" || fmt.Sprint(s.Depths) != "[{1 2} {2 1} {3 2}]" {
		t.Errorf("%+v", s)
	}
}

func TestArrivals(t *testing.T) {
	m := cluster()
	m.OriginUnixMS = 3_600_000 * 5
	for i := range 48 {
		m.JobList = append(m.JobList, job(int64(i), int64(i/2)*3_600_000*2, nil))
	}
	a := portraitOf(t, m).Arrivals
	if a.ByHour[5] != 4 || a.ByHour[6] != 0 || a.Together != 24.0/47 || a.PerHour != 48.0/46 {
		t.Errorf("%+v", a)
	}
}

// Nodes that are gone take no work; executors are held as long as they live, also without a task.
func TestClusterOverTime(t *testing.T) {
	m := cluster()
	m.JobList = []*trace.Job{job(0, 0, nil), job(1, 6000, nil)}
	first := m.JobList[0]
	first.Kind, first.ExecMemMiB, first.ExecVCores, first.TaskCPUs, first.RecordedFinishMS = trace.KindSpark, 4096, 4, 1, 4000
	m.Events = []trace.NodeEvent{trace.NewNodeEvent(1000, 3, trace.Fail), trace.NewNodeEvent(3000, 3, trace.Recover), trace.NewNodeEvent(5000, 7, trace.Drain)}
	for i := range m.Events {
		m.Events[i].Seq = int32(i)
	}
	m.ExecutorList = []trace.Executor{
		{Job: 0, ID: 1, VCores: 4, MemMiB: 4096, AddedMS: 1000, RemovedMS: 3000},
		{Job: 0, ID: 2, VCores: 4, MemMiB: 4096, AddedMS: 2000, RemovedMS: trace.Unset},
	}
	p := portraitOf(t, m)
	at := func(ms int64) Slot {
		s := p.Timeline[0]
		for _, next := range p.Timeline {
			if next.StartMS <= ms {
				s = next
			}
		}
		return s
	}
	for ms, want := range map[int64]int64{500: 50, 2000: 49, 4000: 50, 5990: 49} {
		if s := at(ms); s.Nodes != want || s.VCores != want*16 {
			t.Errorf("at %d ms: %+v, want %d nodes", ms, s, want)
		}
	}
	h := p.Held
	if h == nil || h.Work.VCoreMS != 4*(2000+2000) || h.Jobs != 1 || h.Open != 0 || h.Tasks != 100.0/16000 {
		t.Fatalf("%+v", h)
	}
	if want := (16000 + 200.0) / (6000 * 800); *h.Load.VCores != want {
		t.Errorf("load %v, want %v", *h.Load.VCores, want)
	}
	sum := 0.0
	for _, s := range p.Timeline {
		sum += s.Held.VCoreMS
	}
	if sum != h.Work.VCoreMS {
		t.Errorf("over time %v, want %v", sum, h.Work.VCoreMS)
	}
}

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{0: "0s", 512: "512ms", 2048: "2.048s", 131_072: "2m11s", 5_172_919_980: "59.9 days", 310_375_198_794: "9.8 years"} {
		if got := duration(ms); got != want {
			t.Errorf("%d ms are %s, want %s", ms, got, want)
		}
	}
}

// Of jobs that are all submitted at once there is no offered load, which is said as it is; where there is a span and no cluster it is unknown.
func TestLoadOfOneInstant(t *testing.T) {
	for span, want := range map[int64]string{
		0:    "none, as all is submitted at once: it is the work over the time until the last submission\n",
		1000: "an unknown share of the vcores, an unknown share of the memory\n",
	} {
		var b strings.Builder
		p := &Portrait{SpanMS: span}
		if err := p.WriteText(&b); err != nil || !strings.Contains(b.String(), "\noffered load         "+want) {
			t.Errorf("over %d ms: %v, no %q in\n%s", span, err, want, b.String())
		}
	}
}
