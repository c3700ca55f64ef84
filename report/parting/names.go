package parting

import (
	"fmt"

	"replay/engine/record"
	"replay/report/result"
	"replay/trace"
)

// Names say what the numbers of jobs and nodes stand for.
type Names struct {
	Sides [2]string                           // of two replays
	Job   func(id int64) (name, queue string) // of a job of either
	Node  func(node int32) (host string, memMiB, vcores int64)
}

// Named is what has numbers in a replay.
type Named struct {
	Jobs  *result.Jobs
	Nodes []trace.Node // by number
}

// NamesOf are the names in some replays; of what is in several, those in the first of them.
func NamesOf(replays ...Named) *Names {
	return &Names{
		Job: func(id int64) (string, string) {
			for _, r := range replays {
				if j := r.Jobs.Find(id); j != nil {
					return record.JobCalled(j.ID, j.Name, j.ExternalID), j.Queue
				}
			}
			return record.JobCalled(id), ""
		},
		Node: func(node int32) (string, int64, int64) {
			for _, r := range replays {
				if node >= 0 && int(node) < len(r.Nodes) {
					n := &r.Nodes[node]
					return n.Host, n.MemMiB, int64(n.VCores)
				}
			}
			return fmt.Sprintf("node %d", node), 0, 0
		},
	}
}
