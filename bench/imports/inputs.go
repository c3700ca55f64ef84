package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"replay/trace/importer/lines"
)

// plainReading reads the input and does nothing with it: texts line by line, Parquet as bytes.
const plainReading = "plain"

func read(files []string) error {
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".parquet" {
			_, err = io.Copy(io.Discard, struct{ io.Reader }{f})
		} else {
			err = readLines(f)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func readLines(f io.Reader) error {
	r := lines.NewReader(f)
	for {
		if _, _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// An input makes about n rows of a format below a directory: jobs of one to some tasks that are submitted one after another.
type input func(dir string, n int) (rows int, err error)

// inputs are those of all formats but of recorded clusters, which are folders that the recorder of this project writes.
var inputs = map[string]input{
	"alibaba-2017":     texts(alibaba2017),
	"alibaba-2018":     texts(alibaba2018),
	"alibaba-gpu-2020": texts(alibabaGPU2020),
	"alibaba-gpu-2023": texts(alibabaGPU2023),
	"azure-packing":    texts(azurePacking),
	"azure-vm":         texts(azureVM),
	"csv":              texts(csvTable),
	"decima":           texts(decimaStages),
	"google-2011":      texts(google2011),
	"google-2019":      texts(google2019),
	"gwf":              texts(gridWorkflows),
	"jhist":            files(4*mapsOfHistory, jobHistories),
	"opendc":           openDC,
	"parquet":          parquetTable,
	"rumen":            texts(rumenJobs),
	"sls":              texts(slsJobs),
	eventLogFormat:     files(2*tasksOfLog, eventLogs),
	"swf":              texts(standardWorkload),
	"swim":             texts(swimJobs),
	"wfcommons":        files(2*tasksOfInstance, workflowInstances),
	"wta":              workflowArchive,
}

// recordsHosts are the formats that say where tasks ran: their cluster is the recorded one, where others get one of 100 nodes.
var recordsHosts = []string{eventLogFormat, "jhist", "rumen", "sls"}

// rowsOfJob is how many rows a job has.
const rowsOfJob = 12

// interleaved gives n rows of jobs in order of time, as publishers have them: those of a job come between those of others. at is s from the start.
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

// inTurn gives n rows of jobs, one job after the other, all of which are submitted at the same time. at is s from the start.
func inTurn(n int, row func(job, step, at int, r *rand.Rand)) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		row(i/rowsOfJob, i%rowsOfJob, i/rowsOfJob/5, r)
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
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return rows, size, err
}

// output is a text while it is made.
type output struct {
	*bufio.Writer
	rows int
}

func (o *output) row(format string, args ...any) {
	fmt.Fprintf(o, format+"\n", args...) // Flush has the error
	o.rows++
}

// texts makes an input of files, each of which is filled by a function.
func texts(files func(n int) map[string]func(*output)) input {
	return func(dir string, n int) (rows int, err error) {
		for name, fill := range files(n) {
			more, err := text(filepath.Join(dir, name), fill)
			if err != nil {
				return rows, err
			}
			rows += more
		}
		return rows, nil
	}
}

// files makes an input of files with each rows about, as many as it takes for n: file names one and says what fills it.
func files(each int, file func(i int) (name string, fill func(*output))) input {
	return func(dir string, n int) (rows int, err error) {
		for i := range (n + each - 1) / each {
			name, fill := file(i)
			more, err := text(filepath.Join(dir, name), fill)
			if err != nil {
				return rows, err
			}
			rows += more
		}
		return rows, nil
	}
}

// text makes a file.
func text(path string, fill func(*output)) (rows int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	o := &output{Writer: bufio.NewWriterSize(f, 1<<18)}
	fill(o)
	return o.rows, errors.Join(o.Flush(), f.Close())
}
