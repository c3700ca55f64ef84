package result

import (
	"slices"

	"replay/engine/record"
)

const (
	// longWaits is the part of the time with unmet demand from which on it is more than what every container waits for its turn.
	longWaits = 0.25
	// longAsk is the part of the time of a job that a container may wait, both on average.
	longAsk = 0.1
	// fairlyFull is the part of the cluster, allocated on average, from which on nodes and not limits of queues are what is short.
	fairlyFull = 0.5
)

// shortage is the text, without numbers of the replay: one does for all cells of a sweep.
const shortage = "for more than a quarter of the time some queue wanted more than it got, with more than half of a cluster allocated that nobody described: where the real one has more room, what waits for it here is faster (replay import --node-mem, --node-vcores and --nodes describe it)"

// short returns the warning that much waits for room on nodes of which nobody stated how many there are, or of what size, so that what asks for more than was
// recorded is held back by what was made up; none where nodes are known or have room.
func (d *Data) short() []record.Warning {
	c := &d.Queues.Cluster
	untold := func(w record.Warning) bool { return w.Code == record.UntoldNodes }
	if !slices.ContainsFunc(d.Manifest.Warnings, untold) {
		return nil
	}
	switch {
	case d.Undersampled() && d.longAsks():
		return []record.Warning{{Code: record.ShortOfNodes, Count: 1, Text: shortageOfFew}}
	case c.MS == 0 || c.PendingMS < longWaits*c.MS || c.Dominant < fairlyFull*c.MS:
		return nil
	}
	return []record.Warning{{Code: record.ShortOfNodes, Count: 1, Text: shortage}}
}

// shortageOfFew is the text where jobs are far apart, so that hardly any time of the replay is theirs.
const shortageOfFew = "containers waited for more than a tenth of the time of a job, on a cluster that nobody described: where the real one has more room, what waits for it here is faster (replay import --node-mem, --node-vcores and --nodes describe it)"

// longAsks reports whether a container waits for a good part of the time of a job, both on average.
func (d *Data) longAsks() bool {
	var jobs, ms float64
	for j := range d.Jobs.All() {
		if Happened(j.Finish) {
			jobs++
			ms += float64(j.Finish - j.Submit)
		}
	}
	return jobs > 0 && d.Containers.Ask.N() > 0 && d.Containers.Ask.Mean() > longAsk*ms/jobs
}

// idle is the part of the cluster below which samples may miss what ran.
const idle = 0.1

// Undersampled reports whether samples are too far apart to see what ran, as in a replay of short jobs over weeks: what they saw allocated is less than half of what was, or more
// than twice as much. Nothing that rests on them is known then.
func (d *Data) Undersampled() bool {
	c, k := &d.Queues.Cluster, &d.Containers
	if c.MS == 0 || c.CapMem <= 0 || c.CapVCores <= 0 {
		return false
	}
	mem, vcores := k.AllMemMS/c.CapMem, k.AllCoreMS/c.CapVCores
	least, most := max(mem, vcores), mem+vcores // of the larger of the two at each instant
	sampled := c.Dominant / c.MS
	return least > 0 && least < idle && (sampled < least/2 || sampled > 2*most)
}

// TooFarApart is why a value that rests on samples is not known in a replay that is [Data.Undersampled].
const TooFarApart = "samples are too far apart to see what ran in so long a time"
