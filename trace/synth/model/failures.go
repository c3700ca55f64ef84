package model

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"replay/trace"
)

const (
	dayMS  = 86_400_000
	hourMS = 3_600_000
)

// Failures are what happens to nodes. Law is the law of the time between failures of a node: none, exponential or weibull. Failures
// of real clusters come in clusters, so the shape is below 1; exponential is for comparison.
type Failures struct {
	Law                         string
	Racks, Maintenance, Spot    bool
	MTBFDays, Shape, Companions float64

	RackDays, RackLowH, RackHighH float64

	DrainShare, DrainMinutes, WorkMinutes, SweepDays float64

	SpotShare, SpotHours, SpotNoticeS, SpotBackMinutes float64
}

// DefaultFailures are without any, and with the parameters of large clusters for when there are some: a removal of a node every 41
// days and a Weibull shape of 0.5, as in published traces and failure archives; companions such that 37 % of the failures come in pairs.
func DefaultFailures() Failures {
	return Failures{
		Law: "none", MTBFDays: 41, Shape: 0.5, Companions: 0.227,
		RackDays: 548, RackLowH: 1, RackHighH: 6,
		DrainShare: 0.01, DrainMinutes: 30, WorkMinutes: 20, SweepDays: 30,
		SpotShare: 0.2, SpotHours: 12, SpotNoticeS: 120, SpotBackMinutes: 10,
	}
}

// FailureWords are the words of [Failures.Take].
var FailureWords = []string{"none", "exponential", "weibull", "racks", "maintenance", "spot"}

// Take reads what happens: words with commas between them, of which one at most is a law, and none stands alone.
func (f *Failures) Take(words string) error {
	f.Law, f.Racks, f.Maintenance, f.Spot = "none", false, false, false
	for word := range strings.SplitSeq(words, ",") {
		switch word {
		case "none":
			if words != word {
				return fmt.Errorf("--failures is %q, want none alone", words)
			}
		case "exponential", "weibull":
			if f.Law != "none" && f.Law != word {
				return fmt.Errorf("--failures is %q, want one law of the times between failures: exponential or weibull", words)
			}
			f.Law = word
		case "racks":
			f.Racks = true
		case "maintenance":
			f.Maintenance = true
		case "spot":
			f.Spot = true
		default:
			return fmt.Errorf("--failures is %q, want one of %s, or several with commas", words, strings.Join(FailureWords, ", "))
		}
	}
	return nil
}

// Words is what happens, as [Failures.Take] reads it.
func (f *Failures) Words() string {
	words := []string{}
	if f.Law != "none" {
		words = append(words, f.Law)
	}
	for i, on := range []bool{f.Racks, f.Maintenance, f.Spot} {
		if on {
			words = append(words, []string{"racks", "maintenance", "spot"}[i])
		}
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ",")
}

// Parameters names those of the failures. The mean time between them has a flag of its own.
func (f *Failures) Parameters(p *Parameters) {
	p.In("failures", func(p *Parameters) {
		p.Float("shape", &f.Shape, 0.1, 10, "shape of Weibull's law of the time between failures of a node")
		p.Float("companions", &f.Companions, 0, 1, "share of a node's own failures that take another node of its rack down")
		p.Float("rack_days", &f.RackDays, 1e-6, 1e6, "mean days between outages of a rack")
		p.Float("rack_low_h", &f.RackLowH, 0, 1e4, "shortest outage of a rack, hours")
		p.Float("rack_high_h", &f.RackHighH, 0, 1e4, "longest outage of a rack, hours")
	})
	p.In("maintenance", func(p *Parameters) {
		p.Float("share", &f.DrainShare, 0.0001, 1, "share of the nodes that are drained at a time")
		p.Float("drain_minutes", &f.DrainMinutes, 0, 1e6, "minutes until a drained node goes down")
		p.Float("work_minutes", &f.WorkMinutes, 0.001, 1e6, "minutes that it is down")
		p.Float("sweep_days", &f.SweepDays, 0.001, 1e6, "days in which all nodes have their turn")
	})
	p.In("spot", func(p *Parameters) {
		p.Float("share", &f.SpotShare, 0, 1, "share of the nodes that are taken back at any time")
		p.Float("hours", &f.SpotHours, 0.001, 1e6, "mean hours until a node is taken back")
		p.Float("notice_s", &f.SpotNoticeS, 0, 1e6, "seconds of notice, in which it gets no new containers")
		p.Float("back_minutes", &f.SpotBackMinutes, 0.001, 1e6, "mean minutes until another node is there in its place")
	})
}

// Draw draws a time of mean 1 by the law of failures.
func (f *Failures) Draw(r *rand.Rand) float64 {
	if f.Law == "exponential" {
		return r.ExpFloat64()
	}
	return math.Pow(r.ExpFloat64(), 1/f.Shape) / math.Gamma(1+1/f.Shape)
}

// An outage is a time in which a node is down; group is of outages with one cause, or Unset. notice is how long before the node
// is drained.
type outage struct {
	node       int32
	start, end int64 // ms
	group      int32
	notice     int64
	reason     string
}

// Events draws what happens to nodes until end, from the streams of purposes, after the events of their joins.
func (f *Failures) Events(stream func(purpose string) *rand.Rand, nodes []trace.Node, joins []trace.NodeEvent, end int64) []trace.NodeEvent {
	var outages []outage
	if f.Law != "none" {
		outages = f.own(stream, nodes, end)
	}
	if f.Racks {
		outages = append(outages, f.racks(stream, nodes, end)...)
	}
	if f.Maintenance {
		outages = append(outages, f.maintenance(stream("maintenance"), nodes, end)...)
	}
	if f.Spot {
		outages = append(outages, f.spot(stream, nodes, end)...)
	}
	return eventsOf(joins, outages, end)
}

func rackOf(nodes []trace.Node) map[int32][]int32 {
	racks := make(map[int32][]int32)
	for _, n := range nodes {
		racks[n.RackID] = append(racks[n.RackID], n.ID)
	}
	return racks
}

// own draws the failures of each node: after times of the law, which has been going on for long at time 0, it is down for a mixture of
// reboots (85 %, median 20 min), repairs (12 %, 4 h) and replacements (3 %, 36 h). A share of the failures takes another node of
// the same rack down.
func (f *Failures) own(stream func(purpose string) *rand.Rand, nodes []trace.Node, end int64) (outages []outage) {
	mean := f.MTBFDays * dayMS * (1 + f.Companions)
	racks := rackOf(nodes)
	groups := int32(0)
	for _, n := range nodes {
		r := stream(fmt.Sprintf("node-failures/%d", n.ID))
		for at := float64(-10 * mean); ; {
			at += float64(f.Draw(r) * mean)
			if at >= float64(end) {
				break
			}
			down, pair, other := downtime(r), r.Float64() < f.Companions, r.IntN(len(racks[n.RackID]))
			companionDown := downtime(r)
			if start := int64(at); start >= 0 {
				o := outage{n.ID, start, start + down, trace.Unset, 0, "unknown"}
				if second := racks[n.RackID][other]; pair && second != n.ID {
					o.group = groups
					groups++
					outages = append(outages, outage{second, start, start + companionDown, o.group, 0, "unknown"})
				}
				outages = append(outages, o)
			}
			at += float64(down)
		}
	}
	return outages
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

// rackGroups is the first group of outages of racks, above those of pairs.
const rackGroups = 1 << 30

// racks draws outages of whole racks: exponential times between them, even lengths.
func (f *Failures) racks(stream func(purpose string) *rand.Rand, nodes []trace.Node, end int64) (outages []outage) {
	racks, group := rackOf(nodes), int32(rackGroups)
	for rack := int32(0); len(racks[rack]) > 0; rack++ {
		r := stream(fmt.Sprintf("rack-failures/%d", rack))
		for at := float64(r.ExpFloat64() * f.RackDays * dayMS); at < float64(end); at += float64(r.ExpFloat64() * f.RackDays * dayMS) {
			down := max(1, int64((f.RackLowH+float64(r.Float64()*max(0, f.RackHighH-f.RackLowH)))*hourMS))
			for _, n := range racks[rack] {
				outages = append(outages, outage{n, int64(at), int64(at) + down, group, 0, "rack"})
			}
			group++
			at += float64(down)
		}
	}
	return outages
}

// maintenance drains the nodes in turn, batch by batch, at even distances; at time 0 it is anywhere in its sweep.
func (f *Failures) maintenance(r *rand.Rand, nodes []trace.Node, end int64) (outages []outage) {
	size := max(1, int(f.DrainShare*float64(len(nodes))))
	batches := (len(nodes) + size - 1) / size
	distance := f.SweepDays * dayMS / float64(batches)
	batch := r.IntN(batches)
	for at := float64(r.Float64() * distance); at < float64(end); at += distance {
		start := int64(at + float64(f.DrainMinutes*60_000))
		for _, n := range nodes[batch*size : min((batch+1)*size, len(nodes))] {
			outages = append(outages, outage{n.ID, start, start + max(1, int64(f.WorkMinutes*60_000)), trace.Unset, start - int64(at), "maintenance"})
		}
		batch = (batch + 1) % batches
	}
	return outages
}

// spot takes nodes back: a share of them each after exponential times, with notice, and another is there in its place after an
// exponential time.
func (f *Failures) spot(stream func(purpose string) *rand.Rand, nodes []trace.Node, end int64) (outages []outage) {
	which := stream("spot-nodes")
	for _, n := range nodes {
		if which.Float64() >= f.SpotShare {
			continue
		}
		r := stream(fmt.Sprintf("spot/%d", n.ID))
		for at := float64(r.ExpFloat64() * f.SpotHours * hourMS); at < float64(end); at += float64(r.ExpFloat64() * f.SpotHours * hourMS) {
			notice := int64(f.SpotNoticeS * 1000)
			start := int64(at) + notice
			back := start + max(1, int64(r.ExpFloat64()*f.SpotBackMinutes*60_000))
			outages = append(outages, outage{n.ID, start, back, trace.Unset, notice, "spot"})
			at = float64(back)
		}
	}
	return outages
}

// eventsOf turns outages into events in order of time, of each node without overlaps and not before it has joined. Recoveries after
// the end are left out.
func eventsOf(joins []trace.NodeEvent, outages []outage, end int64) []trace.NodeEvent {
	slices.SortFunc(outages, func(a, b outage) int {
		return cmp.Or(cmp.Compare(a.start-a.notice, b.start-b.notice), cmp.Compare(a.node, b.node), cmp.Compare(a.end, b.end), cmp.Compare(a.group, b.group))
	})
	events := slices.Clone(joins)
	add := func(ms int64, o outage, kind trace.EventKind, reason string) {
		e := trace.NewNodeEvent(ms, o.node, kind)
		e.Reason, e.Group = reason, o.group
		if kind == trace.Drain {
			e.DrainTimeoutMS = o.notice
		}
		events = append(events, e)
	}
	up := make(map[int32]int64) // when a node is up again
	for _, e := range joins {
		up[e.Node] = e.TimeMS
	}
	for _, o := range outages {
		if back, ok := up[o.node]; ok && o.start-o.notice <= back {
			continue // it is down already
		}
		up[o.node] = o.end
		if o.notice > 0 {
			add(o.start-o.notice, o, trace.Drain, o.reason)
		}
		add(o.start, o, trace.Fail, o.reason)
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
