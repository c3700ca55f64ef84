package policy

import "replay/policy/resource"

// A CapacityLeaf is what the limits of a leaf queue of the CapacityScheduler are computed from.
type CapacityLeaf struct {
	Min        resource.Resource // effective capacity
	Max        resource.Resource // effective maximum capacity
	Least      resource.Resource // minimum allocation
	UserLimit  float32           // minimum-user-limit-percent, 0 to 100
	UserFactor float32           // user-limit-factor; -1 is none
	AMPercent  float32           // maximum-am-resource-percent, 0 to 1
}

// ActiveUserLimit is what one user of weight 1 may use in a leaf queue. Consumed is the sum over the queue's users
// of the largest share of the cluster that each uses, active the usage of users with outstanding
// requests and weights the sum of their weights.
//
// Source: UsersManager.computeUserLimit.
func ActiveUserLimit(c resource.Calculator, cluster resource.Resource, q *CapacityLeaf, consumed float32, active resource.Resource, weights float32) resource.Resource {
	return userLimit(c, cluster, q, consumed, &active, weights)
}

// AllUsersLimit is what one user of weight 1 may use where all users of the queue count, whose weights add up to weights; see [ActiveUserLimit].
func AllUsersLimit(c resource.Calculator, cluster resource.Resource, q *CapacityLeaf, consumed float32, weights float32) resource.Resource {
	return userLimit(c, cluster, q, consumed, nil, weights)
}

// userLimit is that of active users with what they use, or with nil that of all.
func userLimit(c resource.Calculator, cluster resource.Resource, q *CapacityLeaf, consumed float32, active *resource.Resource, weights float32) resource.Resource {
	capacity := resource.Larger(c, cluster, q.Min, q.Least)
	current := c.MulNormalizeUp(cluster, float64(consumed), q.Least)
	if c.Compare(cluster, current, capacity, false) < 0 {
		current = capacity
	} else {
		current = current.Clone().Add(q.Least)
	}
	used := current
	if active != nil {
		used = active.Clone().Add(q.Least)
	}
	limit := resource.Larger(c, cluster,
		c.DivideCeilFloat(used, weights),
		c.DivideCeil(current.Clone().Mul(float64(q.UserLimit)), 100))
	var most resource.Resource
	if q.UserFactor == -1 || q.Min.IsNone() {
		most = c.RoundDown(q.Max, q.Least)
	} else {
		most = capacity.Clone().Mul(float64(q.UserFactor))
	}
	return c.RoundUp(resource.Smaller(c, cluster, limit, most), q.Least)
}

// AMLimit is what the application masters of a leaf queue may use together; current is what the queue
// could use when it was last offered a node.
//
// Source: AbstractLeafQueue.calculateAndGetAMResourceLimitPerPartition.
func AMLimit(c resource.Calculator, q *CapacityLeaf, current resource.Resource) resource.Resource {
	usable := q.Min
	if c.Fits(q.Min, current) {
		usable = current
	}
	return c.MulNormalizeUp(usable, float64(q.AMPercent), q.Least)
}

// UserAMLimit is what the application masters of a user of this weight may use; users is the number of active
// users, limit that of [AMLimit].
//
// Source: AbstractLeafQueue.getUserAMResourceLimitPerPartition.
func UserAMLimit(c resource.Calculator, cluster resource.Resource, q *CapacityLeaf, users int, weight float32, limit resource.Resource) resource.Resource {
	part := max(q.UserLimit/100, 1/float32(max(users, 1)))
	part = min(float32(part*weight), 1)
	by := q.AMPercent
	if q.UserFactor != -1 {
		by = float32(float32(q.AMPercent*part) * q.UserFactor)
	}
	return resource.Smaller(c, cluster, c.MulNormalizeUp(q.Min, float64(by), q.Least), limit)
}

// CapacityHeadroom is what a user with this limit may still get: within the limit, the queue's limit and the free part of the cluster.
//
// Source: AbstractLeafQueue.getHeadroom.
func CapacityHeadroom(c resource.Calculator, cluster, userLimit, userUsed, queueLimit, queueUsed, clusterUsed, least resource.Resource) resource.Resource {
	user := userLimit.SubNonNegative(userUsed)
	queue := queueLimit.SubNonNegative(queueUsed)
	h := c.RoundDown(user.Min(queue), least)
	return resource.Smaller(c, cluster, cluster.Sub(clusterUsed), h)
}
