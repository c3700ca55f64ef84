package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/spark"
	"replay/engine/spark/allocator"
	sparkconf "replay/engine/spark/conf"
	"replay/policy"
)

// masterRun drives one allocator with what an application master was told.
type masterRun struct {
	*liveRun
	m            *master
	allocator    *allocator.Allocator
	request      protocol.AllocateRequest
	outcome      allocator.Outcome
	launching    []allocator.ExecutorLaunch
	delivered    int // ended containers
	asked        []string
	launched     []string
	wantAsked    []string
	wantLaunched []string
	beat         int
	at           int64
}

// playMaster compares what the allocator asks for, launches and counts with what the application master did.
func (r *liveRun) playMaster(m *master) error {
	placement, err := policy.NewPlacement("locality-ratio")
	if err != nil {
		return err
	}
	size, err := m.conf.ContainerSize(sparkconf.DefaultProfile, r.recording.site.Types)
	if err != nil {
		return err
	}
	run := &masterRun{liveRun: r, m: m}
	run.allocator = allocator.New(allocator.Setup{
		Conf: m.conf, Names: r.Names, Placement: placement,
		RackOf:   func(host protocol.Name) protocol.Name { return r.Names.Intern(r.racks[r.Names.Text(host)]) },
		Profiles: []allocator.ExecutorProfile{{Size: size, PerExec: m.conf.TasksPerExecutor(sparkconf.DefaultProfile)}},
	})
	run.allocator.OnRequest = func(_ int32, req *protocol.ContainerRequest, added bool) {
		if added {
			run.asked = append(run.asked, hostList(run.texts(req.Nodes)))
		}
	}
	for i, e := range m.events {
		switch e.kind {
		case masterBeats:
			run.compareDone()
			run.heartbeat(i, e)
		case masterTotal:
			run.allocator.RequestTotal(e.t, run.total(e.t, e.n[0]))
		case masterKills:
			for _, n := range e.n {
				run.allocator.KillExecutor(int32(n))
			}
		case masterAsks:
			run.wantAsked = append(run.wantAsked, hostList(e.text))
		case masterAsksAny:
			for range e.n[0] {
				run.wantAsked = append(run.wantAsked, hostList(nil))
			}
		case masterLaunches:
			run.wantLaunched = append(run.wantLaunched, fmt.Sprintf("%s on %s, executor %s", e.text[0], e.text[1], e.text[2]))
		}
	}
	run.compareDone()
	return nil
}

func hostList(hosts []string) string {
	if len(hosts) == 0 {
		return "any host"
	}
	return strings.Join(hosts, " ")
}

// texts returns the names sorted.
func (r *liveRun) texts(names []protocol.Name) (out []string) {
	for _, n := range names {
		out = append(out, r.Names.Text(n))
	}
	slices.Sort(out)
	return out
}

// total is what the driver asks for: its target, and the places that the tasks of the stages under way prefer.
//
// Source: ExecutorAllocationListener.onStageSubmitted, updateExecutorPlacementHints.
func (r *masterRun) total(t int64, n int) *spark.TotalRequest {
	p := spark.ProfileTotal{Total: n}
	count := map[string]int{}
	for _, s := range r.m.stages {
		if t < s.T || t >= s.end {
			continue
		}
		tasks := s.ByTask
		if tasks == nil {
			tasks = s.Hints
		}
		for _, places := range tasks {
			if len(places) > 0 {
				p.Hints.LocalTasks++
			}
			for _, place := range places {
				// A cached block's place is executor_HOST_ID.
				if rest, ok := strings.CutPrefix(place, "executor_"); ok {
					if k := strings.LastIndex(rest, "_"); k > 0 {
						place = rest[:k]
					}
				}
				count[place]++
			}
		}
	}
	for _, host := range slices.Sorted(maps.Keys(count)) {
		p.Hints.Hosts = append(p.Hints.Hosts, spark.HostTasks{Host: r.Names.Intern(host), Tasks: count[host]})
	}
	return &spark.TotalRequest{Profiles: []spark.ProfileTotal{p}}
}

// heartbeat is the call with that line in the log: its counts and asks are compared, and its answer is handed over.
func (r *masterRun) heartbeat(i int, e masterEvent) {
	r.at = e.t
	// The threads that start executors report back at times that are not recorded; the line tells how many had not yet.
	for len(r.launching) > 0 && r.allocator.Counts(e.t).Starting > e.n[3] {
		r.allocator.LaunchDone(r.launching[0])
		r.launching = r.launching[1:]
	}
	n := r.allocator.Counts(e.t)
	pending, _ := r.allocator.Pending(0)
	var call, reply *liveCall
	if r.beat < len(r.m.beats) {
		call, reply = r.m.beats[r.beat].call, r.m.beats[r.beat].reply
	}
	r.beat++
	if call == nil {
		r.masterCase(partBeat, "a call in rm-calls", "nothing", e.t)
		return
	}
	r.masterCase(partBeat, fmt.Sprintf("pending %d, running %d, starting %d", e.n[1], e.n[2], e.n[3]),
		fmt.Sprintf("pending %d, running %d, starting %d", pending, n.Running, n.Starting), e.t)
	r.allocator.Request(&r.request)
	want, got := []string{}, []string{}
	for _, a := range call.Ask {
		want = append(want, fmt.Sprint(a.Location, " ", a.N, " ", a.Resource, " ", a.Relax, " ", a.Priority))
	}
	for _, a := range r.request.Asks {
		got = append(got, fmt.Sprint(r.Names.Text(a.Name), " ", a.Count, " ", golden.Amounts(a.Size, r.Types), " ", a.Relax, " ", a.Priority))
	}
	for _, c := range call.Release {
		want = append(want, "release "+c)
	}
	for _, id := range r.request.Releases {
		got = append(got, "release "+r.text(id))
	}
	for _, list := range []struct {
		what string
		want []string
		got  []protocol.Name
	}{{"exclude ", call.BlacklistAdd, r.request.BlacklistAdd}, {"include ", call.BlacklistDel, r.request.BlacklistRemove}} {
		for _, host := range list.want {
			want = append(want, list.what+host)
		}
		for _, host := range r.texts(list.got) {
			got = append(got, list.what+host)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want)+len(got) > 0 {
		r.masterCase(partAsk, strings.Join(want, ", "), strings.Join(got, ", "), e.t)
	}
	r.respond(i, e.t, reply)
}

// respond hands over what the ResourceManager answered: the containers, and of those that had ended by then as many as the log says.
func (r *masterRun) respond(i int, t int64, reply *liveCall) {
	resp := protocol.AllocateResponse{Nodes: r.s.Cluster().Len()}
	if reply != nil {
		t = reply.T
		for _, c := range reply.Containers {
			id, err := containerID(c.Container)
			if err != nil {
				continue // it was compared with the scheduler's
			}
			resp.Allocated = append(resp.Allocated, protocol.Container{ID: id, Node: r.Node(c.Node), Host: r.Names.Intern(c.Node)})
		}
	}
	for _, e := range r.m.events[i+1:] {
		if e.kind == masterBeats {
			break
		}
		if e.kind != masterCompleted {
			continue
		}
		for range e.n[0] {
			if r.delivered == len(r.m.ended) {
				break
			}
			c := &r.m.ended[r.delivered]
			r.delivered++
			if id, err := containerID(c.Container); err == nil {
				resp.Completed = append(resp.Completed, protocol.Status{ID: id, Exit: r.exitAtMaster(c)})
			}
		}
	}
	r.allocator.Response(t, &resp, &r.outcome)
	for _, l := range r.outcome.Launches {
		r.launched = append(r.launched, fmt.Sprintf("%s on %s, executor %d", r.text(l.Container), r.Names.Text(l.Host), l.Executor))
	}
	r.launching = append(r.launching, r.outcome.Launches...)
}

// exitAtMaster is the exit status that the application master is told.
func (r *recording) exitAtMaster(c *liveContainer) int32 {
	for _, tr := range c.Transitions {
		switch tr.to {
		case "COMPLETED":
			return c.Exit
		case "RELEASED", "KILLED", "EXPIRED":
			if r.preempted[c.Container] {
				return protocol.ExitPreempted
			}
			return protocol.ExitAborted
		}
	}
	return protocol.ExitInvalid
}

// compareDone compares requests and launches since the last heartbeat's line, each kind in any order.
func (r *masterRun) compareDone() {
	r.masterLists(partRequest, r.wantAsked, r.asked)
	r.masterLists(partLaunch, r.wantLaunched, r.launched)
	r.asked, r.wantAsked, r.launched, r.wantLaunched = r.asked[:0], r.wantAsked[:0], r.launched[:0], r.wantLaunched[:0]
}

func (r *masterRun) masterLists(part livePart, want, got []string) {
	slices.Sort(want)
	slices.Sort(got)
	for len(want)+len(got) > 0 {
		switch {
		case len(want) > 0 && len(got) > 0 && want[0] == got[0]:
			r.masterCase(part, want[0], got[0], r.at)
			want, got = want[1:], got[1:]
		case len(got) == 0 || len(want) > 0 && want[0] < got[0]:
			r.masterCase(part, want[0], "nothing", r.at)
			want = want[1:]
		default:
			r.masterCase(part, "nothing", got[0], r.at)
			got = got[1:]
		}
	}
}

func (r *masterRun) masterCase(part livePart, want, got string, t int64) {
	r.counts[part].cases++
	if want == got {
		r.counts[part].equal++
		return
	}
	n := r.allocator.Counts(t)
	seq := -1
	if k := r.beat - 1; k >= 0 && k < len(r.m.beats) {
		seq = int(r.m.beats[k].call.Seq)
	}
	r.differences = append(r.differences, golden.Difference{
		Case: livePartNames[part] + " of " + r.m.app, Event: seq, Expected: want, Got: got,
		State: map[string]any{"t": t, "running": n.Running, "starting": n.Starting, "released": n.Released},
	})
}
