package spark

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replay/engine/spark/scala"
	"replay/trace"
)

func stages(s ...trace.Stage) []trace.Stage { return s }

func TestStagesInOrder(t *testing.T) {
	// 0 and 1 feed 2; 3 belongs to a second job, which the driver starts 700 ms after the first.
	second := testStage(3, []int32{2}, 100, none(1)...)
	second.SparkJob, second.DelayMS = 1, 700
	late := testStage(1, nil, 100, none(2)...)
	late.DelayMS = 50
	d := newTestDriver(t, testConf(t, nil), stages(
		testStage(0, nil, 300, none(2)...), late, testStage(2, []int32{0, 1}, 100, none(1)...), second,
	), []int32{0}, nil)
	d.add(0, hostA, 4)
	d.run(100_000)
	want := []string{
		"0 job 0 started", "0 submitted 0.0: 2 tasks", "50 submitted 1.0: 2 tasks", "150 completed 1.0", "300 completed 0.0",
		"300 submitted 2.0: 1 tasks", "400 completed 2.0", "400 job 0 ended",
		"1100 job 1 started", "1100 submitted 3.0: 1 tasks", "1200 completed 3.0", "1200 job 1 ended",
	}
	if diff := cmp.Diff(want, d.dagLog); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A shuffle of two stages: 4 map tasks on two executors, then 4 reduce tasks.
func shuffle() []trace.Stage {
	return stages(testStage(0, nil, 1000, none(4)...), testStage(1, []int32{0}, 1000, none(4)...))
}

func TestLostMapOutputIsComputedAgain(t *testing.T) {
	// The map stage runs in two waves on one executor of 2 cores and one of 1; the second goes when it
	// has finished a task of the first wave: that task is put back at once, and the stage owes it again.
	d := newTestDriver(t, testConf(t, nil), shuffle(), []int32{0, 0, 0}, nil)
	d.add(0, hostA, 2)
	lost := d.add(0, hostB, 1)
	d.lose(1500, lost, Loss{Kind: LossExited}, 0, false)
	d.run(100_000)
	want := []string{
		"0 job 0 started", "0 submitted 0.0: 4 tasks", "1500 resubmitted [0 1]",
		"2500 completed 0.0", "2500 submitted 1.0: 4 tasks", "4500 completed 1.0", "4500 job 0 ended",
	}
	if diff := cmp.Diff(want, d.dagLog); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	checkWork(t, d)
}

func TestShuffleServiceKeepsOutput(t *testing.T) {
	conf := testConf(t, map[string]string{"spark.shuffle.service.enabled": "true"})
	d := newTestDriver(t, conf, shuffle(), []int32{0, 0}, nil)
	d.add(0, hostA, 2)
	lost := d.add(0, hostB, 2)
	d.lose(1500, lost, Loss{Kind: LossExited}, 0, false)
	d.run(100_000)
	want := []string{
		"0 job 0 started", "0 submitted 0.0: 4 tasks",
		"1000 completed 0.0", "1000 submitted 1.0: 4 tasks", "3000 completed 1.0", "3000 job 0 ended",
	}
	if diff := cmp.Diff(want, d.dagLog); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	checkWork(t, d)
	if d.wastedMS != 1000 {
		t.Errorf("wasted %d ms, want those of the two reduce tasks that were lost", d.wastedMS)
	}
}

// Without a service the outputs of a lost executor are unregistered at once, but nothing runs again
// until some stage asks for them.
func TestLossAloneResubmitsNothing(t *testing.T) {
	third := testStage(2, []int32{0}, 1000, none(1)...)
	third.After, third.DelayMS = []int32{1}, 500
	d := newTestDriver(t, testConf(t, nil), append(shuffle(), third), []int32{0, 0}, nil)
	d.add(0, hostA, 4)
	lost := d.add(0, hostB, 4)
	d.lose(2100, lost, Loss{Kind: LossExited}, 0, false)
	d.run(100_000)
	want := []string{
		"0 job 0 started", "0 submitted 0.0: 4 tasks", "1000 completed 0.0", "1000 submitted 1.0: 4 tasks",
		"2000 completed 1.0", "2500 submitted 0.1: 2 tasks", "3500 completed 0.1", "3500 submitted 2.0: 1 tasks",
		"4500 completed 2.0", "4500 job 0 ended",
	}
	if diff := cmp.Diff(want, d.dagLog); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	checkWork(t, d)
}

func TestFetchFailureResubmitsBothStages(t *testing.T) {
	conf := testConf(t, map[string]string{"spark.shuffle.service.enabled": "true"})
	d := newTestDriver(t, conf, shuffle(), []int32{0, 0}, nil)
	d.add(0, hostA, 2)
	d.add(0, hostB, 2)
	// The host goes when the map stage is done, before its executor is known to be lost.
	d.at(1000, testNode, func() { d.dag.HostLost(hostB) })
	d.lose(1100, 1, Loss{Kind: LossExited}, 0, false)
	d.run(100_000)
	want := []string{
		"0 job 0 started", "0 submitted 0.0: 4 tasks", "1000 completed 0.0", "1000 submitted 1.0: 4 tasks",
		"1000 failed 1.0", "1200 submitted 0.1: 2 tasks", "2200 completed 0.1", "2200 submitted 1.1: 4 tasks",
		"4200 completed 1.1", "4200 job 0 ended",
	}
	if diff := cmp.Diff(want, d.dagLog); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	checkWork(t, d)
}

func TestConsecutiveFetchFailuresEndTheApplication(t *testing.T) {
	conf := testConf(t, map[string]string{"spark.shuffle.service.enabled": "true"})
	d := newTestDriver(t, conf, shuffle(), []int32{0, 0}, nil)
	d.add(0, hostA, 4)
	// Every executor's output is unreachable as soon as it is written.
	d.at(500, testNode, func() { d.dag.ServerLost(0) })
	d.run(100_000)
	if !strings.Contains(d.failed, "stage 1: 4 consecutive attempts failed") {
		t.Errorf("ended with %q, want 4 consecutive failures", d.failed)
	}
}

func TestCachedInputIsPreferred(t *testing.T) {
	first := testStage(0, nil, 1000, none(4)...)
	again := testStage(1, nil, 1000, none(4)...)
	again.After, again.CacheOf = []int32{0}, 0
	d := newTestDriver(t, testConf(t, nil), stages(first, again), []int32{0, 0}, nil)
	d.add(0, hostA, 2)
	d.add(0, hostB, 2)
	d.run(100_000)
	ran := map[int32]int32{}
	for _, l := range d.launches {
		if l.stage == 0 {
			ran[l.partition] = l.exec
		} else if l.exec != ran[l.partition] || l.level != ProcessLocal {
			t.Errorf("task %d ran on executor %d at %v, its block is on %d", l.partition, l.exec, l.level, ran[l.partition])
		}
	}
	if len(d.launches) != 8 {
		t.Errorf("%d launches, want 8", len(d.launches))
	}
}

func TestReduceTasksPreferLargeOutputs(t *testing.T) {
	m := testStage(0, nil, 1000, none(4)...)
	m.Tasks.ShuffleWriteBytes = []int64{1 << 20, 1 << 20, 1 << 20, 100 << 20}
	r := testStage(1, []int32{0}, 1000, none(2)...)
	d := newTestDriver(t, testConf(t, nil), stages(m, r), []int32{0, 0}, nil)
	d.add(0, hostA, 3)
	d.add(0, hostB, 1)
	big := int32(-1)
	d.run(100_000)
	for _, l := range d.launches {
		if l.stage == 0 && l.partition == 3 {
			big = l.exec
		}
		if l.stage == 1 && l.at == 1000 && l.exec != big {
			t.Errorf("reduce task %d started at once on executor %d, the output is on %d", l.partition, l.exec, big)
		}
	}
}

func TestBarrierJobWaitsForSlots(t *testing.T) {
	for _, tt := range []struct {
		name    string
		arrival int64
		want    int64 // start of the job, -1 = given up
	}{
		{"enough from the start", 0, 0},
		{"enough later: seen at the next check", 20_000, 30_000},
		{"never enough", 700_000, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testStage(0, nil, 1000, none(3)...)
			s.Kind = trace.StageGang
			d := newTestDriver(t, testConf(t, nil), stages(s), []int32{0}, nil)
			d.add(0, hostA, 1)
			d.add(tt.arrival, hostA, 2)
			d.dag.Slots = slotsBy(func() (n int) {
				for _, e := range d.execs {
					if e.alive {
						n += int(e.cores)
					}
				}
				return n
			})
			d.run(1_000_000)
			if tt.want < 0 {
				if want := "stage 0: a barrier stage of 3 tasks finds 1 slots, after 41 checks"; d.failed != want {
					t.Errorf("failed with %q, want %q", d.failed, want)
				}
				return
			}
			if want := fmt.Sprintf("%d job 0 started", tt.want); !d.done || d.dagLog[0] != want {
				t.Errorf("done %v, log %v, want %q first", d.done, d.dagLog, want)
			}
		})
	}
}

// What a task of a barrier stage has written is lost while another one runs: both run again together.
func TestBarrierStageLosesOutput(t *testing.T) {
	gang := testStage(0, nil, 5000, none(2)...)
	gang.Kind, gang.Tasks.DurationMS[0] = trace.StageGang, 1000
	d := newTestDriver(t, testConf(t, nil), stages(gang, testStage(1, []int32{0}, 1000, none(1)...)), []int32{0, 0, 0}, nil)
	lost := d.add(0, hostA, 1)
	d.add(0, hostB, 1)
	d.add(1000, hostB, 1)
	d.lose(2000, lost, Loss{Kind: LossExited}, 0, false)
	d.run(100_000)
	want := []string{
		"0 job 0 started", "0 submitted 0.0: 2 tasks", "2000 resubmitted [0 0]", "2000 failed 0.0", "2200 submitted 0.1: 2 tasks",
		"7200 completed 0.1", "7200 submitted 1.0: 1 tasks", "8200 completed 1.0", "8200 job 0 ended",
	}
	if diff := cmp.Diff(want, d.dagLog); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	checkWork(t, d)
}

func TestBlockSize(t *testing.T) {
	for _, tt := range [][2]int64{{-1, 0}, {0, 0}, {1, 1}, {2, 2}, {10, 10}, {1000, 1051}, {1048576, 1104923}, {1073741824, 1161443397}} {
		if got := blockSize(tt[0]); got != tt[1] {
			t.Errorf("blockSize(%d) = %d, want %d", tt[0], got, tt[1])
		}
	}
}

// checkWork says that every partition of every stage was computed, and that the time of all attempts
// is accounted for.
func checkWork(tb rapid.TB, d *testDriver) {
	tb.Helper()
	for s := range d.job.Stages {
		for p := range d.job.Stages[s].Tasks.Len() {
			if d.finished[[2]int32{int32(s), int32(p)}] < 1 {
				tb.Errorf("partition %d of stage %d was never computed", p, s)
			}
		}
	}
	if len(d.running) != 0 {
		tb.Errorf("%d attempts never ended", len(d.running))
	}
	for i := range d.tasks.sets {
		if set := d.tasks.sets[i]; set != nil {
			tb.Errorf("task set %s is left: running %d, %d of %d attempts handled", set.Name(), set.Running, set.handled, len(set.attempts))
		}
	}
	for _, p := range d.tasks.pools.Pools {
		if p.Running != 0 {
			tb.Errorf("pool %q: %d tasks running", p.Name, p.Running)
		}
	}
}

// Whatever happens to executors, every stage ends, nothing is computed by halves, and both orders of
// hash tables do the same amount of useful work.
func TestJobsEndWhateverIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(rt, "stages")
		hosts := rapid.IntRange(1, 5).Draw(rt, "hosts")
		var list []trace.Stage
		for i := range n {
			var parents, after []int32
			for p := range i {
				switch rapid.IntRange(0, 3).Draw(rt, "edge") {
				case 0:
					parents = append(parents, int32(p))
				case 1:
					after = append(after, int32(p))
				}
			}
			prefs := make([][]int32, rapid.IntRange(0, 8).Draw(rt, "tasks"))
			for j := range prefs {
				if rapid.Bool().Draw(rt, "prefers") {
					prefs[j] = []int32{int32(rapid.IntRange(0, hosts-1).Draw(rt, "host"))}
				}
			}
			s := testStage(int32(i), parents, int64(rapid.IntRange(0, 5000).Draw(rt, "ms")), prefs...)
			s.After = after
			s.SparkJob = int32(rapid.IntRange(0, 2).Draw(rt, "job"))
			s.DelayMS = int64(rapid.SampledFrom([]int{0, 0, 10, 1500}).Draw(rt, "delay"))
			if i > 0 && rapid.IntRange(0, 3).Draw(rt, "cached") == 0 {
				s.CacheOf = int32(rapid.IntRange(0, i-1).Draw(rt, "cache"))
			}
			list = append(list, s)
		}
		conf := testConf(t, map[string]string{
			"spark.shuffle.service.enabled":      fmt.Sprint(rapid.Bool().Draw(rt, "service")),
			"spark.scheduler.mode":               rapid.SampledFrom([]string{"FIFO", "FAIR"}).Draw(rt, "mode"),
			"spark.speculation":                  fmt.Sprint(rapid.Bool().Draw(rt, "speculation")),
			"spark.excludeOnFailure.enabled":     "false",
			"spark.task.maxFailures":             "1000",
			"spark.stage.maxConsecutiveAttempts": "1000",
		})
		racks := make([]int32, hosts)
		for i := range racks {
			racks[i] = int32(rapid.IntRange(-1, 1).Draw(rt, "rack"))
		}
		var order *HashOrder
		if rapid.Bool().Draw(rt, "hash order") {
			text := func(i int32) int32 { return scala.HashCode(fmt.Sprint("n", i)) }
			order = &HashOrder{text, text, text}
		}
		d := newTestDriver(t, conf, list, racks, order)
		execs := rapid.IntRange(1, 6).Draw(rt, "executors")
		for range execs {
			d.add(int64(rapid.IntRange(0, 4000).Draw(rt, "arrival")), int32(rapid.IntRange(0, hosts-1).Draw(rt, "on")), int32(rapid.IntRange(1, 3).Draw(rt, "cores")))
		}
		d.add(0, 0, 1) // one stays
		for i := range execs {
			if rapid.IntRange(0, 1).Draw(rt, "lost") == 0 {
				continue
			}
			at := int64(rapid.IntRange(0, 15000).Draw(rt, "lost at"))
			loss := rapid.SampledFrom([]Loss{{Kind: LossExited}, {Kind: LossExited, ByApp: true}, {Kind: LossKilled}, {Kind: LossProcess, ByApp: true}}).Draw(rt, "loss")
			d.lose(at, int32(i), loss, int64(rapid.SampledFrom([]int{0, 700}).Draw(rt, "pending")), rapid.Bool().Draw(rt, "with its output"))
		}
		d.run(10_000_000)
		if !d.done {
			rt.Fatalf("not done: %s\n%s", d.failed, strings.Join(d.dagLog, "\n"))
		}
		checkWork(rt, d)
	})
}

// slotsBy are the slots of every profile, by a function.
type slotsBy func() int

func (f slotsBy) Slots(int32) int { return f() }
