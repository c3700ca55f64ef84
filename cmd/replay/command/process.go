package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"replay/outdir"
	"replay/policy"
	"replay/shown"
)

// Main runs the program with the process's arguments and returns its exit code. Policies can be named beside those of
// package policy, by flags, in configuration files and in traces; a name that is taken ends the program.
//
// A signal ends it within a second, whatever it is doing; a second one does not wait for that, and a third one kills it.
func Main(policies policy.Tables) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	code := make(chan int)
	go func() { code <- Run(ctx, os.Args, os.Stdout, os.Stderr, policies) }()
	select {
	case c := <-code:
		return c
	case <-signals:
		cancel()
	}
	select {
	case c := <-code:
		return c
	case <-signals:
	case <-time.After(grace):
	}
	signal.Reset()
	outdir.AbortAll()
	fmt.Fprintln(os.Stderr, "replay: interrupted")
	return exitStopped
}

// grace is how long a command may take to end by itself after a signal.
const grace = 700 * time.Millisecond

// output is standard output, on which names cannot steer a terminal. A write that fails makes the command fail, also where it is not looked at.
type output struct {
	io.Writer
	err error
}

func (w *output) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// Columns is how wide the terminal is that standard output is, 0 where it is none.
func (w *output) Columns() int {
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

// messages is standard error, on which names cannot steer a terminal. Progress, which does, goes around it.
type messages struct {
	shown.Writer
}

// terminal returns the writer of messages without its guard.
func terminal(w io.Writer) io.Writer {
	if m, ok := w.(*messages); ok {
		return m.Out
	}
	return w
}
