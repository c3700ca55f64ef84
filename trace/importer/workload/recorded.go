package workload

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"replay/trace"
)

// recordedFile writes [trace.RecordedFile], an object whose applications are a list of [RecordedApp], one application after another, as JSON writes all of them; it is there as soon as there is one.
type recordedFile struct {
	file   io.WriteCloser
	buffer *bufio.Writer
}

func (r *recordedFile) add(w *trace.Writer, a *RecordedApp) error {
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
func (r *recordedFile) close() error {
	if r.file == nil {
		return nil
	}
	_, err := r.buffer.WriteString("\n ]\n}\n")
	return errors.Join(err, r.buffer.Flush(), r.file.Close())
}
