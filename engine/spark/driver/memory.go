package driver

import (
	"replay/engine/fetch"
	"replay/engine/master"
	"replay/engine/spark"
	"replay/engine/spark/allocator"
	"replay/engine/spark/conf"
	"replay/trace"
)

// memory is what a driver has of those before it, for itself.
type memory struct {
	pools *spark.Pools
	tasks *spark.TaskScheduler
	mgr   *spark.Manager
	dag   *spark.DAG
}

func (m *memory) scheduler(c *conf.Conf, mode spark.PoolMode, pools []spark.Pool, rackOf []int32, order *spark.HashOrder) *spark.TaskScheduler {
	if m.tasks == nil {
		m.pools = spark.NewPools(mode, pools)
		m.tasks = spark.NewTaskScheduler(c, m.pools, rackOf, order)
	} else {
		m.pools.Renew(mode, pools)
		m.tasks.Renew(c, m.pools, rackOf, order)
	}
	return m.tasks
}

func (m *memory) manager(c *conf.Conf, perExec []int, b spark.Backend) *spark.Manager {
	if m.mgr == nil {
		m.mgr = spark.NewManager(c, perExec, b)
	} else {
		m.mgr.Renew(c, perExec, b)
	}
	return m.mgr
}

func (m *memory) stages(c *conf.Conf, job *trace.Job, tasks *spark.TaskScheduler, cpus []int32) (*spark.DAG, error) {
	if m.dag == nil {
		m.dag = new(spark.DAG)
	}
	if err := m.dag.Renew(c, job, tasks, cpus); err != nil {
		return nil, err
	}
	return m.dag, nil
}

// Spare is part of [master.Sparer].
func (k *Kind) Spare(m master.Master) {
	if l, ok := m.(*leaving); ok {
		k.gone = append(k.gone, l)
		return
	}
	if a, ok := m.(*asked); ok && !a.lost.silent && !a.heir.is { // else what is left of another attempt has its driver too
		a.giveBack()
		k.spare = append(k.spare, leftover{a, a.Driver, a.alloc, a.memory})
	}
}

// leftover is the memory of a master of which nothing is left, with what it leads to, which is fetched at once before it is used again.
type leftover struct {
	*asked
	driver *Driver
	alloc  *allocator.Allocator
	memory memory
}

// fetch takes a step towards what a master that is made of it and registers looks at.
func (l *leftover) fetch(step int) {
	m := &l.memory
	if step == 0 {
		fetch.Of(l.asked)
		fetch.Of(l.driver)
		fetch.Of(l.alloc)
		fetch.Of(m.pools)
		fetch.Of(m.tasks)
		fetch.Of(m.mgr)
		fetch.Of(m.dag)
		return
	}
	if l.alloc != nil { // of one that did not get so far
		l.alloc.FetchMemory(step - 1)
	}
	if m.tasks != nil {
		m.pools.FetchMemory(step - 1)
		m.tasks.FetchMemory(step - 1)
	}
	if m.mgr != nil {
		m.mgr.FetchMemory(step - 1)
	}
	if m.dag != nil {
		m.dag.FetchMemory(step - 1)
	}
	if step == 1 {
		done := l.driver.done
		fetch.List(done[:cap(done)], 4)
	}
}

// spared returns a driver without an application, in the memory of one that was spared if there is one.
func (k *Kind) spared() *asked {
	n := len(k.spare)
	if n == 0 {
		return &asked{Driver: &Driver{}}
	}
	a := k.spare[n-1].asked
	k.spare = k.spare[:n-1]
	*a.Driver = a.Driver.emptied()
	*a = asked{Driver: a.Driver, alloc: a.alloc, req: a.req, resp: a.resp, out: a.out, pool: a.pool[:0], killed: a.killed[:0], questions: a.questions[:0]}
	return a
}

// emptied returns a driver without an application in the memory of d.
func (d *Driver) emptied() Driver {
	return Driver{
		stages:  stages{submitted: d.submitted[:0], since: d.since[:0], done: d.done[:0], readers: d.readers[:0], wants: d.wants[:0]},
		backend: backend{execs: d.execs[:0], in: d.in[:0]},
		runs:    runs{place: d.runs.place[:0], free: d.runs.free[:0]},
		offers:  d.offers[:0], memory: d.memory, lent: d.lent,
	}
}
