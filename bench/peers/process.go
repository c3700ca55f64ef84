package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"replay/bench/measure"
)

// cost is what a process took, and what it said.
type cost struct {
	cpu    time.Duration // of all threads, the user's code and the system's
	peak   int64         // largest resident memory, in bytes; 0 where the system does not tell
	output string
	failed string // why it came to no end of its own, "" = it did
}

// limit is how much a process may take, in seconds.
type limit struct {
	cpu, clock int // of processor time; on the wall, where other programs count too
}

// run runs a command in dir, "" = here, to its end.
func run(ctx context.Context, most limit, dir string, words ...string) (cost, error) {
	clock, stop := context.WithTimeout(ctx, time.Duration(most.clock)*time.Second)
	defer stop()
	cmd := exec.CommandContext(clock, "sh", append([]string{"-c", fmt.Sprintf(`ulimit -t %d && exec "$@"`, most.cpu), "sh"}, words...)...)
	var out, said strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	ended, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- watch(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	close(ended)
	c := cost{peak: <-peak, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), output: out.String()}
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	if err != nil {
		c.failed = reason(cmd.ProcessState, clock.Err() != nil, most, said.String())
	}
	return c, nil
}

// watch returns the largest resident memory of a process until it has ended.
//
// What wait4(2) tells is that of the program that started it, when that was larger.
func watch(pid int, ended <-chan struct{}) (most int64) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return most
		case <-tick.C:
			most = max(most, measure.Peak(strconv.Itoa(pid)))
		}
	}
}

// reason says why a process failed, with what it said of it.
func reason(state *os.ProcessState, late bool, most limit, said string) string {
	status, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case late:
		return fmt.Sprintf("no end within %d s by the clock", most.clock)
	case status.Signaled() && (status.Signal() == syscall.SIGKILL || status.Signal() == syscall.SIGXCPU) && state.UserTime()+state.SystemTime() >= time.Duration(most.cpu)*time.Second/2:
		return fmt.Sprintf("no end within %d s of processor time", most.cpu)
	}
	return strings.Trim(state.String()+": "+why(said), ": ")
}

// lastLine is the last line of a text that has more than blanks.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
