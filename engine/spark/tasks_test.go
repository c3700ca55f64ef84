package spark

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const hostA, hostB = int32(0), int32(1)

// prefer are n tasks that prefer one host.
func prefer(n int, host int32) [][]int32 {
	prefs := make([][]int32, n)
	for i := range prefs {
		prefs[i] = []int32{host}
	}
	return prefs
}

// The worked traces of delay scheduling: two executors with one core each, e1 on host A and e2 on host
// B, one rack, waits of 3 s, no latencies.
func TestDelaySchedulingWorkedTraces(t *testing.T) {
	type arrival struct {
		at   int64
		host int32
	}
	both := []arrival{{0, hostA}, {0, hostB}}
	tests := []struct {
		name     string
		legacy   bool
		ms       int64
		prefs    [][]int32
		arrivals []arrival // of e1 and e2
		want     []string
	}{
		{"A: 3 tasks of 5 s on host A", false, 5000, prefer(3, hostA), both, []string{
			"0->e1 NODE_LOCAL 0", "1->e2 RACK_LOCAL 3000", "2->e1 NODE_LOCAL 5000",
		}},
		{"A, legacy reset", true, 5000, prefer(3, hostA), both, []string{
			"0->e1 NODE_LOCAL 0", "1->e2 RACK_LOCAL 3000", "2->e1 NODE_LOCAL 5000",
		}},
		{"B: 4 tasks of 2 s on host A", false, 2000, prefer(4, hostA), both, []string{
			"0->e1 NODE_LOCAL 0", "1->e1 NODE_LOCAL 2000", "2->e2 RACK_LOCAL 3000", "3->e1 NODE_LOCAL 4000",
		}},
		{"B, legacy reset: the second executor is never used", true, 2000, prefer(4, hostA), both, []string{
			"0->e1 NODE_LOCAL 0", "1->e1 NODE_LOCAL 2000", "2->e1 NODE_LOCAL 4000", "3->e1 NODE_LOCAL 6000",
		}},
		{"C: every other task prefers nothing", false, 2000, [][]int32{{hostA}, nil, {hostA}, nil}, both, []string{
			"0->e1 NODE_LOCAL 0", "1->e2 PROCESS_LOCAL 0", "2->e1 NODE_LOCAL 2000", "3->e2 PROCESS_LOCAL 2000",
		}},
		{"D: the other host comes first, after the wait", false, 10000, prefer(4, hostA), []arrival{{8500, hostA}, {8000, hostB}}, []string{
			"0->e2 RACK_LOCAL 8000", "1->e1 NODE_LOCAL 8500", "2->e2 RACK_LOCAL 18000", "3->e1 NODE_LOCAL 18500",
		}},
		{"E: the preferred host comes first", false, 10000, prefer(4, hostA), []arrival{{8000, hostA}, {8500, hostB}}, []string{
			"0->e1 NODE_LOCAL 8000", "1->e2 RACK_LOCAL 11000", "2->e1 NODE_LOCAL 18000", "3->e2 RACK_LOCAL 21000",
		}},
		{"F: the other host comes first, before the wait", false, 10000, prefer(4, hostA), []arrival{{2500, hostA}, {2000, hostB}}, []string{
			"0->e2 RACK_LOCAL 2000", "1->e1 NODE_LOCAL 2500", "2->e2 RACK_LOCAL 12000", "3->e1 NODE_LOCAL 12500",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conf := testConf(t, map[string]string{"spark.locality.wait.legacyResetOnTaskLaunch": fmt.Sprint(tt.legacy)})
			d := newTestDriver(t, conf, stages(testStage(0, nil, tt.ms, tt.prefs...)), []int32{0, 0}, nil)
			for _, a := range tt.arrivals {
				d.add(a.at, a.host, 1)
			}
			d.run(1_000_000)
			if diff := cmp.Diff(tt.want, d.log); diff != "" {
				t.Errorf("launches (-want +got):\n%s", diff)
			}
		})
	}
}

// SPARK-18886: many tasks prefer one executor of several.
func TestLegacyWaitStarvesOtherExecutors(t *testing.T) {
	used := func(legacy bool) (onPreferred int, endedAt int64) {
		conf := testConf(t, map[string]string{"spark.locality.wait.legacyResetOnTaskLaunch": fmt.Sprint(legacy)})
		racks := []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		d := newTestDriver(t, conf, stages(testStage(0, nil, 1000, prefer(1000, hostA)...)), racks, nil)
		for host := range int32(10) {
			d.add(0, host, 1)
		}
		d.run(2_000_000)
		for _, l := range d.launches {
			if l.exec == 0 {
				onPreferred++
			}
		}
		return onPreferred, d.endedAt
	}
	legacy, legacyEnd := used(true)
	now, nowEnd := used(false)
	t.Logf("legacy: %d of 1000 tasks on the preferred executor, %d ms; now: %d tasks, %d ms", legacy, legacyEnd, now, nowEnd)
	if legacy < 990 {
		t.Errorf("legacy reset: %d of 1000 tasks on the preferred executor, want nearly all", legacy)
	}
	// The others get a task in each round of 4 s: the wait, and the task that reset its timer.
	if now > 350 || nowEnd > 350_000 {
		t.Errorf("present reset: %d tasks on the preferred executor, end at %d ms; want less than a third of each", now, nowEnd)
	}
}

func TestExecutorLossInTwoPhases(t *testing.T) {
	// The tasks are put back with the second phase, and start at the next offer of another cause.
	conf := testConf(t, nil)
	d := newTestDriver(t, conf, stages(testStage(0, nil, 4500, none(2)...)), []int32{0, 0}, nil)
	lost := d.add(0, hostA, 1)
	d.add(0, hostB, 1)
	d.lose(1000, lost, Loss{Kind: LossExited}, 300, false)
	d.run(100_000)
	want := []string{"0->e1 PROCESS_LOCAL 0", "1->e2 PROCESS_LOCAL 0", "0->e2 PROCESS_LOCAL 4500"}
	if diff := cmp.Diff(want, d.log); diff != "" {
		t.Errorf("launches (-want +got):\n%s", diff)
	}
	if d.wastedMS != 1300 || d.usefulMS != 9000 {
		t.Errorf("useful %d ms, wasted %d ms; want 9000 and 1300", d.usefulMS, d.wastedMS)
	}
}

func TestBarrierLaunchesAllOrNothing(t *testing.T) {
	s := testStage(0, nil, 1000, none(3)...)
	s.Kind = "gang"
	d := newTestDriver(t, testConf(t, nil), stages(s), []int32{0, 0}, nil)
	d.add(0, hostA, 2)
	d.add(1500, hostB, 1)
	d.run(100_000)
	want := []string{"0->e1 PROCESS_LOCAL 1500", "1->e2 PROCESS_LOCAL 1500", "2->e1 PROCESS_LOCAL 1500"}
	got := slices.Clone(d.log)
	slices.Sort(got)
	// e2's offer alone has one slot; all three start with the next offer of everything.
	for i := range want {
		want[i] = want[i][:len(want[i])-4] + "2000"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("launches (-want +got):\n%s", diff)
	}
}

// TestAddedUnheard: of a new executor nothing is told where nobody listens, and it gets tasks all the same.
func TestAddedUnheard(t *testing.T) {
	for _, unheard := range []bool{false, true} {
		s, _ := scheduler(t, nil, 2)
		s.AddedUnheard = unheard
		s.Take()
		launched := s.ResourceOffers(0, []Offer{{Exec: 7, Host: hostB, Cores: 1}}, false)
		told := slices.Contains(kinds(s.Take()), ExecutorAdded)
		if len(launched) != 1 || told == unheard {
			t.Errorf("unheard %v: %d tasks launched, the executor was told of: %v", unheard, len(launched), told)
		}
	}
}

// TestPreferring: tasks that prefer hosts are counted as the lists of a new set are made.
func TestPreferring(t *testing.T) {
	for _, prefs := range [][][]int32{nil, {nil, nil, nil}, {{hostA}, nil, {hostA, hostB}, nil, nil}, {{hostA}}} {
		want, spec := 0, TaskSetSpec{Tasks: max(len(prefs), 3), TaskCPUs: 1, AnyExecutor: true, Pool: DefaultPool}
		for _, p := range prefs {
			spec.PrefStart = append(spec.PrefStart, int32(len(spec.Hosts)))
			if spec.Hosts = append(spec.Hosts, p...); len(p) > 0 {
				want++
			}
		}
		if prefs != nil {
			spec.Tasks, spec.PrefStart = len(prefs), append(spec.PrefStart, int32(len(spec.Hosts)))
		}
		s, _ := scheduler(t, nil, 1)
		if got := s.Submit(0, &spec).Preferring(); got != want {
			t.Errorf("of tasks that prefer %v, %d count as such, want %d", prefs, got, want)
		}
	}
}
