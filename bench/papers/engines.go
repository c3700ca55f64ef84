package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/outdir"
	"replay/trace"
	"replay/trace/synth"
)

// servers is the number of servers of the queue.
const servers = 10

// erlang is the mean wait in an M/M/c queue, in mean service times.
//
// Source: Erlang's C formula.
func erlang(load float64) float64 {
	a := load * servers
	term, sum := 1.0, 0.0
	for k := range servers {
		sum += term
		term *= a / float64(k+1)
	}
	last := term / (1 - load)
	return last / (sum + last) / (servers * (1 - load))
}

func queueClaim(load float64) claim {
	return claim{
		name: fmt.Sprintf("mmc-%.0f", 100*load), source: "Erlang's C formula", says: fmt.Sprintf("mean wait in a queue M/M/%d of load %g, in service times, ideal scheduler", servers, load),
		expected: erlang(load), tolerance: 0.2 * erlang(load), curve: "mmc", x: load,
		replay: func(ctx context.Context, size int) (float64, error) { return queueWait(ctx, load, size) },
	}
}

// queueWait replays tasks that come and are served in random times.
func queueWait(ctx context.Context, load float64, size int) (float64, error) {
	r := rand.New(rand.NewPCG(4, uint64(100*load)))
	const service = 100_000.0 // ms
	c := newCluster(1, servers)
	c.opt.Scheduler, c.opt.Conf = "ideal", nil
	at := 0.0
	for range 15_000 * size {
		at += r.ExpFloat64() * service / servers / load
		c.add(int64(at), 1, func(int) (int64, []int32) { return int64(r.ExpFloat64()*service) + 1, nil })
	}
	c.meta.Nodes[0].VCores, c.meta.Nodes[0].MemMiB = servers, servers*slot
	wait, n := 0.0, 0
	err := c.replay(ctx, took{task: func(t *record.Task) {
		wait += float64(t.Launch - t.Ready)
		n++
	}})
	return wait / float64(n) / service, err
}

// shortTasks replays tasks of half a second that all prefer one of ten hosts with an executor each, and returns how many slots are in use on average from the first launch to the last.
func shortTasks(ctx context.Context, legacy bool) (float64, error) {
	c := newCluster(10, 4)
	c.opt.Conf["spark.locality.wait.legacyResetOnTaskLaunch"] = fmt.Sprint(legacy)
	c.opt.Conf["spark.dynamicAllocation.enabled"], c.opt.Conf["spark.executor.instances"] = "false", "10"
	const ms, tasks = 500, 400
	j := c.add(0, tasks, func(int) (int64, []int32) { return ms, []int32{0} })
	j.Kind = trace.KindSpark
	j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = 2*slot+slot/2, 1, 1 // one on a node
	j.MinExecs, j.MaxExecs, j.InitialExecs = 10, 10, 10
	j.Stages[0].DelayMS = 60_000 // when all executors are there
	first, last, work := int64(math.MaxInt64), int64(0), int64(0)
	err := c.replay(ctx, took{task: func(t *record.Task) {
		first, last, work = min(first, t.Launch), max(last, t.Freed), work+t.Freed-t.Launch
	}})
	return float64(work) / float64(last-first), err
}

// fifoOverFair replays a batch of queries under both, and returns how many times as long jobs take first in first out.
func fifoOverFair(ctx context.Context, size int) (ratio float64, err error) {
	dir, err := outdir.Scratch("replay-papers")
	if err != nil {
		return 0, err
	}
	defer dir.Abort()
	to := dir.Path("trace")
	preset, err := synth.Find("tpch-decima")
	if err != nil {
		return 0, err
	}
	if _, err := synth.Generate(ctx, to, preset, synth.Options{Jobs: 10 + 10*size, Nodes: 5, Seed: 5}); err != nil {
		return 0, err
	}
	mean := map[string]float64{}
	for _, policy := range []string{"fifo", "fair"} {
		if mean[policy], err = meanCompletion(ctx, to, policy); err != nil {
			return 0, err
		}
	}
	return mean["fifo"] / mean["fair"], nil
}

// meanCompletion is the mean time from submission to the end under a policy, ms.
func meanCompletion(ctx context.Context, dir, policy string) (float64, error) {
	t, err := trace.Open(dir)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	o := scenario.DefaultOptions()
	o.Scheduler = "fair"
	text := "<allocations><queueMaxAMShareDefault>-1</queueMaxAMShareDefault>"
	for _, q := range t.Queues {
		if name, ok := strings.CutPrefix(q.Path, "root."); ok && !strings.Contains(name, ".") {
			text += fmt.Sprintf("<queue name=%q><schedulingPolicy>%s</schedulingPolicy></queue>", name, policy)
		}
	}
	text += "</allocations>"
	path := dir + "-" + policy + ".xml"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return 0, err
	}
	file, err := scenario.ReadFile(path)
	if err != nil {
		return 0, err
	}
	o.Files = scenario.Files{"fair-scheduler.xml": file}
	sc, err := scenario.FromTrace(t, o)
	if err != nil {
		return 0, err
	}
	sum, n := 0.0, 0
	_, err = engine.Run(ctx, sc, took{job: func(j *record.Job) {
		sum += float64(j.Finish - j.Submit)
		n++
	}}, nil)
	return sum / float64(n), err
}
