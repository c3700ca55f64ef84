package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/trace"
)

// twoQueues is a replay of two jobs in queues of their own below root.p, with samples each 700 ms and all decisions.
func twoQueues(t *testing.T, scheduler string) (*keep, *record.Manifest) {
	t.Helper()
	a, b := sparkJob(0, 0, 3, stage(0, 12, 2500, nil, 0, 2), stage(1, 4, 1500, []int32{0})), sparkJob(1, 3300, 4, stage(0, 20, 1900, nil))
	b.Queue = 3
	a.Queue = 2
	in := input(cluster(3, 2), nil, a, b)
	leaf := in.Queues[0]
	in.Queues = nil
	for i, path := range []string{"root", "root.p", "root.p.a", "root.p.b"} {
		q := leaf
		q.ID, q.Path, q.Parent = int32(i), path, []int32{trace.Unset, 0, 1, 1}[i]
		in.Queues = append(in.Queues, q)
	}
	return replay(t, in, scenario.Options{Scheduler: scheduler, SeriesMS: 700, Decisions: true, Model: noLatency()})
}

// Samples of the cluster, its leaves and the queues above them are what the containers and tasks of that time add up to.
func TestSamplesAddUp(t *testing.T) {
	for _, scheduler := range []string{"fair", "capacity"} {
		k, _ := twoQueues(t, scheduler)
		busiest := int64(0)
		for _, s := range k.samples {
			want := record.Sample{}
			tied := false
			under := func(queue string) bool {
				return s.Queue == "" || queue == s.Queue || strings.HasPrefix(queue, s.Queue+".")
			}
			there := func(from, to int64) bool {
				tied = tied || from == s.Time || to == s.Time
				return from < s.Time && (to > s.Time || to == record.None)
			}
			for _, c := range k.containers {
				if under(c.Queue) && there(c.Allocated, c.Ended) {
					want.Containers++
					want.UsedMem += c.MemMiB
					want.UsedVCores += c.VCores
				}
			}
			for _, r := range k.tasks {
				if under(k.jobs[r.Job].Queue) && there(r.Launch, r.Finish) {
					want.BusyCores++
				}
			}
			if tied {
				continue // either is right
			}
			got := record.Sample{Containers: s.Containers, UsedMem: s.UsedMem, UsedVCores: s.UsedVCores, BusyCores: s.BusyCores}
			if got != want {
				t.Errorf("%s: queue %q at %d ms has %d containers of %d MiB and %d vcores with %d cores busy, want %d, %d, %d, %d", scheduler, s.Queue, s.Time,
					got.Containers, got.UsedMem, got.UsedVCores, got.BusyCores, want.Containers, want.UsedMem, want.UsedVCores, want.BusyCores)
			}
			if s.Queue == "" && (s.CapacityMem != 3*8192 || s.CapacityVCores != 3*8 || s.Nodes != 3) {
				t.Errorf("%s: at %d ms %d nodes of %d MiB and %d vcores, want 3 of 8 GiB and 8", scheduler, s.Time, s.Nodes, s.CapacityMem, s.CapacityVCores)
			}
			busiest = max(busiest, s.BusyCores)
		}
		if busiest < 4 {
			t.Errorf("%s: at most %d cores are busy in a sample", scheduler, busiest)
		}
	}
}

// Each container has a decision for its beginning and one for its end, where decisions are wanted.
func TestDecisionsOfContainers(t *testing.T) {
	k, _ := twoQueues(t, "fair")
	got := map[string]int{}
	for i, d := range k.decisions {
		if d.Kind == "allocate" || d.Kind == "complete" {
			got[fmt.Sprint(d.Kind, d.Time, d.Job, d.Container, d.Node, d.MemMiB, d.VCores)]++
		}
		if d.Seq != int64(i+1) {
			t.Fatalf("decision %d has number %d", i+1, d.Seq)
		}
	}
	for _, c := range k.containers {
		for kind, at := range map[string]int64{"allocate": c.Allocated, "complete": c.Ended} {
			if key := fmt.Sprint(kind, at, c.Job, c.Number, c.Node, c.MemMiB, c.VCores); got[key] != 1 {
				t.Errorf("container %d of job %d: %d decisions %q at %d ms, want 1", c.Number, c.Job, got[key], kind, at)
			}
		}
	}
	if len(got) != 2*len(k.containers) {
		t.Errorf("%d decisions for %d containers", len(got), len(k.containers))
	}
}

// A job has held what its containers add up to, whoever gives them.
func TestJobsHoldWhatTheirContainersDo(t *testing.T) {
	asked, _ := twoQueues(t, "fair")
	x := driver.RecordedExecutor{ReadyMS: trace.Unset, LeaveMS: trace.Unset, CausedBy: trace.Unset}
	x.VCores, x.MemMiB, x.AddedMS, x.RemovedMS, x.Reason = 2, 2048, 1000, 9000, "Executor killed by driver."
	y := x
	y.ID, y.AddedMS, y.RemovedMS, y.VCores = 1, 2000, trace.Unset, 3
	given, _ := replay(t, input(cluster(1, 1), nil, sparkJob(0, 0, 1, stage(0, 10, 5000, nil))),
		scenario.Options{Recorded: driver.Recorded{Executors: []driver.RecordedExecutor{x, y}, CodeMS: map[int64]int64{0: 500}}})
	for name, k := range map[string]*keep{"asked for": asked, "recorded": given} {
		for _, j := range k.jobs {
			var mem, vcores, first int64 = 0, 0, record.None
			n := int64(0)
			for _, c := range k.containers {
				if c.Job != j.ID {
					continue
				}
				if c.Ended == record.None || c.End == "" {
					t.Errorf("executors %s: container %d of job %d has no end: %+v", name, c.Number, j.ID, c)
				}
				mem += c.MemMiB * (c.Ended - c.Allocated)
				vcores += c.VCores * (c.Ended - c.Allocated)
				if !c.AM {
					n++
					if first == record.None || c.Allocated < first {
						first = c.Allocated
					}
				}
			}
			if j.MemMiBMS != mem || j.VCoreMS != vcores || j.Containers != n || j.FirstAllocated != first {
				t.Errorf("executors %s: job %d held %d MiB ms and %d vcore ms in %d containers from %d, want %d, %d, %d, %d", name, j.ID,
					j.MemMiBMS, j.VCoreMS, j.Containers, j.FirstAllocated, mem, vcores, n, first)
			}
		}
	}
}

// The manifest names the nodes and counts what was executed; its hash stands for the decisions.
func TestManifestOfAReplay(t *testing.T) {
	_, one := twoQueues(t, "fair")
	_, same := twoQueues(t, "fair")
	_, other := twoQueues(t, "capacity")
	if one.DecisionHash == "" || one.DecisionHash != same.DecisionHash || one.DecisionHash == other.DecisionHash {
		t.Errorf("hashes %q, %q again, %q of another scheduler", one.DecisionHash, same.DecisionHash, other.DecisionHash)
	}
	if got := strings.Join(one.Hosts, " "); got != "node00 node01 node02" {
		t.Errorf("hosts %s", got)
	}
	if n := one.Totals; n.ExecutedHeartbeats == 0 || n.ExecutedHeartbeats > n.NodeHeartbeats {
		t.Errorf("%d heartbeats of %d were executed", n.ExecutedHeartbeats, n.NodeHeartbeats)
	}
}

// A node that drains keeps its containers until its time is up; without one, until they end.
func TestDrainTimeout(t *testing.T) {
	for _, timeout := range []int64{3000, trace.Unset} {
		drain := nodeEvent(5000, 0, 0, trace.Drain)
		drain.DrainTimeoutMS = timeout
		_, k, m := play(t, &script{want: 14, ends: 12, step: func(m *scripted, n int) {
			if n == 2 {
				for c := range int64(14) {
					m.h.Start(c+2, m.h.Now())
				}
			}
		}}, []trace.NodeEvent{drain}, nil)
		early := 0
		for _, c := range k.containers {
			if c.Node == 0 && c.Ended >= 8000 && c.Ended <= 8200 {
				early++
			}
			if c.Ended < 8000 {
				t.Errorf("timeout %d ms: container %d ends at %d ms", timeout, c.Number, c.Ended)
			}
		}
		if (early > 4) != (timeout > 0) {
			t.Errorf("timeout %d ms: %d containers of the node end then; told %v", timeout, early, m.told)
		}
	}
}

// What a job says that did not finish, or failed with its master.
func TestReasonsOfJobs(t *testing.T) {
	small := cluster(2, 1)
	small[1].MemMiB = 512
	one := func() *trace.Job { return sparkJob(0, 0, 1, stage(0, 1, 60_000, nil)) }
	noApps := func(in scenario.Input) scenario.Input {
		in.Queues[0].MaxApps = 0
		return in
	}
	lost := []trace.NodeEvent{nodeEvent(20_000, 0, 0, trace.Fail)}
	for _, tt := range []struct {
		name string
		in   scenario.Input
		o    scenario.Options
		want string
	}{
		{"stopped", input(cluster(1, 1), nil, one()), scenario.Options{Until: 30_000}, "the replay stopped at 30s"},
		{"stuck before it would have been stopped", noApps(input(small, nil, one())), scenario.Options{Until: 1e9},
			"it waits for its AM container: queue root.default runs 0 applications, as many as it may, and 1 wait"},
		{"its master's node was lost", input(cluster(1, 1), lost, one()),
			scenario.Options{Conf: map[string]string{"yarn.resourcemanager.am.max-attempts": "1", "yarn.nm.liveness-monitor.expiry-interval-ms": "2000"}},
			"its application master ended in attempt 1: "},
	} {
		k, m := replay(t, tt.in, tt.o)
		if got := k.jobs[0].Reason; !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if !slices.ContainsFunc(m.Warnings, func(w record.Warning) bool { return w.Jobs == 1 && w.Voids }) {
			t.Errorf("%s: warnings %+v, want one that what follows does not hold for the job", tt.name, m.Warnings)
		}
	}
}

// A master hears of the end of its own process before its attempt is taken out, and of its executors' ends no more.
func TestMasterHearsOfItsEnd(t *testing.T) {
	_, _, m := play(t, &script{want: 1, ends: 4, step: func(m *scripted, n int) {
		if n == 2 {
			m.h.Start(2, m.h.Now())
		}
	}}, nil, nil)
	var told []string
	for _, l := range m.told {
		_, call, _ := strings.Cut(l, " ")
		told = append(told, call)
	}
	if want := []string{"started 2", "master exited", "stop", "finish"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}
