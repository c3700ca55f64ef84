package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	mrconf "replay/engine/mapreduce/conf"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

// idealSetup is the ideal scheduler, which has nothing to configure; package ideal is all of it.
type idealSetup struct{}

func readIdeal(*Scenario) (Setup, error) { return idealSetup{}, nil }

func (idealSetup) New(*protocol.Names, int64, yarn.Observer) (yarn.Scheduler, error) {
	return nil, errors.New("the ideal scheduler is none of YARN's and does without a ResourceManager")
}

func (idealSetup) MemoryOnly() bool { return false }

func (idealSetup) Config() map[string]string { return nil }

func (idealSetup) Queues() map[string]string { return nil }

// checkIdeal names what the user gave, in o, that no part of a central scheduler looks at.
func (sc *Scenario) checkIdeal(o *Options) error {
	if r := &sc.Recorded; r.Executors != nil || r.Attempts != nil || r.Latencies != nil {
		return optionf("--scheduler is %q: recorded executors and latencies have no part in it, want %s", sc.Scheduler, classesOf(func(*Scheduler) bool { return true }))
	}
	if sc.Scaling != nil {
		return optionf("--autoscale %s: the scheduler %s keeps its nodes, want %s", sc.Autoscale, sc.Scheduler, classesOf(func(*Scheduler) bool { return true }))
	}
	var idle []string
	add := func(given bool, what string, args ...any) {
		if given {
			idle = append(idle, fmt.Sprintf(what, args...))
		}
	}
	add(o.Placement != "", "--placement %s", o.Placement)
	add(o.Engine != "", "--engine %s", o.Engine)
	add(len(o.Parameters) > 0, "--model")
	add(o.Files[ModelFile].Text != nil, "the model file %s", o.Files[ModelFile].Name)
	for _, kind := range []string{YarnSite, tezSite} {
		if file, from := sc.File(kind); from == OfFile {
			add(true, "%s", file.Name)
		}
		for _, key := range sortedKeys(sc.keys[kind]) {
			add(true, "--conf %s", key)
		}
	}
	for _, kind := range []string{SparkDefaults, MapredSite} {
		for _, key := range sortedKeys(sc.keys[kind]) {
			add(!sizesTasks(key), "--conf %s", key)
		}
	}
	for i := range sc.Changes {
		c := &sc.Changes[i]
		add(c.queue != "" || c.user != "" || c.job >= 0, "--change %q", c.Text)
	}
	if idle != nil {
		sc.warn("ideal", "no effect under the ideal scheduler, which has no YARN and of Spark and MapReduce the sizes of tasks alone: %s", strings.Join(idle, ", "))
	}
	return nil
}

// sizesTasks reports whether a key of Spark or MapReduce enters what a task takes.
func sizesTasks(key string) bool {
	return slices.ContainsFunc([]string{"spark.task.", "spark.executor.", "spark.memory.offHeap."}, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) ||
		mrconf.SizesTasks(key)
}

// notIdeal says in words what the ideal scheduler leaves out.
var notIdeal = []string{
	"a central scheduler without YARN: no heartbeats, no messages, no application masters, no executors (a container is one task attempt), no latency",
	"strictly first come, first served, by job, stage and task, on the first node with room: queues, shares, priorities and preferred hosts are not looked at, and a task that has no room holds up all behind it",
	"tasks take as long as the trace says wherever they run; nothing of them fails but with its node, and what they have written is never lost",
	"nothing is drawn at random: every seed gives the same",
}
