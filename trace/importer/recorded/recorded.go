// Package recorded is what a recording says of applications beside the trace that is made of it: when things happened, attempt by attempt, for comparison with a replay. It lies in two
// files of the trace, [trace.RecordedFile] and [trace.AttemptsFile].
package recorded

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"replay/trace"
)

// Counts of an import, of what a recorded cluster lacks.
const (
	LostAttempts = "task_attempts_that_ran_in_containers"         // dropped: attempts of MapReduce's tasks
	UnaskedTasks = "tasks_of_stages_without_recorded_preferences" // dropped
	Strangers    = "executors_on_hosts_that_are_no_nodes"         // modelled
)

// App is what the source says about when things happened, for comparison with a replay.
// Times are ms from the trace's origin; -1 = unknown.
type App struct {
	Job      int64   `json:"job"` // of the trace
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	SubmitMS int64   `json:"submit_ms"`
	StartMS  int64   `json:"start_ms"` // the driver's start
	ReadyMS  int64   `json:"ready_ms"` // enough executors had registered for user code to go on
	FinishMS int64   `json:"finish_ms"`
	Jobs     []Job   `json:"spark_jobs"`
	Stages   []Stage `json:"stages"` // by stage id of the trace
}

// Job is a Spark job as recorded.
type Job struct {
	ID       int32 `json:"id"`
	SubmitMS int64 `json:"submit_ms"`
	FinishMS int64 `json:"finish_ms"`
	OK       bool  `json:"ok"`
}

// Stage is a stage as recorded, over all its attempts.
type Stage struct {
	SparkStage int32 `json:"spark_stage"`
	Attempts   int   `json:"attempts"`
	SubmitMS   int64 `json:"submit_ms"`
	FinishMS   int64 `json:"finish_ms"`

	Tasks []Attempt `json:"-"` // by task and launch; they go into a file of their own
}

// A Writer puts applications into the files of a trace. The zero value has none yet; a file is there as soon as there is something in it.
type Writer struct {
	applications applications
	attempts     attempts
}

// Add takes an application whose job id is set, behind those of jobs before it; without keepAttempts its attempts of tasks are dropped.
func (x *Writer) Add(w *trace.Writer, a *App, keepAttempts bool) error {
	if err := x.attempts.add(w, a, keepAttempts); err != nil {
		return err
	}
	return x.applications.add(w, a)
}

// Close completes the files.
func (x *Writer) Close() error {
	if err := x.applications.close(); err != nil {
		return err
	}
	return x.attempts.close()
}

// applications writes [trace.RecordedFile], an object whose applications are a list of [App], one application after another, as JSON writes all of them; it is there as soon as there is one.
type applications struct {
	file   io.WriteCloser
	buffer *bufio.Writer
}

func (r *applications) add(w *trace.Writer, a *App) error {
	before := ",\n  "
	if r.file == nil {
		var err error
		if r.file, err = w.AttachWriter(trace.RecordedFile); err != nil {
			return err
		}
		r.buffer, before = bufio.NewWriter(r.file), "{\n \"applications\": [\n  "
	}
	text, err := json.MarshalIndent(a, "  ", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", trace.RecordedFile, err)
	}
	r.buffer.WriteString(before) // an error is that of the next Flush
	_, err = r.buffer.Write(text)
	return err
}

// close completes the file.
func (r *applications) close() error {
	if r.file == nil {
		return nil
	}
	_, err := r.buffer.WriteString("\n ]\n}\n")
	return errors.Join(err, r.buffer.Flush(), r.file.Close())
}
