package allocator

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/spark"
)

// known reports whether an executor has a container that has not been reported as ended.
func (a *Allocator) known(executor int32) bool {
	return executor > 0 && int(executor) < len(a.executors) && a.executors[executor] != protocol.ContainerID{}
}

// completed clears up after a container that has ended.
//
// Source: YarnAllocator.processCompletedContainers.
func (a *Allocator) completed(now int64, s protocol.Status, out *Outcome) {
	c := a.container(s.ID)
	executor, host := c.executor, c.host
	reason := LossReason{Exit: s.Exit, Explicit: c.released}
	if !c.released {
		if executor != 0 {
			a.profiles[c.profile].running--
		}
		var failure bool
		reason.ByApp, failure = classify(s.Exit, a.finishing)
		if failure {
			a.health.failed(now, host, executor != 0, &a.client)
		}
	}
	profile := c.profile
	*c = containerState{}
	if executor == 0 {
		return
	}
	a.leave(profile, host)
	a.executors[executor] = protocol.ContainerID{}
	loss := &a.losses[executor]
	if loss.waiting {
		loss.waiting = false
		a.waiting--
		out.Answers = append(out.Answers, Removal{executor, reason})
	} else {
		*loss = lossState{known: true, reason: reason}
	}
	if !reason.Explicit {
		a.unexpected++
		out.Removals = append(out.Removals, Removal{executor, reason})
	}
}

// leave takes a running container from its host.
func (a *Allocator) leave(profile int32, host protocol.Name) {
	p := &a.profiles[profile]
	i := from(p.hosts, host)
	if i == len(p.hosts) || p.hosts[i].Host != host {
		panic("allocator: no container on the host of one that ended: " + a.names.Text(host))
	}
	if p.hosts[i].Tasks--; p.hosts[i].Tasks == 0 {
		p.hosts = slices.Delete(p.hosts, i, i+1)
	}
}

// classify tells what an exit status means: whether the application is to blame, so that the tasks
// which ran count as failed, and whether it is a failure of the executor on its node.
//
// Source: YarnAllocator.processCompletedContainers.
func classify(exit int32, finishing bool) (byApp, failure bool) {
	switch {
	case finishing:
		return false, false
	case exit == protocol.ExitKilledVMem, exit == protocol.ExitKilledPMem:
		return true, false
	}
	switch exit {
	case protocol.ExitSuccess, protocol.ExitPreempted, protocol.ExitKilledByRM, protocol.ExitKilledByAM,
		protocol.ExitKilledAfterApp, protocol.ExitAborted, protocol.ExitDisksFailed:
		return false, false
	}
	return true, true
}

// LossAnswer is the state of a question for the reason of an executor's end.
type LossAnswer uint8

// States of the question.
const (
	LossUnknown LossAnswer = iota // no such executor: the driver takes the loss as caused by the application
	LossWaits                     // answered by a later [Allocator.Response]; the loop must be woken
	LossKnown                     // answered at once
)

// AskLossReason is the driver's question why an executor went away.
//
// Source: YarnAllocator.enqueueGetLossReasonRequest.
func (a *Allocator) AskLossReason(executor int32) (LossReason, LossAnswer) {
	if a.known(executor) {
		if l := &a.losses[executor]; !l.waiting {
			l.waiting = true
			a.waiting++
		}
		return LossReason{}, LossWaits
	}
	if executor > 0 && int(executor) < len(a.losses) && a.losses[executor].known {
		reason := a.losses[executor].reason
		a.losses[executor] = lossState{}
		return reason, LossKnown
	}
	return LossReason{}, LossUnknown
}

// Waiting reports whether requests or questions are open, which makes the loop hurry.
func (a *Allocator) Waiting() bool {
	return a.waiting > 0 || a.client.Open()
}

// Due reports whether a heartbeat would do more than ask for what the ResourceManager has to tell. Where hosts are excluded it always
// is: whether that ends the application depends on the answer.
func (a *Allocator) Due(now int64) bool {
	return a.client.Tells() || a.asks(now)
}

// Gives returns the containers that a heartbeat would give back, and whether that would be all that makes it [Allocator.Due]. They are valid until then.
func (a *Allocator) Gives(now int64) (gives []protocol.ContainerID, only bool) {
	gives, only = a.client.Gives()
	return gives, only && !a.asks(now)
}

// asks reports whether a heartbeat would ask for more or less than the one before, or may end the application.
func (a *Allocator) asks(now int64) bool {
	if len(a.health.current) > 0 || a.health.fatal(now) != "" {
		return true
	}
	for i := range a.profiles {
		p := &a.profiles[i]
		if !p.targeted {
			continue
		}
		pending := a.client.Count(int32(i))
		if missing := p.target - pending - p.running - p.starting; missing > 0 || missing < 0 && pending > 0 {
			return true
		}
	}
	return false
}

// Nodes tells how many nodes the ResourceManager has, as of the last heartbeat.
func (a *Allocator) Nodes(n int) { a.health.clusterNodes = n }

// Finish tells that the application master is about to stop: executors that end from now on are
// nobody's fault.
func (a *Allocator) Finish() { a.finishing = true }

// Fatal returns why the application has to fail at now, "" when it has not: too many executors
// failed, or no node is left. The loop asks before each heartbeat.
//
// Source: ApplicationMaster.allocationThreadImpl.
func (a *Allocator) Fatal(now int64) string { return a.health.fatal(now) }

// maxDecommissioning is how many hosts the application master remembers to have told the driver of.
const maxDecommissioning = 200

// NodesDecommissioning takes the hosts that the ResourceManager reports as DECOMMISSIONING and
// appends to told those that the driver is to be told of: each once, while it is remembered.
//
// Source: YarnAllocator.handleNodesInDecommissioningState.
func (a *Allocator) NodesDecommissioning(hosts, told []protocol.Name) []protocol.Name {
	for _, h := range hosts {
		if slices.Contains(a.decommed, h) {
			continue
		}
		if len(a.decommed) == maxDecommissioning {
			a.decommed = slices.Delete(a.decommed, 0, 1)
		}
		a.decommed = append(a.decommed, h)
		told = append(told, h)
	}
	return told
}

// Counts is the state of an allocator in numbers.
type Counts struct {
	Running, Starting int
	Failed            int // executors, within the validity interval
	Released          int // containers released and not reported as ended
	Unexpected        int // containers that ended without having been released
}

// Counts returns the numbers over all profiles.
func (a *Allocator) Counts(now int64) Counts {
	c := Counts{Failed: a.health.failures(now), Unexpected: a.unexpected}
	for p := range a.profiles {
		c.Running += a.profiles[p].running
		c.Starting += a.profiles[p].starting
	}
	for i := range a.containers {
		if a.containers[i].released {
			c.Released++
		}
	}
	return c
}

// Executors returns how many executors of a profile run and how many are being started.
func (a *Allocator) Executors(profile int32) (running, starting int) {
	return a.profiles[profile].running, a.profiles[profile].starting
}

// Pending returns how many requests of a profile are not met; ok is false for a profile that the
// driver has not named yet.
func (a *Allocator) Pending(profile int32) (n int, ok bool) {
	return a.client.Count(profile), a.profiles[profile].targeted
}

// Hosts returns the running containers of a profile by host, ascending by number of the name.
// The slice must not be changed and is valid until the next call.
func (a *Allocator) Hosts(profile int32) []spark.HostTasks { return a.profiles[profile].hosts }

// Excluded returns the hosts that the ResourceManager is told to leave out, in the order of their
// names. The slice must not be changed and is valid until the next call.
func (a *Allocator) Excluded() []protocol.Name { return a.health.current }
