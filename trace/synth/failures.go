package synth

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"replay/trace"
)

const (
	dayMS           = 86_400_000
	defaultMTBFDays = 41 // a removal of a node every 41 days, as in a large cluster's published trace
)

// FailureModels are the laws of the time between failures of a node, by name. Each draws a time of mean 1.
// Failures of real clusters come in clusters (a shape below 1); exponential is for comparison.
var FailureModels = map[string]func(r *rand.Rand) float64{
	"none":        nil,
	"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() },
	"weibull": func(r *rand.Rand) float64 {
		return math.Pow(r.ExpFloat64(), 1/weibullShape) / math.Gamma(1+1/weibullShape)
	},
}

const weibullShape = 0.5

// An outage is a time in which a node is down; group is of outages with one cause, or Unset.
type outage struct {
	node       int32
	start, end int64 // ms
	group      int32
}

// companionShare makes 37 % of the failures come in pairs: 2p/(1+p) = 0.37.
const companionShare = 0.227

// nodeEvents draws failures and recoveries of the nodes up to twice the span of submissions and an hour more,
// so that a run that takes longer than the submissions has failures to its end.
//
// Each node fails after times of the model, which has been going on for long at time 0, and is down for a
// mixture of reboots (85 %, median 20 min), repairs (12 %, 4 h) and replacements (3 %, 36 h). A share of the
// failures takes another node of the same rack down.
func nodeEvents(g *Generator, nodes []trace.Node, spanMS int64) []trace.NodeEvent {
	draw := FailureModels[g.Failures]
	if draw == nil {
		return nil
	}
	end := 2*spanMS + 3_600_000
	mean := g.MTBFDays * dayMS * (1 + companionShare) // of the failures that a node has of its own
	racks := make(map[int32][]int32)
	for _, n := range nodes {
		racks[n.RackID] = append(racks[n.RackID], n.ID)
	}
	var outages []outage
	groups := int32(0)
	for _, n := range nodes {
		r := g.JobStream("node-failures", int64(n.ID))
		for at := -10 * mean; ; {
			at += float64(draw(r) * mean)
			if at >= float64(end) {
				break
			}
			down, pair, other := downtime(r), r.Float64() < companionShare, r.IntN(len(racks[n.RackID]))
			companionDown := downtime(r)
			if start := int64(at); start >= 0 {
				o := outage{n.ID, start, start + down, trace.Unset}
				if second := racks[n.RackID][other]; pair && second != n.ID {
					o.group = groups
					groups++
					outages = append(outages, outage{second, start, start + companionDown, o.group})
				}
				outages = append(outages, o)
			}
			at += float64(down)
		}
	}
	return eventsOf(outages, end)
}

// downtime draws how long a node is down, ms.
func downtime(r *rand.Rand) int64 {
	const minute = 60_000
	kind, z := r.Float64(), r.NormFloat64()
	median, sd := 20.0*minute, 0.6
	switch {
	case kind >= 0.97:
		median, sd = 36*60*minute, 1
	case kind >= 0.85:
		median, sd = 4*60*minute, 1
	}
	return max(1, int64(median*math.Exp(float64(z*sd))))
}

// eventsOf turns outages into events in order of time, of each node without overlaps. Recoveries after the end are left out.
func eventsOf(outages []outage, end int64) []trace.NodeEvent {
	slices.SortFunc(outages, func(a, b outage) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.node, b.node), cmp.Compare(a.end, b.end), cmp.Compare(a.group, b.group))
	})
	var events []trace.NodeEvent
	add := func(ms int64, o outage, kind trace.EventKind, reason string) {
		e := trace.NewNodeEvent(ms, o.node, kind)
		e.Reason, e.Group = reason, o.group
		events = append(events, e)
	}
	up := make(map[int32]int64) // when a node is up again
	for _, o := range outages {
		if back, ok := up[o.node]; ok && o.start <= back {
			continue // it is down already
		}
		up[o.node] = o.end
		add(o.start, o, trace.Fail, "unknown")
		if o.end < end {
			add(o.end, o, trace.Recover, "")
		}
	}
	slices.SortStableFunc(events, func(a, b trace.NodeEvent) int {
		return cmp.Or(cmp.Compare(a.TimeMS, b.TimeMS), cmp.Compare(a.Node, b.Node))
	})
	for i := range events {
		if i > 0 && events[i].TimeMS == events[i-1].TimeMS {
			events[i].Seq = events[i-1].Seq + 1
		}
	}
	return events
}
