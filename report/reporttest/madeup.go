// Package reporttest makes up the records of replays for the tests of the report's rooms.
package reporttest

import (
	"math/rand/v2"

	"replay/engine/record"
)

// MadeUp describes made-up records: plausible, consistent, and nothing more.
type MadeUp struct {
	Seed     uint64
	Jobs     int
	Nodes    int
	Locality float64 // chance of a container to be on a preferred host
	WaitMS   float64 // mean wait for the first task
	Queues   []string
	Unequal  float64 // how much more the first queue gets than its fair share
	LostJobs int     // how many of the jobs do not finish
}

// Usual is a replay of a few dozen jobs in three queues.
var Usual = MadeUp{Seed: 1, Jobs: 60, Nodes: 8, Locality: .7, WaitMS: 8000, Queues: []string{"root.adhoc", "root.etl", "root.ml"}}

// Few is small enough for golden pictures.
var Few = MadeUp{Seed: 1, Jobs: 8, Nodes: 3, Locality: .6, WaitMS: 8000, Queues: []string{"root.adhoc", "root.etl"}}

// Feed gives the records to the sink and returns the manifest that belongs to them.
func (m MadeUp) Feed(sink record.Sink) record.Manifest {
	rng := rand.New(rand.NewPCG(m.Seed, 7))
	work := rand.New(rand.NewPCG(99, 7)) // the same jobs for every seed
	t := record.Totals{}
	var now int64
	exp := func(r *rand.Rand, mean float64) int64 { return int64(r.ExpFloat64()*mean) + 1 }
	for id := range int64(m.Jobs) {
		now += exp(work, 15_000)
		tasks := exp(work, 40) + exp(work, 2)*exp(work, 20)
		queue := m.Queues[work.IntN(len(m.Queues))]
		step := now
		next := func(mean float64) int64 { step += exp(rng, mean); return step }
		j := record.Job{
			ID: id, Name: []string{"wordcount", "tpch-q7", "sort", "kmeans"}[id%4], Kind: "spark", User: "u1", Queue: queue,
			Outcome: record.JobSucceeded, Submit: now, AMScheduled: now, AMAllocated: next(900), AMRegistered: next(2500), FirstAsked: next(500),
			FirstAllocated: next(m.WaitMS / 2), FirstRegistered: next(m.WaitMS / 3), FirstTask: next(m.WaitMS / 8),
			Stages: 2, Tasks: tasks, TasksSucceeded: tasks, StageAttempts: 2, RecordedMS: record.None,
		}
		containers := 1 + tasks/12
		end := j.FirstTask
		var own []record.Container
		for n := range containers {
			asked := j.FirstAsked + int64(n)*50
			c := record.Container{
				Job: id, Number: n + 2, Node: int32(rng.IntN(m.Nodes)), Queue: queue, MemMiB: 2048, VCores: 2, Priority: 1,
				Asked: asked, Allocated: max(asked, j.FirstAllocated) + exp(rng, 600), End: record.EndReleased, Type: "NODE_LOCAL",
			}
			if n == 0 {
				c.Allocated = j.FirstAllocated
			}
			c.Acquired, c.Started = c.Allocated+300, c.Allocated+900
			c.Registered = max(c.Allocated+exp(rng, 3000), c.Started)
			switch p := rng.Float64(); {
			case n%5 == 4:
				c.Match = record.NoPreference
			case p < m.Locality:
				c.Match = record.OnHost
			case p < m.Locality+(1-m.Locality)/2:
				c.Match, c.Miss, c.Type = record.OnRack, record.HostBusy, "RACK_LOCAL"
			default:
				c.Match, c.Miss, c.Type = record.Elsewhere, record.DelayOver, "OFF_SWITCH"
			}
			c.Hinting, c.Hinted = true, c.Match == record.OnHost || rng.Float64() < .3
			own = append(own, c)
		}
		for i := range tasks {
			c := &own[i%containers]
			ready := j.FirstTask
			launch := max(ready, c.Registered) + (i/containers)*400
			k := record.Task{
				Job: id, Stage: int32(i % 2), Index: int32(i / 2), Container: c.Number, Node: c.Node, Ready: ready, Launch: launch,
				End: record.TaskSuccess, DurationMS: exp(work, 3000), OverheadMS: 40, Level: record.NoPref,
			}
			if i%2 == 0 {
				k.Preferring, k.Preferred, k.Level = true, rng.Float64() < m.Locality+.2, record.TaskNodeLocal
				if !k.Preferred {
					k.Level, k.Miss, k.PenaltyMS = record.AnyLevel, record.NoExecutor, k.DurationMS/10
				}
			}
			run := k.DurationMS + k.PenaltyMS + k.OverheadMS
			k.Finish = launch + run
			if i%37 == 36 { // a failed attempt before the good one
				bad := k
				bad.End, bad.Finish = record.TaskFailed, launch+run/2
				sink.Task(&bad)
				t.TaskAttempts++
				j.Attempts++
				j.WastedTaskMS += run / 2
				k.Attempt, k.Ready, k.Launch, k.Finish = 1, bad.Finish, bad.Finish+10, bad.Finish+10+run
				c.Tasks++
			}
			sink.Task(&k)
			t.TaskAttempts++
			j.Attempts++
			j.TaskLevels[k.Level]++
			if k.Preferring {
				j.TasksPreferring++
				if k.Preferred {
					j.TasksPreferred++
				}
			}
			j.TaskMS += run
			j.CriticalPathMS = max(j.CriticalPathMS, k.DurationMS)
			c.Tasks++
			c.BusyMS += run
			c.Ended = max(c.Ended, k.Finish)
			end = max(end, k.Finish)
		}
		j.Finish = end + 500
		if int(id) >= m.Jobs-m.LostJobs {
			j.Outcome, j.Reason, j.Finish = record.JobUnfinished, "the replay ended", record.None
		}
		am := record.Container{
			Job: id, Number: 1, AM: true, Queue: queue, MemMiB: 1024, VCores: 1, Asked: now, Allocated: j.AMAllocated, Acquired: j.AMAllocated,
			Started: j.AMAllocated, Registered: j.AMRegistered, Ended: end + 500, End: record.EndCompleted,
		}
		for _, c := range append(own, am) {
			if !c.AM {
				if c.Ended == 0 {
					c.Ended = c.Registered
				}
				c.Ended += 200
				j.Containers++
				j.ContainersHinting++
				if c.Hinted {
					j.ContainersHinted++
				}
				switch c.Match {
				case record.OnHost:
					j.ContainersPreferring++
					j.ContainersPreferred++
				case record.OnRack:
					j.ContainersPreferring++
					j.ContainersRackPreferred++
				case record.Elsewhere:
					j.ContainersPreferring++
				}
			}
			j.MemMiBMS += c.MemMiB * (c.Ended - c.Allocated)
			j.VCoreMS += c.VCores * (c.Ended - c.Allocated)
			t.EndMS = max(t.EndMS, c.Ended)
			sink.Container(&c)
			t.ContainersAllocated++
			t.ContainersEnded++
		}
		sink.Job(&j)
		t.Jobs++
		t.Stages += 2
		t.Tasks += tasks
		t.TasksSucceeded += tasks
		if j.Outcome == record.JobSucceeded {
			t.JobsSucceeded++
		} else {
			t.JobsUnfinished++
		}
	}
	capMem, capVCores := int64(m.Nodes)*65536, int64(m.Nodes)*32
	for n := range int32(m.Nodes) {
		sink.Node(&record.Node{Node: n, MemMiB: 65536, VCores: 32, Registered: true})
	}
	for at := int64(0); at < t.EndMS; at += 1000 {
		all := record.Sample{Time: at, CapacityMem: capMem, CapacityVCores: capVCores, Nodes: int64(m.Nodes), FairMem: capMem, FairVCores: 0, SteadyMem: capMem, SteadyVCores: capVCores}
		var rows []record.Sample
		for i, q := range m.Queues {
			share := (.15 + float64(.1*rng.Float64())) * (1 + float64(.3*float64(at/60_000%3)))
			if i == 0 {
				share *= 1 + m.Unequal
			}
			used := int64(min(share, .33) * float64(capMem))
			s := record.Sample{
				Time: at, Queue: q, UsedMem: used, UsedVCores: used / 2200, DemandMem: used + 30_000, PendingMem: 30_000 * int64(at/50_000%2),
				FairMem: capMem / int64(len(m.Queues)), SteadyMem: capMem / int64(len(m.Queues)), Containers: used / 2048, BusyCores: used / 3000,
			}
			all.UsedMem += s.UsedMem
			all.UsedVCores += s.UsedVCores
			all.BusyCores += s.BusyCores
			all.Containers += s.Containers
			rows = append(rows, s)
		}
		root := all
		root.Queue, root.CapacityMem, root.CapacityVCores = "root", 0, 0
		for _, s := range append([]record.Sample{all, root}, rows...) {
			sink.Sample(&s)
		}
	}
	return record.Manifest{
		Format: record.Format, FormatVersion: record.FormatVersion, Program: "replay", ProgramVersion: "test", TraceHash: "0f0e", TraceName: "made-up",
		LocalitySource: "recorded", DurationSource: "recorded", Scheduler: "fair", Sharing: "fair", Placement: "locality-ratio", Engine: "dense",
		Seed: m.Seed, Load: 1, Until: record.None, Config: map[string]string{"yarn.scheduler.fair.locality.threshold.node": "0.5"},
		Model: map[string]string{"read.penalty.rack": "1.05", "read.penalty.any": "1.2"}, Totals: t,
		Warnings: []record.Warning{{Code: "unmodelled-key", Text: "spark.shuffle.io.threads is known and not modelled", Count: 1}},
		Modelled: []string{"container start: 600 ms"},
	}
}
