package cmdline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"
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
	return columns(guard)
}

// columns is how wide the terminal is that a guard writes to, 0 where it is none.
func columns(guard *shown.Writer) int {
	fd, ok := terminalOf(guard)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(fd)
	if err != nil {
		return 0
	}
	return n
}

// Coloured reports whether text is written in styles.
func (w *Output) Coloured() bool {
	guard, ok := w.Writer.(*shown.Writer)
	return ok && guard.Colour
}

// terminalOf is the terminal that a guard writes to.
func terminalOf(guard *shown.Writer) (fd int, ok bool) {
	if guard == nil {
		return 0, false
	}
	file, _ := guard.Out.(*os.File)
	if file == nil {
		return 0, false
	}
	fd = int(file.Fd())
	return fd, term.IsTerminal(fd)
}

// ColorFlag is the flag of every command that says whether text is coloured.
func ColorFlag() cli.Flag {
	return Among(&cli.StringFlag{Name: "color", Usage: "colour text on stdout: auto, always or never", Value: "auto"}, "auto", "always", "never")
}

// Colour follows the flag, or else https://no-color.org and CLICOLOR. What programs read has no colours.
func Colour(c *cli.Context) {
	out, ok := c.App.Writer.(*Output)
	if !ok {
		return
	}
	guard, ok := out.Writer.(*shown.Writer)
	if !ok {
		return
	}
	_, terminal := terminalOf(guard)
	guard.Colour = !c.Bool("json") && coloured(c.String("color"), terminal, os.Getenv)
}

func coloured(flag string, terminal bool, env func(string) string) bool {
	switch force := env("CLICOLOR_FORCE"); {
	case flag != "auto":
		return flag == "always"
	case env("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return terminal && env("CLICOLOR") != "0" && env("TERM") != "dumb"
}

// Messages is standard error, on which names cannot steer a terminal, and whose sentences are as wide as that. Progress, which does steer it, goes around it.
type Messages struct {
	shown.Writer
}

func (m *Messages) Write(b []byte) (int, error) {
	if n := columns(&m.Writer); n > 0 {
		if _, err := m.Writer.Write(wrapped(b, n)); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return m.Writer.Write(b)
}

// wrapped is text whose longer lines are broken between words for so many columns. Rows of tables, with blanks between their columns, and quoted text, which is moved in, stay.
func wrapped(b []byte, columns int) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(b) {
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole || len(text) <= columns || bytes.Contains(text, []byte("  ")) || bytes.ContainsAny(text[:1], " \t") {
			out.Write(line)
			continue
		}
		shown.Wrap(&out, string(text), "  ", columns)
	}
	return out.Bytes()
}

// terminal returns the writer of messages without its guard.
func terminal(w io.Writer) io.Writer {
	if m, ok := w.(*Messages); ok {
		return m.Out
	}
	return w
}

// WriteMade writes what is made in one piece, such as the JSON of an answer.
func WriteMade(w io.Writer, made func() ([]byte, error)) error {
	text, err := made()
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// WriteJSON writes a result for machines.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
