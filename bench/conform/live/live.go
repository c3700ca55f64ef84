// Package live compares recorded clusters: it gives every call that a live ResourceManager received to the scheduler that the
// recording names, and to YarnAllocator what its log says that it was told, and compares what they do at each call. The rules are in
// README.md of bench/conform.
package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/yarn/conf"
	"replay/input"
	"replay/policy/resource"
)

// ResourceManager is a live ResourceManager: every call that its scheduler received, in order, and what it did. The calls are given
// to the scheduler here, and what it does at each of them is compared; see README.md, "Recorded clusters".
var ResourceManager = golden.Kind{
	Name:      "recorded cluster",
	Of:        golden.AnswersOf("live ResourceManager, YarnAllocator, RMContainerAllocator"),
	Match:     func(name string, _ golden.Shape) bool { return name == "rm-calls" },
	Run:       runLive,
	Recording: "rm-calls",
}

// A livePart is one sort of things that are compared.
type livePart uint8

const (
	partAllocation  livePart = iota // container number, node, locality type and heartbeat
	partReservation                 // container number, node and heartbeat
	partUnreserved                  // a reservation filled or given up: application, node and call
	partHandedOver                  // containers in an answer to an application master
	partHeadroom                    // in the same answer
	partPreempted                   // a container chosen by preemption
	partProposal                    // of the CapacityScheduler: a decision as it was carried out or refused
	partQueue                       // a leaf queue in one second: its shares, usage, what is wanted, use by application masters
	partUser                        // a user of a leaf queue of the CapacityScheduler in one second: usage, limit, whether he asks for something
	partApp                         // an application in one second: shares, usage, what is wanted, whether it may run
	partBeat                        // of an application master: pending, running and starting executors at a heartbeat
	partAsk                         // its asks and releases at a heartbeat
	partRequest                     // a container request that it made: its hosts
	partLaunch                      // an executor: container, host and number; of MapReduce, all assignments of a heartbeat
	partReduces                     // of a MapReduce application master: how many reduces it asks for, and attempts that it has killed, in a heartbeat
)

var livePartNames = [...]string{
	"allocations", "reservations", "unreserved", "handed over", "headroom", "preempted", "proposals", "queues", "users", "applications",
	"AM counts", "AM asks", "AM requests", "AM launches", "AM reduces",
}

// decides tells the parts that are decisions. The others are seen at moments that a live ResourceManager does not tell exactly.
func (p livePart) decides() bool {
	switch p {
	case partAllocation, partReservation, partUnreserved, partPreempted, partProposal, partRequest, partLaunch, partReduces:
		return true
	}
	return false
}

// A liveFact is one thing that a scheduler did at a call.
type liveFact struct {
	Part livePart
	What string
	t    int64 // when, by the recording
}

// liveCall is a line of rm-calls.
type liveCall struct {
	Seq, T       int64
	Kind, Type   string
	Node, Rack   string
	Capability   []int64
	App, Attempt string
	Queue, User  string
	Ask          []liveAsk
	Release      []string
	BlacklistAdd []string `json:"blacklist_add"`
	BlacklistDel []string `json:"blacklist_del"`
	Containers   []struct {
		Container, Node string
		Priority        int32
		Resource        []int64
	}
	Headroom  []int64
	Container string
	Priority  int32
	Accepted  bool
	Proposals []liveProposal

	reports []liveReport // with a heartbeat
	expired []string     // with CONTAINER_EXPIRED
	want    []liveFact
	decided []liveProposal // by the rows of commits
}

// liveProposal is one decision of a commit.
type liveProposal struct {
	What, Attempt, Container, Node, Type string
	Resource                             []int64
	FromReserved                         string `json:"from_reserved"`
}

type liveAsk struct {
	Priority  int32
	Location  string
	N         int32
	Resource  []int64
	Relax     bool
	RequestID int64 `json:"request_id"`
}

// liveContainer is a line of containers.jsonl: a container, or a reservation that was never filled.
type liveContainer struct {
	Container, Node, Locality string
	Transitions               []transition // in the ResourceManager
	Exit                      int32        `json:"exit_code"`
	NodeDone                  int64        `json:"t_nm_done"`
}

type transition struct {
	t        int64
	from, to string
}

func (t *transition) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&t.t, &t.from, &t.to})
}

// liveSample is a line of rm-shares.
type liveSample struct {
	Seq, T int64
	Queues []liveQueue
}

// liveQueue is a leaf queue of a sample. Which members are there depends on the scheduler.
type liveQueue struct {
	Queue  string
	Usage  []int64
	AM     []int64 `json:"am_usage"`
	Steady []int64
	Fair   []int64 `json:"fair_share"`
	Demand []int64

	Capacity, Used    float32
	MaxCapacity       float32 `json:"max_capacity"`
	Reserved, Pending []int64
	AMLimit           []int64 `json:"am_limit"`
	Users             []struct {
		User         string
		Active       bool
		Usage, Limit []int64
		AM           []int64 `json:"am_usage"`
	}

	Apps []liveApp
}

// liveApp is an application of a sample.
type liveApp struct {
	Attempt  string
	Usage    []int64
	Fair     []int64 `json:"fair_share"`
	Demand   []int64
	Runnable bool

	User              string
	Active            bool
	Reserved, Pending []int64
	WaitingForAM      bool `json:"am_waiting"`
}

// liveLine is a line of rm-log.
type liveLine struct {
	T        int64
	Cls, Msg string
}

// recording is what was recorded of a scenario. It is not changed by playing it.
type recording struct {
	calls      []liveCall
	containers []liveContainer
	samples    []liveSample
	log        []liveLine
	ports      map[string]int32 // of the NodeManagers: they enter the order in which nodes are looked at
	kills      []int64          // times at which the preemption timer went off
	preempted  map[string]bool  // containers that it killed
	site       *conf.Site
	alloc      *conf.Allocations            // of a FairScheduler
	amSizes    map[string]resource.Resource // of masters, by attempt
	capacity   map[string]string            // properties of a CapacityScheduler, nil for another one
	ignored    int                          // events that change nothing here
	stamp      int64                        // start of the ResourceManager
	scheduler  string

	racks         map[string]string // by node
	sparkDefaults map[string]string
	masters       []*master
	mapReduce     []*mapReduceMaster
}

func runLive(in *golden.Input, out *golden.Results) error {
	r, err := readRecording(in)
	if err != nil {
		return err
	}
	if why := r.unsupported(); why != "" {
		out.AddUnsupported(in.Path, why)
		return nil
	}
	run, moved, err := r.settle()
	if err != nil {
		out.AddUnsupported(in.Path, err.Error())
		return nil
	}
	out.Notes = moved
	if len(r.masters)+len(r.mapReduce) == 0 {
		out.Notes = append(out.Notes, "the application masters are not recorded: their side is not compared")
	}
	for _, m := range r.masters {
		if m.unsupported == "" {
			if err := run.playMaster(m); err != nil {
				m.unsupported = err.Error()
			}
		}
		if m.unsupported != "" {
			out.AddUnsupported(m.app, m.unsupported)
		}
	}
	for _, m := range r.mapReduce {
		if m.unsupported == "" {
			if err := run.playMapReduce(m); err != nil {
				m.unsupported = err.Error()
			}
		}
		if m.unsupported != "" {
			out.AddUnsupported(m.app, m.unsupported)
		}
	}
	if r.ignored > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d events NODE_LABELS_UPDATE change nothing: labels are not modelled", r.ignored))
	}
	if run.underWay > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d rows of samples show the state before or after the call next to them", run.underWay))
	}
	for part, n := range run.counts {
		out.Parts = append(out.Parts, golden.Part{Name: livePartNames[part], Cases: n.cases, Equal: n.equal, Decision: livePart(part).decides()})
		out.Cases += n.cases
		out.Equal += n.equal
	}
	out.Different = out.Cases - out.Equal
	out.Differences = append(out.Differences, run.differences...)
	return nil
}

// latestMS is the last ms of the year 9999, the latest time of a call.
const latestMS = 253_402_300_799_999

// readRecording reads the folder of in, which is its rm-calls.
func readRecording(in *golden.Input) (*recording, error) {
	r := &recording{ports: map[string]int32{}, preempted: map[string]bool{}, amSizes: map[string]resource.Resource{}}
	for {
		var c liveCall
		if err := in.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if c.T < 0 || c.T > latestMS {
			return nil, in.Errorf("t is %d, want ms since 1970, 0 to %d", c.T, int64(latestMS))
		}
		if c.Kind == "commit" {
			if err := r.addCommit(&c); err != nil {
				return nil, in.Errorf("%w", err)
			}
			continue
		}
		if _, known := r.amSizes[c.Attempt]; !known && c.Kind == "allocate" && len(c.Ask) > 0 {
			r.amSizes[c.Attempt] = golden.Size(c.Ask[0].Resource) // an attempt asks for its master first
		}
		if c.Type == "NODE_LABELS_UPDATE" {
			r.ignored++
		}
		r.calls = append(r.calls, c)
	}
	dir := filepath.Dir(in.Path)
	if err := errors.Join(
		readLines(filepath.Join(dir, "containers.jsonl"), &r.containers),
		readLines(filepath.Join(dir, "rm-shares.jsonl.gz"), &r.samples),
		readLines(filepath.Join(dir, "rm-log.jsonl.gz"), &r.log),
	); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "cluster.json")
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cluster struct {
		Site  map[string]string `json:"yarn_site"`
		Spark map[string]string `json:"spark_defaults"`
	}
	if err := json.Unmarshal(text, &cluster); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.site, err = conf.NewSite(cluster.Site); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.scheduler = cluster.Site["yarn.resourcemanager.scheduler.class"]
	r.sparkDefaults, r.racks = cluster.Spark, map[string]string{}
	for i := range r.calls {
		if c := &r.calls[i]; c.Type == "NODE_ADDED" {
			r.racks[c.Node] = c.Rack
		}
	}
	if strings.HasSuffix(r.scheduler, ".CapacityScheduler") {
		r.capacity, err = readCapacity(filepath.Join(dir, "capacity-scheduler.xml"), cluster.Site)
	} else {
		r.alloc, err = conf.ReadAllocations(filepath.Join(dir, "fair-scheduler.xml"), r.site)
	}
	if err != nil {
		return nil, err
	}
	if err := r.readLog(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if err := r.attach(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.masters, err = r.readMasters(dir); err != nil {
		return nil, err
	}
	if r.mapReduce, err = r.readMapReduce(dir); err != nil {
		return nil, err
	}
	return r, nil
}

// readCapacity reads the configuration of a CapacityScheduler on top of the properties of the site.
func readCapacity(path string, site map[string]string) (map[string]string, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := conf.NewProperties()
	if err := p.Parse(path, text); err != nil {
		return nil, err
	}
	file, err := p.Resolve()
	if err != nil {
		return nil, err
	}
	props := maps.Clone(site)
	maps.Copy(props, file)
	return props, nil
}

// readLines decodes the lines of a file into a slice. A file that is not there is looked for with or without its .gz.
func readLines[T any](path string, to *[]T) error {
	in, err := golden.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		other := path + ".gz"
		if strings.HasSuffix(path, ".gz") {
			other = strings.TrimSuffix(path, ".gz")
		}
		if second, e := golden.Open(other); e == nil {
			in, err = second, nil
		}
	}
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
