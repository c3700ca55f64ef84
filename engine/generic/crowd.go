package generic

import (
	"replay/engine/protocol"
	"replay/policy/resource"
)

// A crowd is the tasks of a stage that were asked for together and differ in nothing that a container is chosen by. One ask stands for all of them, and a task has no attempt before it has
// its container: they get theirs in the order of their numbers.
type crowd struct {
	ask    *ask  // nil when all have theirs
	next   int32 // the first task that waits
	serial int32 // of its attempt
	cores  int32
	ready  int64
}

// alike reports whether the tasks of a stage make a crowd when it begins: their attempts are not looked for while they wait.
func (d *dag) alike(s *stage) bool {
	return s.more == nil && !d.set.Reuse && s.st.Tasks.PrefStart == nil && len(d.set.stages[s.st.ID].keys) == 1
}

// gather asks for containers for all tasks of a stage.
func (d *dag) gather(s *stage) {
	k, n := d.set.stages[s.st.ID].at(0, false), int32(len(s.tasks))
	q := d.k.ask()
	q.req = k.one(-1 - int64(s.st.ID))
	if err := d.client.AddMany(&q.req, n); err != nil {
		d.h.Broken("job %d: %v", d.job.ID, err)
		return
	}
	q.wait = d.queue(k)
	q.wait.n += int(n) - 1
	s.crowd = crowd{ask: q, serial: d.attempts.begun, cores: int32(k.size[resource.VCores]), ready: d.h.Now()}
	d.attempts.begun += n
	d.attempts.number(d.attempts.begun)
	d.asking += int(n)
}

// first returns the attempt that a request is of: of one that stands for a crowd, that of its first task, which waits no more.
func (d *dag) first(req *protocol.ContainerRequest) *attempt {
	if req.Number >= 0 {
		return d.attempts.at(int32(req.Number))
	}
	s := &d.stages[-1-req.Number]
	c := &s.crowd
	a := d.attempt(s, c.next, c.serial, c.cores, c.ready)
	d.answer(c.ask)
	c.next++
	c.serial++
	if int(c.next) == len(s.tasks) {
		d.k.spare.asks = append(d.k.spare.asks, c.ask)
		c.ask = nil
	}
	return a
}

// oldest returns what was asked for first of all that is asked for.
func (d *dag) oldest() (q *ask) {
	serial := d.attempts.begun
	for _, a := range d.attempts.live() {
		if a.state == asking && a.serial < serial {
			q, serial = a.ask, a.serial
		}
	}
	for i := range d.stages {
		if c := &d.stages[i].crowd; c.ask != nil && c.serial < serial {
			q, serial = c.ask, c.serial
		}
	}
	return q
}
