package generic

import (
	"fmt"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/policy/resource"
)

// A kept is a container whose task has succeeded and that may run another one. It is offered to the tasks of the most urgent priority that wait: at once to those that
// prefer its node or none, after a delay to those that prefer its rack, and after another to all. It goes back when it has been idle for too long.
//
// Source: YarnTaskSchedulerService (HeldContainer, assignDelayedContainer) of Tez.
type kept struct {
	id    protocol.ContainerID
	node  int32
	size  resource.Resource
	since int64
	until int64 // when it goes back
}

// keep has the container of an attempt that has succeeded wait for another task.
func (d *dag) keep(a *attempt) {
	now := d.h.Now()
	idle := d.set.IdleMin
	if more := d.set.IdleMax - d.set.IdleMin; more > 0 {
		idle += d.h.Momentary(fmt.Sprintf("idle containers of job %d", d.job.ID)).At(now).Int64N(more)
	}
	d.kept = append(d.kept, &kept{id: d.idOf(a), node: a.Node, size: d.sizes[a.size], since: now, until: now + idle})
}

// offer gives kept containers to tasks that wait, and gives back those that have been idle for too long.
func (d *dag) offer() {
	if len(d.kept) == 0 || d.over {
		return
	}
	now, next := d.h.Now(), int64(never)
	d.kept = slices.DeleteFunc(d.kept, func(k *kept) bool {
		if a := d.taker(k); a != nil {
			d.again(a, k)
			return true
		}
		if now >= k.until {
			d.client.Release(k.id)
			return true
		}
		next = min(next, k.until)
		for level := range int64(2) {
			if at := k.since + (level+1)*d.set.DelayMS; at > now {
				next = min(next, at)
			}
		}
		return false
	})
	d.h.Set(evIdle, next)
	d.beats.Expect()
}

// taker is the task that gets a kept container: of those of the most urgent priority which it is large enough for.
func (d *dag) taker(k *kept) *attempt {
	waited := d.h.Now() - k.since
	cluster := d.h.Cluster()
	for _, w := range d.urgent() {
		if !w.size.FitsIn(k.size) {
			continue
		}
		find := func(place protocol.Name) *attempt {
			if req := d.client.First(w.priority, w.request, place); req != nil {
				return d.attempts.at(int32(req.Number))
			}
			return nil
		}
		a := find(cluster.Host[k.node])
		if a == nil {
			a = d.anywhere(w)
		}
		if a == nil && d.set.Rack && waited >= d.set.DelayMS {
			a = find(cluster.RackOf(cluster.Host[k.node]))
		}
		if a == nil && d.set.NonLocal && waited >= 2*d.set.DelayMS {
			a = find(protocol.Any)
		}
		if a != nil && d.stageOf(a).gang == nil {
			return a
		}
	}
	return nil
}

// waiting are the tasks that wait for a container under one key.
type waiting struct {
	key
	n    int   // of them
	free []ref // attempts that prefer no node, the oldest first, if containers are used again; some may wait no longer
}

// anywhere is the oldest task that prefers no node.
func (d *dag) anywhere(w *waiting) *attempt {
	for len(w.free) > 0 {
		if a := d.attempts.of(w.free[0]); a != nil && a.state == asking {
			return a
		}
		w.free = w.free[1:]
	}
	return nil
}

// queue counts a task that begins to wait under a key.
func (d *dag) queue(k key) *waiting {
	w := d.waited
	if w == nil || w.key != k {
		w = d.waits[k]
	}
	if w == nil {
		w = &waiting{key: k}
		d.waits[k] = w
		at, _ := slices.BinarySearchFunc(d.keys, w, func(o, w *waiting) int {
			if o.priority != w.priority {
				return int(o.priority) - int(w.priority)
			}
			return int(o.request - w.request)
		})
		d.keys = reuse.Insert(d.keys, at, w)
	}
	w.n++
	d.waited = w
	return w
}

// urgent are the keys of the most urgent priority at which tasks wait.
func (d *dag) urgent() []*waiting {
	from := slices.IndexFunc(d.keys, func(w *waiting) bool { return w.n > 0 })
	if from < 0 {
		return nil
	}
	to := from
	for to < len(d.keys) && d.keys[to].priority == d.keys[from].priority {
		to++
	}
	return d.keys[from:to]
}

// again runs a task in a kept container: its process, which asks for work, takes it at once. A process that has gone does not ask, and the master does not
// know of it before the ResourceManager tells of the container: the task waits until then, and is asked for anew.
func (d *dag) again(a *attempt, k *kept) {
	d.answered(a)
	a.size, a.state = d.sizeOf(k.size), assigned
	n := k.id.Number()
	a.Container = n
	d.attempts.drop(d.attempts.in(n)) // whose task has succeeded there
	d.attempts.enter(n, a)
	if !d.h.Running(n) {
		return
	}
	d.Assign(&a.Attempt, n, true)
	d.launch(a)
}

// idleGone forgets a kept container that has ended.
func (d *dag) idleGone(c int64) {
	if len(d.kept) == 0 {
		return
	}
	d.kept = slices.DeleteFunc(d.kept, func(k *kept) bool { return k.id.Number() == c })
}
