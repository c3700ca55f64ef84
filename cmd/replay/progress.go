package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"replay/engine"
)

// progressFlags say whether progress is shown.
func progressFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "progress", Usage: "show progress on stderr: auto, on or off", Value: "auto"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print results and errors only"},
	}
}

// watch shows how far a replay is until the function it returns is called. label names the replay.
func watch(c *cli.Context, label string, p *engine.Progress) (stop func(), err error) {
	out := c.App.ErrWriter
	file, _ := out.(*os.File)
	terminal := file != nil && term.IsTerminal(int(file.Fd()))
	mode := c.String("progress")
	switch {
	case mode != "auto" && mode != "on" && mode != "off":
		return nil, usagef("--progress is %q, want auto, on or off", mode)
	case c.Bool("quiet") || mode == "off":
		return func() {}, nil
	}
	every := 200 * time.Millisecond
	show := newLines(out, label)
	if terminal {
		show = newBar(out, label)
	} else {
		every = 2 * time.Second
		if mode == "auto" {
			every = 10 * time.Second
		}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(every)
		defer t.Stop()
		start := time.Now()
		for {
			select {
			case <-done:
				if terminal {
					fmt.Fprintln(out)
				}
				return
			case <-t.C:
				show(p, time.Since(start))
			}
		}
	})
	return func() { close(done); wg.Wait() }, nil
}

// share returns how much of the replay is done: of the jobs once they all arrived, of the time before.
func share(p *engine.Progress) float64 {
	byJobs, byTime := 0.0, 0.0
	if n := p.NumJobs.Load(); n > 0 {
		byJobs = float64(p.Jobs.Load()) / float64(n)
	}
	if span := p.SpanMS.Load(); span > 0 {
		byTime = float64(p.NowMS.Load()) / float64(span)
	}
	return min(byJobs, max(byTime, byJobs), 1)
}

func describe(p *engine.Progress, spent time.Duration) string {
	done := share(p)
	left := "?"
	if done > 0.01 {
		left = time.Duration(float64(spent) * (1 - done) / done).Round(time.Second).String()
	}
	speed := float64(p.NowMS.Load()) / float64(max(spent.Milliseconds(), 1))
	return fmt.Sprintf("trace time %s, %.0fx real time, %d of %d jobs, %d containers, %d of %d tasks, %s left",
		(time.Duration(p.NowMS.Load()) * time.Millisecond).Round(time.Second), speed,
		p.Jobs.Load(), p.NumJobs.Load(), p.Containers.Load(), p.Tasks.Load(), p.NumTasks.Load(), left)
}

func newLines(out io.Writer, label string) func(*engine.Progress, time.Duration) {
	return func(p *engine.Progress, spent time.Duration) {
		fmt.Fprintf(out, "%s: %3.0f %%, %s\n", label, 100*share(p), describe(p, spent))
	}
}

func newBar(out io.Writer, label string) func(*engine.Progress, time.Duration) {
	bar := progressbar.NewOptions(1000, progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(20),
		progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish())
	return func(p *engine.Progress, spent time.Duration) {
		bar.Describe(label + ": " + describe(p, spent))
		_ = bar.Set(int(1000 * share(p)))
	}
}
