package cmdline

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"replay/engine"
)

// QuietFlag is the flag of every command.
func QuietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print results, errors, and what is not used only"}
}

// ProgressFlags say whether progress is shown.
func ProgressFlags() []cli.Flag {
	return []cli.Flag{
		Among(&cli.StringFlag{Name: "progress", Usage: "show progress on stderr: auto, on or off", Value: "auto"}, "auto", "on", "off"),
		QuietFlag(),
	}
}

// Watch shows how far a replay is until the function it returns is called. label names the replay.
func Watch(c *cli.Context, label string, p *engine.Progress) (stop func()) {
	return watch(c, label, func(spent time.Duration) (float64, string) { return share(p), describe(p, spent) }, func() []string { return beforehand(p) })
}

// beforehand is what is known of a replay that takes long.
func beforehand(p *engine.Progress) []string {
	if text := p.Beforehand.Load(); text != nil {
		return []string{*text}
	}
	return nil
}

// WatchAll shows how many of several replays are done, and how far they are in all. So far the first of ps are wanted; there may be
// more.
func WatchAll(c *cli.Context, label string, ps []engine.Progress, wanted, done *atomic.Int64) (stop func()) {
	return watch(c, label, func(spent time.Duration) (float64, string) {
		all, n := 0.0, int(wanted.Load())
		for i := range ps[:n] {
			all += share(&ps[i])
		}
		all /= float64(max(n, 1))
		most := ""
		if n < len(ps) {
			most = fmt.Sprintf(" (%d at most)", len(ps))
		}
		return all, fmt.Sprintf("%d of %d replays done%s, %s left", done.Load(), n, most, timeLeft(all, spent))
	}, func() (texts []string) {
		for i := range ps {
			texts = append(texts, beforehand(&ps[i])...)
		}
		return texts
	})
}

// WatchShare shows the share of work that is done, and a text, as now returns them.
func WatchShare(c *cli.Context, label string, now func(spent time.Duration) (float64, string)) (stop func()) {
	return watch(c, label, now, func() []string { return nil })
}

// watch is [WatchShare] that warns of each of the texts once, before it shows how far work is: what takes so short that nothing is shown says them with its result.
func watch(c *cli.Context, label string, now func(spent time.Duration) (float64, string), texts func() []string) (stop func()) {
	out := terminal(c.App.ErrWriter)
	file, _ := out.(*os.File)
	terminal := file != nil && term.IsTerminal(int(file.Fd()))
	mode := c.String("progress")
	if c.Bool("quiet") || mode == "off" {
		return func() {}
	}
	show := func(part float64, text string) { fmt.Fprintf(out, "%s: %3.0f %%, %s\n", label, 100*part, text) }
	clean := func() {}
	every := 200 * time.Millisecond
	switch {
	case terminal:
		bar := progressbar.NewOptions(1000, progressbar.OptionSetWriter(out), progressbar.OptionSetWidth(20),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
		show = func(part float64, text string) {
			bar.Describe(label + ": " + text)
			_ = bar.Set(min(int(1000*part), 999)) // a full bar would end
		}
		clean = func() { _ = bar.Clear() }
	case mode == "auto":
		every = 10 * time.Second
	default:
		every = 2 * time.Second
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer clean()
		t := time.NewTicker(every)
		defer t.Stop()
		start := time.Now()
		said := map[string]bool{}
		for {
			select {
			case <-done:
				return
			case <-t.C:
				for _, text := range texts() {
					if !said[text] {
						said[text] = true
						clean()
						fmt.Fprintf(out, "warning: %s\n", text)
					}
				}
				show(now(time.Since(start)))
			}
		}
	})
	return func() { close(done); wg.Wait() }
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
	speed := float64(p.NowMS.Load()) / float64(max(spent.Milliseconds(), 1))
	return fmt.Sprintf("trace time %s, %.0fx real time, %d of %d jobs, %d containers, %d of %d tasks, %s left",
		(time.Duration(p.NowMS.Load()) * time.Millisecond).Round(time.Second), speed,
		p.Jobs.Load(), p.NumJobs.Load(), p.Containers.Load(), p.Tasks.Load(), p.NumTasks.Load(), timeLeft(share(p), spent))
}

// timeLeft estimates what is left after the part done took the time spent.
func timeLeft(done float64, spent time.Duration) string {
	if done <= 0.01 {
		return "?"
	}
	return time.Duration(float64(spent) * (1 - done) / done).Round(time.Second).String()
}
