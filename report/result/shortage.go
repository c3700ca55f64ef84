package result

import (
	"slices"

	"replay/engine/record"
)

const (
	// longWaits is the part of the time with unmet demand from which on it is more than what every container waits for its turn.
	longWaits = 0.25
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
	if c.MS == 0 || c.PendingMS < longWaits*c.MS || c.Dominant < fairlyFull*c.MS || !slices.ContainsFunc(d.Manifest.Warnings, untold) {
		return nil
	}
	return []record.Warning{{Code: record.ShortOfNodes, Count: 1, Text: shortage}}
}
