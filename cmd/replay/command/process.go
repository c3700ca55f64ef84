package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"replay/cmd/replay/cmdline"
	"replay/outdir"
	"replay/policy"
)

// Main runs the program with the process's arguments and returns its exit code. Policies can be named beside those of
// package policy, by flags, in configuration files and in traces; a name that is taken ends the program.
//
// A signal, or the end of its terminal, ends it within a second, whatever it is doing; a second one does not wait for that, and a third one kills it.
func Main(policies policy.Tables) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
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
	return cmdline.ExitStopped
}

// grace is how long a command may take to end by itself after a signal.
const grace = 700 * time.Millisecond
