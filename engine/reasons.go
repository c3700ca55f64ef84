package engine

import (
	"fmt"

	"replay/engine/protocol"
	"replay/engine/record"
)

// endOfAM says in words why the container of the application master ended with this exit status.
func (a *app) endOfAM(exit int32) string {
	switch {
	case exit > 0 && a.failure != "":
		return exitText(exit) + ": " + a.failure
	case exit == protocol.ExitInvalid:
		return "it was not heard of for longer than yarn.am.liveness-monitor.expiry-interval-ms"
	case exit != protocol.ExitAborted:
		return exitText(exit)
	}
	// The ResourceManager gives one status to all containers that it ends without a report of their node.
	c := a.containerOf(a.am)
	switch {
	case c.rec.End == record.EndExpired:
		return "its container expired before it was started"
	case c.rec.End == record.EndNodeLost, a.s.nodes.down[c.rec.Node]:
		return "its node was lost"
	case !a.s.rm.Registered(protocol.NodeID(c.rec.Node)):
		return "its node left the cluster"
	}
	return "the ResourceManager gave its container up"
}

// exitText says an exit status in words, with its number where the words don't tell it.
//
// Source: org.apache.hadoop.yarn.api.records.ContainerExitStatus.
func exitText(exit int32) string {
	switch exit {
	case protocol.ExitSuccess:
		return "its process ended by itself without unregistering (exit 0)"
	case protocol.ExitInvalid:
		return "its container ended without an exit status (exit -1000)"
	case protocol.ExitDisksFailed:
		return "the disks of its node failed"
	case protocol.ExitPreempted:
		return "it was preempted"
	case protocol.ExitKilledVMem:
		return "it was killed for using too much virtual memory"
	case protocol.ExitKilledPMem:
		return "it was killed for using too much physical memory"
	case protocol.ExitKilledByAM:
		return "the application killed it"
	case protocol.ExitKilledByRM:
		return "the ResourceManager killed it"
	case protocol.ExitKilledAfterApp:
		return "it was killed after its application had ended"
	case protocol.ExitKilledByScheduler:
		return "the scheduler killed it"
	case protocol.ExitExcessLogs:
		return "it was killed for the size of its logs"
	}
	if exit > 128 && exit <= 128+64 { // a shell's words for signals 1 to 64
		return fmt.Sprintf("it was killed by a signal (exit %d)", exit)
	}
	return fmt.Sprintf("its process failed (exit %d)", exit)
}
