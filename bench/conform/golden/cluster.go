package golden

import (
	"slices"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// A Cluster numbers the nodes of one run as they are met and interns names.
type Cluster struct {
	Names *protocol.Names
	Hosts []string // by node number
	Types int      // resource types in the rows of the run

	byHost map[string]protocol.NodeID
}

// NewCluster returns a cluster without nodes.
func NewCluster(types int) Cluster {
	return Cluster{Names: protocol.NewNames(), Types: types, byHost: map[string]protocol.NodeID{}}
}

// Node returns the number of a host, a new one when it was not met before.
func (c *Cluster) Node(host string) protocol.NodeID {
	id, ok := c.byHost[host]
	if !ok {
		id = protocol.NodeID(len(c.Hosts))
		c.byHost[host] = id
		c.Hosts = append(c.Hosts, host)
	}
	return id
}

// Intern returns the names of texts.
func (c *Cluster) Intern(texts []string) (names []protocol.Name) {
	for _, t := range texts {
		names = append(names, c.Names.Intern(t))
	}
	return names
}

// Size is a resource from its amounts in the order of the types.
func Size(amounts []int64) (r resource.Resource) {
	copy(r[:], amounts)
	return r
}

// Amounts are the first amounts of a resource.
func Amounts(r resource.Resource, types int) []int64 { return slices.Clone(r[:types]) }

// RackOf returns the rack of a host, as YARN's topology does for one that racks does not have.
func RackOf(racks map[string]string, host string) string {
	if r, ok := racks[host]; ok {
		return r
	}
	return "/default-rack"
}
