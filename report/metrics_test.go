package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/record"
)

const none = record.None

// byHand gives records small enough to compute every metric on paper: three jobs in two queues
// on a cluster of 10,000 MiB and 10 vcores, over 10 s.
func byHand(sink record.Sink) record.Manifest {
	task := func(job int64, i int32, ready, launch, finish int64, level record.TaskLevel, more func(*record.Task)) {
		t := record.Task{Job: job, Index: i, Container: 2, Ready: ready, Launch: launch, Finish: finish, Level: level, End: record.TaskSuccess, DurationMS: finish - launch}
		if more != nil {
			more(&t)
		}
		sink.Task(&t)
	}
	task(0, 0, 2600, 2600, 3600, record.TaskNodeLocal, func(t *record.Task) { t.Preferring, t.Preferred, t.DurationMS, t.OverheadMS = true, true, 900, 100 })
	task(0, 1, 2600, 2700, 3700, record.ProcessLocal, func(t *record.Task) { t.Preferring, t.Preferred = true, true })
	task(0, 2, 2600, 2800, 3800, record.NoPref, func(t *record.Task) { t.End = record.TaskFailed })
	task(0, 2, 3800, 3900, 4900, record.AnyLevel, func(t *record.Task) {
		t.Preferring, t.Miss, t.DurationMS, t.PenaltyMS = true, record.NoExecutor, 900, 100
	})
	task(0, 3, 4900, 4900, 5900, record.NoPref, nil)
	for i := range int64(12) {
		task(1, int32(i), 3000, 3000+10*i, 3400+10*i, record.NoPref, nil)
	}
	container := func(c record.Container) { sink.Container(&c) }
	container(record.Container{Job: 0, Number: 1, AM: true, Queue: "root.a", MemMiB: 1000, VCores: 1, Allocated: 300, Started: 400, Registered: 1000, Ended: 6000, End: record.EndCompleted})
	container(record.Container{Job: 0, Number: 2, Queue: "root.a", MemMiB: 2000, VCores: 2, Match: record.OnHost, Hinting: true, Hinted: true, Asked: 1000, Allocated: 1500, Started: 1800, Registered: 2500, Ended: 6000, End: record.EndReleased, BusyMS: 3000})
	container(record.Container{Job: 0, Number: 3, Queue: "root.a", MemMiB: 2000, VCores: 2, Match: record.Elsewhere, Miss: record.HostBusy, Hinting: true, Asked: 1000, Allocated: 2000, Started: none, Registered: none, Ended: 2500, End: record.EndUnused})
	container(record.Container{Job: 1, Number: 1, AM: true, Queue: "root.b", MemMiB: 1000, VCores: 1, Allocated: 1000, Started: 1200, Registered: 2000, Ended: 9000, End: record.EndCompleted})
	container(record.Container{Job: 1, Number: 2, Queue: "root.b", MemMiB: 4000, VCores: 1, Match: record.OnRack, Miss: record.DelayOver, Asked: 2200, Allocated: 2400, Started: 2500, Registered: 3000, Ended: 9000, End: record.EndReleased, BusyMS: 5000})
	container(record.Container{Job: 1, Number: 3, Queue: "root.b", MemMiB: 4000, VCores: 1, Asked: 2200, Allocated: 3200, Started: 3300, Registered: 4000, Ended: 9000, End: record.EndReleased})
	sink.Job(&record.Job{
		ID: 0, Name: "first", Queue: "root.a", Outcome: record.JobSucceeded, Submit: 0, AMScheduled: 100, AMAllocated: 300, AMRegistered: 1000,
		FirstAsked: 1000, FirstAllocated: 1500, FirstRegistered: 2500, FirstTask: 2600, Finish: 6000, Tasks: 4, TasksSucceeded: 4, Attempts: 5,
		TaskLevels: [5]int64{1, 1, 1, 0, 1}, TasksPreferring: 3, TasksPreferred: 2, Containers: 2, ContainersPreferring: 2, ContainersPreferred: 1, ContainersHinting: 2, ContainersHinted: 1,
		TaskMS: 4000, WastedTaskMS: 1000, CriticalPathMS: 2000, RecordedMS: none,
	})
	sink.Job(&record.Job{
		ID: 1, Name: "second", Queue: "root.b", Outcome: record.JobSucceeded, Submit: 1000, AMScheduled: 1000, AMAllocated: 1000, AMRegistered: 2000,
		FirstAsked: 2200, FirstAllocated: 2400, FirstRegistered: 3000, FirstTask: 3000, Finish: 9000, Tasks: 12, TasksSucceeded: 12, Attempts: 12,
		TaskLevels: [5]int64{0, 0, 12, 0, 0}, Containers: 2, ContainersPreferring: 1, ContainersRackPreferred: 1,
		TaskMS: 4800, CriticalPathMS: 500, RecordedMS: none,
	})
	sink.Job(&record.Job{
		ID: 2, Name: "third", Queue: "root.b", Outcome: record.JobUnfinished, Reason: "the replay ended", Submit: 2000, AMScheduled: none, AMAllocated: none,
		AMRegistered: none, FirstAsked: none, FirstAllocated: none, FirstRegistered: none, FirstTask: none, Finish: none, Tasks: 5, RecordedMS: none,
	})
	sample := func(s record.Sample) { sink.Sample(&s) }
	both := func(at, mem, vcores int64) {
		sample(record.Sample{Time: at, UsedMem: mem, UsedVCores: vcores, CapacityMem: 10_000, CapacityVCores: 10, Nodes: 2, FairMem: 10_000, SteadyMem: 10_000})
		sample(record.Sample{Time: at, Queue: "root", UsedMem: mem, UsedVCores: vcores, DemandMem: 20_000, FairMem: 10_000, SteadyMem: 10_000, PendingMem: 5000})
	}
	both(0, 4000, 6)
	sample(record.Sample{Time: 0, Queue: "root.a", UsedMem: 3000, UsedVCores: 2, DemandMem: 6000, FairMem: 5000, SteadyMem: 5000, PendingMem: 3000})
	sample(record.Sample{Time: 0, Queue: "root.b", UsedMem: 1000, UsedVCores: 4, DemandMem: 1000, FairMem: 5000, SteadyMem: 5000})
	both(5000, 6000, 9)
	sample(record.Sample{Time: 5000, Queue: "root.a", UsedMem: 2000, UsedVCores: 1, DemandMem: 5000, FairMem: 5000, SteadyMem: 5000, PendingMem: 3000})
	sample(record.Sample{Time: 5000, Queue: "root.b", UsedMem: 4000, UsedVCores: 8, DemandMem: 8000, FairMem: 5000, SteadyMem: 5000, PendingMem: 4000})
	return record.Manifest{Format: Format, FormatVersion: FormatVersion, TraceName: "by hand", Totals: record.Totals{
		Jobs: 3, JobsSucceeded: 2, JobsUnfinished: 1, Tasks: 21, TasksSucceeded: 16, TaskAttempts: 17, ContainersAllocated: 6, ContainersEnded: 6, EndMS: 10_000,
	}}
}

func resultOf(t testing.TB, feed func(record.Sink) record.Manifest) *Result {
	t.Helper()
	c := newCollector()
	d, err := c.finish(feed(c), true)
	if err != nil {
		t.Fatal(err)
	}
	return newResult(d)
}

func TestMetricsByHand(t *testing.T) {
	r := resultOf(t, byHand)
	for name, want := range map[string]float64{
		"locality_containers_hinted_share":                  1. / 2,
		"locality_containers_host_share":                    1. / 3,
		"locality_containers_rack_share":                    1. / 3,
		"locality_containers_elsewhere_share":               1. / 3,
		"locality_containers_preferring_share":              3. / 4,
		"locality_containers_host_share[queue=root.a]":      1. / 2,
		"locality_containers_host_share[queue=root.b]":      0,
		"locality_containers_host_share[size=1-10]":         1. / 2,
		"locality_containers_host_share[size=11-100]":       0,
		"locality_containers_miss_count":                    2,
		"locality_containers_miss_share[reason=host-busy]":  1. / 2,
		"locality_containers_miss_share[reason=delay-over]": 1. / 2,
		"locality_tasks_host_share":                         2. / 3,
		"locality_tasks_process_share":                      1. / 16,
		"locality_tasks_node_share":                         1. / 16,
		"locality_tasks_no_pref_share":                      13. / 16,
		"locality_tasks_rack_share":                         0,
		"locality_tasks_any_share":                          1. / 16,
		"locality_tasks_miss_share[reason=no-executor]":     1,
		"wait_job_first_task_mean_ms":                       2300,
		"wait_job_first_task_p50_ms":                        2300,
		"wait_job_first_task_p90_ms":                        2540,
		"wait_job_first_task_max_ms":                        2600,
		"wait_job_first_task_mean_ms[queue=root.b]":         2000,
		"wait_job_am_start_mean_ms":                         1000,
		"wait_job_part_queue_mean_ms":                       50,
		"wait_job_part_am_allocation_mean_ms":               100,
		"wait_job_part_am_start_mean_ms":                    850,
		"wait_job_part_ask_mean_ms":                         100,
		"wait_job_part_allocation_mean_ms":                  350,
		"wait_job_part_executor_start_mean_ms":              800,
		"wait_job_part_first_launch_mean_ms":                50,
		"wait_container_allocation_mean_ms":                 675,
		"wait_container_allocation_p50_ms":                  750,
		"wait_container_allocation_mean_ms[queue=root.b]":   600,
		"wait_container_start_mean_ms":                      500. / 3,
		"wait_container_ready_mean_ms":                      800,
		"wait_task_launch_mean_ms":                          1060. / 17,
		"wait_task_launch_max_ms":                           200,
		"duration_job_mean_ms":                              7000,
		"slowdown_mean":                                     5.5,
		"slowdown_p95":                                      7.75,
		"makespan_ms":                                       9000,
		"makespan_jobs_unfinished_count":                    1,
		"throughput_jobs_per_hour":                          800,
		"throughput_tasks_per_hour":                         6400,
		"throughput_task_hours_per_hour":                    8800. / 9000,
		"utilization_dominant_allocated_share":              .75,
		"utilization_memory_allocated_share":                .733,
		"utilization_vcores_allocated_share":                .361,
		"utilization_vcores_busy_share":                     .08,
		"utilization_vcores_busy_of_allocated_share":        8000. / 22400,
		"utilization_memory_busy_share":                     .23,
		"utilization_nodes_mean":                            2,
		"fairness_jain":                                     (2.56/2.72 + .9) / 2,
		"fairness_jain_dominant":                            4 / 5.44,
		"fairness_shortfall_share":                          6. / 16,
		"fairness_below_time_share":                         .75,
		"fairness_received_ratio[queue=root.b]":             5. / 6,
		"queue_contended_dominant_share[queue=root.a]":      .2,
		"queue_contended_dominant_share[queue=root.b]":      .8,
		"queue_contended_vcores_share[queue=root.a]":        .1,
		"queue_memory_share[queue=root.a]":                  .25,
		"queue_vcores_share[queue=root.b]":                  .6,
		"queue_pending_time_share[queue=root.b]":            .5,
		"waste_task_time_share":                             1000. / 9800,
		"waste_containers_unused_count":                     1,
		"waste_memory_unused_share":                         1 / 73.3,
		"waste_tasks_failed_count":                          1,
		"modelled_task_time_share":                          200. / 8800,
		"modelled_penalty_share":                            100. / 8800,
	} {
		v, ok := r.Value(name)
		if !ok || v.Absent != "" || math.Abs(v.Number-want) > 1e-9*max(1, math.Abs(want)) {
			t.Errorf("%s is %v (there: %v, absent: %q), want %v", name, v.Number, ok, v.Absent, want)
		}
	}
	if _, ok := r.Value("queue_memory_share[queue=root]"); ok {
		t.Error("root has a share of its own, but is no leaf queue")
	}
}

// feeds are results that every property must hold for.
var feeds = map[string]func(record.Sink) record.Manifest{
	"nothing": func(record.Sink) record.Manifest {
		return record.Manifest{Format: Format, FormatVersion: FormatVersion}
	},
	"one job":    madeUp{seed: 1, jobs: 1, nodes: 1, waitMS: 100, queues: []string{"root.q"}}.feed,
	"unfinished": madeUp{seed: 1, jobs: 5, nodes: 2, waitMS: 100, queues: []string{"root.q", "root.r"}, lostJobs: 5}.feed,
	"by hand":    byHand,
	"usual":      usual.feed,
	"no shares": func(s record.Sink) record.Manifest {
		s.Sample(&record.Sample{Queue: "root.a", FairMem: none, FairVCores: none, SteadyMem: none, SteadyVCores: none, PendingMem: 1})
		s.Sample(&record.Sample{Queue: "root.b", FairMem: none, FairVCores: none, SteadyMem: none, SteadyVCores: none, PendingMem: 1})
		return record.Manifest{Format: Format, FormatVersion: FormatVersion, Totals: record.Totals{EndMS: 1000}}
	},
}

func TestEveryValueIsANumberOrHasAReason(t *testing.T) {
	for name, feed := range feeds {
		r := resultOf(t, feed)
		for _, v := range r.Values {
			if bad := math.IsNaN(v.Number) || math.IsInf(v.Number, 0); bad != (v.Absent != "") {
				t.Errorf("%s: %s is %v with reason %q", name, v.Name, v.Number, v.Absent)
			}
			if v.About == "" || v.Unit == "" {
				t.Errorf("%s: %s has no definition or unit", name, v.Name)
			}
			if v.Unit == "share" && (v.Number < 0 || v.Number > 1.0000001) && !strings.HasPrefix(v.Name, "queue_") && !strings.HasPrefix(v.Name, "utilization_") {
				t.Errorf("%s: %s is a share of %v", name, v.Name, v.Number)
			}
		}
		var flat map[string]any
		if err := json.Unmarshal(r.SummaryJSON(), &flat); err != nil {
			t.Fatalf("%s: summary.json: %v", name, err)
		}
		for _, v := range r.Values {
			if _, isNumber := flat[v.Name].(float64); isNumber != (v.Absent == "") {
				t.Errorf("%s: summary.json has %v for %s", name, flat[v.Name], v.Name)
			}
		}
		var text bytes.Buffer
		r.WriteText(&text, true)
		page, err := r.page(r.pictures())
		if err != nil {
			t.Fatal(err)
		}
		for what, b := range map[string][]byte{"summary.txt": text.Bytes(), "report.html": page, "summary.json": r.SummaryJSON()} {
			if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
				t.Errorf("%s: %s shows NaN or Inf", name, what)
			}
		}
	}
}

func TestPartsSumToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := Job{Job: record.Job{Submit: rapid.Int64Range(0, 1000).Draw(t, "submit")}}
		now := j.Submit
		for _, step := range []*int64{&j.AMScheduled, &j.AMAllocated, &j.AMRegistered, &j.FirstAsked, &j.FirstAllocated, &j.FirstRegistered} {
			if *step = none; rapid.Bool().Draw(t, "happened") {
				now += rapid.Int64Range(0, 5000).Draw(t, "took")
				*step = now
			}
		}
		j.FirstTask = now + rapid.Int64Range(0, 5000).Draw(t, "took")
		wait, _ := j.wait()
		var got int64
		for _, p := range j.parts() {
			if p < 0 {
				t.Fatalf("part of %d ms in %v", p, j.parts())
			}
			got += p
		}
		if got != wait {
			t.Fatalf("parts %v sum to %d, the wait is %d", j.parts(), got, wait)
		}
	})
}

func TestLevelsSumToOne(t *testing.T) {
	for name, feed := range feeds {
		r := resultOf(t, feed)
		for _, family := range [][]string{
			{"locality_containers_host_share", "locality_containers_rack_share", "locality_containers_elsewhere_share"},
			{"locality_tasks_process_share", "locality_tasks_node_share", "locality_tasks_no_pref_share", "locality_tasks_rack_share", "locality_tasks_any_share"},
		} {
			sum := 0.0
			for _, n := range family {
				v, ok := r.Value(n)
				if !ok {
					t.Fatalf("no value %s", n)
				}
				sum += v.Number
			}
			if !math.IsNaN(sum) && math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: %v sum to %v", name, family, sum)
			}
		}
	}
}

// A value that says how it follows from jobs must follow from them: otherwise the intervals
// over jobs would be about something else.
func TestPerJobGivesTheValue(t *testing.T) {
	for name, feed := range feeds {
		r := resultOf(t, feed)
		n := len(r.Jobs)
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = 1
		}
		checked := 0
		for _, v := range r.Values {
			if v.PerJob == nil {
				continue
			}
			checked++
			got := newSample(v.PerJob, r.Jobs, func(id int64) int { return int(id) }, n).at(weight)
			if got != v.Number && math.Abs(got-v.Number) > 1e-9*math.Abs(v.Number) && !(math.IsNaN(got) && v.Absent != "") {
				t.Errorf("%s: %s is %v, from jobs %v", name, v.Name, v.Number, got)
			}
		}
		if checked < 30 {
			t.Errorf("%s: only %d values follow from jobs", name, checked)
		}
	}
}

func TestRecordsThatContradictEachOther(t *testing.T) {
	tests := []struct {
		name   string
		break_ func(*record.Manifest, *brokenSink)
		want   string
	}{
		{"a container too many for its job", func(_ *record.Manifest, s *brokenSink) { s.job = func(j *record.Job) { j.Containers++ } }, "job 0: containers"},
		{"a hit too many", func(_ *record.Manifest, s *brokenSink) { s.job = func(j *record.Job) { j.ContainersPreferred++ } }, "on a preferred host"},
		{"a task level", func(_ *record.Manifest, s *brokenSink) { s.job = func(j *record.Job) { j.TaskLevels[4]++ } }, "tasks at ANY"},
		{"steps out of order", func(_ *record.Manifest, s *brokenSink) { s.job = func(j *record.Job) { j.AMRegistered = 5 } }, "AM registered at 5 ms is before"},
		{"totals of tasks", func(m *record.Manifest, _ *brokenSink) { m.Totals.TasksSucceeded++ }, "tasks succeeded: records say 16, totals 17"},
		{"totals of containers", func(m *record.Manifest, _ *brokenSink) { m.Totals.ContainersEnded-- }, "containers ended and running"},
		{"totals of attempts", func(m *record.Manifest, _ *brokenSink) { m.Totals.TaskAttempts = 3 }, "task attempts: records say 17, totals 3"},
		{"a container of no job", func(_ *record.Manifest, s *brokenSink) {
			s.Container(&record.Container{Job: 77, AM: true, Allocated: 1, Ended: 2})
		}, "job 77 has containers or tasks"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &brokenSink{collector: newCollector()}
			var m record.Manifest
			tt.break_(&m, s)
			m = byHand(s)
			tt.break_(&m, &brokenSink{collector: newCollector()})
			_, err := s.finish(m, true)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// brokenSink changes the first job on its way.
type brokenSink struct {
	*collector
	job func(*record.Job)
}

func (s *brokenSink) Job(j *record.Job) {
	if s.job != nil && j.ID == 0 {
		s.job(j)
	}
	s.collector.Job(j)
}

func TestEveryMetricIsDocumented(t *testing.T) {
	b, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	for _, m := range Metrics {
		if !strings.Contains(doc, "\n## "+m.Title+"\n") {
			t.Errorf("docs/metrics.md has no section %q", m.Title)
		}
	}
	for name, feed := range feeds {
		for _, v := range resultOf(t, feed).Values {
			base, _, _ := strings.Cut(v.Name, "[")
			for _, s := range statistics {
				for _, suffix := range []string{"", "_ms"} {
					if cut, ok := strings.CutSuffix(base, "_"+s.name+suffix); ok {
						base = cut + "_*" + suffix
					}
				}
			}
			if !strings.Contains(doc, "`"+base+"`") && !strings.Contains(doc, "`"+strings.Split(v.Name, "[")[0]+"`") {
				t.Errorf("%s: docs/metrics.md does not define %s (looked for %q)", name, v.Name, base)
			}
		}
	}
}
