package trace

import "replay/trace/tablefile"

// A taskWriter writes a table of tasks from the columns of stages, without a row in memory.
type taskWriter struct {
	tableFile
	*tablefile.Writer
	job, stage, durationMS, inputBytes, pref, memMiB, vcores, retries, recordedWait, recordedNode, recordedLoc,
	deserialize, schedDelay, shuffleRead, shuffleWrite *tablefile.Sink
}

func newTasks(w *Writer, file string) (*taskWriter, error) {
	f, err := w.newFile(file)
	if err != nil {
		return nil, err
	}
	t := &taskWriter{tableFile: f}
	if t.Writer, err = tablefile.NewWriter[taskRow](t.buf, writerOptions(tableTasks, w.manifest.OriginUnixMS)...); err != nil {
		t.tableFile.Close()
		return nil, err
	}
	t.job, t.stage, t.durationMS, t.inputBytes, t.pref = t.Sink("job_id"), t.Sink("stage_id"), t.Sink("duration_ms"), t.Sink("input_bytes"), t.Sink("pref_nodes")
	t.memMiB, t.vcores, t.retries, t.recordedWait = t.Sink("mem_mib"), t.Sink("vcores"), t.Sink("retries"), t.Sink("recorded_wait_ms")
	t.recordedNode, t.recordedLoc, t.deserialize = t.Sink("recorded_node"), t.Sink("recorded_locality"), t.Sink("deserialize_ms")
	t.schedDelay, t.shuffleRead, t.shuffleWrite = t.Sink("sched_delay_ms"), t.Sink("shuffle_read_bytes"), t.Sink("shuffle_write_bytes")
	t.pref.LongPages() // stages that read one file name the same nodes in the same order
	return t, nil
}

// taskRows is how many tasks of a stage are written at once. A trace has the same hash as long as it stays: where pages end depends on it.
const taskRows = 8192

// add writes the tasks of a stage.
func (t *taskWriter) add(job int64, s *Stage) error {
	n := s.Tasks.Len()
	for from := 0; from < n; from += taskRows {
		if err := t.rows(job, s, from, min(n-from, taskRows)); err != nil {
			return err
		}
	}
	return nil
}

// rows writes n tasks of a stage from task first on.
func (t *taskWriter) rows(job int64, s *Stage, first, n int) error {
	tasks := &s.Tasks
	return t.Rows(n, func(from, to int) {
		from, to = first+from, first+to
		n := to - from
		t.job.Repeat(job, n)
		t.stage.Repeat(int64(s.ID), n)
		tablefile.Put(t.durationMS, tasks.DurationMS[from:to])
		if tasks.InputBytes == nil {
			t.inputBytes.Repeat(0, n)
		} else {
			tablefile.Put(t.inputBytes, tasks.InputBytes[from:to])
		}
		if tasks.PrefStart == nil {
			tablefile.PutLists[int32](t.pref, n, nil, nil)
		} else {
			tablefile.PutLists(t.pref, n, tasks.PrefStart[from:to+1], tasks.Pref)
		}
		present(t.memMiB, tasks.MemMiB, from, to)
		present(t.vcores, tasks.VCores, from, to)
		present(t.retries, tasks.Retries, from, to)
		present(t.recordedWait, tasks.RecordedWaitMS, from, to)
		present(t.recordedNode, tasks.RecordedNode, from, to)
		if tasks.RecordedLocality == nil {
			t.recordedLoc.Nulls(n)
		} else {
			for _, text := range tasks.RecordedLocality[from:to] {
				t.recordedLoc.Text(text)
			}
		}
		present(t.deserialize, tasks.DeserializeMS, from, to)
		present(t.schedDelay, tasks.SchedDelayMS, from, to)
		present(t.shuffleRead, tasks.ShuffleReadBytes, from, to)
		present(t.shuffleWrite, tasks.ShuffleWriteBytes, from, to)
	})
}

// present adds the rows of an optional column.
func present[T int32 | int64](to *tablefile.Sink, column []T, from, until int) {
	if column == nil {
		to.Nulls(until - from)
	} else {
		tablefile.PutPresent(to, column[from:until], Unset)
	}
}

// Close discards.
func (t *taskWriter) Close() error {
	if t == nil || t.file == nil {
		return nil
	}
	t.Discard()
	return t.tableFile.Close()
}

func (t *taskWriter) finish() (FileEntry, error) {
	defer func() { *t = taskWriter{} }() // as for other tables
	return t.tableFile.finish(t.NumRows(), t.Writer.Close())
}
