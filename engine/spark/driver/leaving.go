package driver

import (
	"fmt"

	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
)

// leaving is what is left of a master whose code has ended, until it leaves: heartbeats that pass, and the end. Most applications are executed ahead of their time up to that, and
// have their executors for hours behind it; meanwhile the memory of the master is that of others.
type leaving struct {
	h     master.Host
	m     *model.Model
	beats heartbeats
	left  bool
}

// Retire is part of [master.Retirer].
func (a *asked) Retire(next master.EventKind) master.Master {
	d := a.Driver
	if next != evDriverStop || !d.conf.ClusterMode || !d.ended || d.stopping || d.failed != "" || d.odd || d.reviving || !d.runs.none() ||
		len(a.questions) > 0 || a.beats.queued || a.beats.news || a.beats.next == never || d.latencies != nil && d.latencies.Halts {
		return nil
	}
	for i := range d.execs {
		d.enter(&d.execs[i])
	}
	d.stopClocks()
	l := d.kind.leaves()
	*l = leaving{h: d.h, m: d.m, beats: a.beats}
	d.kind.Spare(a)
	return l
}

// leaves returns a master that leaves, to be filled in.
func (k *Kind) leaves() *leaving {
	n := len(k.gone)
	if n == 0 {
		return new(leaving)
	}
	l := k.gone[n-1]
	k.gone = k.gone[:n-1]
	return l
}

// Register is part of [master.Master].
func (l *leaving) Register() error { return nil }

// Handle is part of [master.Master].
func (l *leaving) Handle(k master.EventKind, _ int64) {
	if k != evDriverStop || l.left {
		return
	}
	l.quit()
	l.h.Unregister("")
	l.h.EndAll(l.h.Now() + l.m.KillMS)
	l.h.EndAM(l.h.Now() + l.m.StopMS)
}

// quit ends the loop of the application master.
func (l *leaving) quit() {
	if !l.left {
		l.left = true
		l.Pass()
		l.beats.next = never
	}
}

// Pass is part of [master.Passer].
func (l *leaving) Pass() { l.beats.pass(l.h) }

// Talks is part of [master.Talker].
func (l *leaving) Talks() int64 {
	if l.left {
		return 0
	}
	l.Pass()
	return l.beats.next
}

// Hears is part of [master.Hearer]: no heartbeat is executed.
func (l *leaving) Hears(master.EventKind, int64) ([]protocol.ContainerID, bool) { return nil, false }

// Started is part of [master.Master], as all that follows. No container starts, and those that end go with the application.
func (l *leaving) Started(int64)     {}
func (l *leaving) StartFailed(int64) {}
func (l *leaving) Exited(int64)      {}
func (l *leaving) News()             {}
func (l *leaving) NodesChanged(int)  {}
func (l *leaving) NodeDown(int32)    {}

func (l *leaving) ExitStatus(int64) int32 {
	if l.left {
		return protocol.ExitSuccess
	}
	return exitSIGTERM
}

func (l *leaving) AMExited()      { l.quit() }
func (l *leaving) Fail(string)    { l.quit() }
func (l *leaving) Stop()          { l.quit() }
func (l *leaving) Stopping() bool { return l.left }

func (l *leaving) Finish() {
	l.beats.ahead = false
	l.quit()
}

func (l *leaving) Waits(func(resource.Resource) string) string { return done(l.h.Job()) }

// done says how much of a job is.
func done(r *record.Job) string {
	return fmt.Sprintf("%d of its %d tasks are done", r.TasksSucceeded, r.Tasks)
}
