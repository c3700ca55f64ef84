// Command w1 is the side of this project in a comparison on the workload W1: it runs the bare loop or the ideal scheduler and prints what
// they come to, or writes the workload as a trace of jobs that ask YARN for a container for each task.
//
//	w1 bare LOAD TASKS
//	w1 ideal LOAD TASKS
//	w1 write LOAD TASKS DIR
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"replay/bench/cases"
	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// waits is a sink that counts who waits: tasks that wait are those ready and not launched.
type waits struct {
	total int64
	steps map[int64]int64 // by time: how many more wait from then on
}

func (w *waits) Job(*record.Job)             {}
func (w *waits) Container(*record.Container) {}
func (w *waits) Sample(*record.Sample)       {}
func (w *waits) Node(*record.Node)           {}
func (w *waits) Decision(*record.Decision)   {}

func (w *waits) Task(r *record.Task) {
	if r.Launch > r.Ready {
		w.total += r.Launch - r.Ready
		w.steps[r.Ready]++
		w.steps[r.Launch]--
	}
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "w1:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("want bare, ideal or write, a load, and how many tasks; got %q", args)
	}
	load, err := strconv.ParseFloat(args[1], 64)
	if err != nil || !(load > 0) {
		return fmt.Errorf("load is %q, want a positive number", args[1])
	}
	tasks, err := strconv.Atoi(args[2])
	if err != nil || tasks < 1 {
		return fmt.Errorf("tasks are %q, want a positive number", args[2])
	}
	w := cases.W1{Load: load, Tasks: tasks}
	switch {
	case args[0] == "bare" && len(args) == 3:
		fmt.Println(w.Bare())
	case args[0] == "ideal" && len(args) == 3:
		b, err := ideal(w)
		if err != nil {
			return err
		}
		fmt.Println(b)
	case args[0] == "write" && len(args) == 4:
		w.Kind = trace.KindGeneric
		return w.Write(args[3])
	default:
		return fmt.Errorf("want bare LOAD TASKS, ideal LOAD TASKS or write LOAD TASKS DIR, got %q", args)
	}
	return nil
}

// ideal runs the workload under the ideal scheduler, without a trace on disk and without a report.
func ideal(w cases.W1) (cases.Bare, error) {
	o := scenario.DefaultOptions()
	o.Scheduler = "ideal"
	sc, err := scenario.New(w.Input(), o)
	if err != nil {
		return cases.Bare{}, err
	}
	s := &waits{steps: map[int64]int64{}}
	m, err := engine.Run(context.Background(), sc, s, nil)
	if err != nil {
		return cases.Bare{}, err
	}
	out := cases.Bare{MakespanS: m.Totals.EndMS / 1000, MeanWaitS: float64(s.total) / 1000 / float64(m.Totals.Tasks)}
	waiting := int64(0)
	for at := int64(0); at <= m.Totals.EndMS; at += 1000 {
		waiting += s.steps[at]
		out.LongestQueue = max(out.LongestQueue, waiting)
	}
	return out, nil
}
