package spark

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A key is found where it is, and no other is, however unevenly keys lie.
func TestSortedKeysAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 120 {
		keys := map[int32]bool{}
		for len(keys) < n {
			key := r.Int32N(40) // many close to each other
			if r.IntN(3) == 0 || len(keys) > 30 {
				key = r.Int32N(1 << r.IntN(31))
			}
			keys[key] = true
		}
		k := keyPositions{sorted: []int32{}}
		for key := range keys {
			k.sorted = append(k.sorted, key)
		}
		slices.Sort(k.sorted)
		for i, key := range k.sorted {
			if got := k.find(key); got != int32(i) {
				t.Fatalf("%d of %v is at %d, want %d", key, k.sorted, got, i)
			}
			for _, other := range []int32{key - 1, key + 1} {
				if !keys[other] && k.find(other) != -1 {
					t.Fatalf("%d of %v is at %d, want nowhere", other, k.sorted, k.find(other))
				}
			}
		}
	}
}

// Lists that are filled at once are those that tasks are added to one after the other, in whatever memory.
func TestListsFilledAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var scratch Scratch
	for n := range 200 {
		racks := make([]int32, r.IntN(2*n+1))
		for i := range racks {
			racks[i] = r.Int32N(1+int32(n)/4) - 1 // NoRack is one of them
		}
		if r.IntN(2) == 0 {
			racks = make([]int32, 8*n+1)
			for i := range racks {
				racks[i] = int32(i / (1 + n/8))
			}
		}
		spec := TaskSetSpec{Tasks: 1 + n, PrefStart: []int32{0}}
		for range spec.Tasks {
			for range r.IntN(4) {
				spec.Hosts = append(spec.Hosts, r.Int32N(1+int32(n)*r.Int32N(8)))
			}
			spec.PrefStart = append(spec.PrefStart, int32(len(spec.Hosts)))
		}
		var hosts, byRack keyedLists
		var noPrefs []int32
		sorted := []int32{}
		for i := int32(n); i >= 0; i-- {
			from, to := spec.prefs(i)
			for at := to - 1; at >= from; at-- {
				hosts.add(spec.Hosts[at], i)
				sorted = append(sorted, spec.Hosts[at])
			}
			if from == to {
				noPrefs = append(noPrefs, i)
			}
		}
		slices.Sort(sorted)
		for _, host := range slices.Backward(slices.Compact(sorted)) {
			if int(host) < len(racks) && racks[host] != NoRack {
				for _, task := range hosts.of(hosts.at(host)) {
					byRack.add(racks[host], task)
				}
			}
		}
		s := NewTaskScheduler(testConf(t, nil), NewPools(FIFO, nil), racks, nil)
		s.Scratch = &scratch
		set := s.Submit(0, &spec)
		if !slices.Equal(set.pending.noPrefs, noPrefs) {
			t.Fatalf("%d tasks: without preference are %v, want %v", n+1, set.pending.noPrefs, noPrefs)
		}
		for _, k := range []struct{ got, want *keyedLists }{{&set.pending.byHost, &hosts}, {&set.pending.byRack, &byRack}} {
			for _, extra := range []int32{0, r.Int32N(3000)} { // keys that are there, and that are not
				k.got.add(extra, 7)
				k.want.add(extra, 7)
			}
			a, b := slices.Collect(k.got.keys), slices.Collect(k.want.keys)
			if !slices.Equal(a, b) {
				t.Fatalf("%d tasks: keys are %v, want %v", n+1, a, b)
			}
			for _, key := range b {
				if x, y := k.got.of(k.got.at(key)), k.want.of(k.want.at(key)); !slices.Equal(x, y) {
					t.Fatalf("%d tasks: list %d is %v, want %v", n+1, key, x, y)
				}
			}
		}
		s.spare(set.ID)
	}
}

// A task that prefers what is in the cache of HDFS goes back to the executors that are on the host then, so the lists of those that were there must not
// keep it: TaskSchedulerImpl.resourceOffers offers to the other executors although the last task is gone, here to one that is being decommissioned.
func TestTaskIsTakenFromAllExecutorsOfACache(t *testing.T) {
	s := NewTaskScheduler(testConf(t, map[string]string{"spark.locality.wait": "0"}), NewPools(FIFO, nil), nil, nil)
	two := []Offer{{Exec: 0, Host: 0, Cores: 1}, {Exec: 1, Host: 1, Cores: 1}}
	s.ResourceOffers(0, two, true)
	set := s.Submit(0, &TaskSetSpec{Tasks: 1, TaskCPUs: 1, PrefStart: []int32{0, 1}, Hosts: []int32{1}, Execs: []int32{HDFSCache}})
	s.Decommission(0, 1, false)
	if n := len(s.ResourceOffers(1, two, true)); n != 1 {
		t.Fatalf("%d tasks were launched, want 1", n)
	}
	for exec, tasks := range set.pending.byExec.copy() {
		if len(tasks) > 0 {
			t.Errorf("executor %d is still offered tasks %v", exec, tasks)
		}
	}
}

// A list that has gone, as nothing in it waited, is looked at again when a task comes back into it, whichever it is.
func TestListThatComesBackIsLookedAt(t *testing.T) {
	const n = 5
	spec := TaskSetSpec{Tasks: n, PrefStart: []int32{0}}
	racks := make([]int32, n)
	for i := range int32(n) {
		racks[i] = i
		spec.Hosts = append(spec.Hosts, i)
		spec.PrefStart = append(spec.PrefStart, i+1)
	}
	for back := range int32(n) {
		set := NewTaskScheduler(testConf(t, nil), NewPools(FIFO, nil), racks, nil).Submit(0, &spec)
		for _, k := range []*keyedLists{&set.pending.byHost, &set.pending.byRack} {
			for i := range set.tasks {
				set.tasks[i].done = true
			}
			if k.anyLive(set) {
				t.Fatal("a task waits, and all are done")
			}
			set.tasks[back].done = false
			if k.add(back, back); !k.anyLive(set) {
				t.Errorf("task %d has come back and is not found", back)
			}
		}
	}
}
