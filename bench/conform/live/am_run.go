package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/spark"
	"replay/engine/spark/allocator"
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
	ids          []int32       // of the resource profiles, in the order of the allocator's numbers
	targets      map[int32]int // of the driver, by the allocator's number
	asksFor      int32         // id of the profile whose requests are logged
	delivered    int           // ended containers
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
	run := &masterRun{liveRun: r, m: m, ids: slices.Sorted(maps.Keys(m.profiles)), targets: map[int32]int{}}
	var profiles []allocator.ExecutorProfile
	for _, id := range run.ids {
		size, err := m.conf.ContainerSize(m.profiles[id], r.recording.site.Types)
		if err != nil {
			return err
		}
		profiles = append(profiles, allocator.ExecutorProfile{Size: size, PerExec: m.conf.TasksPerExecutor(m.profiles[id])})
	}
	run.allocator = allocator.New(allocator.Setup{
		Conf: m.conf, Names: r.Names, Placement: placement,
		Racks:    protocol.RacksBy(func(host protocol.Name) protocol.Name { return r.Names.Intern(r.racks[r.Names.Text(host)]) }),
		Profiles: profiles,
	})
	run.allocator.OnRequest = func(p int32, req *protocol.ContainerRequest, added bool) {
		if added {
			run.asked = append(run.asked, hostList(run.texts(req.Nodes))+run.profileText(run.ids[p]))
		}
	}
	for i := 0; i < len(m.events); i++ {
		e := m.events[i]
		p, known := slices.BinarySearch(run.ids, e.profile)
		if !known {
			return fmt.Errorf("resource profile %d is not in the event log", e.profile)
		}
		switch e.kind {
		case masterBeats:
			run.compareDone()
			first := i
			for i+1 < len(m.events) && m.events[i+1].kind == masterBeats && !beatOf(m.events[first:i+1], m.events[i+1].profile) {
				i++
			}
			if err := run.heartbeat(i, m.events[first:i+1]); err != nil {
				return err
			}
		case masterTotal:
			run.targets[int32(p)] = e.n[0]
			run.allocator.RequestTotal(e.t, run.total(e.t))
		case masterWill:
			run.asksFor = e.profile
		case masterKills:
			for _, n := range e.n {
				run.allocator.KillExecutor(int32(n))
			}
		case masterAsks:
			run.wantAsked = append(run.wantAsked, hostList(e.text)+run.profileText(run.asksFor))
		case masterAsksAny:
			for range e.n[0] {
				run.wantAsked = append(run.wantAsked, hostList(nil)+run.profileText(run.asksFor))
			}
		case masterLaunches:
			run.wantLaunched = append(run.wantLaunched, fmt.Sprintf("%s on %s, executor %s", e.text[0], e.text[1], e.text[2])+run.profileText(e.profile))
		}
	}
	run.compareDone()
	return nil
}

// beatOf tells whether a profile has its line among those of a heartbeat.
func beatOf(lines []masterEvent, profile int32) bool {
	return slices.ContainsFunc(lines, func(e masterEvent) bool { return e.profile == profile })
}

// profileText names a profile where the application has several.
func (r *masterRun) profileText(id int32) string {
	if len(r.ids) == 1 {
		return ""
	}
	return fmt.Sprintf(", profile %d", id)
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

// besides lists what a call of an application master tells besides its asks: as it was recorded, and what came out. Text is what the recording calls a container.
func (r *liveRun) besides(call *liveCall, req *protocol.AllocateRequest, text func(protocol.ContainerID) string) (want, got []string) {
	for _, c := range call.Release {
		want = append(want, "release "+c)
	}
	for _, id := range req.Releases {
		got = append(got, "release "+text(id))
	}
	for _, list := range []struct {
		what string
		want []string
		got  []protocol.Name
	}{{"exclude ", call.BlacklistAdd, req.BlacklistAdd}, {"include ", call.BlacklistDel, req.BlacklistRemove}} {
		for _, host := range slices.Sorted(slices.Values(list.want)) {
			want = append(want, list.what+host)
		}
		for _, host := range r.texts(list.got) {
			got = append(got, list.what+host)
		}
	}
	return want, got
}

// total is what the driver asks for: its targets, and the places that the tasks of the stages under way prefer.
//
// Source: ExecutorAllocationListener.onStageSubmitted, updateExecutorPlacementHints.
func (r *masterRun) total(t int64) *spark.TotalRequest {
	req := &spark.TotalRequest{}
	for _, n := range slices.Sorted(maps.Keys(r.targets)) {
		req.Profiles = append(req.Profiles, spark.ProfileTotal{Profile: n, Total: r.targets[n], Hints: r.hints(t, r.ids[n])})
	}
	return req
}

// hints are the places preferred by the tasks of the stages of a profile that are under way.
func (r *masterRun) hints(t int64, profile int32) (h spark.StageHints) {
	count := map[string]int{}
	for _, s := range r.m.stages {
		if s.profile != profile || t < s.T || t >= s.end {
			continue
		}
		tasks := s.ByTask
		if tasks == nil {
			tasks = s.Hints
		}
		for _, places := range tasks {
			if len(places) > 0 {
				h.LocalTasks++
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
		h.Hosts = append(h.Hosts, spark.HostTasks{Host: r.Names.Intern(host), Tasks: int32(count[host])})
	}
	slices.SortFunc(h.Hosts, func(a, b spark.HostTasks) int { return cmp.Compare(a.Host, b.Host) })
	return h
}

// heartbeat is the call with those lines in the log, the last of which is number i: its counts and asks are compared, and its answer is
// handed over.
func (r *masterRun) heartbeat(i int, lines []masterEvent) error {
	e := lines[0]
	r.at = e.t
	var want, got []string
	for _, line := range lines {
		k, known := slices.BinarySearch(r.ids, line.profile)
		if !known {
			return fmt.Errorf("resource profile %d is not in the event log", line.profile)
		}
		p := int32(k)
		// The threads that start executors report back at times that are not recorded; the line tells how many had not yet.
		running, starting := r.allocator.Executors(p)
		for starting > line.n[3] {
			n := slices.IndexFunc(r.launching, func(l allocator.ExecutorLaunch) bool { return l.Profile == p })
			if n < 0 {
				break
			}
			r.allocator.LaunchDone(r.launching[n])
			r.launching = slices.Delete(r.launching, n, n+1)
			running, starting = r.allocator.Executors(p)
		}
		pending, _ := r.allocator.Pending(p)
		want = append(want, fmt.Sprintf("pending %d, running %d, starting %d", line.n[1], line.n[2], line.n[3])+r.profileText(line.profile))
		got = append(got, fmt.Sprintf("pending %d, running %d, starting %d", pending, running, starting)+r.profileText(line.profile))
	}
	var call, reply *liveCall
	if r.beat < len(r.m.beats) {
		call, reply = r.m.beats[r.beat].call, r.m.beats[r.beat].reply
	}
	r.beat++
	if call == nil {
		r.masterCase(partBeat, "a call in rm-calls", "nothing", e.t)
		return nil
	}
	for k := range want {
		r.masterCase(partBeat, want[k], got[k], e.t)
	}
	r.allocator.Request(&r.request)
	want, got = nil, nil
	for _, a := range call.Ask {
		want = append(want, fmt.Sprint(a.Location, " ", a.N, " ", a.Resource, " ", a.Relax, " ", a.Priority))
	}
	for _, a := range r.request.Asks {
		got = append(got, fmt.Sprint(r.Names.Text(a.Name), " ", a.Count, " ", golden.Amounts(a.Size, r.Types), " ", a.Relax, " ", r.ids[a.Priority]))
	}
	w, g := r.besides(call, &r.request, r.ofMaster)
	want, got = append(want, w...), append(got, g...)
	slices.Sort(want)
	slices.Sort(got)
	if len(want)+len(got) > 0 {
		r.masterCase(partAsk, strings.Join(want, ", "), strings.Join(got, ", "), e.t)
	}
	r.respond(i, e.t, reply)
	return nil
}

// An allocator knows the containers of its own attempt alone, by their numbers in it.
func (r *masterRun) ofMaster(id protocol.ContainerID) string {
	return r.text(protocol.NewContainerID(id.App, r.m.number, id.N))
}

func ownID(id protocol.ContainerID) protocol.ContainerID {
	return protocol.ContainerID{App: id.App, N: id.Number()}
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
			profile, known := slices.BinarySearch(r.ids, c.Priority)
			if !known {
				continue // the asks for it differ
			}
			resp.Allocated = append(resp.Allocated, protocol.Container{ID: ownID(id), Priority: int32(profile), Node: r.Node(c.Node), Host: r.Names.Intern(c.Node)})
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
				resp.Completed = append(resp.Completed, protocol.Status{ID: ownID(id), Exit: r.exitAtMaster(c)})
			}
		}
	}
	r.allocator.Response(t, &resp, &r.outcome)
	for _, l := range r.outcome.Launches {
		r.launched = append(r.launched, fmt.Sprintf("%s on %s, executor %d", r.ofMaster(l.Container), r.Names.Text(l.Host), l.Executor)+r.profileText(r.ids[l.Profile]))
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
