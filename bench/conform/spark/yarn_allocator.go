package spark

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/spark"
	"replay/engine/spark/allocator"
	sparkconf "replay/engine/spark/conf"
	"replay/policy"
	"replay/policy/resource"
)

// yarnAllocator is YarnAllocator with AMRMClient's bookkeeping.
var yarnAllocator = golden.Kind{
	Name: "yarn_allocator",
	Of: func(first golden.Shape) string {
		if strings.Contains(string(first["conf"]), amExpiry) {
			return "ApplicationMaster, YarnAllocator, AMRMClientImpl"
		}
		return "YarnAllocator, AMRMClientImpl"
	},
	Match: func(_ string, first golden.Shape) bool {
		var conf golden.Shape
		return first.Has("conf", "profiles", "racks", "events") && json.Unmarshal(first["conf"], &conf) == nil && conf.Has("launch_exclude_on_failure")
	},
	Run: golden.Cases(runYarnAllocator),
}

type yarnAllocatorCase struct {
	ID   string `json:"id"`
	Conf struct {
		Cores          int   `json:"executor_cores"`
		TaskCPUs       int   `json:"task_cpus"`
		MemoryMB       int64 `json:"executor_memory_mb"`
		Initial        int   `json:"initial_executors"`
		Dynamic        bool  `json:"dynamic_allocation"`
		Validity       int64 `json:"failures_validity_interval_ms"`
		LaunchExclude  bool  `json:"launch_exclude_on_failure"`
		MaxPerNode     int   `json:"max_failed_executors_per_node"`
		ExcludeTimeout int64 `json:"exclude_timeout_ms"`

		Keys map[string]json.RawMessage `json:"keys"` // further ones; a case that has them has launches that take time
	} `json:"conf"`
	Profiles []struct {
		Profile  int                `json:"profile"`
		Cores    int                `json:"cores"`
		MemoryMB int64              `json:"container_memory_mb"`
		PerExec  int                `json:"tasks_per_executor"`
		Sets     *yarnAllocatorSets `json:"sets"`
	} `json:"profiles"`
	Racks  map[string]string    `json:"racks"`
	Events []yarnAllocatorEvent `json:"events"`

	names     *protocol.Names
	allocator *allocator.Allocator
	out       yarnAllocatorOut                    // of the present event
	launches  map[string]allocator.ExecutorLaunch // under way
	loop      *allocator.HeartbeatLadder          // nil where no loop is around the allocator
	request   protocol.AllocateRequest
	outcome   allocator.Outcome
	pause     int64 // of the loop, after the present event
	finish    int
}

// yarnAllocatorSets are the amounts that a resource profile sets itself.
type yarnAllocatorSets struct {
	TaskCPUs   *int   `json:"task_cpus"`
	Cores      *int   `json:"cores"`
	MemoryMB   *int64 `json:"memory_mb"`
	OverheadMB *int64 `json:"overhead_mb"`
	PySparkMB  *int64 `json:"pyspark_mb"`
	OffHeapMB  *int64 `json:"off_heap_mb"`
}

// overrides are the amounts as the configuration takes them; nil sets none.
func (s *yarnAllocatorSets) overrides() sparkconf.Overrides {
	o := sparkconf.DefaultProfile
	if s == nil {
		return o
	}
	for _, x := range []struct {
		to  *int64
		set *int64
	}{{&o.MiB, s.MemoryMB}, {&o.OverheadMiB, s.OverheadMB}, {&o.PySparkMiB, s.PySparkMB}, {&o.OffHeapMiB, s.OffHeapMB}} {
		if x.set != nil {
			*x.to = *x.set
		}
	}
	if s.TaskCPUs != nil {
		o.TaskCPUs = *s.TaskCPUs
	}
	if s.Cores != nil {
		o.Cores = *s.Cores
	}
	return o
}

type yarnAllocatorEvent struct {
	Op         string                                         `json:"op"`
	T          int64                                          `json:"t"`
	Targets    [][2]int                                       `json:"targets"`
	LocalTasks [][2]int                                       `json:"locality_aware_tasks"`
	Hosts      []golden.Pair[int, []golden.Pair[string, int]] `json:"host_to_local_task_count"`
	Excluded   []string                                       `json:"excluded_nodes"`
	Changed    bool                                           `json:"changed"`
	Exec       string                                         `json:"exec"`
	Granted    []struct {
		Container int64  `json:"container"`
		Host      string `json:"host"`
		Profile   int32  `json:"profile"`
		MemoryMB  int64  `json:"memory_mb"`
		VCores    int64  `json:"vcores"`
	} `json:"granted"`
	Completed []struct {
		Container int64 `json:"container"`
		Exit      int32 `json:"exit_status"`
	} `json:"completed"`
	Refused  bool               `json:"refused"`         // the ResourceManager has not taken the call
	Pause    int64              `json:"pause"`           // ms that the loop sleeps
	Finish   int                `json:"finish"`          // exit status with which it ends the application
	Nodes    *int               `json:"nodes"`           // of the cluster
	Leaving  []string           `json:"decommissioning"` // nodes, where the driver is told of them
	Accepted bool               `json:"ok"`              // by the NodeManager
	Out      yarnAllocatorOut   `json:"out"`
	State    yarnAllocatorState `json:"state"`
}

type yarnAllocatorRequest struct {
	Profile int32    `json:"profile"`
	Nodes   []string `json:"nodes"`
	Racks   []string `json:"racks"`
}

type yarnAllocatorLaunch struct {
	Exec      string `json:"exec"`
	Container int64  `json:"container"`
	Host      string `json:"host"`
}

type yarnAllocatorRemoval struct {
	Exec  string `json:"exec"`
	Exit  int32  `json:"exit_code"`
	ByApp bool   `json:"exit_caused_by_app"`
}

type yarnAllocatorOut struct {
	Removed       []yarnAllocatorRequest `json:"removed"`
	Added         []yarnAllocatorRequest `json:"added"`
	Released      []int64                `json:"released"`
	Launched      []yarnAllocatorLaunch  `json:"launched"`
	Removals      []yarnAllocatorRemoval `json:"remove_executor"`
	ExcludeAdd    []string               `json:"exclude_add,omitempty"`
	ExcludeRemove []string               `json:"exclude_remove,omitempty"`
	Leave         []string               `json:"decommission_hosts,omitempty"`
	Answers       []yarnAllocatorAnswer  `json:"answers,omitempty"`
}

// yarnAllocatorAnswer is what the driver hears of why an executor went.
type yarnAllocatorAnswer struct {
	Exec     string `json:"exec"`
	Exit     int32  `json:"exit_code"`
	ByApp    bool   `json:"exit_caused_by_app"`
	Explicit bool   `json:"explicit"`
	Unknown  bool   `json:"unknown,omitempty"`
}

func answer(r allocator.Removal) yarnAllocatorAnswer {
	return yarnAllocatorAnswer{Exec: strconv.Itoa(int(r.Executor)), Exit: r.Reason.Exit, ByApp: r.Reason.ByApp, Explicit: r.Reason.Explicit}
}

// byProfile keeps the order within each profile only.
func byProfile(requests []yarnAllocatorRequest) []yarnAllocatorRequest {
	requests = slices.Clone(requests)
	slices.SortStableFunc(requests, func(a, b yarnAllocatorRequest) int { return cmp.Compare(a.Profile, b.Profile) })
	return requests
}

func (o *yarnAllocatorOut) equal(p *yarnAllocatorOut) bool {
	same := func(a, b []yarnAllocatorRequest) bool {
		return slices.EqualFunc(byProfile(a), byProfile(b), func(x, y yarnAllocatorRequest) bool {
			return x.Profile == y.Profile && slices.Equal(x.Nodes, y.Nodes) && slices.Equal(x.Racks, y.Racks)
		})
	}
	return same(o.Removed, p.Removed) && same(o.Added, p.Added) && slices.Equal(o.Released, p.Released) &&
		slices.Equal(o.Launched, p.Launched) && slices.Equal(o.Removals, p.Removals) &&
		slices.Equal(o.Leave, p.Leave) && slices.Equal(o.Answers, p.Answers) &&
		slices.Equal(without(o.ExcludeAdd, o.ExcludeRemove), without(p.ExcludeAdd, p.ExcludeRemove)) &&
		slices.Equal(without(o.ExcludeRemove, o.ExcludeAdd), without(p.ExcludeRemove, p.ExcludeAdd))
}

// sortedTexts forgets in which of several calls of one event a host came.
func sortedTexts(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

// without returns the hosts of one event's calls, each as often as they do not say the contrary of it, too: one whose time is over and that fails once more stays excluded.
func without(hosts, contrary []string) []string {
	hosts = sortedTexts(hosts)
	for _, h := range contrary {
		if i, is := slices.BinarySearch(hosts, h); is {
			hosts = slices.Delete(hosts, i, i+1)
		}
	}
	return hosts
}

type yarnAllocatorState struct {
	Running    int           `json:"running"`
	Starting   int           `json:"starting"`
	Failed     int           `json:"failed"`
	Released   int           `json:"released_not_completed"`
	Unexpected int           `json:"unexpected_releases"`
	Pending    [][2]int      `json:"pending"`
	Hosts      []hostsOfRuns `json:"host_to_containers"`
	NoneLeft   bool          `json:"all_excluded"`
}

// hostsOfRuns is [profile, host, containers].
type hostsOfRuns struct {
	profile int
	host    string
	n       int
}

func (h *hostsOfRuns) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) != 3 {
		return fmt.Errorf("%s has %d values, want 3", data, len(parts))
	}
	for i, to := range []any{&h.profile, &h.host, &h.n} {
		if err := json.Unmarshal(parts[i], to); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes it as it is read.
func (h hostsOfRuns) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{h.profile, h.host, h.n})
}

func (s *yarnAllocatorState) equal(o *yarnAllocatorState) bool {
	return s.Running == o.Running && s.Starting == o.Starting && s.Failed == o.Failed && s.Released == o.Released &&
		s.Unexpected == o.Unexpected && s.NoneLeft == o.NoneLeft && slices.Equal(s.Pending, o.Pending) && slices.Equal(s.Hosts, o.Hosts)
}

func (c *yarnAllocatorCase) sparkConf() (*sparkconf.Conf, error) {
	values := map[string]string{
		"spark.executor.cores":           strconv.Itoa(c.Conf.Cores),
		"spark.task.cpus":                strconv.Itoa(c.Conf.TaskCPUs),
		"spark.executor.memory":          fmt.Sprint(c.Conf.MemoryMB, "m"),
		"spark.excludeOnFailure.timeout": fmt.Sprint(c.Conf.ExcludeTimeout, "ms"),
		"spark.excludeOnFailure.application.maxFailedExecutorsPerNode": strconv.Itoa(c.Conf.MaxPerNode),
		"spark.yarn.executor.launch.excludeOnFailure.enabled":          strconv.FormatBool(c.Conf.LaunchExclude),
		"spark.dynamicAllocation.enabled":                              strconv.FormatBool(c.Conf.Dynamic),
	}
	if c.Conf.Validity > 0 {
		values["spark.executor.failuresValidityInterval"] = fmt.Sprint(c.Conf.Validity, "ms")
	}
	if c.Conf.Dynamic {
		values["spark.dynamicAllocation.initialExecutors"] = strconv.Itoa(c.Conf.Initial)
	} else {
		values["spark.executor.instances"] = strconv.Itoa(c.Conf.Initial)
	}
	maps.Copy(values, golden.Properties(c.Conf.Keys))
	delete(values, amExpiry)
	conf, _, err := sparkconf.Parse(sparkconf.Layer{Name: "conf", Strict: true, Values: values})
	return conf, err
}

// amExpiry is the key of YARN's among those of a case that has the loop of the application master.
const amExpiry = "yarn.am.liveness-monitor.expiry-interval-ms"

func runYarnAllocator(c *yarnAllocatorCase, out *golden.Results) {
	conf, err := c.sparkConf()
	if err != nil {
		out.AddUnsupported(c.ID, err.Error())
		return
	}
	placement, err := policy.NewPlacement("locality-ratio")
	if err != nil {
		panic(err)
	}
	c.names = protocol.NewNames()
	c.names.InternInOrder(slices.Collect(maps.Keys(c.Racks))) // as the engine does, so that asks need not look at each host
	setup := allocator.Setup{
		Conf: conf, Names: c.names, Placement: placement, Instant: c.Conf.Keys == nil,
		Racks: protocol.RacksBy(func(host protocol.Name) protocol.Name {
			return c.names.Intern(golden.RackOf(c.Racks, c.names.Text(host)))
		}),
	}
	for i, p := range c.Profiles {
		if p.Profile != i {
			out.AddUnsupported(c.ID, fmt.Sprintf("profile %d is number %d", i, p.Profile))
			return
		}
		setup.Profiles = append(setup.Profiles, allocator.ExecutorProfile{Size: resource.R(p.MemoryMB, int64(p.Cores)), PerExec: p.PerExec})
	}
	for i, p := range c.Profiles {
		if i > 0 && p.Sets == nil {
			continue // of a recorder that does not write them
		}
		want, o := setup.Profiles[i], p.Sets.overrides()
		if got, err := conf.ContainerSize(o, nil); err != nil || got != want.Size || conf.TasksPerExecutor(o) != want.PerExec {
			out.AddDifferent(golden.Difference{
				Case: c.ID, Expected: want, Got: allocator.ExecutorProfile{Size: got, PerExec: conf.TasksPerExecutor(o)},
				State: fmt.Sprintf("container and tasks of resource profile %d", i),
			})
			return
		}
	}
	c.launches = map[string]allocator.ExecutorLaunch{}
	c.allocator = allocator.New(setup)
	if text, ok := golden.Properties(c.Conf.Keys)[amExpiry]; ok {
		expiry, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			out.AddUnsupported(c.ID, err.Error())
			return
		}
		loop := allocator.NewHeartbeatLadder(conf, expiry)
		c.loop = &loop
	}
	c.allocator.OnRequest = func(profile int32, req *protocol.ContainerRequest, added bool) {
		r := yarnAllocatorRequest{Profile: profile, Nodes: c.texts(req.Nodes), Racks: c.texts(req.Racks)}
		if added {
			c.out.Added = append(c.out.Added, r)
		} else {
			c.out.Removed = append(c.out.Removed, r)
		}
	}
	for i := range c.Events {
		e := &c.Events[i]
		c.out = yarnAllocatorOut{}
		changed, ok := c.apply(e)
		if !ok {
			out.AddUnsupported(c.ID, fmt.Sprintf("event %d is %q", i, e.Op))
			return
		}
		if c.pause != e.Pause || c.finish != e.Finish {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: [2]int64{e.Pause, int64(e.Finish)}, Got: [2]int64{c.pause, int64(c.finish)}, State: "pause and end of the loop"})
			return
		}
		got := c.state(e.T)
		if c.loop != nil { // what it would end for is seen by its end
			got.NoneLeft = e.State.NoneLeft
		}
		if changed != e.Changed {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: e.Changed, Got: changed, State: "changed"})
			return
		}
		if !e.Out.equal(&c.out) {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: e.Out, Got: c.out, State: got})
			return
		}
		if !e.State.equal(&got) {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: e.State, Got: got, State: e.Op})
			return
		}
	}
	out.AddEqual()
}

// texts returns the names sorted.
func (c *yarnAllocatorCase) texts(names []protocol.Name) (out []string) {
	for _, n := range names {
		out = append(out, c.names.Text(n))
	}
	slices.Sort(out)
	return out
}

// apply gives one event to the allocator; it reports whether that changed a target, and false when
// it knows no such event.
func (c *yarnAllocatorCase) apply(e *yarnAllocatorEvent) (changed, ok bool) {
	before := c.texts(c.allocator.Excluded())
	c.pause, c.finish = 0, 0
	switch e.Op {
	case "start", "advance":
	case "request_total":
		changed = c.allocator.RequestTotal(e.T, c.total(e))
	case "kill_executor":
		n, err := strconv.Atoi(e.Exec)
		if err != nil {
			return false, false
		}
		if id, ok := c.allocator.KillExecutor(int32(n)); ok {
			c.out.Released = append(c.out.Released, id.N)
		}
	case "heartbeat":
		if c.loop == nil {
			c.heartbeat(e)
		} else {
			c.turn(e)
		}
	case "wake":
		c.loop.Wake()
	case "launch_ends":
		l, known := c.launches[e.Exec]
		if !known {
			return false, false
		}
		delete(c.launches, e.Exec)
		if e.Accepted {
			c.allocator.LaunchDone(l)
		} else {
			c.allocator.LaunchFailed(l)
			if gives, _ := c.allocator.Gives(e.T); slices.Contains(gives, l.Container) {
				c.out.Released = append(c.out.Released, l.Container.N)
			}
		}
	case "loss_reason":
		n, err := strconv.Atoi(e.Exec)
		if err != nil {
			return false, false
		}
		switch reason, known := c.allocator.AskLossReason(int32(n)); known {
		case allocator.LossKnown:
			c.out.Answers = append(c.out.Answers, answer(allocator.Removal{Executor: int32(n), Reason: reason}))
		case allocator.LossUnknown:
			c.out.Answers = append(c.out.Answers, yarnAllocatorAnswer{Exec: e.Exec, Unknown: true})
		}
	case "shutdown":
		c.allocator.Finish()
	default:
		return false, false
	}
	after := c.texts(c.allocator.Excluded())
	c.out.ExcludeAdd, c.out.ExcludeRemove = notIn(after, before), notIn(before, after)
	return changed, true
}

// notIn returns the texts of a that are not in b.
func notIn(a, b []string) (out []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// total is the request of the driver.
func (c *yarnAllocatorCase) total(e *yarnAllocatorEvent) *spark.TotalRequest {
	r := &spark.TotalRequest{}
	for _, t := range e.Targets {
		p := spark.ProfileTotal{Profile: int32(t[0]), Total: t[1]}
		for _, l := range e.LocalTasks {
			if l[0] == t[0] {
				p.Hints.LocalTasks = l[1]
			}
		}
		for _, hosts := range e.Hosts {
			if hosts.First == t[0] {
				for _, h := range hosts.Second {
					p.Hints.Hosts = append(p.Hints.Hosts, spark.HostTasks{Host: c.names.Intern(h.First), Tasks: int32(h.Second)})
				}
				slices.SortFunc(p.Hints.Hosts, func(a, b spark.HostTasks) int { return cmp.Compare(a.Host, b.Host) })
			}
		}
		r.Profiles = append(r.Profiles, p)
	}
	for _, h := range e.Excluded {
		r.Excluded = append(r.Excluded, c.names.Intern(h))
	}
	return r
}

// turn is one turn of the loop. The numbers are ApplicationMaster.EXIT_MAX_EXECUTOR_FAILURES and EXIT_REPORTER_FAILURE.
func (c *yarnAllocatorCase) turn(e *yarnAllocatorEvent) {
	switch {
	case c.allocator.Fatal(e.T) != "":
		c.finish = 11
		return
	case e.Refused:
		c.allocator.Request(&c.request)
	default:
		c.heartbeat(e)
	}
	if c.loop.Called(!e.Refused) {
		c.finish = 12
		return
	}
	c.pause = c.loop.Pause(c.allocator.Waiting())
}

func (c *yarnAllocatorCase) heartbeat(e *yarnAllocatorEvent) {
	c.allocator.Request(&c.request)
	resp := protocol.AllocateResponse{Nodes: 1000}
	if e.Nodes != nil {
		resp.Nodes = *e.Nodes
	}
	var leaving []protocol.Name
	for _, h := range e.Leaving {
		leaving = append(leaving, c.names.Intern(h))
	}
	for _, h := range c.allocator.NodesDecommissioning(leaving, nil) {
		c.out.Leave = append(c.out.Leave, c.names.Text(h))
	}
	for _, g := range e.Granted {
		resp.Allocated = append(resp.Allocated, protocol.Container{
			ID: protocol.ContainerID{App: 1, N: g.Container}, Host: c.names.Intern(g.Host),
			Priority: g.Profile, Size: resource.R(g.MemoryMB, g.VCores),
		})
	}
	for _, s := range e.Completed {
		resp.Completed = append(resp.Completed, protocol.Status{ID: protocol.ContainerID{App: 1, N: s.Container}, Exit: s.Exit})
	}
	c.allocator.Response(e.T, &resp, &c.outcome)
	for _, id := range c.outcome.Released {
		c.out.Released = append(c.out.Released, id.N)
	}
	for _, l := range c.outcome.Launches {
		exec := strconv.Itoa(int(l.Executor))
		c.out.Launched = append(c.out.Launched, yarnAllocatorLaunch{exec, l.Container.N, c.names.Text(l.Host)})
		c.launches[exec] = l
	}
	for _, r := range c.outcome.Answers {
		c.out.Answers = append(c.out.Answers, answer(r))
	}
	for _, r := range c.outcome.Removals {
		c.out.Removals = append(c.out.Removals, yarnAllocatorRemoval{strconv.Itoa(int(r.Executor)), r.Reason.Exit, r.Reason.ByApp})
	}
}

func (c *yarnAllocatorCase) state(now int64) yarnAllocatorState {
	n := c.allocator.Counts(now)
	s := yarnAllocatorState{Running: n.Running, Starting: n.Starting, Failed: n.Failed, Released: n.Released, Unexpected: n.Unexpected}
	s.NoneLeft = c.Conf.Keys != nil && c.allocator.Fatal(now) != "" // no number of failures is too many there
	for i := range c.Profiles {
		p := int32(i)
		if pending, ok := c.allocator.Pending(p); ok {
			s.Pending = append(s.Pending, [2]int{i, pending})
		}
		from := len(s.Hosts)
		for _, h := range c.allocator.Hosts(p) {
			s.Hosts = append(s.Hosts, hostsOfRuns{i, c.names.Text(h.Host), int(h.Tasks)})
		}
		slices.SortFunc(s.Hosts[from:], func(a, b hostsOfRuns) int { return cmp.Compare(a.host, b.host) })
	}
	return s
}
