package spark

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// pairOfSchedulers gives the same calls to two task schedulers, as a driver does: an executor is offered alone when it is new and when it has a core again, and
// all of them when the scheduler asks for that. At the times between, all are offered to the first, and to the second when that is due.
type pairOfSchedulers struct {
	*rapid.T
	now   int64
	both  [2]*TaskScheduler
	free  []int32 // cores by executor, -1 for those that are lost
	runs  []TaskRef
	spent [2]int // offers between
	stage int32
}

func (x *pairOfSchedulers) offer(all bool, ids ...int32) {
	var offers []Offer
	for _, e := range ids {
		if x.free[e] >= 0 {
			offers = append(offers, Offer{Exec: e, Host: e % modelHosts, Cores: x.free[e]})
		}
	}
	refs := slices.Clone(x.both[0].ResourceOffers(x.now, offers, all))
	if d := cmp.Diff(refs, slices.Clone(x.both[1].ResourceOffers(x.now, offers, all)), equateEmpty); d != "" {
		x.Fatalf("launched (-every offer +those that are due)\n%s", d)
	}
	x.launched(refs)
}

func (x *pairOfSchedulers) launched(refs []TaskRef) {
	for _, r := range refs {
		set := x.both[0].Set(r.Set)
		x.free[set.Attempt(r.Row).Exec] -= set.Spec.TaskCPUs
	}
	x.runs = append(x.runs, refs...)
}

func (x *pairOfSchedulers) all() []int32 {
	ids := make([]int32, len(x.free))
	for i := range ids {
		ids[i] = int32(i)
	}
	return rapid.Permutation(ids).Draw(x.T, "order")
}

// between offers all executors to the first, and to the second if that is due.
func (x *pairOfSchedulers) between() {
	if !x.both[0].Pending() || !slices.ContainsFunc(x.free, func(n int32) bool { return n > 0 }) {
		return
	}
	ids := x.all()
	if x.both[1].OfferDue(x.now) <= x.now {
		x.spent[1]++
		x.spent[0]++
		x.offer(true, ids...)
		return
	}
	x.spent[0]++
	both := x.both
	x.both[1] = x.both[0] // the first alone
	var offers []Offer
	for _, e := range ids {
		if x.free[e] >= 0 {
			offers = append(offers, Offer{Exec: e, Host: e % modelHosts, Cores: x.free[e]})
		}
	}
	if refs := x.both[0].ResourceOffers(x.now, offers, true); len(refs) > 0 {
		x.Fatalf("at %d an offer that was due at %d launched %v", x.now, both[1].OfferDue(x.now), refs)
	}
	x.both = both
}

func (x *pairOfSchedulers) step() {
	pick := func(n int, name string) int { return rapid.IntRange(0, n-1).Draw(x.T, name) }
	switch kind := pick(8, "what"); {
	case kind == 0 && x.stage < 4:
		spec := TaskSetSpec{Stage: x.stage, Tasks: 1 + pick(12, "tasks"), TaskCPUs: 1, ShuffleMap: pick(2, "map") == 0}
		x.stage++
		if pick(4, "preferences") > 0 {
			spec.PrefStart = []int32{0}
			least := min(pick(4, "least"), 1)
			for range spec.Tasks {
				for range least + pick(3, "locations") {
					spec.Hosts = append(spec.Hosts, int32(pick(2*modelHosts, "host")))
				}
				spec.PrefStart = append(spec.PrefStart, int32(len(spec.Hosts)))
			}
		}
		for _, s := range x.both {
			s.Submit(x.now, &spec)
		}
	case kind <= 2 && len(x.free) < modelExecs:
		x.free = append(x.free, int32(1+pick(2, "cores")))
		x.offer(false, int32(len(x.free)-1))
	case kind == 3 && len(x.free) > 0 && pick(3, "lose") == 0:
		exec := int32(pick(len(x.free), "lost"))
		if x.free[exec] < 0 {
			return
		}
		x.free[exec] = -1
		x.runs = slices.DeleteFunc(x.runs, func(r TaskRef) bool { return x.both[0].Set(r.Set).Attempt(r.Row).Exec == exec })
		for _, s := range x.both {
			s.ExecutorLost(x.now, exec, Loss{Kind: LossExited})
		}
	case len(x.runs) > 0:
		i := pick(len(x.runs), "run")
		ref := x.runs[i]
		x.runs = slices.Delete(x.runs, i, i+1)
		set := x.both[0].Set(ref.Set)
		exec, succeeds := set.Attempt(ref.Row).Exec, pick(5, "result") > 0
		x.free[exec] += set.Spec.TaskCPUs
		for _, s := range x.both {
			s.StatusUpdate(ref)
		}
		x.offer(false, exec)
		for _, s := range x.both {
			if succeeds {
				s.Succeeded(x.now, ref)
			} else {
				s.Failed(x.now, ref, EndKilled)
			}
		}
	}
}

// settle does what the schedulers ask for, and compares them.
func (x *pairOfSchedulers) settle() {
	for {
		a, b := slices.Clone(x.both[0].Take()), slices.Clone(x.both[1].Take())
		if d := cmp.Diff(append([]TaskEvent{}, a...), append([]TaskEvent{}, b...)); d != "" {
			x.Fatalf("events (-every offer +those that are due)\n%s", d)
		}
		for id, set := range x.both[0].sets {
			if other := x.both[1].Set(int32(id)); set != nil && other != nil {
				if d := cmp.Diff(textOf(set), textOf(other)); d != "" {
					x.Fatalf("at %d: set %d (-every offer +those that are due)\n%s", x.now, id, d)
				}
			}
		}
		if !slices.ContainsFunc(a, func(e TaskEvent) bool { return e.Kind == ReviveOffers }) {
			return
		}
		x.offer(true, x.all()...)
	}
}

// An offer of all executors that is not due launches nothing and changes nothing.
func TestOffersThatAreNotDueChangeNothing(t *testing.T) {
	every, due := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := testConf(t, map[string]string{
			"spark.locality.wait.node":      rapid.SampledFrom([]string{"0", "3s", "20s"}).Draw(t, "wait node"),
			"spark.locality.wait.rack":      rapid.SampledFrom([]string{"0", "3s", "20s"}).Draw(t, "wait rack"),
			"spark.shuffle.service.enabled": "true",
		})
		x := &pairOfSchedulers{T: t}
		for i := range x.both {
			x.both[i] = NewTaskScheduler(c, NewPools(FIFO, nil), []int32{0, 1, 0, 1, 0, 1, 2, 2}, nil)
		}
		for e := range rapid.Int32Range(0, modelExecs/2).Draw(t, "executors") {
			x.free = append(x.free, 2)
			x.offer(false, e)
		}
		for range rapid.IntRange(5, 80).Draw(t, "steps") {
			x.step()
			x.settle()
			for range rapid.IntRange(0, 4).Draw(t, "times between") {
				x.now += rapid.SampledFrom([]int64{1, 100, 500, 1000, 2000}).Draw(t, "pause")
				x.between()
				x.settle()
			}
		}
		every, due = every+x.spent[0], due+x.spent[1]
	})
	t.Logf("of %d offers %d were due", every, due)
	if due*10 > every*9 {
		t.Errorf("%d of %d offers were due, want that some are not", due, every)
	}
}

// As soon as no task waits at the level that is allowed an offer goes on to the next one.
func TestOfferIsDueWhenNoTaskWaitsAtTheLevel(t *testing.T) {
	s := NewTaskScheduler(testConf(t, map[string]string{"spark.locality.wait": "3s"}), NewPools(FIFO, nil), nil, nil)
	a, b := Offer{Exec: 0, Host: 0, Cores: 1}, Offer{Exec: 1, Host: 1, Cores: 1}
	s.ResourceOffers(0, []Offer{a}, false)
	s.ResourceOffers(0, []Offer{b}, false)
	s.Submit(0, &TaskSetSpec{Tasks: 2, TaskCPUs: 1, PrefStart: []int32{0, 1, 2}, Hosts: []int32{1, 1}})
	if due := s.OfferDue(0); due != 0 {
		t.Errorf("before any offer one is due at %d, want 0", due)
	}
	first := slices.Clone(s.ResourceOffers(0, []Offer{a, b}, true))
	if due := s.OfferDue(1000); len(first) != 1 || due != 3000 {
		t.Errorf("%d tasks are launched, and an offer is due at %d, want 1, and 3000 when the wait is over", len(first), due)
	}
	s.StatusUpdate(first[0])
	if n := len(s.ResourceOffers(1500, []Offer{b}, false)); n != 1 {
		t.Errorf("%d tasks are launched, want the other one", n)
	}
	if due := s.OfferDue(1600); due != 1600 {
		t.Errorf("with no task that waits for a host an offer is due at %d, want 1600", due)
	}
	s.ResourceOffers(1600, []Offer{a}, true)
	if s.Pending() {
		t.Error("tasks are pending, want none")
	}
}

// An executor that came while a better level was allowed may find a task at the level at which the others had found none.
func TestOfferIsDueForALaterExecutor(t *testing.T) {
	s := NewTaskScheduler(testConf(t, map[string]string{"spark.locality.wait": "3s"}), NewPools(FIFO, nil), []int32{0, 1, 1, 2, 2}, nil)
	other, local, later := Offer{Exec: 0, Host: 0, Cores: 1}, Offer{Exec: 1, Host: 1, Cores: 1}, Offer{Exec: 2, Host: 4, Cores: 1}
	s.ResourceOffers(0, []Offer{other}, false)
	rack := Offer{Exec: 3, Host: 2, Cores: 0} // makes the level of its rack valid
	s.ResourceOffers(0, []Offer{rack}, false)
	s.Submit(0, &TaskSetSpec{Tasks: 4, TaskCPUs: 1, PrefStart: []int32{0, 1, 2, 3, 4}, Hosts: []int32{1, 1, 3, 3}})
	s.ResourceOffers(0, []Offer{other, rack}, true) // nothing in the rack of host 0
	if due := s.OfferDue(0); due != 3000 {
		t.Fatalf("an offer is due at %d, want 3000", due)
	}
	refs := slices.Clone(s.ResourceOffers(100, []Offer{local}, false)) // the level of hosts is valid again
	if len(refs) != 1 || len(s.ResourceOffers(200, []Offer{later}, false)) != 0 {
		t.Fatalf("%d tasks are launched on the host of two, want 1, and later none on another", len(refs))
	}
	s.StatusUpdate(refs[0])
	if n := len(s.ResourceOffers(3100, []Offer{local}, false)); n != 1 { // the level of racks is allowed now
		t.Fatalf("%d tasks are launched, want 1", n)
	}
	if due := s.OfferDue(3100); due != 3100 {
		t.Errorf("an offer is due at %d, want 3100: executor 2 has a task in its rack", due)
	}
	if n := len(s.ResourceOffers(3100, []Offer{other, later}, true)); n != 1 {
		t.Errorf("%d tasks are launched, want 1", n)
	}
}
