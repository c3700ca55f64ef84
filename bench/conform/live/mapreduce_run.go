package live

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/mapreduce/allocator"
	"replay/engine/protocol"
	"replay/policy/resource"
)

// mapReduceRun drives one allocator with what an application master was told, heartbeat by heartbeat. What the allocator was told between two heartbeats
// stands in the log in its order; what it did in a heartbeat stands there after the call.
type mapReduceRun struct {
	*liveRun
	m         *mapReduceMaster
	alloc     *allocator.Allocator
	progress  map[allocator.Attempt]float32
	failed    map[allocator.Attempt]bool // tasks, as their attempt 0, of which an attempt has failed
	req       protocol.AllocateRequest
	headroom  resource.Resource
	nodes     map[string]bool // that were taken out, as told so far
	beat      int
	hosts     []protocol.Name // of the request that is being logged
	racks     []protocol.Name
	retry     *allocator.Attempt
	replacing bool
	dealloc   int
	counts    []int            // as last logged
	reduces   []*mapReduceLine // that have asked, and were not counted yet
	line      int
}

func (r *mapReduceRun) Totals() (maps, reduces int) { return r.m.maps, r.m.reduces }
func (r *mapReduceRun) Completed() (maps, reduces int) {
	return r.counts[5], r.counts[6]
}
func (r *mapReduceRun) Progress(at allocator.Attempt) float32 { return r.progress[at] }

// cpuCounts says whether the scheduler tells application masters that vcores count.
//
// Source: getSchedulingResourceTypes of the schedulers.
func (r *liveRun) cpuCounts() bool {
	return r.c == nil || strings.HasSuffix(r.recording.capacity["yarn.scheduler.capacity.resource-calculator"], ".DominantResourceCalculator")
}

// playMapReduce compares what the allocator asks for, assigns and counts with what the application master did.
func (r *liveRun) playMapReduce(m *mapReduceMaster) error {
	run := &mapReduceRun{
		liveRun: r, m: m, progress: map[allocator.Attempt]float32{}, failed: map[allocator.Attempt]bool{}, counts: make([]int, 11),
		nodes: map[string]bool{},
	}
	run.alloc = allocator.New(m.settings.Allocator, allocator.Cluster{
		Names: r.Names, Max: m.max, CPU: r.cpuCounts(),
		Racks: protocol.RacksBy(func(host protocol.Name) protocol.Name {
			if rack, ok := r.racks[r.Names.Text(host)]; ok {
				return r.Names.Intern(rack)
			}
			return r.Names.Intern("/default-rack")
		}),
	}, run)
	for i := range m.beats {
		run.beat = i
		at := m.beats[i].call.T
		if err := run.told(run.endBefore(at)); err != nil {
			return err
		}
		run.requestReduces()
		run.alloc.Build(&run.req)
		run.compareAsks(&m.beats[i])
		end := len(m.lines)
		if i+1 < len(m.beats) {
			end = run.endBefore(m.beats[i+1].call.T)
		}
		if err := run.heartbeat(&m.beats[i], end); err != nil {
			return err
		}
	}
	return nil
}

// endBefore is the first line that belongs to the call at a time, or comes after it.
func (r *mapReduceRun) endBefore(t int64) int {
	for i := r.line; i < len(r.m.lines); i++ {
		switch l := &r.m.lines[i]; l.kind {
		case mrHeadroom, mrCompleted, mrGot, mrAssigned, mrAfter, mrAll, mrUp, mrDown, mrPreempts, mrNodeKills, mrRecalculates, mrResources:
			if l.t >= t {
				return i
			}
		default:
			if l.t > t {
				return i
			}
		}
	}
	return len(r.m.lines)
}

// told gives the allocator what it was told by the lines before end. Lines about what it did are passed over.
func (r *mapReduceRun) told(end int) error {
	for ; r.line < end; r.line++ {
		if err := r.tell(&r.m.lines[r.line]); err != nil {
			return err
		}
	}
	return nil
}

func (r *mapReduceRun) tell(l *mapReduceLine) error {
	switch l.kind {
	case mrAskHost:
		r.hosts = append(r.hosts, r.Names.Intern(l.text[0]))
	case mrAskRack:
		r.racks = append(r.racks, r.Names.Intern(l.text[0]))
	case mrFailedMap:
		r.retry = &l.attempt
	case mrReplaced:
		r.replacing = true
	case mrAskDone:
		if r.replacing {
			r.replacing = false
			return nil
		}
		return r.requestMap(l.t)
	case mrUnassigned:
		if l.attempt.Reduce {
			r.reduces = append(r.reduces, l)
		}
	case mrDealloc:
		if r.dealloc == len(r.m.gone) {
			return fmt.Errorf("at %d an attempt is deallocated, and none has gone", l.t)
		}
		r.alloc.Deallocate(r.m.gone[r.dealloc])
		r.dealloc++
	case mrHostFails:
		r.alloc.Failed(allocator.Attempt{}, r.Names.Intern(l.text[0]))
	case mrProgress:
		p, err := strconv.ParseFloat(l.text[0], 32)
		if err != nil {
			return err
		}
		if r.progress[l.attempt] < 1 {
			r.progress[l.attempt] = float32(p)
		}
	case mrFails:
		r.failed[task(l.attempt)] = true
		r.progress[l.attempt] = 1
	case mrFinishing:
		r.progress[l.attempt] = 1
	case mrBefore:
		r.counts = l.n
	}
	return nil
}

// requestReduces gives the allocator the requests of reduces, of which there is no line, until it has as many as the master counted.
func (r *mapReduceRun) requestReduces() {
	for len(r.reduces) > 0 {
		if n := r.alloc.Counts(); n.PendingReduces+n.Reduces+n.RunningReduces >= r.counts[0]+r.counts[2]+r.counts[4] {
			return
		}
		l := r.reduces[0]
		r.reduces = r.reduces[1:]
		r.alloc.Request(l.t, l.attempt, r.m.settings.Reduce.Size, nil, nil, r.failed[task(l.attempt)])
	}
}

func task(at allocator.Attempt) allocator.Attempt {
	at.Number = 0
	return at
}

// requestMap is the next of the maps' requests: they are handled in the order in which they were made.
func (r *mapReduceRun) requestMap(t int64) error {
	list := &r.m.requests
	if len(*list) == 0 {
		return fmt.Errorf("at %d a map is asked for, and none waits", t)
	}
	at, failed := (*list)[0], false
	if r.retry != nil {
		at, failed = *r.retry, true
	}
	i := slices.Index(*list, at)
	if i < 0 {
		return fmt.Errorf("at %d %v is asked for, and does not wait", t, at)
	}
	*list = slices.Delete(*list, i, i+1)
	r.alloc.Request(t, at, r.m.settings.Map.Size, r.hosts, r.racks, failed)
	r.hosts, r.racks, r.retry = nil, nil, nil
	return nil
}

// compareAsks compares what a call sends.
func (r *mapReduceRun) compareAsks(b *masterBeat) {
	var want, got []string
	for _, a := range b.call.Ask {
		want = append(want, fmt.Sprintf("%d %s %d %v %v", a.Priority, a.Location, a.N, a.Resource, a.Relax))
	}
	for _, a := range r.req.Asks {
		got = append(got, fmt.Sprintf("%d %s %d %v %v", a.Priority, r.Names.Text(a.Name), a.Count, golden.Amounts(a.Size, r.Types), a.Relax))
	}
	w, g := r.besides(b.call, &r.req, r.text)
	want, got = append(want, w...), append(got, g...)
	if len(want)+len(got) > 0 {
		r.compare(partAsk, strings.Join(want, ", "), strings.Join(got, ", "), b.call.T)
	}
}

// heartbeat gives the allocator the answer to a call, and compares what it does with the lines before end.
func (r *mapReduceRun) heartbeat(b *masterBeat, end int) error {
	t := b.call.T
	resp := protocol.AllocateResponse{Nodes: r.s.Cluster().Len()}
	for i := range r.calls {
		if c := &r.calls[i]; c.Seq < b.call.Seq && c.Type == "NODE_REMOVED" && !r.nodes[fmt.Sprint(c.Seq)] {
			r.nodes[fmt.Sprint(c.Seq)] = true
			resp.UpdatedNodes = append(resp.UpdatedNodes, protocol.NodeUpdate{Node: r.Node(c.Node), State: protocol.NodeLost})
		}
	}
	if b.reply != nil {
		for _, c := range b.reply.Containers {
			id, err := containerID(c.Container)
			if err != nil {
				return err
			}
			resp.Allocated = append(resp.Allocated, protocol.Container{
				ID: id, Node: r.Node(c.Node), Host: r.Names.Intern(c.Node), Size: golden.Size(c.Resource), Priority: c.Priority,
			})
		}
	}
	var assigned, reduces []string
	after := false
	for i := r.line; i < end && !after; i++ {
		l := &r.m.lines[i]
		switch l.kind {
		case mrHeadroom, mrRecalculates:
			r.headroom = resource.R(int64(l.n[0]), int64(l.n[1]))
		case mrCompleted:
			id, err := containerID(l.text[0])
			if err != nil {
				return err
			}
			resp.Completed = append(resp.Completed, protocol.Status{ID: id, Exit: r.exitOf(l.text[0])})
		case mrAssigned:
			assigned = append(assigned, l.text[0]+" to "+l.attempt.String())
		case mrAll, mrUp:
			reduces = append(reduces, "up "+l.text[0])
		case mrDown:
			reduces = append(reduces, "down "+l.text[0])
		case mrPreempts:
			reduces = append(reduces, "preempt "+l.attempt.String())
		case mrNodeKills:
			reduces = append(reduces, "kill "+l.attempt.String())
		case mrAfter:
			r.counts, after = l.n, true
		}
	}
	resp.Headroom = r.headroom
	events, pass, err := r.alloc.Received(t, &resp, nil)
	if err != nil {
		return fmt.Errorf("seq %d: %w", b.call.Seq, err)
	}
	var gotAssigned, gotReduces []string
	for _, e := range events {
		switch e.Kind {
		case allocator.Assigned:
			gotAssigned = append(gotAssigned, r.text(e.Container.ID)+" to "+e.Attempt.String())
		case allocator.RampDownKill:
			gotReduces = append(gotReduces, "preempt "+e.Attempt.String())
		case allocator.NodeKill:
			gotReduces = append(gotReduces, "kill "+e.Attempt.String())
		}
	}
	for _, ramp := range pass.Ramps {
		switch {
		case ramp.Kind != allocator.Down:
			gotReduces = append(gotReduces, fmt.Sprint("up ", ramp.N))
		case !pass.Preempted:
			gotReduces = append(gotReduces, fmt.Sprint("down ", ramp.N))
		}
	}
	if len(assigned)+len(gotAssigned) > 0 {
		r.compare(partLaunch, strings.Join(assigned, ", "), strings.Join(gotAssigned, ", "), t)
	}
	if len(reduces)+len(gotReduces) > 0 {
		r.compare(partReduces, strings.Join(reduces, ", "), strings.Join(gotReduces, ", "), t)
	}
	if got := r.countsText(); after || got != mrCountsText(r.counts) {
		r.compare(partBeat, mrCountsText(r.counts), got, t)
	}
	return nil
}

// exitOf is the status that the application master is told of a container.
func (r *mapReduceRun) exitOf(container string) int32 {
	for i := range r.m.ended {
		if c := &r.m.ended[i]; c.Container == container {
			return r.exitAtMaster(c)
		}
	}
	return protocol.ExitInvalid
}

func (r *mapReduceRun) countsText() string {
	n, t := r.alloc.Counts(), r.alloc.State().Totals
	return mrCountsText([]int{n.PendingReduces, n.Maps, n.Reduces, n.RunningMaps, n.RunningReduces, r.counts[5], r.counts[6], t.Allocated, t.Released, t.HostLocal, t.RackLocal})
}

func mrCountsText(n []int) string {
	return fmt.Sprintf("reduces pending %d, asked for %d maps %d reduces, assigned %d maps %d reduces, containers %d, released %d, on the host %d, on the rack %d",
		n[0], n[1], n[2], n[3], n[4], n[7], n[8], n[9], n[10])
}

func (r *mapReduceRun) compare(part livePart, want, got string, t int64) {
	r.liveRun.counts[part].cases++
	if want == got {
		r.liveRun.counts[part].equal++
		return
	}
	if want == "" {
		want = "nothing"
	}
	if got == "" {
		got = "nothing"
	}
	r.differences = append(r.differences, golden.Difference{
		Case: livePartNames[part] + " of " + r.m.app, Event: int(r.m.beats[r.beat].call.Seq), Expected: want, Got: got,
		State: map[string]any{"t": t, "counts": r.countsText()},
	})
}
