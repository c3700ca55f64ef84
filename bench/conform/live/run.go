package live

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/capacity"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/fair"
)

// liveCount counts one part.
type liveCount struct{ cases, equal int }

// liveRun drives one scheduler through a recording, in one order of its calls.
type liveRun struct {
	golden.Cluster
	*recording
	resp     protocol.AllocateResponse
	s        player
	f        *fair.Scheduler     // s, or nil
	c        *capacity.Scheduler // s, or nil
	now      int64
	attempts map[protocol.AppID]int32 // the present one of each application
	pulled   map[string]bool          // attempts that got their master
	got      []liveFact               // of the present call

	states      [3]liveState   // after the call before the last, after that one, and now
	during      [2][]liveState // between decisions of the last call and of this one
	watch       bool           // a sample may have been taken in this call
	pending     []*liveSample
	counts      [len(livePartNames)]liveCount
	differences []golden.Difference
	underWay    int
	at          []int // positions of the calls with differences, ascending
}

// player is a scheduler that can be given every call of a recording.
type player interface {
	yarn.Scheduler
	Cluster() *yarn.Cluster
}

// scheduler makes the scheduler of the recording.
func (r *liveRun) scheduler() (err error) {
	if r.capacity == nil {
		if r.f, err = fair.New(r.site, r.alloc, r.Names, r.stamp, r.note); err != nil {
			return err
		}
		r.s = r.f
		r.f.ObservePreemption(func(p *fair.Preemption) {
			for _, c := range p.Marked {
				r.add(partPreempted, r.text(c.ID))
			}
		})
		return nil
	}
	cfg, err := conf.NewCapacity(r.capacity, r.site)
	if err != nil {
		return err
	}
	r.c = capacity.New(r.site, cfg, r.Names, r.stamp, r.note)
	r.s = r.c
	r.c.ObserveProposals(func(p *capacity.Proposal) {
		row := liveProposal{
			What: p.What.String(), Attempt: fmt.Sprintf("appattempt_%d_%04d_", r.stamp, p.App), Node: r.Hosts[p.Node],
			Type: p.Type.String(), Resource: golden.Amounts(p.Size, r.Types),
		}
		if p.Container != (protocol.ContainerID{}) {
			row.Container = r.text(p.Container)
		}
		if p.FromReserved {
			row.FromReserved = row.Container
		}
		r.add(partProposal, row.text(p.Accepted))
	})
	return nil
}

// checkMS is the interval in which YARN looks after its allocation file and takes empty queues of submissions away, from the start on.
const checkMS = 10_000

// mostChecks is how many of the checks between two calls may find something: with no call in between, each finds no more than queues that waited for what
// the one before it took away.
const mostChecks = 1000

// play gives the calls to a new scheduler in the order given. late are the reports, by their place in the recording, that came
// with the next heartbeat of their node.
func (r *recording) play(order []int, late map[reportAt]bool) (run *liveRun, err error) {
	run = &liveRun{recording: r, pulled: map[string]bool{}, attempts: map[protocol.AppID]int32{}}
	run.Cluster = golden.NewCluster(len(r.site.Types))
	if err := run.scheduler(); err != nil {
		return nil, err
	}
	held := map[string][]liveReport{} // late reports by node
	seq := func(pos int) int64 {      // of the call at a position
		if pos >= len(order) {
			return math.MaxInt64
		}
		return r.calls[order[pos]].Seq
	}
	sample := 0
	var nextCheck int64
	for pos, i := range order {
		c := &r.calls[i]
		if pos == 0 {
			nextCheck = c.T + checkMS
		}
		for n := 0; run.f != nil && n < mostChecks && nextCheck <= c.T; n++ {
			run.f.Cleanup()
			nextCheck += checkMS
		}
		if nextCheck <= c.T {
			nextCheck += ((c.T-nextCheck)/checkMS + 1) * checkMS
		}
		if run.f != nil {
			run.killUntil(c.T)
		}
		run.clock(c.T)
		reports := c.reports
		if c.Type == "NODE_UPDATE" && len(late) > 0 {
			reports = held[c.Node]
			held[c.Node] = nil
			for k, rep := range c.reports {
				if late[reportAt{i, k}] {
					held[c.Node] = append(held[c.Node], rep)
				} else {
					reports = append(reports, rep)
				}
			}
		}
		run.got = run.got[:0]
		run.watch = len(run.pending) > 0 || sample < len(r.samples) && r.samples[sample].Seq < max(seq(pos+1), seq(pos+2))
		run.during = [2][]liveState{run.during[1], nil}
		if err := run.call(c, reports); err != nil {
			return nil, fmt.Errorf("seq %d: %w", c.Seq, err)
		}
		run.compare(c, pos)
		run.states = [3]liveState{run.states[1], run.states[2], {}}
		if run.watch {
			run.states[2] = run.state() // no other call is near enough to a sample
		}
		for _, s := range run.pending {
			run.compareSample(s, pos)
		}
		run.pending = run.pending[:0]
		// A sample is compared after the next call, when all the states that it may show are known.
		for ; sample < len(r.samples) && r.samples[sample].Seq < seq(pos+1); sample++ {
			run.pending = append(run.pending, &r.samples[sample])
		}
	}
	for _, s := range run.pending {
		run.states = [3]liveState{run.states[1], run.states[2], run.states[2]}
		run.compareSample(s, len(order)-1)
	}
	return run, nil
}

func (r *liveRun) clock(t int64) {
	r.now = max(r.now, t)
	r.s.SetClock(r.now)
}

// killUntil lets the preemption timer go off until t: when it did in the recording, if that was at most a second late.
func (r *liveRun) killUntil(t int64) {
	for due, ok := r.f.NextKill(); ok && due <= t; due, ok = r.f.NextKill() {
		i, _ := slices.BinarySearch(r.kills, due)
		if i < len(r.kills) && r.kills[i] < due+1000 {
			due = r.kills[i]
		}
		if due > t {
			return
		}
		r.clock(due)
		r.f.KillDue()
	}
}

func (r *liveRun) add(part livePart, what string) {
	r.got = append(r.got, liveFact{Part: part, What: what})
}

func (r *liveRun) text(id protocol.ContainerID) string {
	return fmt.Sprintf("container_%d_%04d_%02d_%06d", r.stamp, id.App, id.Attempt(), id.Number())
}

// note takes down what the scheduler does.
func (r *liveRun) note(e *yarn.Event) {
	if r.watch {
		r.during[1] = append(r.during[1], r.state())
	}
	id, node := r.text(e.Container.ID), r.Hosts[e.Container.Node]
	switch e.Kind {
	case yarn.Allocated:
		r.add(partAllocation, id+" "+node+" "+e.Container.Type.String())
	case yarn.Rereserved:
		if r.c != nil { // the FairScheduler's log has the first time alone
			r.add(partReservation, id+" "+node)
		}
	case yarn.Reserved:
		r.add(partReservation, id+" "+node)
	case yarn.Unreserved:
		r.add(partUnreserved, fmt.Sprint("application ", e.Container.ID.App, " ", node))
	}
}

func (r *liveRun) call(c *liveCall, reports []liveReport) error {
	switch c.Kind + " " + c.Type {
	case "update ":
		r.s.Update()
		if r.f != nil {
			r.f.Preempt()
		}
	case "event NODE_ADDED":
		r.s.AddNode(yarn.NodeSpec{
			ID: r.Node(c.Node), Host: r.Names.Intern(c.Node), Rack: r.Names.Intern(c.Rack), Port: r.ports[c.Node], Total: golden.Size(c.Capability),
		})
	case "event NODE_REMOVED":
		r.s.RemoveNode(r.Node(c.Node))
	case "event NODE_RESOURCE_UPDATE":
		if len(c.Capability) == 0 {
			return errors.New("the new size of the node is not recorded")
		}
		r.s.SetNodeTotal(r.Node(c.Node), golden.Size(c.Capability))
	case "event NODE_UPDATE":
		var launched []protocol.ContainerID
		var ended []protocol.Status
		for _, rep := range reports {
			if rep.ended {
				ended = append(ended, protocol.Status{ID: rep.id, Exit: rep.exit})
			} else {
				launched = append(launched, rep.id)
			}
		}
		r.s.NodeUpdate(r.Node(c.Node), launched, ended)
	case "event APP_ADDED":
		spec := yarn.AppSpec{ID: appNumber(c.App), User: c.User, Queue: c.Queue, Priority: c.Priority, AMSize: r.amSizes[firstAttempt(c.App)]}
		if s, ok := r.s.(yarn.Submitter); ok {
			spec = s.Submission(spec)
		}
		err := r.s.AddApp(spec)
		var rejected *yarn.Rejection
		if err != nil && !errors.As(err, &rejected) {
			return err
		}
	case "event APP_ATTEMPT_ADDED":
		r.attempts[appNumber(c.Attempt)] = attemptNumber(c.Attempt)
		r.s.AddAttempt(appNumber(c.Attempt))
	case "event APP_ATTEMPT_REMOVED":
		if r.present(c.Attempt) {
			r.s.RemoveAttempt(appNumber(c.Attempt))
		}
	case "event APP_REMOVED":
		r.s.RemoveApp(appNumber(c.App))
	case "event CONTAINER_EXPIRED":
		expired := c.expired
		if c.Container != "" {
			expired = []string{c.Container}
		}
		for _, text := range expired {
			id, err := containerID(text)
			if err != nil {
				return err
			}
			r.s.Expire(id)
		}
	case "allocate ":
		return r.allocate(c)
	}
	return nil
}

// present tells whether an attempt is its application's present one.
func (r *liveRun) present(attempt string) bool {
	return r.attempts[appNumber(attempt)] == attemptNumber(attempt)
}

// firstAttempt is the name of an application's first attempt.
func firstAttempt(app string) string {
	return "appattempt_" + strings.TrimPrefix(app, "application_") + "_000001"
}

// allocate makes the call of an application master, or of the ResourceManager that fetches the master's own container.
func (r *liveRun) allocate(c *liveCall) error {
	if !r.present(c.Attempt) {
		return nil // a master whose attempt is over gets nothing
	}
	id := appNumber(c.Attempt)
	if len(c.Ask) == 0 && !r.pulled[c.Attempt] {
		if am, ok := r.s.PullAM(id); ok {
			r.pulled[c.Attempt] = true
			r.add(partHandedOver, r.text(am.ID)+" "+r.Hosts[am.Node])
			return nil
		}
	}
	req := protocol.AllocateRequest{BlacklistAdd: r.Intern(c.BlacklistAdd), BlacklistRemove: r.Intern(c.BlacklistDel)}
	for _, a := range c.Ask {
		req.Asks = append(req.Asks, protocol.Ask{
			Priority: a.Priority, RequestID: a.RequestID, Name: r.Names.Intern(a.Location), Count: a.N, Size: golden.Size(a.Resource), Relax: a.Relax,
		})
	}
	for _, text := range c.Release {
		id, err := containerID(text)
		if err != nil {
			return fmt.Errorf("release: %w", err)
		}
		req.Releases = append(req.Releases, id)
	}
	if err := r.s.Allocate(id, &req, &r.resp); err != nil {
		return err
	}
	for _, got := range r.resp.Allocated {
		r.add(partHandedOver, r.text(got.ID)+" "+r.Hosts[got.Node])
	}
	if len(r.resp.Allocated) > 0 {
		r.add(partHeadroom, fmt.Sprint(golden.Amounts(r.resp.Headroom, r.Types)))
	}
	return nil
}
