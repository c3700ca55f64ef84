package backtest

import (
	"slices"

	"replay/engine"
	"replay/trace"
)

// clusterRecord is recorded_containers.json: what was recorded of applications and containers. Times are
// ms from the trace's origin; nil where it did not happen.
type clusterRecord struct {
	Applications []appRecord       `json:"applications"`
	Containers   []containerRecord `json:"containers"`
}

type appRecord struct {
	Job         int64  `json:"job"`
	Submitted   *int64 `json:"t_submitted"`
	Scheduled   *int64 `json:"t_attempt_scheduled"`
	AMAllocated *int64 `json:"t_am_allocated"`
	AMLaunched  *int64 `json:"t_am_launched"`
	Registered  *int64 `json:"t_registered"`
	Finished    *int64 `json:"t_finished"`
}

type containerRecord struct {
	Job         int64  `json:"job"`
	AM          bool   `json:"am"`
	Locality    string `json:"locality"`
	Asked       *int64 `json:"t_asked"`
	Allocated   *int64 `json:"t_allocated"`
	Acquired    *int64 `json:"t_acquired"`
	Launching   *int64 `json:"t_am_launching"`
	Running     *int64 `json:"t_nm_running"`
	Registered  *int64 `json:"t_registered"`
	EventAdded  *int64 `json:"t_event_added"`
	Removed     *int64 `json:"t_event_removed"`
	Done        *int64 `json:"t_rm_done"`
	NMDone      *int64 `json:"t_nm_done"`
	StartCalled *int64 `json:"t_nm_start_request"`
}

// latencies are the launch latencies of every application, in the order in which its master started
// containers.
func (c *clusterRecord) latencies() map[int64]*engine.Latencies {
	out := map[int64]*engine.Latencies{}
	for i := range c.Applications {
		a := &c.Applications[i]
		l := &engine.Latencies{AMMS: trace.Unset}
		if a.AMAllocated != nil && a.Registered != nil {
			l.AMMS = max(*a.Registered-*a.AMAllocated, 0)
		}
		out[a.Job] = l
	}
	var started []*containerRecord
	for i := range c.Containers {
		if k := &c.Containers[i]; !k.AM && k.Launching != nil && k.Acquired != nil {
			started = append(started, k)
		}
	}
	slices.SortStableFunc(started, func(a, b *containerRecord) int { return int(*a.Launching - *b.Launching) })
	for _, k := range started {
		l := out[k.Job]
		if l == nil {
			continue
		}
		ms := int64(trace.Unset)
		if k.Registered != nil {
			ms = max(*k.Registered-*k.Acquired, 0)
		}
		l.ExecutorMS = append(l.ExecutorMS, ms)
	}
	return out
}
