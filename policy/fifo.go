package policy

import (
	"cmp"
	"math"

	"replay/policy/resource"
)

// fifo is YARN's FifoPolicy, for leaf queues: the earliest application is served first.
//
// Source: FifoPolicy.
type fifo struct{}

func newFIFO(int) Sharing { return &fifo{} }

// Shares gives everything to the earliest claim; the others keep the share that they had, as in YARN.
func (*fifo) Shares(total resource.Resource, claims []Claim) {
	first := -1
	for i := range claims {
		if first < 0 || claims[i].Start < claims[first].Start {
			first = i
		}
	}
	if first >= 0 {
		claims[first].Share = total.Clone()
	}
}

// Parents is false: FifoPolicy has a meaning for applications only.
func (*fifo) Parents() bool       { return false }
func (*fifo) Allows(Sharing) bool { return false }

// Compare puts the larger priority number first, as Priority.compareTo is reversed in YARN. It takes their difference as an int, which can overflow.
func (*fifo) Compare(a, b *Contender, _ *resource.Resource) int {
	return cmp.Compare(b.Priority-a.Priority, 0)
}

// Total reports whether no difference to another such priority overflows.
func (*fifo) Total(s *Contender, _ *resource.Resource) bool {
	return s.Priority > math.MinInt32/2 && s.Priority < math.MaxInt32/2
}
