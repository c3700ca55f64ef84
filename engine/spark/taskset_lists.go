package spark

import (
	"slices"

	"replay/engine/spark/scala"
)

// intTable maps int32 keys that are not negative to positions 0, 1, 2, ... in the order in which
// they were first given. It is a small open-addressed table: one probe on the offer path.
type intTable struct {
	slots []int32 // position + 1
	keys  []int32 // by position
	shift uint
}

func (t *intTable) hash(key int32) uint32 { return uint32(key) * 0x9e3779b9 >> t.shift }

// find returns the position of key, or -1.
func (t *intTable) find(key int32) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint32(len(t.slots) - 1)
	for i := t.hash(key); ; i = (i + 1) & mask {
		at := t.slots[i]
		if at == 0 || t.keys[at-1] == key {
			return at - 1
		}
	}
}

// add returns the position of key, which it makes if there is none.
func (t *intTable) add(key int32) int32 {
	if at := t.find(key); at >= 0 {
		return at
	}
	if 4*(len(t.keys)+1) > 3*len(t.slots) {
		size := max(8, 2*len(t.slots))
		t.slots = make([]int32, size)
		t.shift = 32
		for ; size > 1; size >>= 1 {
			t.shift--
		}
		for at, k := range t.keys {
			t.place(k, int32(at))
		}
	}
	at := int32(len(t.keys))
	t.keys = append(t.keys, key)
	t.place(key, at)
	return at
}

func (t *intTable) place(key, at int32) {
	mask := uint32(len(t.slots) - 1)
	i := t.hash(key)
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = at + 1
}

// keyedLists are the pending tasks by executor, host or rack: a stack of task indexes for each
// key. A key goes away when its list is found to be without live tasks ([keyedLists.anyLive]) and
// comes back with the next task added.
//
// Source: PendingTasksByLocality.
type keyedLists struct {
	table intTable
	lists []taskList
	first int32 // no list before this position is present

	// order walks over the present keys as Spark does, nil for the canonical order: that in
	// which keys were first added.
	order *scala.HashMap[int32]
}

type taskList struct {
	tasks   []int32
	present bool
}

// get returns the list of key, nil if there is none.
func (k *keyedLists) get(key int32) *[]int32 {
	if at := k.table.find(key); at >= 0 && k.lists[at].present {
		return &k.lists[at].tasks
	}
	return nil
}

// list returns the list of key, which it makes if there is none.
func (k *keyedLists) list(key int32) *[]int32 {
	at := k.table.add(key)
	if int(at) == len(k.lists) {
		k.lists = append(k.lists, taskList{})
	}
	l := &k.lists[at]
	if !l.present {
		l.present = true
		k.first = min(k.first, at)
		if k.order != nil {
			k.order.Put(key)
		}
	}
	return &l.tasks
}

// keys yields the present keys in no order that a decision may use.
func (k *keyedLists) keys(yield func(int32) bool) {
	for at := range k.lists {
		if k.lists[at].present && !yield(k.table.keys[at]) {
			return
		}
	}
}

// any reports whether some present key is ok.
func (k *keyedLists) any(ok func(int32) bool) bool {
	for key := range k.keys {
		if ok(key) {
			return true
		}
	}
	return false
}

// anyOf is any where only keys of a list can be ok.
func (k *keyedLists) anyOf(list []int32, ok func(int32) bool) bool {
	if len(k.lists) < len(list) {
		return k.any(ok)
	}
	return slices.ContainsFunc(list, func(key int32) bool { return k.get(key) != nil && ok(key) })
}

// walk yields the present keys in Spark's order, or the canonical one.
func (k *keyedLists) walk(yield func(int32) bool) {
	if k.order != nil {
		k.order.All(yield)
		return
	}
	k.keys(yield)
}

// reserve makes the lists, empty and absent, with room in one backing array: counts[i] is the number of tasks to come for
// position i.
func (k *keyedLists) reserve(counts []int32) {
	k.lists, k.first = make([]taskList, len(counts)), int32(len(counts))
	total := 0
	for _, n := range counts {
		total += int(n)
	}
	backing := make([]int32, total)
	for at, n := range counts {
		k.lists[at].tasks = backing[:0:n]
		backing = backing[n:]
	}
}

// anyLive reports whether some list has a task that waits, as live says. It walks over the lists up
// to the first one that has, and takes away dead tasks at the ends of the lists it met, and lists
// that this left empty.
//
// Source: TaskSetManager.getAllowedLocalityLevel, moreTasksToRunIn.
func (k *keyedLists) anyLive(s *TaskSet) bool {
	if k.order != nil {
		return k.anyLiveInOrder(s)
	}
	for ; int(k.first) < len(k.lists); k.first++ {
		l := &k.lists[k.first]
		if l.present && l.trim(s) {
			return true
		}
		l.present = false
	}
	return false
}

func (k *keyedLists) anyLiveInOrder(s *TaskSet) bool {
	var dead []int32
	found := false
	for key := range k.order.All {
		if found = k.lists[k.table.find(key)].trim(s); found {
			break
		}
		dead = append(dead, key)
	}
	for _, key := range dead {
		k.lists[k.table.find(key)].present = false
		k.order.Remove(key)
	}
	return found
}

// trim drops dead tasks from the end and reports whether a live one is left.
func (l *taskList) trim(s *TaskSet) bool {
	for n := len(l.tasks); n > 0; n-- {
		if t := &s.tasks[l.tasks[n-1]]; t.copies == 0 && !t.done {
			l.tasks = l.tasks[:n]
			return true
		}
	}
	l.tasks = l.tasks[:0]
	return false
}

// pendingTasks are the lists that a task is in while it waits, once for regular tasks and once for
// speculative copies. Every list is a stack: the last task is taken first.
type pendingTasks struct {
	byExec, byHost, byRack keyedLists
	noPrefs, all           []int32
}

// PendingTasks is a copy of the lists of waiting tasks, for tests and for people. The last task of a
// list is taken first. Lists may hold tasks that do not wait any more.
type PendingTasks struct {
	ByExec, ByHost, ByRack map[int32][]int32
	NoPrefs, All           []int32
	HostWalk               []int32 // hosts in the order in which they are walked over
}

// PendingTasks returns the lists of regular tasks.
func (s *TaskSet) PendingTasks() PendingTasks {
	p := &s.pending
	return PendingTasks{
		ByExec: p.byExec.copy(), ByHost: p.byHost.copy(), ByRack: p.byRack.copy(),
		NoPrefs: append([]int32{}, p.noPrefs...), All: append([]int32{}, p.all...),
		HostWalk: slices.Collect(p.byHost.walk),
	}
}

func (k *keyedLists) copy() map[int32][]int32 {
	m := map[int32][]int32{}
	for key := range k.keys {
		m[key] = slices.Clone(*k.get(key))
	}
	return m
}
