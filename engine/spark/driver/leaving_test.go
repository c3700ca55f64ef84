package driver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/model"
	"replay/engine/record"
	"replay/trace"
)

// tailed is an application with executors until half a minute behind its tasks, at a time when nothing is left to do but to leave.
func tailed(t *testing.T, conf map[string]string) *app {
	j := jobOf(stageOf(0, 4, 5000))
	j.TailMS = 30_000
	m := model.DefaultModel()
	a := newApp(t, j, setup{conf: conf, model: &m}).register()
	a.executors(0, 1).Run(30_000)
	if !a.d.ended || a.d.stopping {
		t.Fatalf("at 30 s the application's code has ended: %v, and nothing is begun: %v; log %v", a.d.ended, a.d.stopping, a.Log)
	}
	return a
}

// A master that leaves in the place of another one does what that would have done, and that one's memory is the next one's.
func TestMasterThatLeaves(t *testing.T) {
	for _, c := range []struct {
		name  string
		conf  map[string]string
		until int64 // of the replay
	}{
		{"dynamic allocation", dynamic("spark.dynamicAllocation.minExecutors", "2"), 120_000},
		{"static allocation", static(2), 120_000},
		{"the replay ends before", static(2), 40_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			story := func(leaves bool) *app {
				a := tailed(t, c.conf)
				if leaves {
					old := a.asked()
					m := old.Retire(evDriverStop)
					if m == nil {
						t.Fatal("the master stays")
					}
					a.Master = m
					other := jobOf(stageOf(0, 2, 1000))
					if next := old.kind.newMaster(a.Host, other, a.d.set).(*asked); next != old || next.job != other {
						t.Error("the memory of a master is not the next one's")
					}
					if old.kind.spared() == old {
						t.Error("the memory of a master is that of two")
					}
				}
				a.Run(c.until)
				if a.Master.Stopping() != (c.until > 60_000) {
					t.Errorf("stopping is %v", a.Master.Stopping())
				}
				a.Log = append(a.Log, a.Master.Waits(nil))
				a.Master.Finish()
				a.Master.Stop()
				return a
			}
			want, got := story(false), story(true)
			if d := cmp.Diff(want.Log, got.Log); d != "" {
				t.Errorf("(-stays +leaves)\n%s", d)
			}
			if d := cmp.Diff(*want.Job(), *got.Job()); d != "" {
				t.Errorf("record of the job (-stays +leaves)\n%s", d)
			}
			for n := int64(2); n <= 3; n++ {
				if d := cmp.Diff(want.Container(n), got.Container(n)); d != "" || want.Container(n).Tasks == 0 {
					t.Errorf("record of container %d (-stays +leaves)\n%s", n, d)
				}
			}
			if d := cmp.Diff(want.Beats, got.Beats); d != "" || want.Counted() != got.Counted() || want.Counted() < 10 {
				t.Errorf("%d heartbeats are counted, want %d, more than 10; executed (-stays +leaves)\n%s", got.Counted(), want.Counted(), d)
			}
			if (want.Outcome != nil) != (c.until > 60_000) || (got.Outcome == nil) != (want.Outcome == nil) {
				t.Errorf("outcomes %v and %v", want.Outcome, got.Outcome)
			}
		})
	}
}

// What is left of a master that leaves is asked nothing while it has not, and then it is like one that has.
func TestProcessesOfMasterThatLeaves(t *testing.T) {
	a := tailed(t, static(2))
	m := a.asked().Retire(evDriverStop)
	if got := m.ExitStatus(2); got != exitSIGTERM {
		t.Errorf("a process that something else ends returns %d, want %d", got, exitSIGTERM)
	}
	a.Master = m
	m.Handle(evTick, 0)
	if m.Stopping() {
		t.Error("it has left at an event of another kind")
	}
	a.Run(70_000)
	if got := m.ExitStatus(2); got != 0 || !m.Stopping() {
		t.Errorf("a process that ends with its application returns %d, want 0", got)
	}
	log := len(a.Log)
	m.Handle(evDriverStop, 0)
	if len(a.Log) > log {
		t.Errorf("it has left twice: %v", a.Log[log:])
	}
}

// A master stays while there is more to do, or may be.
func TestMasterThatStays(t *testing.T) {
	client := static(2, "spark.submit.deployMode", "client")
	for name, a := range map[string]func() *app{
		"another event comes first": func() *app {
			a := tailed(t, static(2))
			if m := a.asked().Retire(evTick); m != nil {
				t.Error("a master left before a tick")
			}
			a.d.odd = true // and this is the reason below
			return a
		},
		"client mode": func() *app { return tailed(t, client) },
		"it has left": func() *app {
			a := tailed(t, static(2))
			a.Run(70_000)
			return a
		},
		"the application has failed": func() *app {
			a := tailed(t, static(2))
			a.d.failed = "for a reason"
			return a
		},
		"a task runs": func() *app {
			a := newApp(t, jobOf(stageOf(0, 4, 50_000)), setup{conf: static(2)}).register()
			a.executors(0, 1).Run(30_000)
			a.d.ended = true // without it, as a copy of a task that has succeeded
			return a
		},
		"its code goes on": func() *app {
			a := newApp(t, jobOf(stageOf(0, 4, 50_000)), setup{conf: static(2)}).register()
			a.Run(30_000)
			return a
		},
		"it is told of a container": func() *app {
			a := tailed(t, static(2))
			a.Complete(2, 1)
			return a
		},
		"it asks why an executor is gone": func() *app {
			a := tailed(t, static(2))
			a.Crash(2, 1)
			a.Run(a.Now() + 100)
			return a
		},
		"its process ended as recorded": func() *app {
			a := tailed(t, static(2))
			a.d.latencies = &Latencies{AMMS: trace.Unset, Halts: true, HaltMS: record.None}
			return a
		},
	} {
		t.Run(name, func(t *testing.T) {
			if m := a().asked().Retire(evDriverStop); m != nil {
				t.Error("it leaves")
			}
		})
	}
}
