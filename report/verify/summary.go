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

// metrics computes metrics by name; NaN where there is nothing to compute one from.
func (v *verifier) metrics() (out map[string]float64, failed error) {
	out = map[string]float64{}
	end := v.manifest.Totals.EndMS
	var waits, durations, slowdowns []float64
	var useful, wasted, running, finishedUseful, succeeded, succeededTasks float64
	var preferring, preferred, rack, hinting, hinted, containers float64
	var levels [5]float64
	var tasksPreferring, tasksPreferred float64
	first, last := math.Inf(1), math.Inf(-1)
	var openWaits, openDurations, openSlowdowns []float64 // of jobs that still wait or run at the end
	for _, j := range v.jobList {
		first = min(first, float64(j.Submit))
		if j.FirstTask != nil {
			waits = append(waits, float64(*j.FirstTask-j.Submit))
		}
		if j.Finish != nil {
			last = max(last, float64(*j.Finish))
			finishedUseful += float64(j.UsefulMS)
			succeededTasks += float64(j.TasksSucceeded)
		}
		if j.Outcome == "success" && j.Finish != nil {
			succeeded++
			d := float64(*j.Finish - j.Submit)
			durations = append(durations, d)
			slowdowns = append(slowdowns, max(d, 1000)/float64(max(j.CriticalPathMS, 1000)))
		}
		if so := max(float64(end-j.Submit), 0); j.Outcome == "unfinished" {
			openDurations = append(openDurations, so)
			openSlowdowns = append(openSlowdowns, max(so, 1000)/float64(max(j.CriticalPathMS, 1000)))
			if j.FirstTask == nil {
				openWaits = append(openWaits, so)
			}
		}
		useful, wasted, running = useful+float64(j.UsefulMS), wasted+float64(j.WastedMS), running+float64(j.RunningMS)
		containers += float64(j.Containers)
		preferring, preferred, rack = preferring+float64(j.Preferring), preferred+float64(j.Preferred), rack+float64(j.RackPreferred)
		hinting, hinted = hinting+float64(j.Hinting), hinted+float64(j.Hinted)
		for i, n := range []int64{j.ProcessLocal, j.NodeLocal, j.NoPref, j.RackLocal, j.Any} {
			levels[i] += float64(n)
		}
		tasksPreferring, tasksPreferred = tasksPreferring+float64(j.TasksPreferring), tasksPreferred+float64(j.TasksPreferred)
	}
	of := func(name, suffix string, d *distribution) {
		out[name+"_mean"+suffix] = d.mean()
		for i, x := range d.quantiles(.5, .9, .95, .99, 1) {
			out[name+"_"+[]string{"p50", "p90", "p95", "p99", "max"}[i]+suffix] = x
		}
	}
	ofJobs := func(name, suffix string, ended, open []float64) {
		if len(open) == 0 {
			d := distributionOf(ended)
			of(name, suffix, d)
			failed = errors.Join(failed, d.Close())
			return
		}
		longer := curveOf(ended, open)
		if len(ended) > 0 {
			out[name+"_mean"+suffix] = longer.area()
		}
		for _, p := range []float64{.5, .9, .95, .99} {
			out[fmt.Sprintf("%s_p%.0f%s", name, 100*p, suffix)] = longer.quantile(p)
		}
		out[name+"_max"+suffix] = math.NaN()
	}
	ofJobs("wait_job_first_task", "_ms", waits, openWaits)
	ofJobs("duration_job", "_ms", durations, openDurations)
	ofJobs("slowdown", "", slowdowns, openSlowdowns)
	of("wait_container_allocation", "_ms", v.sums.asks)
	if v.hasTasks {
		of("wait_task_launch", "_ms", v.sums.launches)
		of("run_task", "_ms", v.sums.runs)
	}
	makespan := last - first
	if math.IsInf(makespan, 0) {
		makespan = math.NaN()
	}
	hours := makespan / 3600_000
	c := &v.cluster
	levelSum := levels[0] + levels[1] + levels[2] + levels[3] + levels[4]
	for name, x := range map[string][2]float64{
		"makespan_ms":                                {makespan, 1},
		"makespan_jobs_succeeded_count":              {succeeded, 1},
		"throughput_jobs_per_hour":                   {succeeded, hours},
		"throughput_tasks_per_hour":                  {succeededTasks, hours},
		"throughput_task_hours_per_hour":             {finishedUseful / 3600_000, hours},
		"locality_containers_host_share":             {preferred, preferring},
		"locality_containers_rack_share":             {rack, preferring},
		"locality_containers_hinted_share":           {hinted, hinting},
		"locality_containers_preferring_share":       {preferring, containers},
		"locality_tasks_host_share":                  {tasksPreferred, tasksPreferring},
		"locality_tasks_process_share":               {levels[0], levelSum},
		"locality_tasks_node_share":                  {levels[1], levelSum},
		"locality_tasks_no_pref_share":               {levels[2], levelSum},
		"locality_tasks_rack_share":                  {levels[3], levelSum},
		"locality_tasks_any_share":                   {levels[4], levelSum},
		"utilization_memory_allocated_share":         {v.sums.mem, c.memMS},
		"utilization_vcores_allocated_share":         {v.sums.vcores, c.vcoreMS},
		"utilization_dominant_allocated_share":       {c.dominantMS, c.ms},
		"utilization_vcores_busy_share":              {v.sums.busy, c.vcoreMS},
		"utilization_vcores_busy_of_allocated_share": {v.sums.busy, v.sums.executors},
		"utilization_nodes_mean":                     {c.nodeMS, c.ms},
		"waste_task_time_share":                      {wasted, useful + wasted + running},
	} {
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

// A curve is Kaplan and Meier's of what lasts longer: after each time, of those that ended or are open, the part of all that lasts longer. What is
// open has lasted at least so long, and counts as there when something ends at that time.
type curve []struct{ at, longer float64 }

func curveOf(ended, open []float64) curve {
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
	out, longer := make(curve, len(all)), 1.0
	for i, s := range all {
		if s.open == 0 {
			longer *= 1 - 1/float64(len(all)-i)
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
