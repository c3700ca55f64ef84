package cmdline

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"replay/shown"
)

// Output is standard output, on which names cannot steer a terminal. A write that fails makes the command fail, also where it is not looked at.
type Output struct {
	io.Writer
	Err error
}

func (w *Output) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil && w.Err == nil {
		w.Err = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// Columns is how wide the terminal is that standard output is, 0 where it is none.
func (w *Output) Columns() int {
	guard, _ := w.Writer.(*shown.Writer)
	if guard == nil {
		return 0
	}
	file, _ := guard.Out.(*os.File)
	if file == nil || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	n, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return n
}

// Messages is standard error, on which names cannot steer a terminal. Progress, which does, goes around it.
type Messages struct {
	shown.Writer
}

// terminal returns the writer of messages without its guard.
func terminal(w io.Writer) io.Writer {
	if m, ok := w.(*Messages); ok {
		return m.Out
	}
	return w
}

// WriteJSON writes a result for machines.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
