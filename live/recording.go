package live

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"replay/counted"
)

// Recording is recording.json: what was recorded, of where and when, and what it may have missed. It is also the state from which
// a recorder goes on.
type Recording struct {
	Version    int         `json:"version"`
	Sources    Sources     `json:"sources"`
	Cluster    ClusterInfo `json:"cluster"`
	Polls      Polls       `json:"polls"`
	Counts     Counts      `json:"counts"`
	MayMiss    []string    `json:"may_miss"` // sentences
	Nodes      []Node      `json:"nodes"`
	NodeEvents []NodeEvent `json:"node_events"`
}

// version of recording.json and of the layout of the folder.
const version = 1

// Sources are the servers that were asked, without what may be secret.
type Sources struct {
	RM      []string `json:"resourcemanager"`
	History string   `json:"history,omitempty"`
}

// ClusterInfo is what the ResourceManager says of itself.
type ClusterInfo struct {
	Hadoop       string `json:"hadoop"`
	Scheduler    string `json:"scheduler"`        // its type: fairScheduler, capacityScheduler, fifoScheduler
	StartedMS    int64  `json:"started_unix_ms"`  // the last ResourceManager that was asked
	MaxCompleted int64  `json:"max_completed"`    // of the applications that ended, as many are known to it
	Restarts     int    `json:"resourcemanagers"` // that were seen: starts and fail-overs
}

// Polls is when the cluster was asked.
type Polls struct {
	Count   int64 `json:"count"`
	FirstMS int64 `json:"first_unix_ms"`
	LastMS  int64 `json:"last_unix_ms"`
	EveryMS int64 `json:"every_ms"`
	Failed  int64 `json:"failed"` // polls that were left out
	Gaps    []Gap `json:"gaps"`   // between two polls, twice as long as it should be or longer
}

// Gap is a time in which nobody asked.
type Gap struct {
	FromMS int64 `json:"from_unix_ms"`
	ToMS   int64 `json:"to_unix_ms"`
}

// Counts of what is in the recording.
type Counts struct {
	Nodes         int              `json:"nodes"`
	NodeEvents    int              `json:"node_events"`
	Queues        int              `json:"queues"`
	Applications  int              `json:"applications"`
	ByState       map[string]int64 `json:"applications_by_state"`
	ByType        map[string]int64 `json:"applications_by_type"`
	EventLogs     int              `json:"applications_with_event_log"`
	LogBytes      int64            `json:"event_log_bytes"`
	LogsMissing   int              `json:"spark_applications_ended_without_event_log"`
	Running       int              `json:"applications_not_ended"`
	Inputs        int              `json:"input_paths"`
	InputsUnknown int              `json:"input_paths_unknown_to_hdfs"`
	UnknownIDs    int64            `json:"unknown_application_ids"`
	NoAccess      int              `json:"applications_without_times"` // the ResourceManager shows them to others only
	Early         int              `json:"applications_submitted_before_the_first_poll"`
	Vanished      int              `json:"applications_forgotten_before_their_end_was_seen"`
}

// Node is a node as it was seen first, with its last state.
type Node struct {
	ID      string `json:"id"` // host:port of its NodeManager
	Name    string `json:"node"`
	Rack    string `json:"rack"`
	MemMiB  int64  `json:"memory_mb"`
	VCores  int64  `json:"vcores"`
	State   string `json:"state"`
	Usable  bool   `json:"usable"` // it ran containers when it was seen last
	FirstMS int64  `json:"first_seen_unix_ms"`
	LastMS  int64  `json:"last_seen_unix_ms"`
	Late    bool   `json:"late"` // it was not there, or not usable, at the first poll
}

// NodeEvent is something that happened to a node between two polls, or for one that was lost, its expiry interval before them.
type NodeEvent struct {
	T      int64  `json:"t"`       // the nearest that is known
	After  int64  `json:"t_after"` // it happened between these
	Before int64  `json:"t_before"`
	Node   string `json:"node"`
	Event  string `json:"event"`
	What   string `json:"what"`
}

// begin prepares a recording for the polls of a recorder that asks the sources.
func (r *Recording) begin(o *Options, s Sources) error {
	if r.Version != version {
		return fmt.Errorf("%s: version is %d, want %d", recordingFile, r.Version, version)
	}
	if r.Polls.Count == 0 {
		r.Sources = s
	}
	if r.Sources.History == "" {
		r.Sources.History = s.History
	}
	for _, u := range s.RM {
		if !slices.Contains(r.Sources.RM, u) {
			r.Sources.RM = append(r.Sources.RM, u)
		}
	}
	r.Polls.EveryMS = o.Every.Milliseconds()
	return nil
}

// polled counts a poll.
func (r *Recording) polled(at, everyMS int64) {
	p := &r.Polls
	switch {
	case p.Count == 0:
		p.FirstMS = at
	case at-p.LastMS >= 2*everyMS:
		p.Gaps = append(p.Gaps, Gap{p.LastMS, at})
	}
	p.Count++
	p.LastMS = at
}

// left counts a poll that failed.
func (r *Recording) left() {
	r.Polls.Failed++
	r.MayMiss = r.missed(&r.Counts)
}

// sum counts what is in the recording and says what it may have missed.
func (r *Recording) sum(apps map[string]*Application, inputs map[string]*Input, queues int) {
	c := Counts{Nodes: len(r.Nodes), NodeEvents: len(r.NodeEvents), Queues: queues, Applications: len(apps), ByState: map[string]int64{}, ByType: map[string]int64{}}
	type span struct{ low, high, n int64 }
	ids := map[string]*span{}
	for _, id := range slices.Sorted(maps.Keys(apps)) {
		a := apps[id]
		c.ByState[a.State]++
		c.ByType[a.Type]++
		if a.Started > 0 && a.Started < r.Polls.FirstMS {
			c.Early++
		}
		cluster, number := parseID(id)
		s := ids[cluster]
		if s == nil {
			s = &span{low: number, high: number}
			ids[cluster] = s
		}
		s.low, s.high, s.n = min(s.low, number), max(s.high, number), s.n+1
		switch {
		case a.Started == 0:
			c.NoAccess++
		case !a.ended() && a.Gone:
			c.Vanished++
		case !a.ended():
			c.Running++
		}
		if a.Log != nil {
			c.EventLogs++
			for _, f := range a.Log.Files {
				c.LogBytes += f.Bytes
			}
		} else if a.ended() && a.spark() {
			c.LogsMissing++
		}
	}
	for _, s := range ids {
		c.UnknownIDs += s.high - s.low + 1 - s.n
	}
	for _, in := range inputs {
		c.Inputs++
		if in.Unknown != "" {
			c.InputsUnknown++
		}
	}
	r.Counts = c
	r.MayMiss = r.missed(&c)
}

// missed says what the recording may have missed.
func (r *Recording) missed(c *Counts) []string {
	out := []string{}
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if n := c.UnknownIDs; n > 0 {
		add("not known of the numbers between the first and the last that was seen: %s, never submitted, not shown to this user, or forgotten before a poll (the ResourceManager keeps %d that ended)", counted.Of(n, "applications"), r.Cluster.MaxCompleted)
	}
	if n := c.Vanished; n > 0 {
		add("%s forgotten before a poll showed the end: the finish is not known", counted.Of(n, "applications"))
	}
	if n := c.NoAccess; n > 0 {
		add("%s shown without times, and not in apps.jsonl: the ResourceManager shows them to another user", counted.Of(n, "applications"))
	}
	if n := c.LogsMissing; n > 0 && r.Sources.History != "" {
		add("%s ended without an event log here yet: not written, not listed yet, or removed; run the same command again with --once", counted.Of(n, "Spark applications"))
	} else if n > 0 {
		add("%s ended without an event log here: no --history was given", counted.Of(n, "Spark applications"))
	}
	if n := c.Running; n > 0 {
		add("%s had not ended at the last poll", counted.Of(n, "applications"))
	}
	if n := c.InputsUnknown; n > 0 {
		add("of %d of %d paths that applications read HDFS does not tell the blocks: responses/inputs says why", n, c.Inputs)
	}
	if c.Inputs > c.InputsUnknown {
		add("blocks of inputs are where HDFS had them after an application had ended: those that were moved or written again since it ran are not where it found them")
	}
	if n := r.Polls.Failed; n > 0 {
		add("%s failed and left out", counted.Of(n, "polls"))
	}
	for _, g := range r.Polls.Gaps {
		add("nobody asked for %d s from %s on: nodes that went and came back within it are not seen", (g.ToMS-g.FromMS)/1000, time.UnixMilli(g.FromMS).UTC().Format("2006-01-02 15:04:05Z"))
	}
	if r.Polls.Count > 1 {
		add("a node that went and came back between two polls is not seen")
	}
	if n := c.NodeEvents; n > 0 {
		add("%s at the nearest time that is known: each was between its t_after and its t_before", counted.Of(n, "node events"))
	}
	if n := c.Early; n > 0 {
		add("%s submitted before the first poll: nodes are taken to have been there since, as they were at it", counted.Of(n, "applications"))
	}
	if r.Cluster.Restarts > 1 {
		add("%d ResourceManagers were seen, one after the other: without recovery a new one does not know the applications of the one before", r.Cluster.Restarts)
	}
	return out
}

// parseID takes apart application_CLUSTER_NUMBER.
func parseID(id string) (cluster string, number int64) {
	parts := strings.Split(id, "_")
	number, _ = strconv.ParseInt(parts[len(parts)-1], 10, 64)
	return strings.Join(parts[:len(parts)-1], "_"), number
}
