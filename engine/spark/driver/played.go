package driver

import (
	"slices"

	"replay/engine/master"
	"replay/engine/spark"
	"replay/engine/spark/scala"
	"replay/trace"
)

// Played is a driver that is given its messages one by one, by somebody who knows in which order Spark's own got them. What it schedules
// comes when that one says so, and its code begins at once. Executors are offered in the order of their ids, and hash tables have the order of Spark's.
type Played struct {
	*asked
	Told      func(*spark.TotalRequest)             // hears of totals as the application master is told them
	Submitted func(stage, attempt int32, tasks int) // hears of each attempt of a stage, if it is set
	known     scala.HashMap[int32]                  // executors that the driver has, as its own table has them
}

var (
	_ source        = (*Played)(nil)
	_ spark.Backend = (*Played)(nil)
)

// Play makes the driver of a job and registers its application master, with a host whose time is that of the messages.
func (k *Kind) Play(h master.Host, j *trace.Job, told func(*spark.TotalRequest)) (*Played, error) {
	set, err := k.settings(j)
	if err != nil {
		return nil, err
	}
	p := &Played{asked: k.newMaster(h, j, set).(*asked), Told: told, known: scala.HashMap[int32]{Hash: hashOfExecutor}}
	p.source = p
	if err = p.asked.Register(); err == nil {
		if !p.started {
			p.beginCode()
		}
		p.Beats()
	}
	return p, err
}

func (p *Played) prepare() error {
	err := p.asked.prepare()
	if err == nil && p.mgr != nil {
		p.mgr = p.memory.manager(p.conf, p.set.perExec, p)
	}
	return err
}

// RequestTotal is part of [spark.Backend].
func (p *Played) RequestTotal(now int64, r *spark.TotalRequest) bool {
	ok := p.asked.RequestTotal(now, r)
	if !p.lost.silent {
		p.Told(r)
	}
	return ok
}

func (p *Played) hashes() *spark.HashOrder { return p.hashesOf(hashOfExecutor) }

func (p *Played) arrange(offers []spark.Offer) {
	slices.SortFunc(offers, func(a, b spark.Offer) int { return int(a.Exec - b.Exec) })
}

// begins is the beginning of a message, which comes behind all that the ones before have led to.
func (p *Played) begins() {
	if !p.reviving {
		p.reviveAt = -1
	}
}

// Beats is a heartbeat of the application master: it takes what it is given, executors of each profile as many as come, and gives back what is to be killed.
func (p *Played) Beats() {
	const many = 1000
	q := spark.TotalRequest{}
	for i := range p.set.profiles {
		q.Profiles = append(q.Profiles, spark.ProfileTotal{Profile: int32(i), Total: many})
	}
	p.alloc.RequestTotal(p.now(), &q)
	p.heartbeat(false)
}

// In returns the executor that was started in a container.
func (p *Played) In(c int64) int32 { return p.executorIn(c) }

// Registers is the registration of the executor in a container, and, unless it is silent, its word that it takes tasks; it reports whether the driver takes it.
func (p *Played) Registers(c int64, silent bool) bool {
	p.begins()
	for id := range p.execs {
		if s := p.execs[id].state; s != execAlive && s != execLost {
			p.known.Remove(int32(id))
		}
	}
	defer func() {
		if id := p.executorIn(c); p.execs[id].state == execAlive {
			p.known.Put(id)
		}
	}()
	if silent {
		p.Handle(evExecRegistered, c)
	} else {
		p.Handle(evExecReady, c)
	}
	e := p.exec(p.executorIn(c))
	return e.state == execAlive && !e.refused
}

// Speaks is the word of the executor in a container that it takes tasks.
func (p *Played) Speaks(c int64) {
	p.begins()
	p.Handle(evExecReady, c)
}

// Submits is the submission of a stage of the job.
func (p *Played) Submits(stage int32) {
	p.begins()
	p.Handle(evStage, int64(stage))
}

// Comes is the submission of a stage whose turn has come by what a message has led to.
func (p *Played) Comes(stage int32) { p.Handle(evStage, int64(stage)) }

// Comes reports whether an event that was scheduled is the submission of a stage.
func Comes(k master.EventKind) bool { return k == evStage }

// Resubmits is the submission of the stages that failed.
func (p *Played) Resubmits() {
	p.begins()
	p.Handle(evResubmit, 0)
}

// ComesAgain reports whether an event that was scheduled is the submission of the stages that failed.
func ComesAgain(k master.EventKind) bool { return k == evResubmit }

func (p *Played) submitted(stage, attempt, set int32) {
	if p.Submitted == nil {
		return
	}
	tasks := 0
	if set >= 0 {
		tasks = p.tasks.Set(set).Spec.Tasks
	}
	p.Submitted(stage, attempt, tasks)
}

// Outputs returns which executor holds the output of each task of a stage, -1 where none does; it is empty before the first attempt.
func (p *Played) Outputs(stage int32) []int32 { return p.dag.Outputs(stage) }

// Revives offers all executors: by the driver's clock, or as it was asked for.
func (p *Played) Revives(clock bool) {
	if clock {
		p.begins()
		p.Handle(evReviveTimer, 0)
	} else {
		p.Handle(evRevive, 0)
	}
}

// AsksForOffers reports whether an event that was scheduled is the offer of all executors that was asked for.
func AsksForOffers(k master.EventKind) bool { return k == evRevive }

// Launch is a task attempt as its executor is told of it.
type Launch struct {
	ID           int64
	Stage, Index int32
	Of           int32 // attempt of the stage
	Number       int16
	Exec         int32
	Level        spark.Locality
	Speculative  bool
}

// Launched returns an attempt if what was scheduled is the report of its end.
func (p *Played) Launched(k master.EventKind, arg int64) (l Launch, ok bool) {
	if k != evStatus {
		return l, false
	}
	r := p.runs.of(arg)
	return Launch{ID: r.id, Stage: r.stage, Of: r.attempt, Index: r.index, Number: r.number, Exec: r.exec, Speculative: r.speculative, Level: p.tasks.Set(r.ref.Set).Attempt(r.ref.Row).Level}, true
}

// Speculates is the driver's look for tasks that take long.
func (p *Played) Speculates() {
	p.begins()
	p.Handle(evSpeculate, 0)
}

// Stopped reports whether an event that was scheduled is the end of an attempt that was told to stop.
func Stopped(k master.EventKind) bool { return k == evKilled }

// Runs is the report that an attempt runs.
func (p *Played) Runs(id int64) {
	p.begins()
	if r := p.runs.of(id); r != nil {
		p.tasks.Running(r.ref)
	}
}

// Ends is the report that an attempt has ended by itself: failed, or as it could not read from a source, nil for neither.
func (p *Played) Ends(id int64, failed bool, from *spark.FetchSource) {
	p.Runs(id)
	if r := p.runs.of(id); r != nil {
		r.fails, r.unread = failed, false
		if from != nil {
			p.runs.cannotRead(r, *from)
		}
	}
	p.status(id)
	p.wind()
}

// WasStopped is the report that an attempt has stopped as it was told to, and what follows from it.
func (p *Played) WasStopped(id int64) {
	p.begins()
	p.Handle(evKilled, id)
}

// Result is the handling of the result of an attempt whose end was reported.
func (p *Played) Result(id int64) {
	p.begins()
	p.Handle(evResult, id)
}

// Disconnects is the end of the process of an executor, of which the driver hears; it reports whether the application master is asked why.
func (p *Played) Disconnects(id int32) bool {
	p.begins()
	p.asked.Exited(p.execs[id].container)
	p.Handle(evDisconnect, int64(id))
	return p.execs[id].state == execLost
}

// Misses returns at which of its looks the driver finds that an executor that is gone sends no heartbeats.
func (p *Played) Misses(id int32) int64 { return p.silence(id) }

// Removed is the application master's word that an executor is gone.
func (p *Played) Removed(id int32, loss spark.Loss) {
	p.begins()
	p.removeExecutor(id, loss)
	p.wind()
}

// SelfExits is the word of an executor that was decommissioned that it ends.
func (p *Played) SelfExits(id int32) {
	p.begins()
	p.asked.Exited(p.execs[id].container)
	p.Handle(evSelfExit, int64(id))
}

// Expires is the end of the driver's patience: with an executor that is silent, or with the master's answer.
func (p *Played) Expires(id int32, silent bool) {
	p.begins()
	p.giveUp(question{executor: id, silent: silent})
	p.wind()
}

// Kills has executors killed and returns those of which it is true.
func (p *Played) Kills(ids []int32, force bool) []int32 {
	p.begins()
	out := slices.Clone(p.kill(ids, force))
	p.wind()
	return out
}

// Decommissions has executors end when their tasks have, and returns those of which it is true.
func (p *Played) Decommissions(ids []int32) []int32 {
	p.begins()
	out := p.Decommission(p.now(), ids)
	p.wind()
	return out
}

// Totals asks the application master for totals.
func (p *Played) Totals(r *spark.TotalRequest) {
	p.begins()
	p.RequestTotal(p.now(), r)
	p.wind()
}

// Ticks is a tick of dynamic allocation.
func (p *Played) Ticks() {
	p.begins()
	p.Handle(evTick, 0)
}

// MasterGoes is the end of the application master, and of the driver's connection to it, in client mode.
func (p *Played) MasterGoes() {
	p.begins()
	p.fallSilent()
	p.disassociated()
	p.wind()
}

// MasterComes is the registration of another application master; it returns the last executor that had registered.
func (p *Played) MasterComes() (last int32) {
	p.begins()
	p.asked = p.Heir(p.h).(*asked)
	return p.takeOver(p)
}

// stale is the order of Spark's own table of executors, made a set.
//
// Source: CoarseGrainedSchedulerBackend.reset.
func (p *Played) stale(ids []int32) {
	set := scala.Immutable[int32]{Hash: hashOfExecutor}
	for id := range p.known.All {
		if slices.Contains(ids, id) {
			set.Put(id)
		}
	}
	copy(ids, slices.Collect(set.All))
}

// Failed reports whether the application has.
func (p *Played) Failed() bool { return p.failed != "" }

// Known is an executor that the driver has.
type Known struct {
	ID, Free int32
	Active   bool // it gets tasks
}

// Executors returns the executors that the driver has, ascending, and how many of them count as registered.
func (p *Played) Executors() (list []Known, registered int) {
	for id := range p.execs {
		if e := &p.execs[id]; e.state == execAlive || e.state == execLost {
			list = append(list, Known{int32(id), e.free, e.state == execAlive && !e.killing})
		}
	}
	return list, p.ready
}

// Ready reports whether the driver would let its code begin.
func (p *Played) Ready() bool { return p.mayBegin() }

// Allocation returns how many executors of each profile dynamic allocation needs, and how many it knows; nil without it.
func (p *Played) Allocation() (needed []int, known int) {
	if p.mgr == nil {
		return nil, 0
	}
	for i := range p.set.profiles {
		needed = append(needed, p.mgr.MaxNeeded(int32(i)))
	}
	known, _ = p.mgr.Executors()
	return needed, known
}
