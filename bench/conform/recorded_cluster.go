package conform

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy"
)

// recordedCluster is a live ResourceManager: every call that its scheduler received, in order. The calls are given to the
// FairScheduler here; each allocation, each reservation and the queues of each second are one case.
//
// Calls of a live ResourceManager overlap: a sample is equal when it is the state before or after the call under way. What a
// node reports is not in the calls; it is put to the heartbeat with which it arrived by the containers' own records.
var recordedCluster = Kind{
	Name:      "recorded cluster",
	Match:     func(name string, _ Shape) bool { return name == "rm-calls" },
	Run:       runRecordedCluster,
	Recording: "rm-calls",
}

// recordedCall is a line of rm-calls.
type recordedCall struct {
	Seq, T       int64
	Kind, Type   string
	Node, Rack   string
	Capability   []int64
	App, Attempt string
	Queue, User  string
	Ask          []recordedAsk
	Release      []string
	BlacklistAdd []string `json:"blacklist_add"`
	BlacklistDel []string `json:"blacklist_del"`

	launched []protocol.ContainerID // with a heartbeat
	ended    []protocol.Status
}

type recordedAsk struct {
	Priority  int32
	Location  string
	N         int32
	Resource  []int64
	Relax     bool
	RequestID int64 `json:"request_id"`
}

// recordedContainer is a line of containers.jsonl: a container or a reservation that was never filled.
type recordedContainer struct {
	Container, Node, Locality string
	Transitions               []transition
	Exit                      int32 `json:"exit_code"`
	NodeDone                  int64 `json:"t_nm_done"`
	id                        protocol.ContainerID
}

// transition is a change of state in the ResourceManager.
type transition struct {
	t        int64
	from, to string
}

func (t *transition) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&t.t, &t.from, &t.to})
}

// recordedSample is a line of rm-shares.
type recordedSample struct {
	Seq, T int64
	Queues []struct {
		Queue  string
		Steady []int64
		Fair   []int64 `json:"fair_share"`
		Usage  []int64
		Demand []int64
		AM     []int64 `json:"am_usage"`
	}
}

// recording is a scenario and the scheduler that is driven through it.
type recording struct {
	schedulerRun
	f          *yarn.Fair
	now        int64
	ports      map[string]int32
	calls      []recordedCall
	containers []recordedContainer
	samples    []recordedSample
	pulled     map[protocol.AppID]bool
	allocated  map[protocol.ContainerID]placed
	reserved   map[protocol.ContainerID]placed
	out        *Results
}

// placed is where and how a container was allocated or reserved.
type placed struct {
	Node string `json:"node"`
	Type string `json:"type,omitempty"`
	T    int64  `json:"t"`
}

func runRecordedCluster(in *Input, out *Results) error {
	r := &recording{out: out, pulled: map[protocol.AppID]bool{}, allocated: map[protocol.ContainerID]placed{}, reserved: map[protocol.ContainerID]placed{}}
	r.names, r.byTag = protocol.NewNames(), map[string]protocol.NodeID{}
	for {
		var c recordedCall
		if err := in.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		r.calls = append(r.calls, c)
	}
	dir := filepath.Dir(in.Path)
	if err := readLines(filepath.Join(dir, "containers.jsonl"), &r.containers); err != nil {
		return err
	}
	if err := readLines(filepath.Join(dir, "rm-shares.jsonl.gz"), &r.samples); err != nil {
		return err
	}
	if err := r.readPorts(filepath.Join(dir, "rm-log.jsonl.gz")); err != nil {
		return err
	}
	if err := r.attach(); err != nil {
		return err
	}
	if err := r.openCluster(dir); err != nil {
		return err
	}
	if err := r.playCalls(); err != nil {
		out.AddUnsupported(dir, err.Error())
		return nil
	}
	r.compare()
	return nil
}

// readLines decodes the lines of a file into a slice.
func readLines[T any](path string, to *[]T) error {
	in, err := Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	for {
		var v T
		if err := in.Decode(&v); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		*to = append(*to, v)
	}
}

var registered = regexp.MustCompile(`assigned nodeId (\S+):(\d+)$`)

// readPorts takes the ports of the NodeManagers from the log: they enter the order in which nodes are looked at.
func (r *recording) readPorts(path string) error {
	var log []struct{ Msg string }
	if err := readLines(path, &log); err != nil {
		return err
	}
	r.ports = map[string]int32{}
	for _, line := range log {
		if m := registered.FindStringSubmatch(line.Msg); m != nil {
			port, err := strconv.ParseInt(m[2], 10, 32)
			if err != nil {
				return fmt.Errorf("%s: %q: %w", path, line.Msg, err)
			}
			r.ports[m[1]] = int32(port)
		}
	}
	return nil
}

// attach puts what the nodes report about containers to the heartbeats with which it arrived.
func (r *recording) attach() error {
	beats := map[string][]int{}
	for i, c := range r.calls {
		if c.Type == "NODE_UPDATE" {
			beats[c.Node] = append(beats[c.Node], i)
		}
	}
	for i := range r.containers {
		c := &r.containers[i]
		var app, attempt int
		var stamp int64
		if _, err := fmt.Sscanf(c.Container, "container_%d_%d_%d_%d", &stamp, &app, &attempt, &c.id.N); err != nil {
			return fmt.Errorf("containers.jsonl: container %q: %w", c.Container, err)
		}
		c.id.App = protocol.AppID(app)
		list := beats[c.Node]
		// after is the first heartbeat of the node after t.
		after := func(t int64) int {
			return sort.Search(len(list), func(k int) bool { return r.calls[list[k]].T > t })
		}
		ran, ended, gone := false, false, c.NodeDone
		for _, tr := range c.Transitions {
			k := after(tr.t) - 1
			if k < 0 {
				continue
			}
			call := &r.calls[list[k]]
			switch tr.to {
			case "RUNNING":
				ran = true
				call.launched = append(call.launched, c.id)
			case "RELEASED", "KILLED":
				gone = max(gone, tr.t) // the node's report came later, or it would have been COMPLETED
			case "COMPLETED":
				ended = true
				call.ended = append(call.ended, protocol.Status{ID: c.id, Exit: c.Exit})
			}
		}
		if k := after(gone); ran && !ended && c.NodeDone > 0 && k < len(list) {
			call := &r.calls[list[k]]
			call.ended = append(call.ended, protocol.Status{ID: c.id, Exit: c.Exit})
		}
	}
	return nil
}

func (r *recording) openCluster(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "cluster.json"))
	if err != nil {
		return err
	}
	var cluster struct {
		Site map[string]string `json:"yarn_site"`
	}
	if err := json.Unmarshal(text, &cluster); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, "cluster.json"), err)
	}
	if r.site, err = conf.NewSite(cluster.Site); err != nil {
		return err
	}
	r.types = len(r.site.Types)
	alloc, err := conf.ReadAllocations(filepath.Join(dir, "fair-scheduler.xml"), r.site)
	if err != nil {
		return err
	}
	var stamp int64
	if len(r.containers) > 0 {
		if _, err := fmt.Sscanf(r.containers[0].Container, "container_%d_", &stamp); err != nil {
			return err
		}
	}
	r.f, err = yarn.NewFair(r.site, alloc, r.names, stamp, r.note)
	r.s = r.f
	return err
}

// note keeps the first allocation and reservation of each container number.
func (r *recording) note(e *yarn.Event) {
	p := placed{Node: r.nodes[e.Container.Node], T: r.now}
	switch e.Kind {
	case yarn.Allocated:
		p.Type = e.Container.Type.String()
		r.allocated[e.Container.ID] = p
	case yarn.Reserved:
		r.reserved[e.Container.ID] = p
	}
}

func (r *recording) playCalls() error {
	sample := 0
	var before map[string]yarn.QueueState
	for i := range r.calls {
		c := &r.calls[i]
		for ; sample < len(r.samples) && r.samples[sample].Seq < c.Seq; sample++ {
			r.compareSample(&r.samples[sample], before)
		}
		if sample < len(r.samples) && i+1 < len(r.calls) && r.samples[sample].Seq < r.calls[i+1].Seq {
			before = r.queues()
		}
		for at, ok := r.f.NextKill(); ok && at <= c.T; at, ok = r.f.NextKill() {
			r.clock(at)
			r.f.KillDue()
		}
		r.clock(c.T)
		if err := r.playCall(c); err != nil {
			return fmt.Errorf("seq %d: %w", c.Seq, err)
		}
	}
	return nil
}

func (r *recording) queues() map[string]yarn.QueueState {
	state := map[string]yarn.QueueState{}
	r.f.Queues(func(q yarn.QueueState) { state[q.Path] = q })
	return state
}

func (r *recording) clock(t int64) {
	r.now = max(r.now, t)
	r.f.SetClock(r.now)
}

func appNumber(text string) protocol.AppID {
	var stamp int64
	var app int32
	for _, form := range []string{"application_%d_%d", "appattempt_%d_%d"} {
		if n, _ := fmt.Sscanf(text, form, &stamp, &app); n == 2 {
			return protocol.AppID(app)
		}
	}
	return -1
}

func (r *recording) playCall(c *recordedCall) error {
	switch c.Kind + " " + c.Type {
	case "update ":
		r.f.Update()
		r.f.Preempt()
	case "event NODE_ADDED":
		r.f.AddNode(yarn.NodeSpec{ID: r.node(c.Node), Host: r.names.Intern(c.Node), Rack: r.names.Intern(c.Rack), Port: r.ports[c.Node], Total: r.size(c.Capability)})
	case "event NODE_REMOVED":
		r.f.RemoveNode(r.node(c.Node))
	case "event NODE_UPDATE":
		r.f.NodeUpdate(r.node(c.Node), c.launched, c.ended)
	case "event APP_ADDED":
		err := r.f.AddApp(yarn.AppSpec{ID: appNumber(c.App), User: c.User, Queue: c.Queue})
		var rejected *yarn.Rejection
		if err != nil && !errors.As(err, &rejected) {
			return err
		}
	case "event APP_ATTEMPT_ADDED":
		r.f.AddAttempt(appNumber(c.Attempt))
	case "event APP_ATTEMPT_REMOVED":
		r.f.RemoveApp(appNumber(c.Attempt))
	case "event APP_REMOVED", "allocate_reply ":
	case "allocate ":
		return r.playAllocate(c)
	default:
		return fmt.Errorf("no call for %s %s", c.Kind, c.Type)
	}
	return nil
}

func (r *recording) playAllocate(c *recordedCall) error {
	id := appNumber(c.Attempt)
	if len(c.Ask) == 0 && !r.pulled[id] {
		if _, ok := r.f.PullAM(id); ok {
			r.pulled[id] = true
			return nil
		}
	}
	req := protocol.AllocateRequest{BlacklistAdd: r.intern(c.BlacklistAdd), BlacklistRemove: r.intern(c.BlacklistDel)}
	for _, a := range c.Ask {
		req.Asks = append(req.Asks, protocol.Ask{
			Priority: a.Priority, RequestID: a.RequestID, Name: r.names.Intern(a.Location), Count: a.N, Size: r.size(a.Resource), Relax: a.Relax,
		})
	}
	for _, text := range c.Release {
		var stamp int64
		var app, attempt int32
		var n int64
		if _, err := fmt.Sscanf(text, "container_%d_%d_%d_%d", &stamp, &app, &attempt, &n); err != nil {
			return fmt.Errorf("release %q: %w", text, err)
		}
		req.Releases = append(req.Releases, protocol.ContainerID{App: protocol.AppID(app), N: n})
	}
	return r.f.Allocate(id, &req, &r.resp)
}

// compareSample compares the leaf queues of one second with the state after the last call, or else before it.
func (r *recording) compareSample(s *recordedSample, before map[string]yarn.QueueState) {
	d := r.sampleDifference(s, r.queues())
	if d != nil && r.sampleDifference(s, before) != nil {
		r.out.AddDifferent(*d)
		return
	}
	r.out.AddEqual()
}

func (r *recording) sampleDifference(s *recordedSample, state map[string]yarn.QueueState) *Difference {
	for _, want := range s.Queues {
		q := state[want.Queue]
		for _, m := range []struct {
			member string
			want   []int64
			got    policy.Resource
		}{
			{"steady", want.Steady, q.Steady}, {"fair_share", want.Fair, q.Fair}, {"usage", want.Usage, q.Used},
			{"demand", want.Demand, q.Demand}, {"am_usage", want.AM, q.AMUsed},
		} {
			if r.size(m.want) != m.got.Clone() {
				return &Difference{
					Case: fmt.Sprintf("sample at %d, %s", s.T, want.Queue), Event: int(s.Seq),
					Expected: map[string]any{m.member: m.want}, Got: map[string]any{m.member: cut(m.got, r.types)},
				}
			}
		}
	}
	return nil
}

// compare compares allocations and reservations by container number.
func (r *recording) compare() {
	for _, c := range r.containers {
		for _, tr := range c.Transitions {
			got, expected := r.allocated, placed{Node: c.Node, Type: c.Locality, T: tr.t}
			switch {
			case tr.to == "RESERVED":
				got, expected.Type = r.reserved, ""
			case tr.to != "ALLOCATED":
				continue
			}
			p, ok := got[c.id]
			delete(got, c.id)
			// A reservation that was never filled is recorded without its node.
			if ok && (p.Node == expected.Node || expected.Node == "") && p.Type == expected.Type {
				r.out.AddEqual()
				continue
			}
			d := Difference{Case: fmt.Sprintf("%s %s", c.Container, tr.to), Expected: expected, Got: "nothing"}
			if ok {
				d.Got = p
			}
			r.out.AddDifferent(d)
		}
	}
	for _, left := range []struct {
		what string
		by   map[protocol.ContainerID]placed
	}{{"ALLOCATED", r.allocated}, {"RESERVED", r.reserved}} {
		ids := []protocol.ContainerID{}
		for id := range left.by {
			ids = append(ids, id)
		}
		slices.SortFunc(ids, func(a, b protocol.ContainerID) int { return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.N, b.N)) })
		for _, id := range ids {
			r.out.AddDifferent(Difference{Case: fmt.Sprintf("application %d container %d %s", id.App, id.N, left.what), Expected: "nothing", Got: left.by[id]})
		}
	}
}
