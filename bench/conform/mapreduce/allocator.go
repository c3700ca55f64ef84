package mapreduce

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/mapreduce/allocator"
	"replay/engine/protocol"
	"replay/policy/resource"
)

// containerAllocator are runs of a MapReduce application master's allocator.
//
// Source: RMContainerAllocator with RMContainerRequestor and the AMPreemptionPolicy classes.
var containerAllocator = golden.Kind{
	Name: "mapreduce allocator",
	Of:   golden.AnswersOf("RMContainerAllocator"),
	Match: func(_ string, first golden.Shape) bool {
		return first.Has("conf", "maps", "reduces", "resource_types", "events")
	},
	Run: golden.Cases(runMapReduceAllocator),
}

type mrCase struct {
	ID   string
	Conf struct {
		SlowStart             float32 `json:"slow_start"`
		RampUpLimit           float32 `json:"ramp_up_limit"`
		PreemptionLimit       float32 `json:"preemption_limit"`
		UnconditionalPreemptS int32   `json:"unconditional_preempt_delay_s"`
		PreemptDelayS         int32   `json:"preempt_delay_s"`
		RunningMaps           int     `json:"running_map_limit"`
		RunningReduces        int     `json:"running_reduce_limit"`
		Blacklisting          bool
		FailuresPerNode       int    `json:"max_failures_per_node"`
		IgnoreBlacklist       int    `json:"ignore_blacklist_percent"`
		OpportunisticMaps     int    `json:"opportunistic_maps_percent"`
		PreemptionPolicy      string `json:"preemption_policy"`
	}
	Maps, Reduces int
	Types         []string `json:"resource_types"`
	Max           [2]int64 `json:"max_capability"`
	Start         int64
	Racks         map[string]string
	Events        []mrEvent
}

type mrEvent struct {
	E             string
	T             int64
	Maps, Reduces int
	P             []golden.Pair[string, float32]
	A             string
	Mem, VC       int64
	Hosts, Racks  []string
	Failed        int
	Host          string

	Avail   [2]int64
	Nodes   int
	Alloc   []mrContainer
	Done    []golden.Pair[int64, int32]
	Updated []golden.Pair[string, string]
	Preempt *struct {
		Strict   []int64
		Contract *struct {
			Containers []int64
			Requests   []mrAmount
		}
	}
	Error string
	Out   mrOut
}

// mrOut is what an event is answered with; absent parts are empty.
type mrOut struct {
	Job        [][]any
	N          []int
	Ask        [][]any
	Rel        []int64
	BlAdd      []string `json:"bl+"`
	BlRemove   []string `json:"bl-"`
	Err        string
	Registered int
	PolicyKill []*string `json:"policy_kill"`
	Kill       [][]any
	Done       [][]any
	Assigned   [][]any
	Pass       string
	Ramp       [][]any
	ToPreempt  []string `json:"to_preempt"`
	T          []int
	Started    int
	Ignore     int
	Order      *mrOrder
}

type mrOrder struct {
	Maps, Reduces, Failed, Pending []string
	RunningMaps                    []string `json:"running_maps"`
	RunningReduces                 []string `json:"running_reduces"`
}

// mrContainer is [container, host, priority, mem, vc], mrAmount [name, number, mem, vc].
type mrContainer struct {
	id       int64
	host     string
	priority int32
	mem, vc  int64
}

func (c *mrContainer) UnmarshalJSON(data []byte) error {
	return golden.UnmarshalTuple(data, &c.id, &c.host, &c.priority, &c.mem, &c.vc)
}

type mrAmount struct {
	name    string
	count   int32
	mem, vc int64
}

func (a *mrAmount) UnmarshalJSON(data []byte) error {
	return golden.UnmarshalTuple(data, &a.name, &a.count, &a.mem, &a.vc)
}

var mrPolicies = map[string]allocator.Preemption{
	"": allocator.PreemptNothing, "noop": allocator.PreemptNothing, "kill": allocator.PreemptKill, "checkpoint": allocator.PreemptCheckpoint,
}

// mrRun is an allocator and its scripted job.
type mrRun struct {
	*mrCase
	cluster    golden.Cluster
	alloc      *allocator.Allocator
	now        int64
	done       [2]int
	progress   map[allocator.Attempt]float32
	req        protocol.AllocateRequest
	checkpoint bool
}

func (r *mrRun) Totals() (maps, reduces int)           { return r.Maps, r.Reduces }
func (r *mrRun) Completed() (maps, reduces int)        { return r.done[0], r.done[1] }
func (r *mrRun) Progress(at allocator.Attempt) float32 { return r.progress[at] }
func (r *mrRun) container(n int64) (id protocol.ContainerID) {
	return protocol.ContainerID{App: 1, N: n}
}

func runMapReduceAllocator(c *mrCase, out *golden.Results) {
	r := &mrRun{mrCase: c, cluster: golden.NewCluster(2), now: c.Start, progress: map[allocator.Attempt]float32{}}
	policy, ok := mrPolicies[c.Conf.PreemptionPolicy]
	if !ok {
		out.AddUnsupported(c.ID, fmt.Sprintf("preemption policy %q", c.Conf.PreemptionPolicy))
		return
	}
	for _, t := range c.Types {
		if t != "memory" && t != "cpu" {
			out.AddUnsupported(c.ID, fmt.Sprintf("resource type %q", t))
			return
		}
	}
	r.checkpoint = policy == allocator.PreemptCheckpoint
	f := &c.Conf
	names := r.cluster.Names
	r.alloc = allocator.New(allocator.Conf{
		SlowStart: f.SlowStart, RampUpLimit: f.RampUpLimit, PreemptionLimit: f.PreemptionLimit,
		UnconditionalPreemptS: f.UnconditionalPreemptS, PreemptDelayS: f.PreemptDelayS, RunningMaps: f.RunningMaps, RunningReduces: f.RunningReduces,
		Blacklisting: f.Blacklisting, FailuresPerNode: f.FailuresPerNode, IgnoreBlacklistPercent: f.IgnoreBlacklist,
		OpportunisticMapsPercent: f.OpportunisticMaps, Preemption: policy,
	}, allocator.Cluster{
		Names: names, Max: golden.Size(c.Max[:]), CPU: slices.Contains(c.Types, "cpu"),
		Racks: protocol.RacksBy(func(n protocol.Name) protocol.Name { return names.Intern(golden.RackOf(c.Racks, names.Text(n))) }),
	}, r)
	for i := range c.Events {
		e := &c.Events[i]
		got, err := r.do(e)
		if err != nil {
			out.AddUnsupported(c.ID, fmt.Sprintf("event %d: %v", i, err))
			return
		}
		if got == nil {
			continue
		}
		if part, want, have, differs := e.Out.other(got); differs {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: want, Got: have, State: fmt.Sprintf("%s of %s at %d; %s", part, e.E, r.now, golden.Text(r.order()))})
			return
		}
	}
	out.AddEqual()
}

// other finds the first part that differs, in the order in which they are decided.
func (o *mrOut) other(got *mrOut) (part string, want, have any, differs bool) {
	a, b := reflect.ValueOf(o).Elem(), reflect.ValueOf(got).Elem()
	for _, f := range []string{
		"Ask", "Rel", "BlAdd", "BlRemove", "Registered", "PolicyKill", "Done", "Assigned", "Pass", "Ramp", "Kill", "Job", "Err", "ToPreempt", "N", "T", "Started", "Ignore", "Order",
	} {
		x, y := a.FieldByName(f), b.FieldByName(f)
		if x.Kind() == reflect.Slice && x.Len() == 0 && y.Len() == 0 {
			continue
		}
		if golden.Text(x.Interface()) != golden.Text(y.Interface()) {
			return strings.ToLower(f), x.Interface(), y.Interface(), true
		}
	}
	return "", nil, nil, false
}

// do runs an event and returns its answers, nil for one that has none.
func (r *mrRun) do(e *mrEvent) (*mrOut, error) {
	out := &mrOut{}
	switch e.E {
	case "clock":
		r.now = e.T
		return nil, nil
	case "job":
		r.done = [2]int{e.Maps, e.Reduces}
		return nil, nil
	case "progress":
		for _, p := range e.P {
			at, err := mrAttempt(p.First)
			if err != nil {
				return nil, err
			}
			r.progress[at] = p.Second
		}
		return nil, nil
	case "hb":
		if err := r.heartbeat(e, out); err != nil {
			return nil, err
		}
	default:
		at, err := mrAttempt(e.A)
		if err != nil {
			return nil, err
		}
		switch e.E {
		case "req":
			r.tell(out, r.alloc.Request(r.now, at, resource.R(e.Mem, e.VC), r.cluster.Intern(e.Hosts), r.cluster.Intern(e.Racks), e.Failed != 0))
		case "fail":
			host := e.Host
			if parts := strings.Split(host, ":"); len(parts) == 2 {
				host = parts[0]
			}
			r.alloc.Failed(at, r.cluster.Names.Intern(host))
		case "dealloc":
			r.alloc.Deallocate(at)
		default:
			return nil, fmt.Errorf("event %q", e.E)
		}
	}
	n := r.alloc.Counts()
	out.N = []int{n.PendingReduces, n.Maps, n.Reduces, n.RunningMaps, n.RunningReduces}
	return out, nil
}

// heartbeat sends what is to be sent, and plays the ResourceManager.
func (r *mrRun) heartbeat(e *mrEvent, out *mrOut) error {
	r.alloc.Build(&r.req)
	r.sent(out)
	switch e.Error {
	case "io":
		out.Err = "IOException"
	case "attempt_not_found":
		out.Err = "RMContainerAllocationException"
		out.Job = [][]any{{"JOB_AM_REBOOT"}}
	case "invalid_label":
		out.Err = "InvalidLabelResourceRequestException"
		out.Job = [][]any{{"diagnostics"}, {"JOB_KILL"}}
	case "not_registered":
		out.Registered = 1
		events, pass := r.alloc.Registered(r.now)
		r.tell(out, events)
		passed(out, pass)
	case "":
		resp, preempt, err := r.answer(e)
		if err != nil {
			return err
		}
		events, pass, err := r.alloc.Received(r.now, resp, preempt)
		r.tell(out, events)
		if err != nil {
			out.Err = "NullPointerException"
			out.PolicyKill = append(out.PolicyKill, nil)
		} else {
			passed(out, pass)
		}
	default:
		return fmt.Errorf("error %q", e.Error)
	}
	s := r.alloc.State()
	out.T = []int{s.Totals.Allocated, s.Totals.Released, s.Totals.HostLocal, s.Totals.RackLocal}
	out.Started, out.Ignore = mrFlag(s.ReduceStarted), mrFlag(s.IgnoresBlacklist)
	out.Order = r.order()
	if r.checkpoint {
		for _, at := range r.alloc.Marked() {
			out.ToPreempt = append(out.ToPreempt, at.String())
		}
		slices.Sort(out.ToPreempt)
	}
	return nil
}

// answer is the recorded answer to a heartbeat.
func (r *mrRun) answer(e *mrEvent) (*protocol.AllocateResponse, *allocator.PreemptionMessage, error) {
	resp := &protocol.AllocateResponse{Headroom: golden.Size(e.Avail[:]), Nodes: e.Nodes}
	for _, c := range e.Alloc {
		resp.Allocated = append(resp.Allocated, protocol.Container{
			ID: r.container(c.id), Node: r.cluster.Node(c.host), Host: r.cluster.Names.Intern(c.host), Size: resource.R(c.mem, c.vc), Priority: c.priority,
		})
	}
	for _, d := range e.Done {
		resp.Completed = append(resp.Completed, protocol.Status{ID: r.container(d.First), Exit: d.Second})
	}
	for _, u := range e.Updated {
		state, ok := protocol.ParseNodeState(u.Second)
		if !ok {
			return nil, nil, fmt.Errorf("node state %q", u.Second)
		}
		resp.UpdatedNodes = append(resp.UpdatedNodes, protocol.NodeUpdate{Node: r.cluster.Node(u.First), State: state})
	}
	if e.Preempt == nil {
		return resp, nil, nil
	}
	m := &allocator.PreemptionMessage{}
	for _, id := range e.Preempt.Strict {
		m.Strict = append(m.Strict, r.container(id))
	}
	if c := e.Preempt.Contract; c != nil {
		for _, id := range c.Containers {
			m.Containers = append(m.Containers, r.container(id))
		}
		for _, q := range c.Requests {
			m.Requests = append(m.Requests, allocator.PreemptionRequest{Name: r.cluster.Names.Intern(q.name), Count: q.count, Size: resource.R(q.mem, q.vc)})
		}
	}
	return resp, m, nil
}

// sent writes what a heartbeat sends.
func (r *mrRun) sent(out *mrOut) {
	text := func(list []protocol.Name) (texts []string) {
		for _, n := range list {
			texts = append(texts, r.cluster.Names.Text(n))
		}
		slices.Sort(texts)
		return texts
	}
	for _, a := range r.req.Asks {
		kind := "G"
		if a.Opportunistic {
			kind = "O"
		}
		out.Ask = append(out.Ask, []any{a.Priority, r.cluster.Names.Text(a.Name), a.Count, a.Size[resource.Memory], a.Size[resource.VCores], mrFlag(a.Relax), kind})
	}
	for _, id := range r.req.Releases {
		out.Rel = append(out.Rel, id.N)
	}
	out.BlAdd, out.BlRemove = text(r.req.BlacklistAdd), text(r.req.BlacklistRemove)
}

// tell writes events for the job.
func (r *mrRun) tell(out *mrOut, events []allocator.Event) {
	for _, e := range events {
		at := e.Attempt.String()
		switch e.Kind {
		case allocator.SizeFixed:
			kind := "MAP"
			if e.Attempt.Reduce {
				kind = "REDUCE"
			}
			out.Job = append(out.Job, []any{"normalized", kind, e.Size[resource.Memory]})
		case allocator.TooLarge:
			out.Job = append(out.Job, []any{"diagnostics"}, []any{"JOB_KILL"})
		case allocator.NodesChanged:
			out.Job = append(out.Job, []any{"updated_nodes", e.Count})
		case allocator.PreemptionKill:
			out.PolicyKill = append(out.PolicyKill, &at)
		case allocator.NodeKill:
			out.Kill = append(out.Kill, []any{at, "node", mrFlag(e.Reschedule)})
		case allocator.RampDownKill:
			out.Kill = append(out.Kill, []any{at, "rampdown", 0})
		case allocator.ContainerKilled:
			out.Done = append(out.Done, []any{at, "TA_KILL"})
		case allocator.ContainerCompleted:
			out.Done = append(out.Done, []any{at, "TA_CONTAINER_COMPLETED"})
		case allocator.Assigned:
			level := [...]any{allocator.NoLocality: nil, allocator.NodeLocal: "N", allocator.RackLocal: "R", allocator.OffSwitch: "O"}[e.Locality]
			out.Assigned = append(out.Assigned, []any{at, e.Container.ID.N, level})
		}
	}
	slices.SortStableFunc(out.PolicyKill, func(a, b *string) int { return strings.Compare(*a, *b) })
}

func passed(out *mrOut, p allocator.Pass) {
	switch {
	case p.Preempted:
		out.Pass = "preempt"
	case p.Ran:
		out.Pass = "schedule"
	}
	for _, ramp := range p.Ramps {
		out.Ramp = append(out.Ramp, []any{[...]string{allocator.Up: "up", allocator.Down: "down", allocator.Everything: "all"}[ramp.Kind], ramp.N})
	}
}

func (r *mrRun) order() *mrOrder {
	texts := func(list []allocator.Attempt) []string {
		out := []string{}
		for _, at := range list {
			out = append(out, at.String())
		}
		return out
	}
	s := r.alloc.State()
	return &mrOrder{
		Maps: texts(s.Maps), Reduces: texts(s.Reduces), Failed: texts(s.Failed), Pending: texts(s.Pending),
		RunningMaps: texts(s.RunningMaps), RunningReduces: texts(s.RunningReduces),
	}
}

// mrAttempt reads "m12_0" and "r3_1".
func mrAttempt(name string) (at allocator.Attempt, err error) {
	task, number, ok := strings.Cut(name, "_")
	if !ok || len(task) < 2 || task[0] != 'm' && task[0] != 'r' {
		return at, fmt.Errorf("attempt %q, want as m12_0 or r3_1", name)
	}
	t, err1 := strconv.ParseInt(task[1:], 10, 32)
	n, err2 := strconv.ParseInt(number, 10, 32)
	if err1 != nil || err2 != nil {
		return at, fmt.Errorf("attempt %q, want as m12_0 or r3_1", name)
	}
	return allocator.Attempt{Reduce: task[0] == 'r', Task: int32(t), Number: int32(n)}, nil
}

func mrFlag(b bool) int {
	if b {
		return 1
	}
	return 0
}
