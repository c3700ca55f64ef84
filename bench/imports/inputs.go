package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"replay/trace/importer/lines"
)

// plainReading reads the lines of the input and does nothing with them.
const plainReading = "plain"

func read(files []string) error {
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		r := lines.NewReader(f)
		for err == nil {
			_, _, err = r.Next()
		}
		if cerr := f.Close(); err == io.EOF {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// output is a table while it is made.
type output struct {
	*bufio.Writer
	rows int
}

func (o *output) row(format string, args ...any) {
	fmt.Fprintf(o, format+"\n", args...) // Flush has the error
	o.rows++
}

// inputs make about n rows of a format: jobs of one to some tasks that are submitted one after another, the rows of a job spread over time.
var inputs = map[string]func(dir string, n int) (rows int, err error){
	eventLogFormat: eventLogs,
	"csv": func(dir string, n int) (int, error) {
		return tables(dir, map[string]func(*output){"jobs.csv": func(o *output) {
			o.row("job,submit,start,end,vcores,mem_mb,user,queue,host")
			interleaved(n, func(job, step, at int, r *rand.Rand) {
				o.row("job-%d,%d,%d,%d,%d,%d,u%d,q%d,n%d", job, 1_700_000_000+job/5, 1_700_000_000+at, 1_700_000_000+at+r.IntN(600), 1+r.IntN(4), 1024<<r.IntN(4), job%50, job%7, r.IntN(100))
			})
		}})
	},
	"alibaba-2018": func(dir string, n int) (int, error) {
		return tables(dir, map[string]func(*output){
			"batch_task.csv": func(o *output) {
				for job := range n / rowsOfJob {
					o.row("M1,%d,j_%d,1,Terminated,%d,%d,100,0.3", rowsOfJob-1, job, 100+job/5, 700+job/5)
				}
			},
			"batch_instance.csv": func(o *output) {
				interleaved(n, func(job, step, at int, r *rand.Rand) {
					o.row("ins_%d_%d,M1,j_%d,1,Terminated,%d,%d,m_%d,1,1,41,61,0.02,0.03", job, step, job, 100+at, 101+at+r.IntN(500), r.IntN(100))
				})
			},
		})
	},
	"google-2011": func(dir string, n int) (int, error) {
		return tables(dir, map[string]func(*output){
			"machine_events.csv": machines,
			"job_events.csv": func(o *output) {
				for job := range n / rowsOfJob {
					o.row("%d,,%d,0,u%d,1,n%d,l", 600_000_000+job*200_000, job, job%50, job)
				}
			},
			"task_events.csv": func(o *output) {
				interleaved(n, func(job, step, at int, r *rand.Rand) {
					kind := []int{0, 1, 4}[step%3]
					o.row("%d,,%d,%d,%d,%d,u%d,1,2,0.0625,0.0318,0.0004,", 600_000_000+1_000_000*at, job, step/3, r.IntN(100), kind, job%50)
				})
			},
		})
	},
	"google-2019": func(dir string, n int) (int, error) {
		return tables(dir, map[string]func(*output){
			"machine_events.json": func(o *output) {
				for m := range 100 {
					o.row(`{"time":"0","machine_id":"%d","type":"1","switch_id":"s%d","capacity":{"cpus":0.5,"memory":0.25}}`, m+1, m%10)
				}
			},
			"instance_events.json": func(o *output) {
				interleaved(n, func(job, step, at int, r *rand.Rand) {
					kind := []int{0, 3, 6}[step%3]
					o.row(`{"time":"%d","type":"%d","collection_id":"%d","priority":"103","instance_index":"%d","machine_id":"%d","resource_request":{"cpus":0.02,"memory":0.01}}`,
						600_000_000+1_000_000*at, kind, job, step/3, 1+r.IntN(100))
				})
			},
		})
	},
	"azure-vm": func(dir string, n int) (int, error) {
		return tables(dir, map[string]func(*output){"vmtable.csv": func(o *output) {
			r := rand.New(rand.NewPCG(1, 2))
			for i := range n {
				o.row("vm%d,sub%d,dep%d,%d,%d,99.4,3.4,10.2,Interactive,2,3.5", i, i%200, i%5000, i/10, i/10+300*r.IntN(1000))
			}
		}})
	},
}

func machines(o *output) {
	for m := range 100 {
		o.row("0,%d,0,p,0.5,0.5", m+1)
	}
}

// rowsOfJob is how many rows a job has.
const rowsOfJob = 12

// interleaved gives n rows of jobs in order of time: those of a job come between those of others. at is s from the start.
func interleaved(n int, row func(job, step, at int, r *rand.Rand)) {
	r := rand.New(rand.NewPCG(1, 2))
	const apart = 1000 // jobs between a row of a job and its next
	jobs := n / rowsOfJob
	for begin := 0; begin < jobs+apart*rowsOfJob; begin++ {
		for step := rowsOfJob - 1; step >= 0; step-- {
			if job := begin - apart*step; job >= 0 && job < jobs {
				row(job, step, begin/5, r)
			}
		}
	}
}

// generate makes the input of a format and returns its rows and bytes.
func generate(dir, format string, n int) (rows int, size int64, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, 0, err
	}
	if rows, err = inputs[format](dir, n); err != nil {
		return 0, 0, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, 0, err
		}
		size += info.Size()
	}
	return rows, size, nil
}

func tables(dir string, files map[string]func(*output)) (rows int, err error) {
	for name, fill := range files {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return 0, err
		}
		o := &output{Writer: bufio.NewWriterSize(f, 1<<18)}
		fill(o)
		if err := errors.Join(o.Flush(), f.Close()); err != nil {
			return 0, err
		}
		rows += o.rows
	}
	return rows, nil
}
