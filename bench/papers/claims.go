package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"replay/engine/record"
	"replay/policy"
)

const delayScheduling = "Zaharia and others, Delay Scheduling, EuroSys 2010"

// rounded is why Spark's class gives other numbers than the comment above it.
const rounded = "the example in a comment of LocalityPreferredContainerPlacementStrategy; the class rounds the share of each host up, and gives 7, 6, 3, 2 and 4, 4, 2, as here"

// claims lists them.
func claims() []claim {
	var list []claim
	for _, n := range []int{5, 10, 20, 50} {
		list = append(list, claim{
			name: fmt.Sprintf("delay-sticky-%d", n), source: delayScheduling + ", 3.3", says: fmt.Sprintf("node locality of %d jobs under plain fair sharing, 4 slots a node, 3 replicas", n),
			expected: sticky(float64(n)), tolerance: 0.04, curve: "sticky", x: float64(n), replay: func(ctx context.Context, size int) (float64, error) { return stickySlots(ctx, n, size) },
		})
	}
	for _, d := range []int{10, 40} {
		list = append(list, claim{
			name: fmt.Sprintf("delay-local-%d", d), source: delayScheduling + ", 3.4", says: fmt.Sprintf("a task whose data is on 10 %% of the nodes starts on one, with %d skips", d),
			expected: found(float64(d)), tolerance: 0.05, curve: "found", x: float64(d), replay: func(ctx context.Context, size int) (float64, error) { return foundInSkips(ctx, d, size) },
		})
	}
	return append(list, []claim{
		{
			name: "delay-bound", source: delayScheduling + ", 3.4", says: "node locality of what 1 to 20 tasks with 3 replicas find in 0.231 M skips on M nodes", expected: 0.95, tolerance: 0.01, atLeast: true,
			replay: skipBound,
		},
		{
			name: "delay-bound-run", source: delayScheduling + ", 3.4", says: "the same of jobs of 20 tasks as they run", expected: 0.95, tolerance: 0.05, atLeast: true,
			replay: skipRun, known: 0.66, because: "once YARN has accepted a rack, it does so until a task starts on a preferred host; the formula counts skips anew for each task",
		},
		{name: "drf-a", source: "Ghodsi and others, DRF, NSDI 2011, figure 2", says: "tasks <1 CPU, 4 GB> beside <3 CPU, 1 GB> on 9 CPU, 18 GB", expected: 3, replay: func(ctx context.Context, _ int) (float64, error) { return drf(ctx, 0) }},
		{name: "drf-b", source: "Ghodsi and others, DRF, NSDI 2011, figure 2", says: "tasks <3 CPU, 1 GB> beside <1 CPU, 4 GB> on 9 CPU, 18 GB", expected: 2, replay: func(ctx context.Context, _ int) (float64, error) { return drf(ctx, 1) }},
		{name: "drf-share", source: "Ghodsi and others, DRF, NSDI 2011, figure 2", says: "dominant share of both", expected: 2.0 / 3, tolerance: 1e-9, replay: drfShare},
		{name: "spark-4352-18", source: "SPARK-4352", says: "of 18 containers as many on hosts 1 to 4, 1 to 3, 1 to 2, and anywhere: 5, 5, 5, 3 (digits)", expected: 5553, known: 7632, because: rounded, replay: func(context.Context, int) (float64, error) { return localityRatio(18) }},
		{name: "spark-4352-10", source: "SPARK-4352", says: "of 10 containers: 4, 3, 3 (digits)", expected: 4330, known: 4420, because: rounded, replay: func(context.Context, int) (float64, error) { return localityRatio(10) }},
		{
			name: "spark-18886-legacy", source: "SPARK-18886", says: "tasks shorter than the locality wait all run on the preferred host: slots of 10 hosts in use", expected: 1, tolerance: 0.05,
			replay: func(ctx context.Context, _ int) (float64, error) { return shortTasks(ctx, true) },
		},
		{
			name: "spark-18886-mended", source: "SPARK-18886", says: "since Spark 3.1 all 10 have a task of 0.5 s after each wait of 3 s: slots in use", expected: 8.0 / 3.5, tolerance: 0.3,
			replay: func(ctx context.Context, _ int) (float64, error) { return shortTasks(ctx, false) },
		},
		queueClaim(0.5), queueClaim(0.8), queueClaim(0.9),
		{
			name: "decima-fifo", source: "Mao and others, Decima, SIGCOMM 2019, figure 9", says: "mean job completion time on TPC-H mixes: first in first out over fair", expected: 1, atLeast: true,
			replay: fifoOverFair,
		},
	}...)
}

// A curve is what a source gives as a formula.
type curve struct {
	title, x, y string
	from, to    float64
	at          func(x float64) float64
}

var curves = map[string]curve{
	"sticky": {"Node locality under plain fair sharing: 1 - (1 - 1/N)^12", "jobs", "tasks on a preferred host", 1, 60, sticky},
	"found":  {"Data on 10 % of the nodes: 1 - 0.9^D", "skips", "tasks on a preferred host", 0, 60, found},
	"mmc":    {fmt.Sprintf("M/M/%d: mean wait in mean service times", servers), "load", "wait", 0.3, 0.95, erlang},
}

func sticky(jobs float64) float64 { return 1 - math.Pow(1-1/jobs, 12) }
func found(skips float64) float64 { return 1 - math.Pow(0.9, skips) }

// stickySlots replays jobs that have their share of all slots all the time, with blocks anywhere, and returns the locality of their tasks. Tasks are long, so that seldom two end within a heartbeat,
// after which two jobs could exchange their slots.
func stickySlots(ctx context.Context, jobs, size int) (float64, error) {
	r := rand.New(rand.NewPCG(1, uint64(jobs)))
	nodes := 25 * size
	c := newCluster(nodes, 4)
	// Before them all slots are another's, and become free one by one, in random order: the slots of a job are anywhere.
	c.add(0, 4*nodes, func(int) (int64, []int32) { return 1_000_000 + r.Int64N(4_000_000), nil })
	for range jobs {
		c.add(300_000, 40*4*nodes/jobs, func(int) (int64, []int32) { return 1_000_000 + r.Int64N(2_000_000), someNodes(r, nodes, 3) })
	}
	var local share
	err := c.replay(ctx, took{task: func(t *record.Task) {
		if t.Preferring {
			local.add(t.Preferred)
		}
	}})
	return local.value(), err
}

// foundInSkips replays jobs of one task, one after another. The scheduler takes the offer after the last skip wherever it is: it has looked at one node more than it has skipped.
func foundInSkips(ctx context.Context, skips, size int) (float64, error) {
	r := rand.New(rand.NewPCG(2, uint64(skips)))
	const nodes = 400
	c := newCluster(nodes, 4)
	c.opt.Conf["yarn.scheduler.fair.locality.threshold.node"] = fmt.Sprint(float64(skips-1) / nodes)
	c.opt.Conf["yarn.scheduler.fair.locality.threshold.rack"] = "0"
	for i := range 300 * size {
		c.add(int64(i)*20_000, 1, func(int) (int64, []int32) { return 1000, someNodes(r, nodes, nodes/10) })
	}
	return localTasks(ctx, c)
}

// localTasks is the share of tasks on a preferred host.
func localTasks(ctx context.Context, c *cluster) (float64, error) {
	var local share
	err := c.replay(ctx, took{task: func(t *record.Task) { local.add(t.Preferred) }})
	return local.value(), err
}

// skipBound replays jobs of 1 to 20 tasks, one after another, and returns the locality of the first task of each: the source adds up what a job's first, second, … task finds.
func skipBound(ctx context.Context, size int) (float64, error) {
	c := bounded(size, func(i int) int { return 1 + i%20 })
	var local share
	err := c.replay(ctx, took{container: func(k *record.Container) {
		if k.Number == 2 { // after the master
			local.add(k.Match == record.OnHost)
		}
	}})
	return local.value(), err
}

// skipRun replays jobs of 20 tasks, and returns the locality of all of their tasks.
func skipRun(ctx context.Context, size int) (float64, error) {
	return localTasks(ctx, bounded(size, func(int) int { return 20 }))
}

func bounded(size int, tasks func(i int) int) *cluster {
	r := rand.New(rand.NewPCG(3, 0))
	const nodes = 200
	c := newCluster(nodes, 4)
	c.opt.Conf["yarn.scheduler.fair.locality.threshold.node"] = "0.231"
	c.opt.Conf["yarn.scheduler.fair.locality.threshold.rack"] = "0"
	for i := range 200 * size {
		c.add(int64(i)*120_000, tasks(i), func(int) (int64, []int32) { return 1000, someNodes(r, nodes, 3) })
	}
	return c
}

// running returns how many containers each of two jobs has while both want more, on a machine of 9 CPU and 18 GB.
func running(ctx context.Context) (has [2]int, err error) {
	c := newCluster(1, 0)
	c.opt.Sharing = "drf"
	n := &c.meta.Nodes[0]
	n.MemMiB, n.VCores = 18*1024+2*master, 9+2 // and room for two masters
	for i, size := range [2]struct {
		vcores int32
		gb     int64
	}{{1, 4}, {3, 1}} {
		j := c.add(0, 100, func(int) (int64, []int32) { return 3_600_000, nil })
		j.Stages[0].TaskVCores, j.Stages[0].TaskMemMiB = size.vcores, size.gb*1024
		j.ID = int64(i)
	}
	c.opt.Until = 1_800_000
	err = c.replay(ctx, took{container: func(k *record.Container) {
		if !k.AM {
			has[k.Job]++
		}
	}})
	return has, err
}

func drf(ctx context.Context, job int) (float64, error) {
	has, err := running(ctx)
	return float64(has[job]), err
}

// drfShare is the dominant share of both jobs; if they differ it is not a number.
func drfShare(ctx context.Context, _ int) (float64, error) {
	has, err := running(ctx)
	a, b := float64(has[0]*4)/18, float64(has[1]*3)/9
	if a != b {
		return math.NaN(), err
	}
	return a, err
}

// localityRatio asks for containers as the example of SPARK-4352 does: 30 tasks, 20 of them on hosts 1, 2, 3 and 10 on hosts 1, 2, 4, two tasks to a container. The digits are how many requests name four, three, two hosts,
// and none.
func localityRatio(containers int) (float64, error) {
	p, err := policy.NewPlacement("locality-ratio")
	if err != nil {
		return 0, err
	}
	hints := &policy.Hints{LocalTasks: 30, PerExec: 2, Tasks: []int{30, 30, 20, 10}, Existing: make([]int, 4), Pending: make([]int, 4)}
	by := map[int]int{}
	for _, hosts := range p.Requests(containers, hints) {
		by[len(hosts)]++
	}
	return float64(1000*by[4] + 100*by[3] + 10*by[2] + by[0]), nil
}
