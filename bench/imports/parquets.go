package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// rowGroup is how many rows a group of a table has.
const rowGroup = 100_000

// parquetOf writes the rows that fill gives as a table, group by group.
func parquetOf[T any](path string, fill func(row func(T))) (rows int, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := parquet.NewGenericWriter[T](f, parquet.MaxRowsPerRowGroup(rowGroup), parquet.Compression(&parquet.Snappy))
	var batch []T
	var bad error
	flush := func() {
		_, err := w.Write(batch)
		bad = errors.Join(bad, err)
		batch = batch[:0]
	}
	fill(func(r T) {
		batch = append(batch, r)
		rows++
		if len(batch) == 1000 {
			flush()
		}
	})
	flush()
	return rows, errors.Join(bad, w.Close(), f.Close())
}

func parquetTable(dir string, n int) (rows int, err error) {
	type job struct {
		Job    int64  `parquet:"job"`
		Submit int64  `parquet:"submit"`
		Start  int64  `parquet:"start"`
		End    int64  `parquet:"end"`
		VCores int32  `parquet:"vcores"`
		Memory int64  `parquet:"mem_mb"`
		User   string `parquet:"user,dict"`
		Queue  string `parquet:"queue,dict"`
	}
	users := []string{"ann", "bob", "eve", "dan"}
	return parquetOf(filepath.Join(dir, "jobs.parquet"), func(row func(job)) {
		interleaved(n, func(j, step, at int, r *rand.Rand) {
			row(job{int64(j), 1_700_000_000_000 + int64(j)*200, 1_700_000_000_000 + int64(at)*1000, 1_700_000_000_000 + int64(at+r.IntN(600))*1000, 1 + r.Int32N(4), 1024 << r.IntN(4), users[j%4], users[j%3]})
		})
	})
}

// workflowArchive has a workflow of twelve tasks, the last after all others.
func workflowArchive(dir string, n int) (rows int, err error) {
	type task struct {
		Workflow int64   `parquet:"workflow_id"`
		ID       int64   `parquet:"id"`
		Type     string  `parquet:"type,dict"`
		Submit   int64   `parquet:"ts_submit"`
		Runtime  int64   `parquet:"runtime"`
		Wait     int64   `parquet:"wait_time"`
		Parents  []int64 `parquet:"parents,list"`
		Children []int64 `parquet:"children,list"`
		User     int32   `parquet:"user_id"`
		Amount   float64 `parquet:"resource_amount_requested"`
		Memory   float64 `parquet:"memory_requested"`
		Used     int64   `parquet:"resource_used"`
	}
	return parquetOf(filepath.Join(dir, "tasks", "schema-1.0", "part.0.parquet"), func(row func(task)) {
		interleaved(n, func(job, step, at int, r *rand.Rand) {
			t := task{Workflow: int64(job), ID: int64(job*rowsOfJob + step), Type: "map", Submit: int64(job) * 200, Runtime: 1000 + r.Int64N(60_000), User: int32(job % 50), Amount: 1, Memory: 2048, Used: 1}
			if step == rowsOfJob-1 {
				t.Type = "reduce"
				for i := range step {
					t.Parents = append(t.Parents, int64(job*rowsOfJob+i))
				}
			}
			row(t)
		})
	})
}

// openDC has a task for each dozen of rows, the others are its fragments.
func openDC(dir string, n int) (rows int, err error) {
	type task struct {
		ID       int32   `parquet:"id"`
		Submit   int64   `parquet:"submission_time"`
		Duration int64   `parquet:"duration"`
		CPUs     int32   `parquet:"cpu_count"`
		MHz      float64 `parquet:"cpu_capacity"`
		Memory   int64   `parquet:"mem_capacity"`
	}
	type fragment struct {
		ID       int32   `parquet:"id"`
		Duration int64   `parquet:"duration"`
		Usage    float64 `parquet:"cpu_usage"`
	}
	const each = 60_000
	tasks := n / rowsOfJob
	rows, err = parquetOf(filepath.Join(dir, "tasks.parquet"), func(row func(task)) {
		for i := range tasks {
			row(task{int32(i), 1_700_000_000_000 + int64(i)*200, (rowsOfJob - 1) * each, 2, 4000, 4000})
		}
	})
	if err != nil {
		return rows, err
	}
	more, err := parquetOf(filepath.Join(dir, "fragments.parquet"), func(row func(fragment)) {
		for i := range tasks {
			for k := range rowsOfJob - 1 {
				row(fragment{int32(i), each, float64(1000 + (i+k)%3000)})
			}
		}
	})
	return rows + more, err
}
