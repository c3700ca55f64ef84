package yarn

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// schedulerRuns are scripts of calls to a whole scheduler, with what it decided at each.
var schedulerRuns = golden.Kind{
	Name: "scheduler_run",
	Of: func(first golden.Shape) string {
		return map[string]string{"fifo": "FifoScheduler", "fair": "FairScheduler", "capacity": "CapacityScheduler"}[first.Text("scheduler")]
	},
	Match: func(_ string, first golden.Shape) bool {
		return first.Has("run", "site") && !first.Has("manager") && schedulerMakers[first.Text("scheduler")] != nil
	},
	Run: runSchedulers,
}

// schedulerMakers builds the scheduler of a run by the name in its header.
// The error says that the run asks for something that is not modelled.
var schedulerMakers = map[string]func(r *schedulerRun) (yarn.Scheduler, error){
	"fifo":     newFIFORun,
	"fair":     newFairRun,
	"capacity": newCapacityRun,
}

// runHeader is the first line of a run.
type runHeader struct {
	Run           string
	Scheduler     string
	Start         int64
	Site          map[string]json.RawMessage
	FairScheduler string          `json:"fair_scheduler_xml"`
	Manager       bool            // a whole ResourceManager runs, not its scheduler alone
	Queues        json.RawMessage // settings after loading
	Types         []string
	Sizes         bool // containers are as large as site says
	Events        int
	EndsWithError bool  `json:"ends_with_error"`
	WaitBefore    int64 `json:"wait_before_kill_ms"`
	NextCheck     int64 `json:"next_starvation_check_ms"`
}

// runEvent is a call and its outcome. Unknown members stay in raw.
type runEvent struct {
	E     string
	T     int64
	N     string
	Rack  string
	Port  *int32 // 8041 where absent
	Mem   int64
	VC    int64
	X     []int64
	A     int32
	Queue string
	U     string
	AM    []int64
	Pri   int32
	Ask   [][]any
	IDs   []int64 // allocation request ids of Ask, -1 where absent
	Rel   []int64
	Add   []string  `json:"bl+"`
	Rem   []string  `json:"bl-"`
	Upd   [][]any   // container, version, I or D, size
	L     [][]int64 // launched
	I     [][]int64 // increases done
	C     json.RawMessage
	Up    bool

	Timeout *int64 // of a total; 0 or absent

	// Outcome, numbers as json.Number.
	O    [][]any
	Got  []any
	Head []any
	Pre  []any
	Err  string
	UErr [][]any
	SErr [][]any
	Inc  [][]any
	Dec  [][]any
	Q    any
	NS   any
	Apps any
	Max  [][]any // queue, size

	raw json.RawMessage
}

// schedulerRun drives one scheduler through one run.
type schedulerRun struct {
	golden.Cluster
	head  runHeader
	site  *conf.Site
	props map[string]string

	s       yarn.Scheduler
	told    yarn.Observer // of the ResourceManager around it, nil where there is none
	ask     func(protocol.AppID, *protocol.AllocateRequest, *protocol.AllocateResponse) error
	opened  *golden.Difference // found before the first event
	records [][]any            // what the scheduler did at this event
	resp    protocol.AllocateResponse
	ends    map[protocol.NodeID]bool // nodes with an overcommit timeout of 0
	// calls are events and states of one scheduler only: they make the call and return the first
	// member that differs, with both values.
	calls map[string]func(*runEvent) (member string, want, got any, err error)
}

// timestampOfRuns is the start of the ResourceManager in all runs.
const timestampOfRuns = 1700000000000

func runSchedulers(in *golden.Input, out *golden.Results) error {
	var r *schedulerRun
	event, done := 0, true
	for {
		line, err := in.Next()
		if err == io.EOF {
			if !done {
				out.AddEqual()
			}
			return nil
		}
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(line), `{"run":`) {
			if !done {
				out.AddEqual()
			}
			r, event, done = &schedulerRun{}, 0, false
			if err := r.open(line); err != nil {
				out.AddUnsupported(r.head.Run, err.Error())
				done = true
			} else if r.opened != nil {
				r.opened.Case = r.head.Run
				out.AddDifferent(*r.opened)
				done = true
			}
			continue
		}
		event++
		if done {
			continue
		}
		var e runEvent
		if err := decodeNumbers(line, &e); err != nil {
			return in.Errorf("%w", err)
		}
		e.raw = line
		play := r.play
		if r.head.EndsWithError && event == r.head.Events {
			play = r.playLast
		}
		d, err := play(&e)
		if err != nil {
			out.AddUnsupported(r.head.Run, fmt.Sprintf("event %d: %v", event-1, err))
			done = true
		}
		if d != nil {
			d.Case, d.Event = r.head.Run, event-1
			d.State = json.RawMessage(append([]byte(nil), line...))
			out.AddDifferent(*d)
			done = true
		}
	}
}

func decodeNumbers(line []byte, v any) error {
	d := json.NewDecoder(strings.NewReader(string(line)))
	d.UseNumber()
	return d.Decode(v)
}

func (r *schedulerRun) open(line []byte) error {
	if err := json.Unmarshal(line, &r.head); err != nil {
		return err
	}
	r.props = map[string]string{}
	for k, v := range r.head.Site {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		r.props[k] = text
	}
	site, err := conf.NewSite(r.props)
	if err != nil {
		return err
	}
	site.WorkPreservingRecovery = false // the recorded ResourceManager keeps no state, so it doesn't wait for nodes
	r.site, r.Cluster = site, golden.NewCluster(len(site.Types))
	mk := schedulerMakers[r.head.Scheduler]
	if mk == nil {
		return fmt.Errorf("no driver for the scheduler %q", r.head.Scheduler)
	}
	r.ends = map[protocol.NodeID]bool{}
	if r.head.Manager {
		return r.manage(mk)
	}
	if r.s, err = mk(r); err == nil {
		r.ask = r.s.Allocate
		r.s.SetClock(r.head.Start)
	}
	return err
}

// observer is who is told what the scheduler does.
func (r *schedulerRun) observer() yarn.Observer {
	if r.told != nil {
		return r.told
	}
	return r.observe
}

// observe records what the scheduler does in the form of the runs.
func (r *schedulerRun) observe(e *yarn.Event) {
	c := &e.Container
	row := func(tag string) []any {
		return append([]any{tag, int64(c.ID.App), c.ID.N, r.Hosts[c.Node], int64(c.Priority)}, r.pair(c.Size)...)
	}
	update := func(row []any) []any {
		row = append(row, r.extra(c.Size)...)
		if e.Update != (protocol.ContainerID{}) {
			row = append(row, e.Update.N)
		}
		return row
	}
	switch e.Kind {
	case yarn.Allocated:
		r.records = append(r.records, update(append(row("A"), c.Type.String()[:1])))
	case yarn.Helper:
		r.records = append(r.records, append(append(row("A"), "H"), r.extra(c.Size)...))
	case yarn.Reserved:
		r.records = append(r.records, update(row("R")))
	case yarn.Rereserved:
		r.records = append(r.records, update(row("RR")))
	case yarn.Unreserved:
		r.records = append(r.records, []any{"U", int64(c.ID.App), c.ID.N, r.Hosts[c.Node]})
	case yarn.Completed:
		n := c.ID.N
		if e.Update != (protocol.ContainerID{}) {
			n = e.Update.N
		}
		r.records = append(r.records, []any{"D", int64(c.ID.App), n, int64(e.Exit)})
	case yarn.Rejected:
		r.records = append(r.records, []any{"X", int64(e.App)})
	case yarn.NodeToldSize:
		kind := "D"
		if e.Increase {
			kind = "I"
		}
		r.records = append(r.records, append([]any{"V", int64(c.ID.App), c.ID.N, r.Hosts[c.Node], kind}, r.pair(c.Size)...))
	case yarn.Runnable: // not in the runs
	}
}

// pair is memory and vcores, extra the other types.
func (r *schedulerRun) pair(s resource.Resource) []any {
	return []any{s[resource.Memory], s[resource.VCores]}
}

func (r *schedulerRun) extra(s resource.Resource) (out []any) {
	for _, v := range s[2:r.Types] {
		out = append(out, v)
	}
	return out
}

func (r *schedulerRun) all(s resource.Resource) []any { return append(r.pair(s), r.extra(s)...) }

// useDefaultSizes sets the smallest and the largest container as the recordings of these two schedulers had them: the classes
// take them from the table of resource types, which was set up without the run's yarn-site.xml.
func (r *schedulerRun) useDefaultSizes() {
	if r.head.Sizes {
		return
	}
	site := conf.DefaultSite()
	r.site.MinAllocation, r.site.MaxAllocation = site.MinAllocation, site.MaxAllocation
	for i := range r.Types - len(site.Types) {
		r.site.MaxAllocation[len(site.Types)+i] = math.MaxInt64
	}
}
