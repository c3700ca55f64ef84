package recorded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"replay/trace"
	"replay/trace/tablefile"
)

// Attempt is an attempt of a task as recorded, a row of [trace.AttemptsFile]. Rows are in order of job, stage, task
// and launch; the first success of a task is the one that the table of tasks has. Times are ms from the trace's
// origin, durations are ms, -1 = unknown.
type Attempt struct {
	Job           int64  `parquet:"job_id,delta"` // of the trace
	Stage         int32  `parquet:"stage_id,dict"`
	Task          int32  `parquet:"task,delta"` // position in its stage
	StageAttempt  int32  `parquet:"stage_attempt,dict"`
	Executor      int32  `parquet:"executor_id,dict"`
	LaunchMS      int64  `parquet:"launch_ms,delta"`
	CoreMS        int64  `parquet:"core_ms"`     // from launch to end
	DurationMS    int64  `parquet:"duration_ms"` // of work: with deserialization, without dispatch and status
	DeserializeMS int64  `parquet:"deserialize_ms"`
	SchedDelayMS  int64  `parquet:"sched_delay_ms"`
	Speculative   bool   `parquet:"speculative"`
	End           string `parquet:"end,dict"`
}

// The ends of recorded attempts.
const (
	EndSuccess     = "success"
	EndFailed      = "failed" // by itself
	EndKilled      = "killed"
	EndLost        = "lost" // with its executor
	EndFetchFailed = "fetch-failed"
)

// attemptSchema has a name of its own, as that of the type would be in the bytes of the file.
var attemptSchema = parquet.NewSchema("RecordedAttempt", parquet.SchemaOf(Attempt{}))

// attempts writes [trace.AttemptsFile], which is there as soon as there is an attempt.
type attempts struct {
	file   io.WriteCloser
	buffer *bufio.Writer
	writer *parquet.GenericWriter[Attempt]
}

// attemptsPerGroup is the size of a row group, which is in memory until it is whole: about 1 MB.
const attemptsPerGroup = 1 << 17

// add takes the attempts of an application whose job id is set, or drops them.
func (t *attempts) add(w *trace.Writer, a *App, keep bool) error {
	for i := range a.Stages {
		rows := a.Stages[i].Tasks
		a.Stages[i].Tasks = nil
		if len(rows) == 0 || !keep {
			continue
		}
		for k := range rows {
			rows[k].Job, rows[k].Stage = a.Job, int32(i)
		}
		if t.writer == nil {
			var err error
			if t.file, err = w.AttachWriter(trace.AttemptsFile); err != nil {
				return err
			}
			t.buffer = bufio.NewWriter(t.file)
			t.writer = parquet.NewGenericWriter[Attempt](t.buffer, attemptSchema, parquet.CreatedBy("replay", "1", "0"),
				parquet.Compression(tablefile.NewZstd(zstd.SpeedFastest)), parquet.MaxRowsPerRowGroup(attemptsPerGroup), parquet.PageBufferSize(64<<10))
		}
		if _, err := t.writer.Write(rows); err != nil {
			return fmt.Errorf("%s: %w", trace.AttemptsFile, err)
		}
	}
	return nil
}

// close completes the file.
func (t *attempts) close() error {
	if t.writer == nil {
		return nil
	}
	if err := errors.Join(t.writer.Close(), t.buffer.Flush(), t.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", trace.AttemptsFile, err)
	}
	return nil
}

// ReadAttempts reads the content of [trace.AttemptsFile] into the stages of applications, which are in order of their jobs.
func ReadAttempts(data []byte, apps []App) error {
	byJob := map[int64]*App{}
	for i := range apps {
		byJob[apps[i].Job] = &apps[i]
	}
	f, err := tablefile.New(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		err = tablefile.Rows(f, func(_ int64, x *Attempt) error {
			a := byJob[x.Job]
			if a == nil || x.Stage < 0 || int(x.Stage) >= len(a.Stages) {
				return fmt.Errorf("job %d, stage %d: not in recorded.json", x.Job, x.Stage)
			}
			a.Stages[x.Stage].Tasks = append(a.Stages[x.Stage].Tasks, *x)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", trace.AttemptsFile, err)
	}
	return nil
}
