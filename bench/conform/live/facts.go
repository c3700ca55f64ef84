package live

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"replay/engine/protocol"
)

// liveReport is what a node says of a container in a heartbeat.
type liveReport struct {
	id    protocol.ContainerID
	ended bool
	exit  int32
	t     int64 // when it happened: in the ResourceManager, or at the node if that had ended the container before
	// open tells that t is the node's time: the report may have missed the heartbeat that came right after it.
	open bool
}

var (
	lineRegistered = regexp.MustCompile(`assigned nodeId ([^:\s]+):(\d+)$`)
	lineReservedCS = regexp.MustCompile(`^Reserved container=(\S+), on node=host: ([^:\s]+):`)
	lineReserved   = regexp.MustCompile(`^Reserved container (\S+) on node host: ([^:\s]+):`)
	lineUnreserved = regexp.MustCompile(`^Application (\S+) unreserved +on node host: ([^:\s]+):`)
	linePreempting = regexp.MustCompile(`^Preempting container (\S+) from queue`)
	lineKilling    = regexp.MustCompile(`^Killing container (\S+)`)
)

// readLog takes from the log what the calls and containers do not tell.
func (r *recording) readLog() error {
	if len(r.containers) > 0 {
		if _, err := fmt.Sscanf(r.containers[0].Container, "container_%d_", &r.stamp); err != nil {
			return fmt.Errorf("containers.jsonl: container %q: %w", r.containers[0].Container, err)
		}
	}
	for _, line := range r.log {
		switch line.Cls {
		case "ResourceTrackerService":
			if m := lineRegistered.FindStringSubmatch(line.Msg); m != nil {
				port, err := strconv.ParseInt(m[2], 10, 32)
				if err != nil {
					return fmt.Errorf("rm-log: %q: %w", line.Msg, err)
				}
				r.ports[m[1]] = int32(port)
			}
		case "FSSchedulerNode":
			if m := lineReserved.FindStringSubmatch(line.Msg); m != nil {
				r.expect(line.T, func(c *liveCall) bool { return c.Type == "NODE_UPDATE" && c.Node == m[2] },
					liveFact{partReservation, m[1] + " " + m[2], line.T})
			}
		case "FiCaSchedulerApp":
			if m := lineReservedCS.FindStringSubmatch(line.Msg); m != nil {
				r.expect(line.T, func(c *liveCall) bool { return c.Type == "NODE_UPDATE" && c.Node == m[2] && len(c.decided) > 0 },
					liveFact{partReservation, m[1] + " " + m[2], line.T})
			} else if m := lineUnreserved.FindStringSubmatch(line.Msg); m != nil {
				// A reservation can be given up at the heartbeat of another node.
				app := appNumber(m[1])
				r.expect(line.T, func(c *liveCall) bool {
					return c.decides(app, m[2]) || c.Type == "NODE_REMOVED" && c.Node == m[2] || c.Type == "APP_ATTEMPT_REMOVED" && appNumber(c.Attempt) == app
				}, liveFact{partUnreserved, fmt.Sprint("application ", app, " ", m[2]), line.T})
			}
		case "FSAppAttempt":
			if m := lineUnreserved.FindStringSubmatch(line.Msg); m != nil {
				app := appNumber(m[1])
				r.expect(line.T, func(c *liveCall) bool {
					return (c.Type == "NODE_UPDATE" || c.Type == "NODE_REMOVED") && c.Node == m[2] ||
						c.Type == "APP_ATTEMPT_REMOVED" && appNumber(c.Attempt) == app
				}, liveFact{partUnreserved, fmt.Sprint("application ", app, " ", m[2]), line.T})
			}
		case "FSPreemptionThread":
			if m := linePreempting.FindStringSubmatch(line.Msg); m != nil {
				r.expect(line.T, func(c *liveCall) bool { return c.Kind == "update" }, liveFact{partPreempted, m[1], line.T})
			} else if m := lineKilling.FindStringSubmatch(line.Msg); m != nil {
				r.kills, r.preempted[m[1]] = append(r.kills, line.T), true
			}
		}
	}
	return nil
}

// expect puts a fact to the call that was under way: the last one of those in question that began until then. A fact of
// no call is put to the first one, where it is a difference.
func (r *recording) expect(t int64, may func(*liveCall) bool, f liveFact) {
	if i := r.underWay(t, may); i >= 0 {
		r.calls[i].want = append(r.calls[i].want, f)
	} else if len(r.calls) > 0 {
		r.calls[0].want = append(r.calls[0].want, f)
	}
}

func (r *recording) underWay(t int64, may func(*liveCall) bool) int {
	// Times of calls of different threads are not quite in order, those of one thread are.
	for i := min(len(r.calls), sort.Search(len(r.calls), func(k int) bool { return r.calls[k].T > t })+20) - 1; i >= 0; i-- {
		if c := &r.calls[i]; c.T <= t && may(c) {
			return i
		}
	}
	return -1
}

// attach puts allocations, and what nodes report about containers, to the heartbeats with which they came, and answers to
// application masters to their calls.
func (r *recording) attach() error {
	beats := map[string][]int{}
	last := map[string]int{} // call of an application master
	for i := range r.calls {
		switch c := &r.calls[i]; {
		case c.Type == "NODE_UPDATE":
			beats[c.Node] = append(beats[c.Node], i)
		case c.Kind == "allocate":
			last[c.Attempt] = i
		case c.Kind == "allocate_reply":
			call, ok := last[c.Attempt]
			if !ok {
				return fmt.Errorf("rm-calls: seq %d answers no call of %s", c.Seq, c.Attempt)
			}
			for _, got := range c.Containers {
				r.calls[call].want = append(r.calls[call].want, liveFact{partHandedOver, got.Container + " " + got.Node, c.T})
			}
			r.calls[call].want = append(r.calls[call].want, liveFact{partHeadroom, fmt.Sprint(c.Headroom), c.T})
		}
	}
	for i := range r.containers {
		c := &r.containers[i]
		id, err := containerID(c.Container)
		if err != nil {
			return fmt.Errorf("containers.jsonl: %w", err)
		}
		list := beats[c.Node]
		// after is the first heartbeat of the node after t.
		after := func(t int64) int {
			return sort.Search(len(list), func(k int) bool { return r.calls[list[k]].T > t })
		}
		ran, ended, gone := false, false, c.NodeDone
		for _, tr := range c.Transitions {
			if tr.to == "ALLOCATED" {
				r.expect(tr.t, func(call *liveCall) bool { return call.Type == "NODE_UPDATE" && call.Node == c.Node },
					liveFact{partAllocation, c.Container + " " + c.Node + " " + c.Locality, tr.t})
			}
			if tr.to == "EXPIRED" {
				if i := r.underWay(tr.t, func(call *liveCall) bool { return call.Type == "CONTAINER_EXPIRED" }); i >= 0 {
					r.calls[i].expired = append(r.calls[i].expired, c.Container)
				}
			}
			k := after(tr.t) - 1
			if k < 0 {
				continue
			}
			call := &r.calls[list[k]]
			switch tr.to {
			case "RUNNING":
				ran = true
				call.reports = append(call.reports, liveReport{id: id, t: tr.t})
			case "RELEASED", "KILLED":
				gone = max(gone, tr.t) // the node's report came later, or it would have been COMPLETED
			case "COMPLETED":
				ended = true
				call.reports = append(call.reports, liveReport{id: id, ended: true, exit: c.Exit, t: tr.t})
			}
		}
		if k := after(gone); ran && !ended && c.NodeDone > 0 && k < len(list) {
			call := &r.calls[list[k]]
			call.reports = append(call.reports, liveReport{id: id, ended: true, exit: c.Exit, t: gone, open: true})
		}
	}
	for i := range r.calls {
		slices.SortStableFunc(r.calls[i].reports, func(a, b liveReport) int { return int(a.t - b.t) })
	}
	return nil
}

// addCommit puts the decisions of a commit to the call that made them, which is the last event before its row.
func (r *recording) addCommit(c *liveCall) error {
	i := len(r.calls) - 1
	for i >= 0 && r.calls[i].Kind != "event" {
		i--
	}
	if i < 0 {
		return fmt.Errorf("seq %d: a commit before any event", c.Seq)
	}
	call := &r.calls[i]
	call.decided = append(call.decided, c.Proposals...)
	for k := range c.Proposals {
		p := &c.Proposals[k]
		call.want = append(call.want, liveFact{partProposal, p.text(c.Accepted), c.T})
	}
	return nil
}

// decides tells whether a call gave up a reservation of an application on a node, or may have, to put another container of its elsewhere.
func (c *liveCall) decides(app protocol.AppID, node string) bool {
	return slices.ContainsFunc(c.decided, func(p liveProposal) bool {
		if p.What != "release" {
			return appNumber(p.Attempt) == app
		}
		id, err := containerID(p.Container)
		return err == nil && id.App == app && p.Node == node
	})
}

// text is a proposal as it is compared: what is decided, for which application or reservation, where, how large and at which level.
func (p *liveProposal) text(accepted bool) string {
	s := p.What + " " + p.Container + " " + p.Node
	if p.What != "release" {
		s = fmt.Sprintf("%s application %d %s %v %s", p.What, appNumber(p.Attempt), p.Node, p.Resource, p.Type)
		if p.Container != "" {
			s += " as " + p.Container
		}
		if p.FromReserved != "" {
			s += " from its reservation"
		}
	}
	if !accepted {
		s += ", refused"
	}
	return s
}

// unsupported tells what of the recording is not modelled, "" if nothing.
func (r *recording) unsupported() string {
	if r.scheduler != "" && r.capacity == nil && !strings.HasSuffix(r.scheduler, ".FairScheduler") {
		return fmt.Sprintf("cluster.json: the scheduler is %s, calls of a FairScheduler or CapacityScheduler are compared", r.scheduler)
	}
	for _, key := range []string{"yarn.scheduler.capacity.schedule-asynchronously.enable", "yarn.resourcemanager.scheduler.monitor.enable"} {
		if r.capacity != nil && strings.EqualFold(strings.TrimSpace(r.capacity[key]), "true") {
			return fmt.Sprintf("%s is true: decisions between the recorded calls are not modelled", key)
		}
	}
	if r.site.Continuous {
		return "cluster.json: passes of continuous scheduling are not among the recorded calls"
	}
	for i := range r.calls {
		c := &r.calls[i]
		switch c.Kind + " " + c.Type {
		case "update ", "allocate ", "allocate_reply ", "event NODE_ADDED", "event NODE_REMOVED", "event NODE_UPDATE",
			"event NODE_RESOURCE_UPDATE", "event APP_ADDED", "event APP_ATTEMPT_REMOVED", "event APP_REMOVED", "event CONTAINER_EXPIRED",
			"event NODE_LABELS_UPDATE":
		case "event APP_ATTEMPT_ADDED":
			if attemptNumber(c.Attempt) < 1 {
				return fmt.Sprintf("seq %d: attempt %q has no number", c.Seq, c.Attempt)
			}
		default:
			return fmt.Sprintf("seq %d: no call for %s %s", c.Seq, c.Kind, c.Type)
		}
	}
	return ""
}

func appNumber(text string) protocol.AppID {
	for _, prefix := range []string{"application_", "appattempt_"} {
		if numbers, ok := strings.CutPrefix(text, prefix); ok {
			_, numbers, _ = strings.Cut(numbers, "_") // behind the start of the ResourceManager
			app, _, _ := strings.Cut(numbers, "_")
			if n, err := strconv.ParseInt(app, 10, 32); err == nil {
				return protocol.AppID(n)
			}
		}
	}
	return -1
}

// attemptNumber is the number of an attempt within its application, -1 where the text is no attempt's name.
func attemptNumber(text string) int32 {
	var stamp, app int64
	var attempt int32
	if _, err := fmt.Sscanf(text, "appattempt_%d_%d_%d", &stamp, &app, &attempt); err != nil {
		return -1
	}
	return attempt
}

func containerID(text string) (protocol.ContainerID, error) {
	var stamp, n int64
	var app, attempt int32
	if _, err := fmt.Sscanf(text, "container_%d_%d_%d_%d", &stamp, &app, &attempt, &n); err != nil {
		return protocol.ContainerID{}, fmt.Errorf("container %q: %w", text, err)
	}
	return protocol.NewContainerID(protocol.AppID(app), attempt, n), nil
}
