package spark

import (
	"slices"

	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/spark"
	"replay/engine/spark/driver"
	"replay/policy/resource"
)

// backendHost is the cluster around a driver that is given its messages one by one. Containers come where they are granted; what the driver
// schedules and tells is noted in got. What it does not answer, such a driver does not ask.
type backendHost struct {
	master.Host
	now     int64
	cluster master.Cluster
	rec     record.Job
	node    map[string]int32 // by host
	run     *driver.Played
	records []*record.Container         // by container; 1 is the application master's
	running map[int64]bool              // containers whose process runs
	sizes   map[int32]resource.Resource // of containers, as they were asked for, by resource profile
	granted []protocol.Container
	revive  bool // an offer of all executors is due
	work    *backendJobs
	got     backendMessage
}

func (h *backendHost) grant(host string, profile int32) int64 {
	n, node := int64(len(h.records)), h.node[host]
	h.records = append(h.records, &record.Container{Number: n, Node: node, Registered: record.None})
	h.granted = append(h.granted, protocol.Container{ID: protocol.ContainerID{App: 1, N: n}, Node: protocol.NodeID(node), Host: h.cluster.Host[node], Size: h.sizes[profile], Priority: profile})
	return n
}

func (h *backendHost) Now() int64                                  { return h.now }
func (h *backendHost) Time() *int64                                { return &h.now }
func (h *backendHost) Follows(int64, master.EventKind, int64) bool { return false }
func (h *backendHost) Span(_, _ master.EventKind) *master.Span     { return nil }
func (h *backendHost) EndSpan()                                    {}
func (h *backendHost) Passed(master.EventKind) bool                { return false }
func (h *backendHost) GoesOn(int64)                                {}
func (h *backendHost) Momentary(purpose string) *random.Momentary {
	return random.NewMomentary(1, purpose)
}
func (h *backendHost) MaxAllocation() resource.Resource    { return resource.R(1<<20, 1<<10) }
func (h *backendHost) Attempt() int                        { return 1 }
func (h *backendHost) Cluster() *master.Cluster            { return &h.cluster }
func (h *backendHost) Down(int32) bool                     { return false }
func (h *backendHost) InCluster(int32) bool                { return true }
func (h *backendHost) Start(int64, int64)                  {}
func (h *backendHost) End(int64, int64)                    {}
func (h *backendHost) Running(c int64) bool                { return h.running[c] }
func (h *backendHost) Job() *record.Job                    { return &h.rec }
func (h *backendHost) Container(c int64) *record.Container { return h.records[c] }
func (h *backendHost) Room(int64) master.Room {
	return master.Room{Roomy: make([]uint64, len(h.node)/64+1)}
}
func (h *backendHost) Busy(int32)                                       {}
func (h *backendHost) Heartbeat()                                       {}
func (h *backendHost) HeartbeatsPass(_ master.EventKind, _, _, _ int64) {}
func (h *backendHost) HeartbeatNow()                                    {}

// Allocate hands out what was granted, and notes which executors are given back.
func (h *backendHost) Allocate(req *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	for i := range req.Asks {
		h.sizes[req.Asks[i].Priority] = req.Asks[i].Size
	}
	for _, c := range req.Releases {
		h.got.Killed = append(h.got.Killed, h.run.In(c.Number()))
	}
	resp.Reset()
	resp.Nodes = len(h.node)
	resp.Allocated = append(resp.Allocated, h.granted...)
	h.granted = h.granted[:0]
	return nil
}

// At notes which task attempts are launched, and which are told to stop.
func (h *backendHost) At(at int64, k master.EventKind, _, arg int64) {
	if l, ok := h.run.Launched(k, arg); ok {
		h.got.Launched = append(h.got.Launched, backendLaunch{l.ID, l.Stage, l.Of, l.Index, l.Number, l.Exec, l.Level.String(), l.Speculative})
	} else if driver.Stopped(k) {
		h.got.KillTasks = append(h.got.KillTasks, arg)
	} else if h.work != nil {
		h.stageAt(at, k, arg)
	}
}

// Set notes that an offer of all executors is asked for.
func (h *backendHost) Set(k master.EventKind, at int64) {
	if driver.AsksForOffers(k) {
		h.revive = at != master.Never
	}
}

// Task notes the end of an attempt.
func (h *backendHost) Task(t *record.Task) {
	h.got.Ended = append(h.got.Ended, backendEnd{t.Stage, t.Index, t.Attempt, t.End})
}

// told notes totals as the application master is told them.
func (h *backendHost) told(q *spark.TotalRequest) {
	t := backendTotal{Of: []backendAsk{}, Excluded: []string{}}
	for i := range q.Profiles {
		p := &q.Profiles[i]
		hosts := map[string]int32{}
		for _, x := range p.Hints.Hosts {
			hosts[h.cluster.Names.Text(x.Host)] = x.Tasks
		}
		t.Of = append(t.Of, backendAsk{int(p.Profile), p.Total, p.Hints.LocalTasks, hosts})
	}
	for _, name := range q.Excluded {
		t.Excluded = append(t.Excluded, h.cluster.Names.Text(name))
	}
	slices.Sort(t.Excluded)
	h.got.Totals = append(h.got.Totals, t)
}
