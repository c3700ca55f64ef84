// Package verify checks a result directory from its tables alone, as somebody with SQL would: it shares no code with what
// wrote them. Keys are unique and times in order, containers fit their nodes and live no longer, tasks fit their executors, sums of one table are
// those of another, samples are what containers say of that moment, and the metrics of summary.json are computed again.
//
// Jobs are held in memory, half a kilobyte each, and the containers and task attempts of one job at a time; they are brought together by job in
// temporary files. Everything else is read as a stream.
package verify

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"replay/input"
	"replay/sealed"
	"replay/spill"
)

// Report is what a check found.
type Report struct {
	Checks     []Check     `json:"checks"`     // that were made, in order
	Violations []Violation `json:"violations"` // the first ones of each check
	Total      int64       `json:"total"`      // of all violations
}

// Check is one thing that was looked at.
type Check struct {
	Name       string `json:"name"`
	N          int64  `json:"n"` // comparisons
	Violations int64  `json:"violations"`
}

// Violation is one thing that does not hold. Row counts from 0; it is -1 for a file without rows.
type Violation struct {
	File   string `json:"file"`
	Row    int64  `json:"row"`
	Column string `json:"column"`
	Value  string `json:"value"`
	Want   string `json:"want"`
}

func (v Violation) String() string {
	place := v.File
	if v.Row >= 0 {
		place += fmt.Sprintf(": row %d", v.Row)
	}
	return fmt.Sprintf("%s: %s is %s, want %s", place, v.Column, v.Value, v.Want)
}

// OK reports whether everything holds.
func (r *Report) OK() bool { return r.Total == 0 }

// kept is how many violations of a check are named: those of the first rows.
const kept = 5

// verifier holds what the checks have read.
type verifier struct {
	dir      string
	own      []Own // for the results of a comparison
	checks   []*checker
	manifest manifest

	jobs     map[int64]*job
	jobList  []*job
	heldBack []float64   // of jobs that begin after others, ms
	nodes    [][]nodeRow // states of each node, in time
	hasTasks bool        // there is a tasks.parquet
	cluster  clusterSums
	queues   *queueSums
	held     *grid
	sums     sums

	home, life    *checker      // of containers in their jobs and on their nodes
	byJob, byNode *spill.Groups // rows of containers.parquet, and by job those of tasks.parquet too
}

// sums are over all containers and task attempts.
type sums struct {
	containers, ended, tasks     int64
	mem, vcores, executors, busy float64          // MiB ms and vcore ms that were held, of executors, and core ms of tasks
	ends                         map[string]int64 // of containers that are no masters, by how they ended
	asks, launches, runs         *distribution    // waits of containers and of task attempts, and how long these ran, in ms
	costByJob                    map[int64]int64  // with prices
	costByQueue                  map[string]int64
}

// Own is a check that only the program which wrote a result can make: of a file of a form that nobody else knows. It is made of results in
// which everything else holds.
type Own struct {
	Name, File string
	Check      func(dir string) (*Violation, error) // nil where all holds
}

// Dir checks the result directory dir. The error is for one that cannot be read.
func Dir(dir string, own ...Own) (*Report, error) {
	r, err := tables(dir)
	if err != nil {
		return nil, err
	}
	// What the tables took is free when the program's own checks begin.
	v := &verifier{dir: dir}
	for _, o := range own {
		has, err := v.exists(o.File)
		if err == nil && has && r.OK() {
			err = v.checkOwn(&o)
		}
		if err != nil {
			return nil, err
		}
	}
	of := v.report()
	return &Report{append(r.Checks, of.Checks...), append(r.Violations, of.Violations...), r.Total + of.Total}, nil
}

// tables makes the checks that need nothing but the files.
func tables(dir string) (r *Report, err error) {
	v := &verifier{dir: dir, jobs: map[int64]*job{}, byJob: spill.NewGroups("job"), byNode: spill.NewGroups("node"), sums: sums{
		ends: map[string]int64{}, costByJob: map[int64]int64{}, costByQueue: map[string]int64{},
		asks: newDistribution(), launches: newDistribution(), runs: newDistribution(),
	}}
	defer func() {
		for _, c := range []io.Closer{v.byJob, v.byNode, v.sums.asks, v.sums.launches, v.sums.runs} {
			err = errors.Join(err, c.Close())
		}
	}()
	for _, step := range []func() error{
		v.readManifest, v.readNodes, v.readJobs, v.checkDepends, v.readTimes, v.readContainers, v.readTasks, v.readDecisions, v.readExplanations,
		v.checkApplications, v.checkNodes, v.checkTotals, v.checkCosts, v.checkSeries, v.readQueues, v.checkArrow, v.checkSummary,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return v.report(), nil
}

// report is what the checks have found.
func (v *verifier) report() *Report {
	r := &Report{}
	for _, c := range v.checks {
		r.Checks = append(r.Checks, Check{c.name, c.n, c.violations})
		r.Violations = append(r.Violations, c.found...)
		r.Total += c.violations
	}
	return r
}

// checkOwn makes a check of the program.
func (v *verifier) checkOwn(o *Own) error {
	found, err := o.Check(v.dir)
	if err != nil {
		return err
	}
	x := cmp.Or(found, &Violation{})
	v.check(o.Name, o.File).that(found == nil, x.Row, x.Column, x.Value, "%s", x.Want)
	return nil
}

// manifest is what the checks need of run.json.
type manifest struct {
	Files  []sealed.File `json:"files"`
	Totals struct {
		Jobs                int64 `json:"jobs"`
		JobsSucceeded       int64 `json:"jobs_succeeded"`
		JobsFailed          int64 `json:"jobs_failed"`
		JobsUnfinished      int64 `json:"jobs_unfinished"`
		Tasks               int64 `json:"tasks"`
		TasksSucceeded      int64 `json:"tasks_succeeded"`
		TaskAttempts        int64 `json:"task_attempts"`
		ContainersAllocated int64 `json:"containers_allocated"`
		ContainersEnded     int64 `json:"containers_ended"`
		ContainersRunning   int64 `json:"containers_running"`
		EndMS               int64 `json:"end_ms"`
	} `json:"totals"`
	Prices    *prices           `json:"prices"`
	Scheduler string            `json:"scheduler"`
	Model     map[string]string `json:"model"`
	Until     int64             `json:"until_ms"`
	Warnings  []struct {
		Code string `json:"code"`
	} `json:"warnings"`
}

// masters reports whether applications have masters: under the ideal scheduler a container is a task.
func (m *manifest) masters() bool { return m.Scheduler != "ideal" }

// statusMS is how long a report of a task's end takes to the driver, at most; 0 where messages take no time.
func (m *manifest) statusMS() int64 {
	ms, err := strconv.ParseInt(m.Model["status-ms"], 10, 64)
	if err != nil {
		return 0
	}
	return ms
}

// warned reports whether the replay gave a warning.
func (m *manifest) warned(code string) bool {
	for _, w := range m.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// A checker counts one check.
type checker struct {
	name, file    string
	n, violations int64
	found         []Violation // in order of their rows
}

// check begins a check of a file.
func (v *verifier) check(name, file string) *checker {
	c := &checker{name: name, file: file}
	v.checks = append(v.checks, c)
	return c
}

// holds counts a comparison and returns whether it holds. When it does not, the caller says so by [checker.not]: what is looked at for each row says nothing otherwise.
func (c *checker) holds(ok bool) bool {
	c.n++
	return ok
}

// not notes row, column, value and what was wanted of a comparison that does not hold.
func (c *checker) not(row int64, column string, value any, want string, args ...any) {
	c.violations++
	if len(c.found) == kept && row >= c.found[kept-1].Row {
		return
	}
	at, _ := slices.BinarySearchFunc(c.found, row, func(v Violation, row int64) int { return cmp.Compare(v.Row, row+1) }) // after those of the row
	c.found = slices.Insert(c.found, at, Violation{c.file, row, column, fmt.Sprint(value), fmt.Sprintf(want, args...)})
	c.found = c.found[:min(len(c.found), kept)]
}

// that counts a comparison; when it does not hold, row, column, value and what was wanted are noted.
func (c *checker) that(holds bool, row int64, column string, value any, want string, args ...any) {
	if !c.holds(holds) {
		c.not(row, column, value, want, args...)
	}
}

// equal counts a comparison of a value with what it is to be.
func (c *checker) equal(got, want, row int64, column, from string) {
	if !c.holds(got == want) {
		c.not(row, column, got, "%d, %s", want, from)
	}
}

// readManifest reads run.json, and compares the files of the result with the hashes in it.
func (v *verifier) readManifest() error {
	if err := v.readSealed("run.json", &v.manifest); err != nil {
		return err
	}
	for _, f := range v.manifest.Files {
		if err := f.Check(v.dir); err != nil {
			return err
		}
	}
	return nil
}

// readSealed reads a document that has its own hash.
func (v *verifier) readSealed(name string, to any) error {
	path := filepath.Join(v.dir, name)
	text, err := input.ReadFile(path)
	if err == nil {
		err = sealed.Unmarshal(text, to)
	}
	return inFile(path, err)
}

func (v *verifier) readJSON(name string, to any) error {
	path := filepath.Join(v.dir, name)
	text, err := input.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// exists reports whether the result has a file.
func (v *verifier) exists(name string) (bool, error) {
	_, err := os.Stat(filepath.Join(v.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// under reports whether a queue is at path or below it; the empty path is the cluster.
func under(queue, path string) bool {
	return path == "" || queue == path || strings.HasPrefix(queue, path+".")
}
