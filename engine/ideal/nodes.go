package ideal

import (
	"slices"

	"replay/engine/record"
	"replay/trace"
)

// room is an amount of memory and vcores.
type room struct{ mem, vcores int64 }

func (r room) holds(o room) bool { return r.mem >= o.mem && r.vcores >= o.vcores }

// minus is what is left without another one n times.
func (r room) minus(o room, n int) room {
	return room{r.mem - int64(n)*o.mem, r.vcores - int64(n)*o.vcores}
}

// nodes are the nodes with their free room, and an index of them for each size of task that a live stage has. A change of one node's
// room costs a comparison for each of these sizes, the first node with room a step for each factor of 64 in the number of nodes.
type nodes struct {
	at       []node
	total    []room
	round    []int32 // of draining, so that an old timer does not end a later round
	rack     []int32
	told     []record.Node // as the sink knows them
	sizes    []*size
	largest  []room // that nodes ever have
	most     []room // by node: the most memory and vcores that it ever has
	capacity room   // of the nodes in the cluster
	count    int64  // of these
}

// node is what changes with each task of a node.
type node struct {
	free     room  // below 0 where capacity was taken away from under running tasks
	running  int32 // tasks
	in       bool  // in the cluster
	draining bool
}

// size is a size of task, and the nodes that have room for it and take tasks.
type size struct {
	room
	stages int        // live ones with it
	words  [][]uint64 // by level
	nodes  []uint64   // the lowest
}

func (ns *nodes) start(list []trace.Node, events []trace.NodeEvent) {
	n := len(list)
	ns.at, ns.total, ns.round, ns.rack, ns.told = make([]node, n), make([]room, n), make([]int32, n), make([]int32, n), make([]record.Node, n)
	there := make([]bool, n) // at some time
	size := make([]room, n)
	ns.most = make([]room, n)
	for i := range list {
		ns.total[i] = room{list[i].MemMiB, int64(list[i].VCores)}
		ns.rack[i], there[i], size[i] = list[i].RackID, list[i].Present, ns.total[i]
		if there[i] {
			ns.hasBeen(int32(i), size[i])
			ns.enter(int32(i))
		}
	}
	for i := range events {
		e := &events[i]
		resize(&size[e.Node], e)
		if e.Kind == trace.Join || e.Kind == trace.Recover || e.Kind == trace.Undrain {
			there[e.Node] = true
		}
		if there[e.Node] {
			ns.hasBeen(e.Node, size[e.Node])
		}
	}
}

// hasBeen notes a size that a node has at some time.
func (ns *nodes) hasBeen(n int32, r room) {
	ns.most[n] = room{max(ns.most[n].mem, r.mem), max(ns.most[n].vcores, r.vcores)}
	for _, l := range ns.largest {
		if l.holds(r) {
			return
		}
	}
	ns.largest = append(slices.DeleteFunc(ns.largest, r.holds), r)
}

// everHolds reports whether a task of this size fits an empty node at some time.
func (ns *nodes) everHolds(r room) bool {
	return slices.ContainsFunc(ns.largest, func(l room) bool { return l.holds(r) })
}

func resize(r *room, e *trace.NodeEvent) {
	if e.MemMiB != trace.Unset {
		r.mem = e.MemMiB
	}
	if e.VCores != trace.Unset {
		r.vcores = int64(e.VCores)
	}
}

// enter puts a node into the cluster, empty.
func (ns *nodes) enter(n int32) {
	x := &ns.at[n]
	x.in, x.draining, x.free = true, false, ns.total[n]
	ns.capacity.mem += ns.total[n].mem
	ns.capacity.vcores += ns.total[n].vcores
	ns.count++
	ns.changed(n)
}

// leave takes a node out, on which nothing runs.
func (ns *nodes) leave(n int32) {
	ns.at[n].in, ns.at[n].draining = false, false
	ns.capacity.mem -= ns.total[n].mem
	ns.capacity.vcores -= ns.total[n].vcores
	ns.count--
	ns.changed(n)
}

// take begins some tasks of a size on a node.
func (ns *nodes) take(n int32, r room, tasks int) {
	x := &ns.at[n]
	x.free = x.free.minus(r, tasks)
	x.running += int32(tasks)
	ns.changed(n)
}

func (ns *nodes) give(n int32, r room) {
	x := &ns.at[n]
	x.free.mem += r.mem
	x.free.vcores += r.vcores
	x.running--
	ns.changed(n)
}

// changed brings the index up to date with a node.
func (ns *nodes) changed(n int32) {
	x := &ns.at[n]
	takes, bit := x.in && !x.draining, uint64(1)<<(n&63)
	for _, s := range ns.sizes {
		if has := takes && x.free.holds(s.room); s.nodes[n>>6]&bit != 0 != has {
			s.set(n, has)
		}
	}
}

// takes reports whether a task of this size may start on the node.
func (x *node) takes(r room) bool { return x.in && !x.draining && x.free.holds(r) }

// sized returns the size of a stage that has become live.
func (ns *nodes) sized(r room) *size {
	for _, s := range ns.sizes {
		if s.room == r {
			s.stages++
			return s
		}
	}
	s := &size{room: r, stages: 1}
	for n := len(ns.total); ; n = (n + 63) / 64 {
		s.words = append(s.words, make([]uint64, (n+63)/64))
		if n <= 64 {
			break
		}
	}
	s.nodes = s.words[0]
	ns.sizes = append(ns.sizes, s)
	for n := range ns.total {
		s.set(int32(n), ns.at[n].takes(r))
	}
	return s
}

// done is the end of a stage of this size.
func (ns *nodes) done(s *size) {
	s.stages--
	if s.stages == 0 && len(ns.sizes) > keptSizes {
		ns.sizes = slices.DeleteFunc(ns.sizes, func(o *size) bool { return o == s })
	}
}

// keptSizes is how many sizes stay in the index when no stage has them: the next job is often like the last.
const keptSizes = 4

// set notes of a node that has room for the size, or has not.
func (s *size) set(n int32, has bool) {
	for _, level := range s.words {
		w, bit := &level[n>>6], uint64(1)<<(n&63)
		if *w&bit != 0 == has {
			return
		}
		before := *w
		*w ^= bit
		if before != 0 && *w != 0 {
			return
		}
		n >>= 6
	}
}

// nodeEvent applies an event of the trace.
func (l *loop) nodeEvent(e *trace.NodeEvent) {
	ns, n := &l.nodes, e.Node
	if e.Kind != trace.Join && e.Kind != trace.Recover && ns.at[n].in { // nodes that come enter with their new size
		before := ns.total[n]
		resize(&ns.total[n], e)
		more := room{ns.total[n].mem - before.mem, ns.total[n].vcores - before.vcores}
		free := &ns.at[n].free
		*free = room{free.mem + more.mem, free.vcores + more.vcores}
		ns.capacity = room{ns.capacity.mem + more.mem, ns.capacity.vcores + more.vcores}
		ns.changed(n)
	}
	switch e.Kind {
	case trace.Join, trace.Recover:
		if ns.at[n].in { // its processes are new
			l.lose(n)
			ns.leave(n)
		}
		resize(&ns.total[n], e)
		ns.enter(n)
	case trace.Leave, trace.Fail:
		if ns.at[n].in {
			l.lose(n)
			ns.leave(n)
		}
		resize(&ns.total[n], e)
	case trace.Drain:
		if !ns.at[n].in {
			resize(&ns.total[n], e)
			return
		}
		ns.at[n].draining = true
		ns.round[n]++
		ns.changed(n)
		if e.DrainTimeoutMS != trace.Unset {
			l.timers.push(timer{at: l.now + e.DrainTimeoutMS, node: n, round: ns.round[n]})
		}
		l.drained(n)
	case trace.Undrain:
		if ns.at[n].in {
			ns.at[n].draining = false
			ns.changed(n)
		} else {
			resize(&ns.total[n], e)
			ns.enter(n)
		}
	case trace.Capacity:
		if !ns.at[n].in {
			resize(&ns.total[n], e)
		}
	default:
		l.warn("node-event", false, false, "node events of kind %q are not modelled", e.Kind)
	}
}

// tell gives the state of a node if it has changed.
func (l *loop) tell(n int32) {
	ns := &l.nodes
	told := &ns.told[n]
	r := record.Node{Time: told.Time, Node: n, Host: l.sc.Input.Nodes[n].Host, Rack: l.sc.Input.Nodes[n].Rack,
		MemMiB: ns.total[n].mem, VCores: ns.total[n].vcores, Registered: ns.at[n].in}
	if r != *told {
		r.Time = l.now
		*told = r
		l.sink.Node(&r)
	}
}

// drained takes a draining node out of the cluster when its last task has ended.
func (l *loop) drained(n int32) {
	if ns := &l.nodes; ns.at[n].draining && ns.at[n].running == 0 {
		ns.leave(n)
		l.tell(n)
	}
}

// drainOver ends what still runs on a node that was to be empty by now.
func (l *loop) drainOver(n, round int32) {
	if ns := &l.nodes; ns.at[n].draining && ns.round[n] == round {
		l.lose(n)
		ns.leave(n)
		l.tell(n)
	}
}

// lose ends all tasks on a node; they are ready again. Nodes are lost seldom, so all that runs is looked through.
func (l *loop) lose(n int32) {
	for slot := range l.runs.list {
		if r := &l.runs.list[slot]; r.stage != nil && r.node == n {
			l.lost(int32(slot))
		}
	}
}

// lost ends an attempt with its node: of a gang all others with it.
func (l *loop) lost(slot int32) {
	r := &l.runs.list[slot]
	s, b := r.stage, repeat{index: r.index, attempt: r.attempt + 1, ready: l.now}
	l.cut(r, record.TaskLost, record.EndNodeLost)
	if s.gang != nil {
		l.scatter(s)
		return
	}
	if s.job.Kind == trace.KindService {
		b.served = r.served + l.now - r.launch
	}
	l.again(s, b)
}

// cut ends an attempt before its time. Its slot is free when its place in the heap of ends is.
func (l *loop) cut(r *run, task, container string) {
	s := r.stage
	z := s.sizeOf(r.index)
	l.totals.ContainersEnded++
	l.nodes.give(r.node, z.room)
	s.job.queue.ends(z.room)
	if l.sc.Decisions {
		l.decide("complete", r)
	}
	l.writeRun(r, l.now, task, container)
	s.job.rec.WastedTaskMS += l.now - r.launch
	r.stage = nil
}
