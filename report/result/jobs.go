package result

import (
	"fmt"
	"path/filepath"
	"slices"

	"replay/engine/record"
	"replay/input"
	"replay/report/tables"
	"replay/sealed"
	"replay/trace/tablefile"
)

// ReadJobs reads of a result directory its manifest and of its jobs what they are called, what became of them, when they were submitted, had their first
// task and ended, and their critical path. It takes a fraction of the time of [Read].
func ReadJobs(dir string) (*Data, error) {
	m, err := manifestOf(dir)
	if err != nil {
		return nil, err
	}
	if err := checkSealed(dir, m, "jobs.parquet"); err != nil {
		return nil, err
	}
	d := &Data{Manifest: *m}
	var jobs packedJobs
	err = readJobTable(filepath.Join(dir, "jobs.parquet"), func(c *tables.Columns) func(int) error {
		id, name, external, kind, user, queue := c.Int64s("job"), c.Texts("name"), c.Texts("external_id"), c.Texts("kind"), c.Texts("user"), c.Texts("queue")
		outcome, reason, recorded := c.Texts("outcome"), c.Texts("reason"), c.Texts("recorded_outcome")
		submit, first, finish, path := c.Int64s("submit_ms"), c.Int64s("first_task_ms"), c.Int64s("finish_ms"), c.Int64s("critical_path_ms")
		var j Job
		depends := readDepends(c, &j)
		return func(i int) error {
			j.Job = record.Job{ID: id.V[i], Name: name.V[i], ExternalID: external.V[i], Kind: kind.V[i], User: user.V[i], Queue: queue.V[i],
				Outcome: outcome.V[i], Reason: reason.V[i], Recorded: recorded.V[i], Submit: submit.V[i], FirstTask: first.V[i], Finish: finish.V[i], CriticalPathMS: path.V[i]}
			err := depends(i)
			jobs.add(&j)
			return err
		}
	})
	d.Jobs = jobs.jobs()
	return d, err
}

// HasExplained reports whether a result has the explanations of its jobs.
func (d *Data) HasExplained() bool {
	return slices.ContainsFunc(d.Manifest.Files, func(f record.File) bool { return f.Name == explanations })
}

// ReadExplained reads the explanations of the jobs that are wanted, from a result directory that has them. Where its tables are in parts it reads the
// parts with these jobs alone.
func ReadExplained(dir string, m *record.Manifest, wants func(job int64) bool) (list []Explained, err error) {
	err = readJobsOf(dir, m, explanations, wants, func(r *partRow) int64 { return r.Job }, func(r *partRow) {
		list = r.add(list)
	})
	if err != nil {
		return nil, err
	}
	return list, readJobsOf(dir, m, views, wants, func(r *viewRow) int64 { return r.Job }, func(r *viewRow) { r.add(list) })
}

// readJobsOf calls each with the rows of a table that are about jobs that are wanted.
func readJobsOf[R any](dir string, m *record.Manifest, name string, wants func(job int64) bool, of func(*R) int64, each func(*R)) error {
	path := filepath.Join(dir, name)
	if err := checkSealed(dir, m, name); err != nil {
		return err
	}
	var groups []bool // with a job that is wanted
	err := tables.With(path, func(f *tablefile.File) error {
		var ends []int64 // of groups, in rows
		row := int64(0)
		for _, n := range f.Groups() {
			row += n
			ends = append(ends, row)
		}
		groups = make([]bool, len(ends))
		row = 0
		group := 0
		return tables.EachRow[R](f, func(c *tables.Columns) func(int) error {
			job := c.Int64s("job")
			return func(i int) error {
				for row >= ends[group] {
					group++
				}
				row++
				groups[group] = groups[group] || wants(job.V[i])
				return nil
			}
		})
	})
	if err != nil {
		return err
	}
	return tables.With(path, func(f *tablefile.File) error {
		return tablefile.RowsIn(f, func(group int) bool { return groups[group] }, func(_ int64, r *R) error {
			if wants(of(r)) {
				each(r)
			}
			return nil
		})
	})
}

// checkSealed compares a file of a result with what its manifest says of it.
func checkSealed(dir string, m *record.Manifest, name string) error {
	at := slices.IndexFunc(m.Files, func(f record.File) bool { return f.Name == name })
	if at < 0 {
		return nil // which are needed shows when they are read
	}
	return sealed.File(m.Files[at]).Check(dir)
}

// manifestOf reads the run.json of a result directory.
func manifestOf(dir string) (*record.Manifest, error) {
	path := filepath.Join(dir, "run.json")
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &m, nil
}
