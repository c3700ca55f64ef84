package fair

import "slices"

// An application is wanting when its demand as of the last update differs from its usage: nodes are offered to no other. A queue is
// wanting when an application in it, or below it, is. Both lists are kept with each change of demand and usage, so that a
// visit looks at those that could take something, and at nobody else.

// changed follows a change of usage or demand of an application.
func (a *app) changed() {
	q := a.queue
	wanting := a.listed > 0 && a.Demand != a.Usage
	if (wanting || a.wanting) && !a.moved {
		a.moved = true
		q.movedApps = append(q.movedApps, a)
	}
	if wanting == a.wanting {
		return
	}
	a.wanting = wanting
	if wanting {
		q.wanting = append(q.wanting, a)
		if len(q.wanting) == 1 {
			q.wants()
		}
		return
	}
	i := slices.Index(q.wanting, a)
	q.wanting = slices.Delete(q.wanting, i, i+1)
	if len(q.wanting) == 0 {
		q.satisfied()
	}
}

// wants puts a queue among those of its parent that are wanting, and so on upwards.
func (q *queue) wants() {
	for p := q.parent; p != nil; q, p = p, p.parent {
		p.wantingQueues = append(p.wantingQueues, q)
		p.moved = true
		if len(p.wantingQueues) > 1 {
			return
		}
	}
}

// satisfied takes it out.
func (q *queue) satisfied() {
	for p := q.parent; p != nil; q, p = p, p.parent {
		i := slices.Index(p.wantingQueues, q)
		p.wantingQueues = slices.Delete(p.wantingQueues, i, i+1)
		if len(p.wantingQueues) > 0 {
			return
		}
	}
}

// eachWanting calls do for the leaves that are wanting.
func (q *queue) eachWanting(do func(*queue)) {
	if q.leaf {
		if len(q.wanting) > 0 {
			do(q)
		}
		return
	}
	for _, c := range q.wantingQueues {
		c.eachWanting(do)
	}
}
