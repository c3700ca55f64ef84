package spark

import (
	"fmt"
	"slices"
	"testing"
)

// FairSchedulingAlgorithm: of two pools the one that comes first.
func TestFairOrderOfPools(t *testing.T) {
	pool := func(name string, running, share, weight int32) *Pool {
		return &Pool{Name: name, Running: running, MinShare: share, Weight: weight}
	}
	for _, tt := range []struct {
		what          string
		first, second *Pool
	}{
		{"below its minimum share", pool("z", 1, 2, 1), pool("a", 0, 0, 1)},
		{"at its minimum share is not below it", pool("a", 1, 2, 1), pool("b", 2, 2, 9)},
		{"further below", pool("z", 1, 4, 1), pool("a", 1, 2, 1)},
		{"as far below, by name", pool("a", 2, 4, 1), pool("b", 1, 2, 1)},
		{"a share of one", pool("z", 0, 1, 1), pool("a", 1, 3, 1)},
		{"fewer tasks for its weight", pool("z", 4, 0, 2), pool("a", 3, 0, 1)},
		{"as many for its weight, by name", pool("a", 4, 0, 2), pool("b", 2, 0, 1)},
		{"nothing runs: -0 is below 0", pool("z", 0, 0, -1), pool("a", 0, 0, 1)},
		{"-0 twice, by name", pool("a", 0, 0, -1), pool("b", 0, 0, -2)},
		{"0 twice, by name", pool("a", 0, 0, 1), pool("b", 0, 0, 2)},
		{"no weight and nothing running is not a number: last", pool("z", 9, 0, 1), pool("a", 0, 0, 0)},
		{"not a number twice, by name", pool("a", 0, 0, 0), pool("b", 0, 0, 0)},
		{"infinite is before not a number", pool("z", 1, 0, 0), pool("a", 0, 0, 0)},
		{"infinite twice, by name", pool("a", 1, 0, 0), pool("b", 2, 0, 0)},
		{"names as UTF-16: a surrogate is below U+FFxx", pool("\U00010000", 0, 0, 1), pool("\uff5e", 0, 0, 1)},
	} {
		if comparePools(tt.first, tt.second) >= 0 || comparePools(tt.second, tt.first) <= 0 {
			t.Errorf("%s: %d and %d, want the first before the second", tt.what, comparePools(tt.first, tt.second), comparePools(tt.second, tt.first))
		}
		if comparePools(tt.first, tt.first) != 0 {
			t.Errorf("%s: a pool is not equal to itself", tt.what)
		}
	}
}

// FIFOSchedulingAlgorithm, FairSchedulingAlgorithm: of task sets. In a FAIR pool names count as text.
func TestOrderOfTaskSets(t *testing.T) {
	set := func(job, stage, running int32) *Schedulable {
		return &Schedulable{Priority: job, Stage: stage, Attempt: 11, Running: running}
	}
	for _, tt := range []struct {
		mode          PoolMode
		first, second *Schedulable
	}{
		{FIFO, set(0, 9, 5), set(1, 0, 0)},
		{FIFO, set(0, 9, 5), set(7, 0, 0)},
		{FIFO, set(1, 3, 5), set(1, 4, 0)},
		{FIFO, set(1, 3, 5), set(1, 9, 0)},
		{FAIR, set(5, 9, 1), set(0, 0, 2)},
		{FAIR, set(5, 10, 1), set(0, 9, 1)},
	} {
		for _, order := range [][]*Schedulable{{tt.first, tt.second}, {tt.second, tt.first}} {
			p := NewPools(FAIR, []Pool{{Name: "p", Mode: tt.mode, Weight: 1}})
			for _, s := range order {
				s.Backlog = 1
				p.Add(s, "p")
			}
			if got := p.AppendSorted(nil); !slices.Equal(got, []*Schedulable{tt.first, tt.second}) {
				t.Errorf("%v: %s of job %d, %d running, is not before %s of job %d, %d running", tt.mode,
					tt.first.Name(), tt.first.Priority, tt.first.Running, tt.second.Name(), tt.second.Priority, tt.second.Running)
			}
		}
	}
	if got := set(0, 12, 0).Name(); got != "TaskSet_12.11" {
		t.Errorf("the name is %q, want TaskSet_12.11", got)
	}
}

// FIFOSchedulableBuilder, FairSchedulableBuilder.
func TestPoolsOfAMode(t *testing.T) {
	file := []Pool{{Name: "a", Mode: FAIR, MinShare: 2, Weight: 3}, {Name: "a", Weight: 1}}
	for _, tt := range []struct {
		mode PoolMode
		file []Pool
		want string
	}{
		{FIFO, nil, `"" FIFO 0 1`},
		{FIFO, file, `"" FIFO 0 1`},
		{FAIR, nil, `"default" FAIR 0 1`},
		{FAIR, []Pool{}, `"default" FIFO 0 1`},
		{FAIR, file, `"a" FAIR 2 3, "a" FIFO 0 1, "default" FIFO 0 1`},
		{FAIR, []Pool{{Name: DefaultPool, Weight: 5}}, `"default" FIFO 0 5`},
	} {
		got := ""
		for i, p := range NewPools(tt.mode, tt.file).Pools {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%q %v %d %d", p.Name, p.Mode, p.MinShare, p.Weight)
		}
		if got != tt.want {
			t.Errorf("%v with %v: pools %s, want %s", tt.mode, tt.file, got, tt.want)
		}
	}
	p := NewPools(FAIR, file)
	sets := make([]Schedulable, 4)
	for i, name := range []string{"a", "", "b", "b"} {
		sets[i].ID, sets[i].Stage = int32(i), int32(i)
		p.Add(&sets[i], name)
	}
	if sets[0].pool != p.Pools[1] || sets[1].pool != p.Pools[2] || sets[2].pool != sets[3].pool || len(p.Pools) != 4 || p.Pools[3].Name != "b" || p.Pools[3].Weight != 1 {
		t.Errorf("sets are in %v, %v, %v, %v of %d pools", sets[0].pool, sets[1].pool, sets[2].pool, sets[3].pool, len(p.Pools))
	}
	var seen []int32
	for s := range p.Each {
		seen = append(seen, s.ID)
		if s.ID == 2 {
			break
		}
		p.Remove(s)
	}
	p.Remove(&sets[0]) // it is out already
	sets[3].AddRunning(2)
	if !slices.Equal(seen, []int32{0, 1, 2}) || sets[2].pool.Running != 2 || sets[3].Running != 2 || len(p.Pools[1].sets) != 0 || len(p.Pools[3].sets) != 2 {
		t.Errorf("seen %v, %d running in pool b with %d sets", seen, sets[2].pool.Running, len(p.Pools[3].sets))
	}
}

// Pool.getSortedTaskSetQueue gives those that may launch something.
func TestSchedulableSets(t *testing.T) {
	p := NewPools(FIFO, nil)
	sets := []Schedulable{{Backlog: 1}, {Backlog: 0}, {Backlog: 1, Zombie: true}, {Backlog: 2}}
	for i := range sets {
		sets[i].Stage = int32(3 - i)
		p.Add(&sets[i], "ignored")
	}
	before := []*Schedulable{{}}
	if got := p.AppendSorted(before); !slices.Equal(got, []*Schedulable{before[0], &sets[3], &sets[0]}) {
		t.Errorf("%d sets may launch something, want the last and the first", len(got))
	}
}

// A task set of which another number of tasks ran when it left stands nowhere: not in the order of its pool when its memory is that of a set of another one.
func TestPoolsForgetWhoLeft(t *testing.T) {
	r := NewPools(FAIR, []Pool{{Name: "a", Mode: FAIR, Weight: 1}, {Name: "b", Mode: FAIR, Weight: 1}})
	stays, s := Schedulable{Stage: 1, Backlog: 1}, Schedulable{Stage: 2, Backlog: 1}
	r.Add(&stays, "a")
	r.Add(&s, "a")
	s.AddRunning(1)
	r.Remove(&s)
	s = Schedulable{Stage: 3, Backlog: 1}
	r.Add(&s, "b")
	s.AddRunning(2)
	got := r.AppendSorted(nil)
	if len(got) != 2 || !slices.Contains(got, &stays) || !slices.Contains(got, &s) {
		t.Errorf("in turn come %d sets, want the one of each pool", len(got))
	}
}
