package record

import (
	"reflect"
	"testing"
)

// inAnyOrder is a sink that keeps task attempts and containers, and takes any order of them.
type inAnyOrder struct {
	Sink
	tasks      []Task
	containers []Container
}

func (*inAnyOrder) AnyOrder() (containers, tasks bool) { return true, true }
func (s *inAnyOrder) Task(r *Task)                     { s.tasks = append(s.tasks, *r) }
func (s *inAnyOrder) Container(r *Container)           { s.containers = append(s.containers, *r) }

// waving takes waves, too, and says of which rows it takes any order.
type waving struct {
	inAnyOrder
	containers, tasks bool
}

func (s *waving) AnyOrder() (containers, tasks bool) { return s.containers, s.tasks }
func (*waving) Wave(*Wave)                           {}

func waveOf(n int, levels ...TaskLevel) *Wave {
	w := &Wave{
		Task:      Task{Job: 7, AMAttempt: 1, Stage: 2, Index: 5, Container: 9, Ready: 80, Launch: 100, Cores: 2, Level: NoPref, End: TaskSuccess},
		Container: Container{Job: 7, AMAttempt: 1, Number: 9, Queue: "root.a", MemMiB: 1024, VCores: 2, Asked: 80, Allocated: 100, Acquired: 100, Started: 100, Registered: 100, End: EndCompleted, Cores: 2, Tasks: 1},
	}
	for i := range n {
		w.Nodes, w.DurationMS = append(w.Nodes, int32(40-i)), append(w.DurationMS, int64(1000*i))
	}
	if levels != nil {
		w.Levels = levels[:n]
	}
	return w
}

func TestWaveOneByOne(t *testing.T) {
	var got inAnyOrder
	waveOf(2, TaskNodeLocal, AnyLevel).Give(&got)
	first, second := waveOf(0).Task, waveOf(0).Task
	first.Node, first.Finish, first.Freed, first.Level, first.Preferring, first.Preferred = 40, 100, 100, TaskNodeLocal, true, true
	second.Index, second.Container, second.Node, second.Finish, second.Freed, second.DurationMS, second.Level, second.Preferring = 6, 10, 39, 1100, 1100, 1000, AnyLevel, true
	if want := []Task{first, second}; !reflect.DeepEqual(got.tasks, want) {
		t.Errorf("task attempts\n%+v, want\n%+v", got.tasks, want)
	}
	one, two := waveOf(0).Container, waveOf(0).Container
	one.Node, one.Ended, one.Exited = 40, 100, 100
	two.Number, two.Node, two.Ended, two.Exited, two.BusyMS = 10, 39, 1100, 1100, 2000
	if want := []Container{one, two}; !reflect.DeepEqual(got.containers, want) {
		t.Errorf("containers\n%+v, want\n%+v", got.containers, want)
	}
}

func TestTakesWaves(t *testing.T) {
	for _, tt := range []struct {
		sink Sink
		want bool
	}{{&waving{containers: true, tasks: true}, true}, {&waving{containers: true}, false}, {&waving{tasks: true}, false}, {&inAnyOrder{}, false}} {
		if got := TakesWaves(tt.sink) != nil; got != tt.want {
			t.Errorf("%+v takes waves: %v, want %v", tt.sink, got, tt.want)
		}
	}
}

// A wave has the hash of its task attempts, whatever waits before it.
func TestDigestOfWaves(t *testing.T) {
	levels := []TaskLevel{AnyLevel, TaskNodeLocal, NoPref, TaskRackLocal, AnyLevel, NoPref, NoPref, TaskNodeLocal, AnyLevel}
	for before := range 4 {
		for n := range len(levels) + 1 {
			for _, w := range []*Wave{waveOf(n), waveOf(n, levels...)} {
				var got, want Digest
				for i := range before {
					got.Task(&Task{Job: int64(i)})
					want.Task(&Task{Job: int64(i)})
				}
				got.Wave(w)
				var rows inAnyOrder
				w.Give(&rows)
				for i := range rows.tasks {
					want.Task(&rows.tasks[i])
				}
				if got, want := got.Hash(&Totals{}), want.Hash(&Totals{}); got != want {
					t.Errorf("%d attempts after %d others, levels %v: hash %s, want %s", n, before, w.Levels, got, want)
				}
			}
		}
	}
}
