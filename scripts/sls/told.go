package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"replay/trace/tablefile"
)

// told is what one of the two says of a workload. Times are ms.
type told struct {
	types     map[string]int // task containers by the scheduler's locality
	allocated []int64        // of each task's container, since its job was submitted
	held      []int64        // of each task's container, from its allocation to its end
	master    []int64        // until the master's container was allocated
	job       []int64        // how long it took
	span      int64          // from the first submission to the end of the last job
}

// values are what rows says, in its order.
func (t *told) values() []float64 {
	n := float64(max(len(t.allocated), 1))
	return []float64{
		float64(len(t.job)), float64(len(t.allocated)), 100 * float64(t.types["NODE_LOCAL"]) / n, 100 * float64(t.types["RACK_LOCAL"]) / n,
		mean(t.master), mean(t.allocated), tail(t.allocated), mean(t.held), mean(t.job), tail(t.job), float64(t.span) / 1000,
	}
}

// rows are names of values.
var rows = []string{
	"jobs that ended", "containers of tasks", "allocated on the node, %", "allocated on the rack, %",
	"submission to a master's container, mean s", "submission to a task's container, mean s", "  p95 s", "container of a task held, mean s", "duration of a job, mean s", "  p95 s", "all jobs, s",
}

// mean is that of times in ms, in s.
func mean(ms []int64) float64 {
	sum := int64(0)
	for _, t := range ms {
		sum += t
	}
	return float64(sum) / 1000 / float64(max(len(ms), 1))
}

// tail is the 95th percentile of times in ms, in s.
func tail(ms []int64) float64 {
	if len(ms) == 0 {
		return 0
	}
	return float64(slices.Sorted(slices.Values(ms))[(95*len(ms)+99)/100-1]) / 1000
}

// What the log of the simulator's ResourceManager says.
var (
	submitted = regexp.MustCompile(`(application_\d+_\d+) State change from NEW to NEW_SAVING`)
	finished  = regexp.MustCompile(`(application_\d+_\d+) State change from \w+ to FINISHED`)
	allocates = regexp.MustCompile(`AppSchedulingInfo: allocate: applicationId=(\S+) container=(\S+) host=.* type=(\w+)`)
	completes = regexp.MustCompile(`(container_\S+) Container Transitioned from \w+ to COMPLETED`)
)

// readLog reads the simulator's log, in which the first container of an application is its master's.
func readLog(path string) (*told, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &told{types: map[string]int{}}
	start, begun := map[string]int64{}, map[string]int64{}
	masters := map[string]bool{}
	first := int64(-1)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if len(line) < 23 {
			continue
		}
		when, err := time.Parse("2006-01-02 15:04:05,000", line[:23])
		if err != nil {
			continue
		}
		now := when.UnixMilli()
		if m := submitted.FindStringSubmatch(line); m != nil {
			start[m[1]] = now
			if first < 0 {
				first = now
			}
		} else if m := finished.FindStringSubmatch(line); m != nil {
			t.job, t.span = append(t.job, now-start[m[1]]), now-first
		} else if m := allocates.FindStringSubmatch(line); m != nil {
			if app := m[1]; !masters[app] {
				masters[app] = true
				t.master = append(t.master, now-start[app])
				continue
			}
			t.types[m[3]]++
			t.allocated = append(t.allocated, now-start[m[1]])
			begun[m[2]] = now
		} else if m := completes.FindStringSubmatch(line); m != nil && begun[m[1]] > 0 {
			t.held = append(t.held, now-begun[m[1]])
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(t.job) == 0 {
		return nil, fmt.Errorf("%s: no application ended; want a run of the simulator to its end", path)
	}
	return t, nil
}

// readResult reads the same of a result directory.
func readResult(dir string) (*told, error) {
	t := &told{types: map[string]int{}}
	submit := map[int64]int64{}
	first, last := int64(-1), int64(0)
	type jobRow struct {
		ID     int64  `parquet:"job"`
		Submit int64  `parquet:"submit_ms"`
		Finish *int64 `parquet:"finish_ms"`
	}
	err := each(filepath.Join(dir, "jobs.parquet"), func(_ int64, r *jobRow) error {
		submit[r.ID] = r.Submit
		if first < 0 {
			first = r.Submit
		}
		if r.Finish != nil {
			t.job, last = append(t.job, *r.Finish-r.Submit), max(last, *r.Finish)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.span = last - first
	type containerRow struct {
		Job       int64  `parquet:"job"`
		AM        bool   `parquet:"am"`
		Type      string `parquet:"type"`
		Allocated *int64 `parquet:"allocated_ms"`
		Ended     *int64 `parquet:"ended_ms"`
	}
	return t, each(filepath.Join(dir, "containers.parquet"), func(_ int64, r *containerRow) error {
		switch {
		case r.Allocated == nil:
		case r.AM:
			t.master = append(t.master, *r.Allocated-submit[r.Job])
		default:
			t.types[strings.ToUpper(r.Type)]++
			t.allocated = append(t.allocated, *r.Allocated-submit[r.Job])
			if r.Ended != nil {
				t.held = append(t.held, *r.Ended-*r.Allocated)
			}
		}
		return nil
	})
}

func each[R any](path string, take func(int64, *R) error) error {
	f, err := tablefile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return tablefile.Rows(f, take)
}
