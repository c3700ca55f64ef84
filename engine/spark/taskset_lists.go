package spark

import (
	"slices"

	"replay/engine/fetch"
	"replay/engine/sorted"
	"replay/engine/spark/scala"
)

// intTable maps int32 keys that are not negative to positions 0, 1, 2, ... in the order in which
// they were first given. It is a small open-addressed table: one probe on the offer path.
type intTable struct {
	slots []int32 // position + 1
	keys  []int32 // by position
	shift uint
}

// emptied returns a table without keys in the memory of t.
func (t *intTable) emptied() intTable {
	if len(t.keys) > 0 {
		clear(t.slots)
	}
	return intTable{slots: t.slots, keys: t.keys[:0], shift: t.shift}
}

// fetch asks for what is looked at for the next keys, at most so many.
func (t *intTable) fetch(most int) {
	fetch.List(t.slots, 2*most)
	fetch.Next(t.keys, most)
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
// comes back with the next task added. The places of a list are linked.
//
// Source: PendingTasksByLocality.
type keyedLists struct {
	keysAt keyPositions
	lists  []taskList
	links  []link
	shared bool    // links are those of other lists, too
	first  int32   // in the order in which keys were first added: no list before this one is present
	room   []int32 // of the parts that were made at once

	// The order in which keys were first added: positions, or all descending; else ascending.
	seen     []int32
	backward bool

	// order walks over the present keys as Spark does, nil for the canonical order: that in
	// which keys were first added.
	order *scala.HashMap[int32]
}

// taskList is the stack of a key, from one place in [keyedLists.links] down to another.
type taskList struct {
	top    int32 // or nothing, or absent while the key is
	bottom int32
	n      int32 // tasks that were in it when lists were made at once
}

const nothing, absent int32 = -1, -2

// link is a place: a task, and the place below it, which has no meaning at the bottom of a list.
type link struct{ task, below int32 }

// below returns the place below one of a list, nothing at its bottom.
func (k *keyedLists) below(l *taskList, place int32) int32 {
	if place == l.bottom {
		return nothing
	}
	return k.links[place].below
}

// keyPositions maps keys to positions: a table that grows, in the order in which they were first given, or all keys at once, ascending.
type keyPositions struct {
	table  intTable
	sorted []int32 // all keys; nil = they are in the table
}

// find returns the position of key, or -1.
func (k *keyPositions) find(key int32) int32 {
	if k.sorted == nil {
		return k.table.find(key)
	}
	return int32(sorted.Find(k.sorted, key))
}

// add returns the position of key, which it makes if there is none.
func (k *keyPositions) add(key int32) int32 {
	if at := k.find(key); at >= 0 {
		return at
	}
	if k.sorted != nil { // a key that was not among those that were to be all
		for _, key := range k.sorted {
			k.table.add(key)
		}
		k.sorted = nil
	}
	return k.table.add(key)
}

// byPosition returns all keys. Do not change it.
func (k *keyPositions) byPosition() []int32 {
	if k.sorted == nil {
		return k.table.keys
	}
	return k.sorted
}

// emptied returns lists without keys in the memory of k.
func (k *keyedLists) emptied() keyedLists {
	links := k.links[:0]
	if k.shared {
		links = nil
	}
	return keyedLists{keysAt: keyPositions{table: k.keysAt.table.emptied()}, lists: k.lists[:0], links: links, room: k.room}
}

// own has k not share links: those that there are may be changed, and others added.
func (k *keyedLists) own() {
	if k.shared {
		k.links, k.shared = slices.Clone(k.links), false
	}
}

// at returns the position of a key that is present, or -1.
func (k *keyedLists) at(key int32) int32 {
	if at := k.keysAt.find(key); at >= 0 && k.lists[at].top != absent {
		return at
	}
	return -1
}

// of returns the tasks of the list at a position, the last of which is on top.
func (k *keyedLists) of(at int32) (tasks []int32) {
	l := &k.lists[at]
	for place := l.top; place >= 0; place = k.below(l, place) {
		tasks = append(tasks, k.links[place].task)
	}
	slices.Reverse(tasks)
	return tasks
}

// add puts a task on top of the list of key, which it makes if there is none.
func (k *keyedLists) add(key, task int32) {
	at := k.keysAt.add(key)
	if int(at) == len(k.lists) {
		if k.backward { // but for this one
			for turn := range at {
				k.seen = append(k.seen, k.inTurn(turn))
			}
			k.backward = false
		}
		k.lists = append(k.lists, taskList{top: absent})
		if k.seen != nil {
			k.seen = append(k.seen, at)
		}
	}
	l := &k.lists[at]
	if l.top == absent {
		l.top = nothing
		k.first = min(k.first, k.turn(at))
		if k.order != nil {
			k.order.Put(key)
		}
	}
	k.own()
	place := int32(len(k.links))
	k.links = append(k.links, link{task: task, below: l.top})
	if l.top == nothing {
		l.bottom = place
	}
	l.top = place
}

// turn returns when a position comes in the canonical order, inTurn the one that comes then.
func (k *keyedLists) turn(at int32) int32 {
	switch {
	case k.backward:
		return int32(len(k.lists)) - 1 - at
	case k.seen == nil:
		return at
	}
	return int32(slices.Index(k.seen, at))
}

func (k *keyedLists) inTurn(turn int32) int32 {
	switch {
	case k.backward:
		return int32(len(k.lists)) - 1 - turn
	case k.seen == nil:
		return turn
	}
	return k.seen[turn]
}

// keys yields the present keys in the canonical order.
func (k *keyedLists) keys(yield func(int32) bool) {
	keys := k.keysAt.byPosition()
	for turn := range int32(len(k.lists)) {
		if at := k.inTurn(turn); k.lists[at].top != absent && !yield(keys[at]) {
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

// walk yields the present keys in Spark's order, or the canonical one.
func (k *keyedLists) walk(yield func(int32) bool) {
	if k.order != nil {
		k.order.All(yield)
		return
	}
	k.keys(yield)
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
		at := k.inTurn(k.first)
		if k.trim(s, at) {
			return true
		}
		k.lists[at].top = absent
	}
	return false
}

// firstIsLive reports whether [keyedLists.anyLive] would find a live task at once and take nothing away.
func (k *keyedLists) firstIsLive(s *TaskSet) bool {
	if k.order != nil || int(k.first) >= len(k.lists) {
		return false
	}
	top := k.lists[k.inTurn(k.first)].top
	return top >= 0 && s.tasks[k.links[top].task].waits()
}

func (k *keyedLists) anyLiveInOrder(s *TaskSet) bool {
	var dead []int32
	found := false
	for key := range k.order.All {
		if found = k.trim(s, k.keysAt.find(key)); found {
			break
		}
		dead = append(dead, key)
	}
	for _, key := range dead {
		k.lists[k.keysAt.find(key)].top = absent
		k.order.Remove(key)
	}
	return found
}

// trim drops dead tasks from the top of a list and reports whether a live one is left.
func (k *keyedLists) trim(s *TaskSet, at int32) bool {
	l := &k.lists[at]
	for ; l.top >= 0; l.top = k.below(l, l.top) {
		if s.tasks[k.links[l.top].task].waits() {
			return true
		}
	}
	return false
}

// pendingTasks are the lists that a task is in while it waits, once for regular tasks and once for
// speculative copies. Every list is a stack: the last task is taken first.
type pendingTasks struct {
	byExec, byHost, byRack keyedLists
	noPrefs, all           []int32
}

// emptied returns lists without tasks in the memory of p.
func (p *pendingTasks) emptied() pendingTasks {
	return pendingTasks{byExec: p.byExec.emptied(), byHost: p.byHost.emptied(), byRack: p.byRack.emptied(), noPrefs: p.noPrefs[:0], all: p.all[:0]}
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
		m[key] = k.of(k.at(key))
	}
	return m
}
