package generic

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
)

// heartbeat is one call of the ResourceManager, and what follows from its answer.
func (d *dag) heartbeat() {
	d.beats.Begin()
	req, resp := &d.k.call.req, &d.k.call.resp
	d.client.Build(req)
	if err := d.h.Allocate(req, resp); err != nil {
		d.Fail(err.Error())
		return
	}
	d.client.Received(resp)
	for _, s := range resp.Completed {
		fetch.Of(d.attempts.in(s.ID.Number()))
	}
	for _, s := range resp.Completed {
		d.completed(s.ID.Number())
		if d.over {
			return
		}
	}
	d.allocated(resp.Allocated)
}

// allocated gives containers to tasks: first those whose host a task prefers, then those on the rack of one, then the others; each to the task of
// its priority and size that has asked for that the longest. One that nobody waits for is given back.
//
// Source: YarnTaskSchedulerService.assignNewlyAllocatedContainers of Tez.
func (d *dag) allocated(list []protocol.Container) {
	if len(list) > 0 {
		d.app = list[0].ID.App
	}
	d.given = append(d.given[:0], make([]bool, len(list))...)
	given := d.given
	places := [...]func(*protocol.Container) protocol.Name{
		func(c *protocol.Container) protocol.Name { return c.Host },
		func(c *protocol.Container) protocol.Name { return d.h.Cluster().RackOf(c.Host) },
		func(*protocol.Container) protocol.Name { return protocol.Any },
	}
	from := 0
	if nodes, _ := d.Preferred(); len(nodes) == 0 { // nobody asks for a host
		from = len(places) - 1
	}
	for _, place := range places[from:] {
		for i := range list {
			if given[i] {
				continue
			}
			c := &list[i]
			if req := d.client.First(c.Priority, c.Request, place(c)); req != nil {
				given[i] = true
				d.assign(d.first(req), c)
			}
		}
	}
	for i := range list {
		if !given[i] {
			d.Unmatched(list[i].ID.Number())
			d.client.Release(list[i].ID)
		}
	}
}
