package policy

import "replay/policy/resource"

// CapacityDelay is delay scheduling of the CapacityScheduler, in missed opportunities.
//
// Source: RegularContainerAllocator.
type CapacityDelay struct {
	Node int32 // node-locality-delay
	Rack int32 // rack-locality-additional-delay; -1 asks for the old formula
}

// AcceptsRack reports whether rack-local containers are accepted: when an application was offered more nodes than this, this one included.
func (d CapacityDelay) AcceptsRack(opportunities, nodes int32) bool {
	return min(nodes, d.Node) < opportunities
}

// AcceptsAny tells the same of off-switch containers. Pending is the number of containers wanted and
// places the number of names asked for, "*" included.
func (d CapacityDelay) AcceptsAny(opportunities, nodes, pending int32, places int) bool {
	if nodes == 0 {
		return false
	}
	if places == 1 {
		return true
	}
	if d.Rack > -1 {
		return opportunities > min(nodes, d.Node+d.Rack)
	}
	wait := min(float32(max(places-1, 0))/float32(nodes), 1)
	return min(float32(nodes), float32(float32(pending)*wait)) < float32(opportunities)
}

// WantsMore reports whether another container is to be allocated or reserved, given so many wanted and reserved.
// Reservations that were met again and again without success count as a need for more, the less so the larger
// the container is: ratio is its part of the largest allocation, most the same of (largest - least).
//
// Source: RegularContainerAllocator.shouldAllocOrReserveNewContainer.
func WantsMore(wanted, reserved, rereserved int32, ratio, most float32) bool {
	starvation := int32(0)
	if reserved > 0 {
		starvation = resource.F2I(float64(float32(float32(rereserved)/float32(reserved)) * float32(1-min(ratio, most))))
	}
	return starvation+wanted-reserved > 0
}
