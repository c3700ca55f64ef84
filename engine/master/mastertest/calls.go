package mastertest

import (
	"fmt"
	"slices"

	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/record"
	"replay/policy/resource"
)

// log notes a call of the master.
func (h *Host) log(format string, args ...any) {
	h.Log = append(h.Log, fmt.Sprintf("%d ", h.now)+fmt.Sprintf(format, args...))
}

// Now is part of [master.Clock].
func (h *Host) Now() int64 { return h.now }

// Time is part of [master.Clock].
func (h *Host) Time() *int64 { return &h.now }

// At is part of [master.Clock].
func (h *Host) At(at int64, k master.EventKind, number, arg int64) {
	if int(k) >= len(h.events) {
		h.tb.Fatalf("event kind %d, the application has %d", k, len(h.events))
	}
	row := &h.events[k]
	if row.Number == "" && number != 0 {
		h.tb.Errorf("%q has number %d, its row says none", row.Name, number)
	}
	h.push(event{at: at, class: row.Class, kind: int(k), number: number, arg: arg})
}

// Follows is part of [master.Clock]: each event is executed by itself.
func (h *Host) Follows(int64, master.EventKind, int64) bool { return false }

// Span is part of [master.Clock], likewise.
func (h *Host) Span(_, _ master.EventKind) *master.Span { return nil }

// EndSpan is part of [master.Clock].
func (h *Host) EndSpan() {}

// Set is part of [master.Clock].
func (h *Host) Set(k master.EventKind, at int64) {
	row := &h.events[k]
	if row.Work {
		h.tb.Errorf("%q is work, and is set as a timer", row.Name)
	}
	h.queue = slices.DeleteFunc(h.queue, func(e event) bool { return e.kind == int(k) })
	if at != master.Never {
		h.push(event{at: at, class: row.Class, kind: int(k)})
	}
}

// Passed is part of [master.Clock].
func (h *Host) Passed(k master.EventKind) bool {
	return event{at: h.now, class: h.events[k].Class, kind: int(k)}.compare(h.reached) <= 0
}

// GoesOn is part of [master.Clock].
func (h *Host) GoesOn(until int64) { h.Until = max(h.Until, until) }

// Momentary is part of [master.Clock].
func (h *Host) Momentary(purpose string) *random.Momentary {
	return random.NewMomentary(h.Seed, purpose)
}

// MaxAllocation is part of [master.ResourceManager].
func (h *Host) MaxAllocation() resource.Resource { return h.Largest }

// Attempt is part of [master.ResourceManager].
func (h *Host) Attempt() int { return max(h.Number, 1) }

// Allocate is part of [master.ResourceManager]. It hands out what was granted, then says what has ended; containers that are
// released end with -100, which the next call says. An ask for more than h.Largest voids it.
func (h *Host) Allocate(req *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	if h.Outcome != nil {
		h.tb.Errorf("heartbeat at %d ms, after the master unregistered", h.now)
	}
	h.Beats = append(h.Beats, h.now)
	if h.Refusal != nil {
		return h.Refusal
	}
	for i := range req.Asks {
		if size := req.Asks[i].Size; !size.FitsIn(h.Largest) {
			return protocol.InvalidAsk(fmt.Sprintf("an ask for %v, the largest container is %v", size, h.Largest))
		}
	}
	if text := h.text(req); text != "" {
		h.log("ask%s", text)
	}
	resp.Reset()
	for _, c := range h.granted {
		x := h.containers[c.ID.N]
		x.state = acquired
		x.rec.Acquired, x.rec.Type, x.rec.Priority = h.now, c.Type.String(), c.Priority
		resp.Allocated = append(resp.Allocated, *c)
	}
	resp.Completed = append(resp.Completed, h.completed...)
	h.granted, h.completed = h.granted[:0], h.completed[:0]
	for i := range h.lost {
		if !h.lost[i] {
			resp.Nodes++
		}
	}
	resp.Headroom = h.Headroom
	for _, id := range req.Releases {
		h.Complete(id.N, protocol.ExitAborted)
	}
	return nil
}

// text says what a request asks: "PRIORITY:NAME=COUNT" for each ask, priority 0 left out, then releases and hosts left out and taken in again.
func (h *Host) text(req *protocol.AllocateRequest) string {
	out := ""
	for _, a := range req.Asks {
		out += " "
		if a.Priority != 0 {
			out += fmt.Sprintf("%d:", a.Priority)
		}
		out += fmt.Sprintf("%s=%d", h.cluster.Names.Text(a.Name), a.Count)
	}
	for _, id := range req.Releases {
		out += fmt.Sprintf(" release %d", id.N)
	}
	for _, n := range req.BlacklistAdd {
		out += " without " + h.cluster.Names.Text(n)
	}
	for _, n := range req.BlacklistRemove {
		out += " again " + h.cluster.Names.Text(n)
	}
	return out
}

// Unregister is part of [master.ResourceManager].
func (h *Host) Unregister(reason string) {
	if h.Outcome != nil {
		h.tb.Errorf("at %d ms the master unregisters again, because %q", h.now, reason)
	}
	h.Outcome = &reason
	if reason == "" {
		h.log("unregister")
	} else {
		h.log("unregister: %s", reason)
	}
}

// Withdraw is part of [master.ResourceManager].
func (h *Host) Withdraw(reason string) {
	h.Outcome = &reason
	h.log("withdraw: %s", reason)
}

// Fails is part of [master.ResourceManager].
func (h *Host) Fails(reason string) { h.log("fails: %s", reason) }

// Cluster is part of [master.Nodes].
func (h *Host) Cluster() *master.Cluster { return &h.cluster }

// Down is part of [master.Nodes].
func (h *Host) Down(node int32) bool { return h.down[node] }

// InCluster is part of [master.Nodes].
func (h *Host) InCluster(node int32) bool { return !h.lost[node] }

// Start is part of [master.Nodes].
func (h *Host) Start(c int64, at int64) {
	h.log("start %d at %d", c, at)
	if x := h.of(c); x == nil || x.state != acquired {
		h.tb.Fatalf("at %d ms container %d is to start, which the master does not hold or has started", h.now, c)
	}
	h.containers[c].state = starting
	h.push(event{at: at, class: master.Message, kind: evStarted, number: c, arg: c})
}

// End is part of [master.Nodes].
func (h *Host) End(c int64, at int64) {
	if x := h.of(c); x != nil && x.state == running {
		h.log("end %d at %d", c, at)
		h.end(c, at)
	}
}

// EndAll is part of [master.Nodes].
func (h *Host) EndAll(at int64) {
	for c := int64(2); c < int64(len(h.containers)); c++ {
		h.End(c, at)
	}
}

// EndAM is part of [master.Nodes].
func (h *Host) EndAM(at int64) {
	h.log("end of the master at %d", at)
	h.end(1, at)
}

// Running is part of [master.Nodes].
func (h *Host) Running(c int64) bool { return h.containers[c].state == running }

// Bring is part of [master.Nodes].
func (h *Host) Bring(node int32, memMiB int64, vcores int32) int64 {
	n := int64(len(h.containers))
	x := &container{rec: newContainer(h.job.ID, n, node, h.now), state: running}
	x.rec.MemMiB, x.rec.VCores = memMiB, int64(vcores)
	h.containers = append(h.containers, x)
	h.log("bring %d on %s", n, h.cluster.Names.Text(h.cluster.Host[node]))
	return n
}

// Return is part of [master.Nodes].
func (h *Host) Return(c int64) {
	x := h.of(c)
	if x == nil || x.ended {
		return
	}
	x.state, x.ended, x.rec.Ended = exited, true, h.now
	h.log("return %d", c)
}

// Leave is part of [master.Nodes].
func (h *Host) Leave() {
	h.gone = true
	h.log("leave")
}

// Job is part of [master.Books].
func (h *Host) Job() *record.Job { return &h.rec }

func (h *Host) of(c int64) *container {
	if c < 1 || c >= int64(len(h.containers)) {
		return nil
	}
	return h.containers[c]
}

// Container is part of [master.Books].
func (h *Host) Container(c int64) *record.Container {
	if x := h.of(c); x != nil {
		return &x.rec
	}
	return nil
}

// Room is part of [master.Books].
func (h *Host) Room(c int64) master.Room {
	r := master.Room{Preferred: h.Rooms[c]}
	for _, node := range r.Preferred {
		for len(r.Roomy) <= int(node)>>6 {
			r.Roomy = append(r.Roomy, 0)
		}
		r.Roomy[node>>6] |= 1 << (node & 63)
	}
	return r
}

// Busy is part of [master.Books].
func (h *Host) Busy(cores int32) {
	if h.Cores += cores; h.Cores < 0 {
		h.tb.Errorf("at %d ms %d cores are busy", h.now, h.Cores)
	}
}

// Heartbeat is part of [master.Books].
func (h *Host) Heartbeat() { h.counted++ }

// HeartbeatsPass is part of [master.Books].
func (h *Host) HeartbeatsPass(_ master.EventKind, _, _, n int64) { h.counted += int(n) }

// HeartbeatNow is part of [master.Books].
func (h *Host) HeartbeatNow() {}

// HeartbeatsHear is part of [master.Books].
func (h *Host) HeartbeatsHear(n int) { h.completed = h.completed[n:] }

// Task is part of [master.Books].
func (h *Host) Task(r *record.Task) { h.Tasks = append(h.Tasks, *r) }

// Warn is part of [master.Books].
func (h *Host) Warn(code, format string, args ...any) { h.log("warn %s", code) }

// Broken is part of [master.Books].
func (h *Host) Broken(format string, args ...any) { h.tb.Fatalf("broken: "+format, args...) }
