package policy

import "cmp"

// LeafFIFO orders applications by priority, then by number.
//
// Source: FifoOrderingPolicy, FifoOrderingPolicyForPendingApps.
type LeafFIFO struct{}

func newLeafFIFO(LeafOrderSettings) LeafOrder { return LeafFIFO{} }

func (LeafFIFO) Compare(a, b *LeafApp) int {
	if a.Priority != b.Priority {
		return cmp.Compare(b.Priority, a.Priority)
	}
	return cmp.Compare(a.ID, b.ID)
}
