package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"replay/report/explain"
	"replay/report/result"
)

// sums asks of the traces of the project, and of a tenth of the month, whether the parts of all jobs sum to their waits and times, as report check finds them.
func sums(a *asked, n int) (bool, error) {
	all, err := filepath.Glob(filepath.Join(a.traces, "*", "trace.json"))
	if err != nil {
		return false, err
	}
	var traces []string
	for _, file := range all[:min(n, len(all))] {
		traces = append(traces, filepath.Dir(file))
	}
	if n > len(all) {
		month := a.dir.Path("month")
		if _, _, err := a.replay("gen", "month", "--nodes", "1200", "--jobs", "300", "--out", month); err != nil {
			return false, err
		}
		traces = append(traces, month)
	}
	kept, jobs, parts, comparisons := true, 0, 0, 0
	for _, trace := range traces {
		dir := a.dir.Path("explained-" + filepath.Base(trace))
		if _, _, err := a.replay("run", trace, "--explain", "--formats", "none", "--allow-failures", "--out", dir); err != nil {
			return false, err
		}
		d, err := result.ReadJobs(dir)
		if err != nil {
			return false, err
		}
		if d.Explained, err = result.ReadExplained(dir, &d.Manifest, func(int64) bool { return true }); err != nil {
			return false, err
		}
		without := map[int64]bool{} // jobs that took time
		for j := range d.Jobs.All() {
			without[j.ID] = j.Finish != j.Submit && d.Manifest.Totals.EndMS > j.Submit
		}
		for _, j := range explain.Kept(d, nil) {
			delete(without, j.ID)
			jobs, parts = jobs+1, parts+len(j.Parts)
		}
		for id, took := range without {
			if took {
				kept = false
				fmt.Fprintf(a.out, "%s: job %d has no parts\n", trace, id)
			}
		}
		text, failed, err := a.replay("report", "check", dir, "--json")
		if err != nil {
			return false, err
		}
		var found struct {
			Checks []struct {
				Name string
				N    int
			}
		}
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			return false, err
		}
		if failed {
			kept = false
			fmt.Fprintf(a.out, "%s: %s", trace, text)
		}
		for _, c := range found.Checks {
			if strings.HasPrefix(c.Name, "explanations: ") {
				comparisons += c.N
			}
		}
	}
	_, err = fmt.Fprintf(a.out, "the parts of all %d jobs of %d traces, %d parts, sum to their waits and times in %d comparisons of report check: %v\n", jobs, len(traces), parts, comparisons, kept)
	return kept && comparisons > 2*jobs, err
}
