package trace

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
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

func TestSummarize(t *testing.T) {
	m := bigTrace(0)
	job := *bigTrace(1).JobList[0]
	stage := job.Stages[0]
	stage.ID, stage.TaskVCores, stage.TaskMemMiB = 0, 2, 1000
	stage.Tasks = Tasks{DurationMS: []int64{100, 300}, InputBytes: []int64{1, 2}, PrefStart: []int32{0, 0, 1}, Pref: []int32{4}}
	second := stage
	second.ID = 1
	second.Tasks = Tasks{DurationMS: []int64{50}, InputBytes: []int64{0}, VCores: []int32{3}, Retries: []int32{2}}
	job.Stages = []Stage{stage, second}
	spark := job
	spark.ID, spark.SubmitMS, spark.Kind, spark.ExecMemMiB, spark.ExecVCores, spark.TaskCPUs = 1, 1000, KindSpark, 4096, 4, 1
	m.JobList = []*Job{&job, &spark}
	dir := filepath.Join(t.TempDir(), "t")
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	in, err := Summarize(t.Context(), tr)
	if err != nil {
		t.Fatal(err)
	}
	generic := Work{VCoreMS: 400*2 + 50*3, MemMiBMS: 450 * 1000}
	sparks := Work{VCoreMS: 450, MemMiBMS: 450 * 1024}
	if w := WorkOf(&job); w != generic {
		t.Errorf("work of the generic job %v, want %v", w, generic)
	}
	if w := WorkOf(&spark); w != sparks {
		t.Errorf("work of the spark job %v, want %v", w, sparks)
	}
	if want := (generic.VCoreMS + sparks.VCoreMS) / (1000 * 50 * 16); *in.Load.VCores != want {
		t.Errorf("load %v, want %v", *in.Load.VCores, want)
	}
	if in.Counts != (Counts{Jobs: 2, Stages: 4, Tasks: 6, Nodes: 50}) || in.PreferTasks != 2 || in.Retries != 4 || in.InputBytes != 6 || in.Users != 1 {
		t.Errorf("%+v", in)
	}
	if in.DurationMS.P50 != 100 || in.DurationMS.Max != 300 || in.GapMS.P50 != 1000 || in.Queues[0].Jobs != 2 {
		t.Errorf("%+v", in)
	}
	var out bytes.Buffer
	if err := in.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2, 4, 6 over 1s", "1 generic, 1 spark", "50 nodes in 5 racks, 800 vcores", "from     256ms", "█"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("text has no %q:\n%s", want, out.String())
		}
	}
}

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0 %", 0.000005: "0.0005 %", 0.0000123: "0.001 %", 0.0004: "0.04 %", 0.000499: "0.05 %", 0.0005: "0.1 %", 0.25: "25.0 %", 1e-12: "0.0000000001 %"} {
		if got := Percent(&v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
	if got := Percent(nil); got != "an unknown share" {
		t.Error(got)
	}
}
