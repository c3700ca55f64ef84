package verify

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// tolerance is by how much a metric may differ from the one computed here: distributions of more than half a million times are
// kept in buckets, which docs/metrics.md puts at 0.05 %.
const tolerance = 0.001

// checkSummary computes metrics of summary.json again, each from its definition in docs/metrics.md.
func (v *verifier) checkSummary() error {
	const file = "summary.json"
	var all map[string]json.RawMessage
	if err := v.readJSON(file, &all); err != nil {
		return err
	}
	absent := map[string]string{}
	if raw, ok := all["absent"]; ok {
		if err := json.Unmarshal(raw, &absent); err != nil {
			return err
		}
	}
	numbers := v.check("summary.json: every value is a number, or null with a reason", file)
	values := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "outcome" || name == "over" || name == "absent" {
			continue
		}
		text := string(all[name])
		if text == "null" {
			numbers.that(absent[name] != "", none, name, text, "a reason under absent")
			values[name] = math.NaN()
			continue
		}
		var x float64
		err := json.Unmarshal(all[name], &x)
		numbers.that(err == nil && !math.IsInf(x, 0) && !notANumber(text), none, name, text, "a finite number")
		values[name] = x
	}
	c := v.check("summary.json: metrics computed again from the tables", file)
	again, err := v.metrics()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(again)) {
		want := again[name]
		got, ok := values[name]
		same := ok && (math.IsNaN(want) && math.IsNaN(got) || math.Abs(got-want) <= tolerance*max(math.Abs(want), 1e-9) || math.Abs(got-want) < 1e-9)
		c.that(same, none, name, got, "%v, computed from the tables", want)
	}
	v.checkOutcome(all["outcome"])
	return nil
}

func (v *verifier) checkOutcome(raw json.RawMessage) {
	c := v.check("summary.json: outcome", "summary.json")
	var o struct {
		Jobs, Succeeded, Failed, Refused, Unfinished int64
		NotSubmitted                                 int64 `json:"not_submitted"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		c.that(false, none, "outcome", string(raw), "an object of counts")
		return
	}
	var jobs, succeeded, failed, refused, unfinished int64
	for _, j := range v.jobList {
		jobs++
		switch {
		case j.Outcome == "success":
			succeeded++
		case j.Outcome == "unfinished":
			unfinished++
		case j.AMAllocated == nil:
			refused++
		default:
			failed++
		}
	}
	for _, x := range []struct {
		name      string
		got, want int64
	}{{"jobs - not_submitted", o.Jobs - o.NotSubmitted, jobs}, {"succeeded", o.Succeeded, succeeded}, {"failed", o.Failed, failed}, {"refused", o.Refused, refused}, {"unfinished", o.Unfinished, unfinished}} {
		c.equal(x.got, x.want, none, "outcome."+x.name, "the rows of jobs.parquet")
	}
}

// jobTotals are sums over jobs, and the times of those that ended or are open at the end.
type jobTotals struct {
	waits, durations, slowdowns             []float64
	openWaits, openDurations, openSlowdowns []float64 // so far, of jobs that still wait or run
	first, last                             float64   // submission, and end; infinite where there is none
	succeeded, succeededTasks               float64

	useful, wasted, running, finishedUseful                  float64 // task time, ms
	containers, preferring, preferred, rack, hinting, hinted float64 // containers
	levels                                                   [5]float64
	tasksPreferring, tasksPreferred                          float64
}

// add takes in a job of a replay that ended at a time.
func (t *jobTotals) add(j *job, end int64) {
	t.first = min(t.first, float64(j.Submit))
	if j.FirstTask != nil {
		t.waits = append(t.waits, float64(*j.FirstTask-j.Submit))
	}
	if j.Finish != nil {
		t.last = max(t.last, float64(*j.Finish))
		t.finishedUseful += float64(j.UsefulMS)
		t.succeededTasks += float64(j.TasksSucceeded)
	}
	slowed := func(ms float64) float64 { return max(ms, 1000) / float64(max(j.CriticalPathMS, 1000)) }
	if j.Outcome == "success" && j.Finish != nil {
		t.succeeded++
		d := float64(*j.Finish - j.Submit)
		t.durations, t.slowdowns = append(t.durations, d), append(t.slowdowns, slowed(d))
	}
	if j.Outcome == "unfinished" {
		soFar := max(float64(end-j.Submit), 0)
		t.openDurations, t.openSlowdowns = append(t.openDurations, soFar), append(t.openSlowdowns, slowed(soFar))
		if j.FirstTask == nil {
			t.openWaits = append(t.openWaits, soFar)
		}
	}
	t.useful, t.wasted, t.running = t.useful+float64(j.UsefulMS), t.wasted+float64(j.WastedMS), t.running+float64(j.RunningMS)
	t.containers += float64(j.Containers)
	t.preferring, t.preferred, t.rack = t.preferring+float64(j.Preferring), t.preferred+float64(j.Preferred), t.rack+float64(j.RackPreferred)
	t.hinting, t.hinted = t.hinting+float64(j.Hinting), t.hinted+float64(j.Hinted)
	for i, n := range []int64{j.ProcessLocal, j.NodeLocal, j.NoPref, j.RackLocal, j.Any} {
		t.levels[i] += float64(n)
	}
	t.tasksPreferring, t.tasksPreferred = t.tasksPreferring+float64(j.TasksPreferring), t.tasksPreferred+float64(j.TasksPreferred)
}

// metrics computes metrics by name; NaN where there is nothing to compute one from.
func (v *verifier) metrics() (map[string]float64, error) {
	t := &jobTotals{first: math.Inf(1), last: math.Inf(-1)}
	for _, j := range v.jobList {
		t.add(j, v.manifest.Totals.EndMS)
	}
	out, endless := metricValues{}, v.manifest.Until == 0
	failed := errors.Join(
		out.ofJobs("wait_job_first_task", "_ms", t.waits, t.openWaits, endless),
		out.ofJobs("duration_job", "_ms", t.durations, t.openDurations, endless),
		out.ofJobs("slowdown", "", t.slowdowns, t.openSlowdowns, endless))
	if len(v.heldBack) > 0 {
		failed = errors.Join(failed, out.ofJobs("wait_job_held", "_ms", v.heldBack, nil, endless))
		for _, ms := range v.heldBack {
			if ms > 0 {
				out["wait_job_held_count"]++
			}
		}
	}
	out.of("wait_container_allocation", "_ms", v.sums.asks)
	if v.hasTasks {
		out.of("wait_task_launch", "_ms", v.sums.launches)
		out.of("run_task", "_ms", v.sums.runs)
	}
	for name, x := range v.quotients(t) {
		out[name] = math.NaN()
		if x[1] != 0 {
			out[name] = x[0] / x[1]
		}
	}
	for _, end := range []string{"unused", "preempted", "node-lost", "failed", "expired"} {
		out["waste_containers_"+strings.ReplaceAll(end, "-", "_")+"_count"] = float64(v.sums.ends[end])
	}
	return out, failed
}

// metricValues are metrics by name.
type metricValues map[string]float64

// of puts in the statistics of a distribution.
func (out metricValues) of(name, suffix string, d *distribution) {
	out[name+"_mean"+suffix] = d.mean()
	for i, x := range d.quantiles(.5, .9, .95, .99, 1) {
		out[name+"_"+[]string{"p50", "p90", "p95", "p99", "max"}[i]+suffix] = x
	}
}

// ofJobs puts in the statistics of times of jobs, of which some are open, and with endless will never end.
func (out metricValues) ofJobs(name, suffix string, ended, open []float64, endless bool) error {
	if len(open) == 0 {
		d := distributionOf(ended)
		out.of(name, suffix, d)
		return d.Close()
	}
	longer := curveOf(ended, open, endless)
	if len(ended) > 0 {
		out[name+"_mean"+suffix] = longer.area()
	}
	for _, p := range []float64{.5, .9, .95, .99} {
		out[fmt.Sprintf("%s_p%.0f%s", name, 100*p, suffix)] = longer.quantile(p)
	}
	out[name+"_max"+suffix] = math.NaN()
	return nil
}

// quotients are the metrics that are one number over another, or a number over 1.
func (v *verifier) quotients(t *jobTotals) map[string][2]float64 {
	makespan := t.last - t.first
	if math.IsInf(makespan, 0) {
		makespan = math.NaN()
	}
	hours := makespan / 3600_000
	c, l := &v.cluster, &t.levels
	levelSum := l[0] + l[1] + l[2] + l[3] + l[4]
	out := map[string][2]float64{
		"makespan_ms":                                {makespan, 1},
		"makespan_jobs_succeeded_count":              {t.succeeded, 1},
		"throughput_jobs_per_hour":                   {t.succeeded, hours},
		"throughput_tasks_per_hour":                  {t.succeededTasks, hours},
		"throughput_task_hours_per_hour":             {t.finishedUseful / 3600_000, hours},
		"locality_containers_host_share":             {t.preferred, t.preferring},
		"locality_containers_rack_share":             {t.rack, t.preferring},
		"locality_containers_hinted_share":           {t.hinted, t.hinting},
		"locality_containers_preferring_share":       {t.preferring, t.containers},
		"locality_tasks_host_share":                  {t.tasksPreferred, t.tasksPreferring},
		"locality_tasks_process_share":               {l[0], levelSum},
		"locality_tasks_node_share":                  {l[1], levelSum},
		"locality_tasks_no_pref_share":               {l[2], levelSum},
		"locality_tasks_rack_share":                  {l[3], levelSum},
		"locality_tasks_any_share":                   {l[4], levelSum},
		"utilization_memory_allocated_share":         {v.sums.mem, c.memMS},
		"utilization_vcores_allocated_share":         {v.sums.vcores, c.vcoreMS},
		"utilization_dominant_allocated_share":       {c.dominantMS, c.ms},
		"utilization_vcores_busy_share":              {v.sums.busy, c.vcoreMS},
		"utilization_vcores_busy_of_allocated_share": {v.sums.busy, v.sums.executors},
		"utilization_nodes_mean":                     {c.nodeMS, c.ms},
		"waste_task_time_share":                      {t.wasted, t.useful + t.wasted + t.running},
	}
	v.queues.quotients(out)
	if v.seldomSampled(out) {
		for name := range out {
			if name == "utilization_dominant_allocated_share" || strings.HasPrefix(name, "queue_") || strings.HasPrefix(name, "fairness_") {
				out[name] = [2]float64{}
			}
		}
	}
	return out
}

// seldomSampled reports whether less than a tenth of the cluster was allocated, and samples saw less than half of that, or more than twice as much: means of samples are
// not known then.
func (v *verifier) seldomSampled(of map[string][2]float64) bool {
	share := func(name string) float64 { return of[name][0] / of[name][1] }
	mem, vcores := share("utilization_memory_allocated_share"), share("utilization_vcores_allocated_share")
	sampled := share("utilization_dominant_allocated_share")
	most := max(mem, vcores)
	return most > 0 && most < 0.1 && (sampled < most/2 || sampled > 2*(mem+vcores))
}

// A curve is Kaplan and Meier's of what lasts longer: after each time, of those that ended or are open, the part of all that lasts longer. What is
// open has lasted at least so long, and counts as there when something ends at that time; where no end was asked for, it never ends and lasts longer than all.
type curve []struct{ at, longer float64 }

func curveOf(ended, open []float64, endless bool) curve {
	type seen struct {
		at   float64
		open int
	}
	var all []seen
	for _, x := range ended {
		all = append(all, seen{x, 0})
	}
	for _, x := range open {
		all = append(all, seen{x, 1})
	}
	slices.SortFunc(all, func(a, b seen) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.open, b.open)) })
	out, longer, left := make(curve, len(all)), 1.0, len(all)
	for i, s := range all {
		if s.open == 0 {
			longer *= 1 - 1/float64(left)
		}
		if s.open == 0 || !endless {
			left--
		}
		out[i].at, out[i].longer = s.at, longer
	}
	return out
}

// area is that under the curve, up to the longest time.
func (c curve) area() float64 {
	area, longer, before := 0.0, 1.0, 0.0
	for _, p := range c {
		area += float64(longer * (p.at - before))
		before, longer = p.at, p.longer
	}
	return area
}

// quantile is the first time at which the curve has come down to 1 - p, NaN where it does not.
func (c curve) quantile(p float64) float64 {
	for _, x := range c {
		if x.longer <= 1-p+1e-9 {
			return x.at
		}
	}
	return math.NaN()
}
