package metric

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/reporttest"
)

func TestMetricsByHand(t *testing.T) {
	r := Of(reporttest.DataOf(t, reporttest.ByHand))
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
		"wait_job_first_task_mean_ms":                       4200, // 2000 and 2600, and 8000 so far
		"wait_job_first_task_p50_ms":                        2600,
		"wait_job_first_task_mean_ms[queue=root.b]":         5000,
		"wait_job_first_task_p90_ms[queue=root.a]":          2600,
		"wait_job_first_task_max_ms[queue=root.a]":          2600,
		"wait_job_am_start_mean_ms":                         1000 + 7000./3,
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
		"duration_job_mean_ms":                              6000 + 4000./3,
		"duration_job_mean_ms[queue=root.a]":                6000,
		"slowdown_mean":                                     3 + 10./3,
		"slowdown_p95[size=11-100]":                         8,
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

// Parts of the wait are parts of the wait of jobs that had a first task, which is not the mean where others still wait.
func TestWhatJobsWaitedFor(t *testing.T) {
	const want = "Jobs waited at least 4.20 s on average for their first task (3 jobs, 1 of them still waiting); the 2 that had one waited 2.30 s, 37 % of it for AM start."
	if news := Of(reporttest.DataOf(t, reporttest.ByHand)).News(); !slices.Contains(news, want) {
		t.Errorf("news is %q, want among it %q", news, want)
	}
}

// How often the cluster is sampled does not move what containers held of it: nodes that come and go between samples count for as long as they are there.
func TestUtilizationOfNodesBetweenSamples(t *testing.T) {
	for _, first := range []int64{0, 1000, 9000} {
		r := Of(reporttest.DataOf(t, func(s record.Sink) record.Manifest {
			s.Container(&record.Container{Job: 0, Number: 1, AM: true, MemMiB: 100, VCores: 1, Allocated: 0, Started: 0, Registered: 0, Ended: 10_000, End: record.EndCompleted})
			s.Container(&record.Container{Job: 0, Number: 2, MemMiB: 400, VCores: 3, Allocated: 0, Started: 0, Registered: 0, Ended: 5000, End: record.EndReleased, BusyMS: 10_000})
			done := func() {
				s.Job(&record.Job{Outcome: record.JobSucceeded, Queue: "root.a", AMRegistered: 0, FirstTask: record.None, Finish: 10_000, Containers: 1, RecordedMS: record.None})
			}
			if first == 0 { // its record may come at any time after its begin
				done()
			} else {
				defer done()
			}
			s.Node(&record.Node{Time: 0, Node: 0, MemMiB: 900, VCores: 4, Registered: true})
			s.Node(&record.Node{Time: 100, Node: 1, MemMiB: 250, VCores: 2, Registered: true})
			s.Node(&record.Node{Time: 2100, Node: 1, MemMiB: 500, VCores: 6, Registered: true})
			s.Node(&record.Node{Time: 3100, Node: 1, MemMiB: 500, VCores: 6})
			s.Node(&record.Node{Time: 20_000, Node: 2, MemMiB: 1, VCores: 1, Registered: true})
			s.Sample(&record.Sample{Time: first, CapacityMem: 900, CapacityVCores: 4, Nodes: 1})
			return record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion, Totals: record.Totals{EndMS: 10_000, Jobs: 1, JobsSucceeded: 1, ContainersAllocated: 2, ContainersEnded: 2}}
		}))
		for name, want := range map[string]float64{"utilization_memory_allocated_share": .3, "utilization_vcores_allocated_share": .5, "utilization_vcores_busy_share": .2} {
			if v, _ := r.Value(name); math.Abs(v.Number-want) > 1e-9 {
				t.Errorf("first sample at %d ms: %s is %v, want %v", first, name, v.Number, want)
			}
		}
	}
}

func TestEveryValueIsANumberOrHasAReason(t *testing.T) {
	for name, feed := range reporttest.Feeds {
		r := Of(reporttest.DataOf(t, feed))
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
		if err := json.Unmarshal(r.JSON(), &flat); err != nil {
			t.Fatalf("%s: summary.json: %v", name, err)
		}
		for _, v := range r.Values {
			if _, isNumber := flat[v.Name].(float64); isNumber != (v.Absent == "") {
				t.Errorf("%s: summary.json has %v for %s", name, flat[v.Name], v.Name)
			}
		}
		var text bytes.Buffer
		r.WriteText(&text, true)
		for what, b := range map[string][]byte{"summary.txt": text.Bytes(), "summary.json": r.JSON()} {
			if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
				t.Errorf("%s: %s shows NaN or Inf", name, what)
			}
		}
	}
}

func TestLevelsSumToOne(t *testing.T) {
	for name, feed := range reporttest.Feeds {
		r := Of(reporttest.DataOf(t, feed))
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

func TestEveryMetricIsDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	for _, m := range Metrics {
		if !strings.Contains(doc, "\n## "+m.Title+"\n") {
			t.Errorf("docs/metrics.md has no section %q", m.Title)
		}
	}
	for name, feed := range reporttest.Feeds {
		for _, v := range Of(reporttest.DataOf(t, feed)).Values {
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

// Each metric has a golden file of its own, so that a new one changes no other.
func TestMetricsGolden(t *testing.T) {
	d := reporttest.DataOf(t, reporttest.ByHand)
	var names []string
	for _, m := range Metrics {
		var b bytes.Buffer
		for _, v := range m.Values(d) {
			fmt.Fprintf(&b, "%s = %s of %d\n  %v %s, better: %s, family: %s %q %q\n  %s\n",
				v.Name, v.Text(), v.N, v.Number, v.Unit, quantity.OrDash(v.Better.String()), quantity.OrDash(string(v.Family)), v.Plain, v.Short, v.About)
		}
		reporttest.Golden(t, m.Name+".values", b.Bytes())
		names = append(names, m.Name)
	}
	reporttest.Goldens(t, names, ".values")
}

// The forms of a summary, with a few metrics that have absent values, parts, headline values and counts.
func TestSummaryGolden(t *testing.T) {
	s := of(reporttest.DataOf(t, reporttest.ByHand), []Metric{localityTasks, makespan, fairness})
	var all, headline bytes.Buffer
	s.WriteText(&all, true)
	s.WriteText(&headline, false)
	reporttest.Golden(t, "summary.txt", all.Bytes())
	reporttest.Golden(t, "headline.txt", headline.Bytes())
	reporttest.Golden(t, "summary.json", s.JSON())
}

// A share is told with what it is over, and one over next to nothing is no headline.
func TestSharesAreOfSomething(t *testing.T) {
	for _, tt := range []struct {
		n, whole int64
		text     string
		thin     bool
	}{{1, 173, "100.00 % of 1 of 173 containers", true}, {9, 173, "100.00 % of 9 of 173 containers", false}, {173, 173, "100.00 % of 173 containers", false}, {1, 0, "100.00 % of 1 container", false}} {
		v := value("x_share", quantity.Share, quantity.Higher, 1, tt.n, "", "a share")
		v.Things, v.Whole = "containers", tt.whole
		v.headline("a share", "share")
		if v.Text() != tt.text || v.Thin() != tt.thin {
			t.Errorf("%d of %d: %q, thin %v; want %q, %v", tt.n, tt.whole, v.Text(), v.Thin(), tt.text, tt.thin)
		}
		s := Summary{Values: []Value{v}}
		if said, others := s.Headline(); len(said) == 1 == tt.thin || len(others) == 1 != tt.thin {
			t.Errorf("%d of %d: headline %v, left out %q", tt.n, tt.whole, said, others)
		}
	}
}

func TestTextOfAnAbsentValue(t *testing.T) {
	absent := value("x_ms", quantity.MS, quantity.Lower, math.NaN(), 0, "nobody waited", "a wait")
	if got := absent.Text(); got != "- (nobody waited)" {
		t.Errorf("absent value is %q", got)
	}
}

// A percentile of fewer things than it leaves one beyond says so.
func TestPercentileOfFew(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int64
		want string
	}{{"wait_job_p95_ms", 19, "of so few, p95 is about the largest"}, {"wait_job_p95_ms", 20, ""}, {"wait_job_mean_ms", 3, ""}, {"wait_job_p95_ms", 0, ""}} {
		v := Value{N: tt.n}
		v.Name = tt.name
		if got := v.Few(); got != tt.want {
			t.Errorf("%s of %d: %q, want %q", tt.name, tt.n, got, tt.want)
		}
	}
}

// A metric is added by one file and one line.
func TestEachMetricIsAFileAndALine(t *testing.T) {
	names := reporttest.Table(t, "Metric", "Metrics", "")
	reporttest.Listed(t, "metric", names, len(Metrics), func(i int) string { return Metrics[i].Name })
	reporttest.Documented(t, "a metric", "metric/<name>.go")
}

// The end of a name says the unit, and what a comparison tells in words and draws has words and a label.
func TestQuantitiesAreDescribed(t *testing.T) {
	for feed, give := range reporttest.Feeds {
		words := map[string]string{}
		for _, v := range Of(reporttest.DataOf(t, give)).Values {
			name, _, _ := strings.Cut(v.Name, "[")
			for end, unit := range map[string]quantity.Unit{"_ms": quantity.MS, "_share": quantity.Share, "_count": quantity.Count} {
				if strings.HasSuffix(name, end) != (v.Unit == unit) {
					t.Errorf("%s: %s is in %s", feed, v.Name, v.Unit)
				}
			}
			if told := v.Plain != "" && v.Short != ""; told != (v.Family != "") {
				t.Errorf("%s: %s of family %q is %q in words and %q in short", feed, v.Name, v.Family, v.Plain, v.Short)
			}
			if v.Family == "" {
				continue
			}
			for _, text := range []string{v.Plain, v.Short} {
				if other := words[text]; other != "" && other != v.Name {
					t.Errorf("%s: %s and %s are both called %q", feed, other, v.Name, text)
				}
				words[text] = v.Name
			}
		}
	}
}

// docs/metrics.md says the same as the metrics of which side is better, and of what is tested together.
func TestDocumentedDirectionsAndHeadline(t *testing.T) {
	b, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)`.*\\| *(higher|lower|) *\\|$").FindAllStringSubmatch(string(b), -1) {
		documented[row[1]] = row[2]
	}
	_, real, _ := strings.Cut(string(b), "*headline* metrics: ")
	real, _, _ = strings.Cut(real, ";")
	headline := map[string]bool{}
	for _, name := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(real, -1) {
		headline[name[1]] = true
	}
	checked := map[string]bool{}
	for _, v := range Of(reporttest.DataOf(t, reporttest.ByHand)).Values {
		name, _, _ := strings.Cut(v.Name, "[")
		if want, ok := documented[name]; ok {
			checked[name] = true
			if v.Better.String() != want {
				t.Errorf("of %s %q is better, docs/metrics.md says %q", v.Name, v.Better, want)
			}
		}
		if in := v.Family == quantity.Headline; in != headline[v.Name] {
			t.Errorf("%s is headline: %v; docs/metrics.md says %v", v.Name, in, headline[v.Name])
		}
		delete(headline, v.Name)
	}
	if len(checked) < 30 || len(headline) > 0 {
		t.Errorf("%d directions were found in docs/metrics.md, and %v, which are no values", len(checked), headline)
	}
}

// Where times of jobs go on, the summary says so, and that those of containers and tasks are of what was over.
func TestSummarySaysWhatIsOpen(t *testing.T) {
	var b strings.Builder
	Of(reporttest.DataOf(t, reporttest.MadeUp{Seed: 1, Jobs: 50, Nodes: 2, WaitMS: 100, Queues: []string{"root.q"}, LostJobs: 5}.Feed)).WriteText(&b, false)
	if want := "count with at least the time so far (Kaplan and Meier); waits of containers and tasks are those that were over."; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// When the replay stopped is no wait and no duration: where none is over there is no mean, and where some are it is a least one.
func TestNoMeanOfWhatNeverEnds(t *testing.T) {
	waiting := func(s record.Sink) record.Manifest {
		for i := range int64(3) {
			s.Job(&record.Job{ID: i, Submit: 100 * i, Outcome: record.JobUnfinished, Queue: "root.a", AMScheduled: record.None, AMAllocated: record.None, FirstAsked: record.None, FirstAllocated: record.None, FirstRegistered: record.None, AMRegistered: record.None, FirstTask: record.None, Finish: record.None, RecordedMS: record.None})
		}
		return record.Manifest{Totals: record.Totals{Jobs: 3, JobsUnfinished: 3, EndMS: 5000}}
	}
	r := Of(reporttest.DataOf(t, waiting))
	for _, name := range []string{"wait_job_first_task_mean_ms", "duration_job_mean_ms", "slowdown_mean"} {
		v, ok := r.Value(name)
		if !ok || !strings.HasPrefix(v.Absent, "3 of 3 jobs are ") || v.Open != 3 {
			t.Errorf("%s is %v (there: %v, absent: %q, %d open), want none, as none of 3 is over", name, v.Number, ok, v.Absent, v.Open)
		}
	}
	if news := strings.Join(r.News(), " "); strings.Contains(news, "on average") {
		t.Errorf("news is %q, want no mean", news)
	}
}

// Jobs that never finish are beyond all that do, however long they were there: what finishes later is no better. Of those that an end cuts off nobody knows it.
func TestWhatNeverFinishesIsBeyond(t *testing.T) {
	slowdown := func(finish, until int64) float64 {
		r := Of(reporttest.DataOf(t, func(s record.Sink) record.Manifest {
			for id, criticalMS := range []int64{10_000, 10_000, 200_000, 10_000} {
				j := record.Job{ID: int64(id), Outcome: record.JobUnfinished, Queue: "root.a", AMScheduled: record.None, AMAllocated: record.None, FirstAsked: record.None, FirstAllocated: record.None,
					FirstRegistered: record.None, AMRegistered: record.None, FirstTask: record.None, Finish: record.None, CriticalPathMS: criticalMS, RecordedMS: record.None}
				if id < 2 {
					j.Outcome, j.AMScheduled, j.AMAllocated, j.AMRegistered, j.FirstTask, j.Finish = record.JobSucceeded, 0, 0, 0, 0, finish
				}
				s.Job(&j)
			}
			return record.Manifest{Until: until, Totals: record.Totals{Jobs: 4, JobsSucceeded: 2, JobsUnfinished: 2, EndMS: 400_000}}
		}))
		v, ok := r.Value("slowdown_mean")
		if !ok || v.Absent != "" {
			t.Fatalf("no slowdown: %q", v.Absent)
		}
		return v.Number
	}
	if early, late := slowdown(15_000, 0), slowdown(30_000, 0); early != 1.5+.5*(40-1.5) || late != 3+.5*(40-3) {
		t.Errorf("two of four finish, slowed down 1.5 times or 3 times, and two never: means of %v and %v up to 40, want 20.75 and 21.5", early, late)
	}
	if cut := slowdown(30_000, 400_000); math.Abs(cut-(3+(40-3)/3.)) > 1e-9 {
		t.Errorf("two of four are cut off, one of them before the others finish: a mean of %v up to 40, want %v as by Kaplan and Meier", cut, 3+(40-3)/3.)
	}
}

// A replay whose jobs can never finish has ended when nothing more happened: samples after that, until it was found out, do not count.
func TestSamplesAfterTheEnd(t *testing.T) {
	for _, wait := range []int64{1, 30, 3600} {
		r := Of(reporttest.DataOf(t, func(s record.Sink) record.Manifest {
			s.Job(&record.Job{Outcome: record.JobUnfinished, Reason: "no room", Queue: "root.a", AMScheduled: record.None, AMAllocated: record.None, AMRegistered: record.None,
				FirstAsked: record.None, FirstAllocated: record.None, FirstRegistered: record.None, FirstTask: record.None, Finish: record.None, RecordedMS: record.None})
			s.Node(&record.Node{MemMiB: 1000, VCores: 5, Registered: true})
			for i := range wait + 5 {
				used := int64(500)
				if i >= 5 {
					used = 0
				}
				s.Sample(&record.Sample{Time: i * 1000, UsedMem: used, CapacityMem: 1000, CapacityVCores: 5, Nodes: 1})
				s.Sample(&record.Sample{Time: i * 1000, Queue: "root.a", UsedMem: used, PendingMem: 100 * (min(i, 7) % 2), DemandMem: 1000, FairMem: 900 + min(i, 7)})
			}
			return record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion, Totals: record.Totals{EndMS: 4500, Jobs: 1, JobsUnfinished: 1}}
		}))
		for name, want := range map[string]float64{"utilization_dominant_allocated_share": .5, "queue_memory_share[queue=root.a]": .5, "queue_pending_time_share[queue=root.a]": 2. / 4.5} {
			if v, _ := r.Value(name); !(math.Abs(v.Number-want) < 1e-9) {
				t.Errorf("%d samples after the end: %s is %v, want %v", wait, name, v.Number, want)
			}
		}
	}
}

// Metrics go through the jobs together, and each takes the same of them as alone. What became of the jobs is counted by the way; who asks gets a copy.
func TestMetricsAloneAndTogether(t *testing.T) {
	d := reporttest.DataOf(t, reporttest.ByHand)
	all := Of(d)
	for i, m := range Metrics {
		if diff := cmp.Diff(m.Values(d), all.Groups[i].Values, cmpopts.IgnoreFields(Value{}, "PerJob"), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s alone (-) and among all metrics (+): %s", m.Name, diff)
		}
	}
	want := OutcomeOf(d)
	if len(want.Reasons) == 0 {
		t.Fatal("no job fails, so nothing is shown of reasons")
	}
	o := all.Outcome()
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("what became of the jobs, counted alone (-) and among all metrics (+): %s", diff)
	}
	o.Reasons[0].Of = "elsewhere"
	if again := all.Outcome(); again.Reasons[0].Of != "" {
		t.Errorf("a reason of one caller is another's: %q", again.Reasons[0].Of)
	}
}
