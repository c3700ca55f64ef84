package fair

// An application is wanting when its demand as of the last update differs from its usage: nodes are offered to no other. A queue is
// wanting when an application in it, or below it, is. Both lists are kept with each change of demand and usage, so that a
// visit looks at those that could take something, and at nobody else. Neither list has an order.

// changed follows a change of usage or demand of an application, or of its list.
func (a *app) changed() {
	wanting := a.listed > 0 && a.Demand != a.Usage
	if wanting || a.wantingAt > 0 {
		a.move()
	}
	if q := a.queue; wanting != (a.wantingAt > 0) {
		if wanting {
			q.wanting = append(q.wanting, a)
			a.wantingAt = len(q.wanting)
			if len(q.wanting) == 1 {
				q.starts()
			}
			return
		}
		a.place.Leave()
		last := len(q.wanting) - 1
		q.wanting[a.wantingAt-1] = q.wanting[last]
		q.wanting[last].wantingAt, a.wantingAt = a.wantingAt, 0
		q.wanting[last] = nil
		if q.wanting = q.wanting[:last]; last == 0 {
			q.stops()
		}
	}
}

// move notes that what gives an application its place has changed.
func (a *app) move() {
	if !a.moved {
		a.moved = true
		a.queue.movedApps = append(a.queue.movedApps, a)
	}
}

// shift notes that what gives a queue its place has changed.
func (q *queue) shift() {
	if p := q.parent; p != nil && !q.shifts {
		q.shifts = true
		p.shifted = append(p.shifted, q)
	}
}

// wants reports whether a queue is wanting.
func (q *queue) wants() bool { return len(q.wanting) > 0 || len(q.wantingQueues) > 0 }

// starts puts a queue among those of its parent that are wanting, and so on upwards.
func (q *queue) starts() {
	for p := q.parent; p != nil; q, p = p, p.parent {
		p.wantingQueues = append(p.wantingQueues, q)
		q.wantingAt = len(p.wantingQueues)
		q.shift()
		if len(p.wantingQueues) > 1 {
			return
		}
	}
}

// stops takes it out.
func (q *queue) stops() {
	for p := q.parent; p != nil; q, p = p, p.parent {
		q.place.Leave()
		last := len(p.wantingQueues) - 1
		p.wantingQueues[q.wantingAt-1] = p.wantingQueues[last]
		p.wantingQueues[last].wantingAt, q.wantingAt = q.wantingAt, 0
		if p.wantingQueues = p.wantingQueues[:last]; last > 0 {
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
